//! A consumer in words and figures: what each kind says of its rows.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::follow::Deliveries;
use super::model::Model;
use super::names::Names;
use super::row::{Extra, Row, Via};
use crate::diagnostic::Severity;
use crate::kit::named::Name;

/// Ways to clusters that are named.
const WAYS: usize = 2;

/// The cell of a cluster without an entry.
pub const NOTHING: &str = "-";

/// The cells of each cluster in the table of one consumer.
#[derive(Debug)]
pub struct Cells {
    /// The heads of the last two columns.
    pub heads: [&'static str; 2],
    /// The cells of the clusters that it reaches, and of some more.
    pub here: BTreeMap<u32, [String; 2]>,
    /// The last cell of the clusters that it no longer reaches.
    pub gone: String,
}

/// An Application that a row makes: its name and its cluster, where they are known.
pub type Made<'a> = (Option<String>, Option<&'a str>);

/// The fields of a row that one kind of consumer has, and what they say. The defaults are those of
/// kinds without such fields.
pub trait Describe<'a> {
    /// Whether the row should reach clusters and does not.
    fn is_stuck(&self, row: &Row<'a>) -> bool {
        row.clusters.is_clear()
    }

    /// By what the row comes to its clusters.
    fn by(&self, row: &Row<'a>) -> String {
        placements(row)
    }

    /// The end of the row's line: the counts that only this kind has.
    fn more(&self) -> Option<String> {
        None
    }

    /// The title of the table of its clusters.
    fn title(&self, row: &Row<'a>) -> String {
        format!("{} {}", row.id.kind, row.id.full_name())
    }

    /// The table of its clusters, where a kind has one.
    fn cells(&self, _: &Row<'a>, _: &Deliveries<'a>, _: &Model<'a>) -> Option<Cells> {
        None
    }

    /// The Applications that it makes, where a kind makes some.
    fn applications(&self, _: &Deliveries<'a>, _: &Model<'a>) -> Option<Vec<Made<'a>>> {
        None
    }

    /// The fields of the row as data that no other kind has.
    fn data(&self, _: &Names<'a>) -> Map<String, Value> {
        Map::new()
    }

    /// How bad it is that the row loses its last cluster.
    fn emptied(&self) -> Severity {
        Severity::Error
    }

    /// Whether the clusters that come are named even where the documents hold none from before.
    fn is_held(&self) -> bool {
        false
    }

    /// Whether the controller leaves the clusters of a way as they are.
    fn keeps(&self, _way: usize) -> bool {
        false
    }
}

/// A row without fields of its own.
struct Plain;

impl<'a> Describe<'a> for Plain {
    fn by(&self, row: &Row<'a>) -> String {
        match row.via.as_slice() {
            [] => "the labels of clusters".to_owned(),
            _ => placements(row),
        }
    }
}

impl<'a> Row<'a> {
    /// The answers of its kind about it.
    #[must_use]
    pub fn describe(&self) -> &dyn Describe<'a> {
        match &self.extra {
            Extra::None => &Plain,
            Extra::Policy(about) => about,
            Extra::ApplicationSet(about) => &**about,
            Extra::AddOn(about) => &**about,
            Extra::Works(about) => &**about,
        }
    }

    /// Why it fails, or by what it comes to its clusters.
    #[must_use]
    pub fn because(&self) -> String {
        let error = self.error.clone();
        error.unwrap_or_else(|| self.describe().by(self))
    }

    /// The placements that give a cluster.
    #[must_use]
    pub fn giving(&self, cluster: u32) -> String {
        let giving = self.via.iter();
        let giving = giving.filter(|via| via.clusters.contains(cluster as usize));
        let names: Vec<String> = giving
            .map(|via| Name::new(via.placement.1, via.placement.2).to_string())
            .collect();
        if names.is_empty() {
            NOTHING.to_owned()
        } else {
            names.join(", ")
        }
    }
}

/// The placements that lead to clusters.
fn placements(row: &Row<'_>) -> String {
    ways(row, |via| {
        let (kind, namespace, name) = via.placement;
        format!("{kind} {namespace}/{name}")
    })
}

/// The first ways that give clusters; if none does, the first ways.
pub(super) fn ways<'a>(row: &Row<'a>, name: impl Fn(&Via<'a>) -> String) -> String {
    let giving = |via: &&Via<'_>| !via.restricted && !via.clusters.is_clear();
    let mut ways: Vec<&Via<'_>> = row.via.iter().filter(giving).collect();
    if ways.is_empty() {
        ways = row.via.iter().collect();
    }
    let first: Vec<String> = ways.iter().take(WAYS).map(|via| name(via)).collect();
    let more = match ways.len().saturating_sub(WAYS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    first.join("; ") + &more
}
