//! The kinds of items on a page: their titles, and how to make the details of one.

use serde_json::Value;

use crate::plan::detail::{Cell, Columns, Detail};
use crate::plan::{Plan, Row, Section};

use super::outcome::{first, list, number, text};

/// Names in one line.
pub(super) const NAMES: usize = 6;

/// The items of one section.
#[derive(Debug)]
pub struct Kind {
    /// The section of the plan.
    pub section: Section,
    /// The beginning of its anchors.
    pub id: &'static str,
    /// The name of its section in addresses and filters.
    pub key: &'static str,
    /// The heading of its section.
    pub title: &'static str,
    /// The same in one word or two.
    pub short: &'static str,
    /// One of them.
    pub noun: &'static str,
    /// The first sentence of the section.
    pub about: &'static str,
    /// The answer, as the head of a column.
    pub answer: &'static str,
    /// Whether a matrix shows its items by cluster.
    pub is_matrix: bool,
    /// Whether those that stay can be opened, too.
    pub opens: bool,
    /// Makes the items of the section from its rows.
    pub items: for<'p> fn(Vec<Row<'p>>) -> Vec<Row<'p>>,
    /// The title of an item.
    pub name: fn(&Row<'_>, &Value) -> String,
    /// The deciding fact.
    pub why: fn(&Row<'_>, &Value) -> String,
    /// Adds the places that an item has only in the documents.
    pub places: fn(&Plan<'_, '_>, usize, &mut Value),
    /// Makes the details of an item.
    pub details: for<'v> fn(&'v Value) -> Vec<Detail<'v>>,
}

impl Kind {
    /// The defaults: each row is one item, without details.
    pub(super) const ROWS: Self = Self {
        section: Section::Placements,
        id: "",
        key: "",
        title: "",
        short: "",
        noun: "",
        about: "",
        answer: "Clusters",
        is_matrix: false,
        opens: true,
        items: |rows| rows,
        name: |row, _| row.name.to_string(),
        why: |row, _| row.facts.because(),
        places: |_, _, _| (),
        details: |_| Vec::new(),
    };
}

/// The clusters that remain after each filter, as figures and bars.
pub(super) fn funnel(row: &Value) -> Detail<'_> {
    let filters = list(row, "filters");
    let left = |filter| number(filter, "left");
    let most = filters.iter().map(left).max().unwrap_or_default();
    let table = Columns::of("filter", "Filters of {}", filters)
        .with("Filter", |filter| Cell::Name(text(filter, "name").into()))
        .with("#Left", |filter| {
            Cell::Figure(left(filter).to_string().into())
        })
        .with("Clusters left", |filter| {
            Cell::Bar(left(filter), most, None)
        });
    let is_named = |filter| !list(filter, "clusters").is_empty();
    if filters.iter().any(is_named) {
        table
            .with("Which", |filter| first(filter, "clusters", NAMES))
            .end()
    } else {
        table.end()
    }
}
