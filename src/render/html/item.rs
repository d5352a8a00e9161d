//! The items of a plan as a page shows them: each is a line, and most can be opened.
//!
//! They are made of the data of `plan -o json`, so that a saved plan makes the same page.

use std::borrow::Cow;

use serde_json::Value;

use crate::kit::plural::{first_names, plural};
use crate::plan::{Answer, Mark, Plan, Row};
use crate::render::json::Items;
use crate::systems::Kind;
use crate::systems::outcome::declare;

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

/// The items of one kind.
pub(super) struct Section<'p> {
    /// The kind.
    pub(super) kind: &'static Kind,
    /// The decision about each.
    pub(super) rows: Vec<Row<'p>>,
    /// Each as data.
    pub(super) items: Items<'p>,
    /// The plan, where it was just made.
    pub(super) plan: Option<&'p Plan<'p, 'p>>,
}

impl Section<'_> {
    /// An item as data, with its place and what was decided before.
    pub(super) fn item(&self, at: usize) -> Value {
        let mut item = self.items.get(at);
        let row = &self.rows[at];
        let sources = self.plan.map(|plan| plan.site.documents.sources);
        declare(&mut item, row.at.line(sources));
        if let Some(Answer::Decisions(was)) = row.facts.was() {
            item["was"] = was.into_iter().map(Cow::into_owned).collect();
        }
        if let Some(plan) = self.plan {
            (self.kind.places)(plan, at, &mut item);
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
            name: (self.kind.name)(row, item),
            was,
            now,
            why: (self.kind.why)(row, item),
            moved,
        }
    }

    /// How many have a mark.
    pub(super) fn count(&self, mark: Mark) -> usize {
        self.rows.iter().filter(|row| row.mark == mark).count()
    }

    /// How many cannot be placed. One of them makes the plan fail.
    pub(super) fn failing(&self) -> usize {
        self.rows.iter().filter(|row| row.fails).count()
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
