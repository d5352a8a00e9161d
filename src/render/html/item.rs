//! The items of a plan as a page shows them: each is a line, and most can be opened.
//!
//! They are made of the data of `plan -o json`, so that a saved plan makes the same page.

use std::borrow::Cow;

use serde_json::Value;

use crate::kit::plural::{first_names, plural};
use crate::plan::{Answer, Mark, Row};
use crate::render::json::Items;
use crate::source::Sources;

use super::page::Page;

/// One line about an item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Its name.
    pub(super) name: String,
    /// The answer before; empty where there was none.
    pub(super) was: String,
    /// The answer now; empty where there is none.
    pub(super) now: String,
    /// The deciding fact.
    pub(super) why: String,
    /// The places that go and come, in place of the answers.
    pub(super) moved: Vec<(Mark, String)>,
}

/// A kind of items: how each is shown.
pub(super) struct Kind {
    /// The beginning of its anchors.
    pub(super) id: &'static str,
    /// The name of its section in addresses and filters.
    pub(super) key: &'static str,
    /// The heading of its section.
    pub(super) title: &'static str,
    /// The same in one word or two.
    pub(super) short: &'static str,
    /// One of them.
    pub(super) noun: &'static str,
    /// The first sentence of the section.
    pub(super) about: &'static str,
    /// The answer, as the head of a column.
    pub(super) answer: &'static str,
    /// Whether a matrix shows which items are on which clusters.
    pub(super) is_matrix: bool,
    /// Whether those that stay can be opened, too.
    pub(super) opens: bool,
    /// The title of an item, where that is not its name.
    pub(super) name: Option<fn(&Row<'_>, &Value) -> String>,
    /// The deciding fact, where rows do not say it.
    pub(super) why: Option<fn(&Value) -> String>,
    /// All that is known of it.
    pub(super) body: fn(&mut Page<'_>, &str, &Value),
}

/// Adds the fields of an item that a plan as data leaves out.
type More<'p> = Box<dyn Fn(usize, &mut Value) + 'p>;

/// The items of one kind.
pub(super) struct Section<'p> {
    /// The kind.
    pub(super) kind: &'static Kind,
    /// The decision about each.
    pub(super) rows: Vec<Row<'p>>,
    /// Each as data.
    pub(super) items: Items<'p>,
    /// The documents, where they are at hand.
    pub(super) sources: Option<&'p Sources>,
    /// More about each item than the data has.
    pub(super) more: Option<More<'p>>,
}

impl Section<'_> {
    /// An item as data, with its place and what was decided before.
    pub(super) fn item(&self, at: usize) -> Value {
        let mut item = self.items.get(at);
        let row = &self.rows[at];
        if let Some((path, line)) = row.at.line(self.sources) {
            item["path"] = path.into();
            item["line"] = line.into();
        }
        if let Some(Answer::Decisions(was)) = row.facts.was() {
            item["was"] = was.into_iter().map(Cow::into_owned).collect();
        }
        if let Some(more) = &self.more {
            more(at, &mut item);
        }
        item
    }

    /// The line of an item.
    pub(super) fn line(&self, at: usize, item: &Value) -> Line {
        let row = &self.rows[at];
        let answer = |answer: Option<Answer<'_>>| match answer {
            Some(Answer::Count(nodes)) => plural(nodes, "node"),
            answer => answer
                .iter()
                .flat_map(Answer::names)
                .map(|name| &**name)
                .collect(),
        };
        let mut moved = Vec::new();
        let (was, now) = match (row.facts.was(), row.facts.now()) {
            (was, Some(Answer::Decisions(now))) => {
                let was = was.as_ref().map_or(&[][..], Answer::names);
                moved = delta(was, &now);
                (String::new(), first_names(now.iter(), NAMES))
            }
            (Some(Answer::Decisions(_)), None) => (String::new(), String::new()),
            (was, now) => (answer(was), answer(now)),
        };
        Line {
            name: match self.kind.name {
                Some(name) => name(row, item),
                None => row.name.to_string(),
            },
            was,
            now,
            why: match self.kind.why {
                Some(why) => why(item),
                None => row.facts.because(),
            },
            moved,
        }
    }

    /// How many have a mark.
    pub(super) fn count(&self, mark: Mark) -> usize {
        self.rows.iter().filter(|row| row.mark == mark).count()
    }

    /// How many do not stay as they are.
    pub(super) fn moving(&self) -> usize {
        self.rows.len() - self.count(Mark::Same)
    }

    /// The items, failures first and those that stay last.
    pub(super) fn order(&self) -> Vec<usize> {
        let rank = |mark: Mark| ORDER.iter().position(|one| *one == mark);
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|at| rank(self.rows[*at].mark));
        order
    }
}

/// The marks in the order of a page: what matters most comes first.
pub(super) const ORDER: [Mark; 5] = [
    Mark::Failed,
    Mark::Gone,
    Mark::Changed,
    Mark::New,
    Mark::Same,
];

/// Names in one line.
pub(super) const NAMES: usize = 6;

/// The places that go and come where something was before.
fn delta(was: &[Cow<'_, str>], now: &[Cow<'_, str>]) -> Vec<(Mark, String)> {
    if was.is_empty() {
        return Vec::new();
    }
    let gone = was.iter().filter(|one| !now.contains(one));
    let come = now.iter().filter(|one| !was.contains(one));
    gone.map(|one| (Mark::Gone, one.to_string()))
        .chain(come.map(|one| (Mark::New, one.to_string())))
        .collect()
}

/// The text of a field; empty if it has none.
pub(super) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The list in a field.
pub(super) fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    let list = value.get(key).and_then(Value::as_array);
    list.map_or(&[], Vec::as_slice)
}

/// The texts in a field.
pub(super) fn texts<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    list(value, key).iter().filter_map(Value::as_str).collect()
}

/// The number in a field as text.
pub(super) fn figure(value: &Value, key: &str) -> String {
    match value.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// The number in a field.
pub(super) fn number(value: &Value, key: &str) -> u64 {
    match value.get(key) {
        Some(Value::Number(number)) => number.as_u64().unwrap_or_default(),
        Some(Value::String(text)) => text.parse().unwrap_or_default(),
        _ => 0,
    }
}

/// File and line of an item, where they are known.
pub(super) fn at(value: &Value) -> Option<(&str, usize)> {
    let line = usize::try_from(value.get("line")?.as_u64()?).ok()?;
    Some((value.get("path")?.as_str()?, line))
}

/// Some names: all of a few, else the first and how many more there are.
pub(super) fn some(names: &[&str], most: usize) -> String {
    first_names(names.iter(), most)
}
