//! The items of a plan as a page shows them: each is a line, and most can be opened.
//!
//! What they are made of is what `plan -o json` has, so that a saved plan makes the same page.

use serde_json::Value;

use crate::kit::plural::first_names;
use crate::render::json::Items;
use crate::render::text::layout::Mark;

use super::page::Page;

/// One line about an item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// What it is called.
    pub(super) name: String,
    /// The answer before; empty where there was none.
    pub(super) was: String,
    /// The answer now; empty where there is none.
    pub(super) now: String,
    /// What decided.
    pub(super) why: String,
}

/// A kind of items: how each is shown.
pub(super) struct Kind {
    /// What its anchors begin with.
    pub(super) id: &'static str,
    /// What its section is called in addresses and filters.
    pub(super) key: &'static str,
    /// The heading of its section.
    pub(super) title: &'static str,
    /// The same in one word or two.
    pub(super) short: &'static str,
    /// One of them.
    pub(super) noun: &'static str,
    /// What the section says first.
    pub(super) about: &'static str,
    /// The answer, as the head of a column.
    pub(super) answer: &'static str,
    /// Whether those that stay can be opened, too.
    pub(super) opens: bool,
    /// The line of an item.
    pub(super) line: fn(&Value) -> Line,
    /// All that is known of it.
    pub(super) body: fn(&mut Page<'_>, &str, &Value),
}

/// The items of one kind.
pub(super) struct Section<'p> {
    /// The kind.
    pub(super) kind: &'static Kind,
    /// What happens to each.
    pub(super) marks: Vec<Mark>,
    /// Each as data.
    pub(super) row: Box<dyn Fn(usize) -> Value + 'p>,
    /// The clusters that each has now and had before, where a matrix of them is of use.
    pub(super) clusters: Option<Box<dyn Fn(usize) -> Held<'p> + 'p>>,
}

/// The clusters of an item.
#[derive(Debug, Default)]
pub(super) struct Held<'p> {
    /// Those it has now.
    pub(super) now: Vec<&'p str>,
    /// Those it had, where that is known.
    pub(super) was: Option<Vec<&'p str>>,
}

impl<'p> Section<'p> {
    /// Items that have only their data.
    pub(super) fn of(kind: &'static Kind, marks: Vec<Mark>, items: Items<'p>) -> Self {
        Self {
            kind,
            marks,
            row: Box::new(move |at| items.get(at)),
            clusters: None,
        }
    }

    /// With more about each item than the data has.
    pub(super) fn with(mut self, more: impl Fn(usize, &mut Value) + 'p) -> Self {
        let row = self.row;
        self.row = Box::new(move |at| {
            let mut value = row(at);
            more(at, &mut value);
            value
        });
        self
    }

    /// How many have a mark.
    pub(super) fn count(&self, mark: Mark) -> usize {
        self.marks.iter().filter(|own| **own == mark).count()
    }

    /// How many do not stay as they are.
    pub(super) fn moving(&self) -> usize {
        self.marks.len() - self.count(Mark::Same)
    }

    /// The items, failures first and those that stay last.
    pub(super) fn order(&self) -> Vec<usize> {
        let rank = |mark: Mark| ORDER.iter().position(|one| *one == mark);
        let mut order: Vec<usize> = (0..self.marks.len()).collect();
        order.sort_by_key(|at| rank(self.marks[*at]));
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

/// `namespace/name`, or the name alone.
pub(super) fn spaced(value: &Value) -> String {
    match text(value, "namespace") {
        "" => text(value, "name").to_owned(),
        namespace => format!("{namespace}/{}", text(value, "name")),
    }
}

/// Some names: all of a few, else the first and how many more there are.
pub(super) fn some(names: &[&str], most: usize) -> String {
    first_names(names.iter(), most)
}
