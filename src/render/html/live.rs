//! The data of the sections of a page: the rows of a plan that was just made, or of one that was
//! saved, and each item as data.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::plan::Plan;
use crate::plan::row::{Row, Rows};
use crate::render::json::{Items, PlanAnswer};
use crate::saved::{SavedRow, Sections};
use crate::systems;

use super::item::Section;
use super::map::{self, Boxes};
use super::waves;

/// The sections of a page.
#[derive(Default)]
pub(super) struct Contents<'p> {
    /// The decisions, kind by kind; kinds without items are not there.
    pub(super) sections: Vec<Section<'p>>,
    /// The deployment groups.
    pub(super) strategy: Option<Value>,
    /// The load of each cluster.
    pub(super) sums: Vec<Value>,
    /// The next steps of rollouts.
    pub(super) rollouts: Vec<Value>,
    /// The waves of rollouts.
    pub(super) waves: Vec<Value>,
    /// The clusters, racks and regions.
    pub(super) boxes: Boxes,
}

impl<'p> Contents<'p> {
    /// The sections of a plan; none where documents were refused.
    pub(super) fn of<'a>(plan: &'p Plan<'p, 'a>, answer: &'p PlanAnswer<'p, 'a>) -> Self {
        let Some(shown) = plan.shown() else {
            return Self::default();
        };
        let every = |section: &str| {
            let items = answer.items(section);
            (0..items.len()).map(|at| items.get(at)).collect()
        };
        Self {
            sections: sections(systems::rows(shown), |key| answer.items(key), Some(shown)),
            strategy: answer.whole("deploymentStrategy"),
            sums: every("clusters"),
            rollouts: every("rollouts"),
            waves: waves::of_plan(shown, every("rolloutWaves")),
            boxes: map::of_plan(shown),
        }
    }

    /// The sections of a saved plan.
    pub(super) fn saved(outcome: &'p Sections, rows: &'p [SavedRow]) -> Self {
        let rows = || Box::new(rows.iter().map(SavedRow::row));
        Self {
            boxes: map::of_saved(outcome, rows()),
            sections: sections(rows(), |key| Items::read(outcome.items(key)), None),
            strategy: outcome.get("deploymentStrategy"),
            sums: outcome.rows("clusters").collect(),
            rollouts: outcome.rows("rollouts").collect(),
            waves: outcome.rows("rolloutWaves").collect(),
        }
    }
}

/// The sections of rows, each with its items as data.
fn sections<'p>(
    rows: Rows<'p>,
    items: impl Fn(&str) -> Items<'p>,
    plan: Option<&'p Plan<'p, 'p>>,
) -> Vec<Section<'p>> {
    let mut of_section: BTreeMap<_, Vec<Row<'p>>> = BTreeMap::new();
    for row in rows {
        of_section.entry(row.section).or_default().push(row);
    }
    let sections = systems::kinds().filter_map(|kind| {
        Some(Section {
            kind,
            rows: (kind.items)(of_section.remove(&kind.section)?),
            items: items(kind.section.key()),
            plan,
        })
    });
    sections.collect()
}
