//! The regions of a plan as rows.

use crate::kit::named::Name;
use crate::plan::row::{At, Facts, Moved, Row, Rows};
use crate::plan::{Answer, Mark, Plan, Section};
use crate::senlin::Planned;
use crate::senlin::engine::CheckStatus;

#[derive(Clone, Copy)]
struct Region<'p, 'm, 'a> {
    planned: &'p Planned<'m, 'a>,
    /// Its position in the policy.
    position: usize,
    /// Its place among the usable regions.
    usable: Option<usize>,
}

/// The usable regions of each file, by position; of a file that fails all regions.
pub(super) fn rows<'p>(plan: &'p Plan<'_, '_>) -> Rows<'p> {
    let planned = plan.regions.planned.iter();
    Box::new(planned.flat_map(|planned| {
        let usable = &planned.outcome.usable;
        let regions = usable
            .iter()
            .zip(0..)
            .map(|(at, nth)| (*at as usize, Some(nth)));
        let mut regions: Vec<(usize, Option<usize>)> = regions.collect();
        if planned.fails() {
            let all = 0..planned.check.policy.regions.len();
            let unusable = |at: &usize| !usable.iter().any(|one| *one as usize == *at);
            regions.extend(all.filter(unusable).map(|at| (at, None)));
        }
        regions.into_iter().map(move |(position, usable)| {
            let facts = Region {
                planned,
                position,
                usable,
            };
            facts.row()
        })
    }))
}

impl<'p> Region<'p, '_, '_> {
    fn row(self) -> Row<'p> {
        let region = &self.planned.check.policy.regions[self.position];
        Row {
            section: Section::Regions,
            kind: "Region",
            name: Name::new(self.planned.set.path, &region.name),
            at: At::Place(region.place),
            mark: self.mark(),
            moved: Moved::default(),
            fails: self.planned.fails(),
            facts: Box::new(self),
        }
    }

    fn nodes(&self) -> i128 {
        self.planned.check.cluster.nodes[self.position]
    }

    fn mark(&self) -> Mark {
        let Some(at) = self.usable else {
            return Mark::Failed;
        };
        match self.planned.outcome.change(at) {
            _ if self.planned.fails() && self.planned.outcome.distribution.is_some() => {
                Mark::Failed
            }
            0 => Mark::Same,
            1.. if self.nodes() == 0 => Mark::New,
            1.. => Mark::Changed,
            // Nodes are lost: the row must stand out.
            _ => Mark::Failed,
        }
    }
}

impl<'p> Facts<'p> for Region<'p, '_, '_> {
    fn was(&self) -> Option<Answer<'p>> {
        Some(Answer::Count(self.nodes()))
    }

    fn now(&self) -> Option<Answer<'p>> {
        let change = self.planned.outcome.change(self.usable?);
        Some(Answer::Count(self.nodes() + change))
    }

    fn because(&self) -> String {
        let Some(at) = self.usable else {
            return "cannot be used".to_owned();
        };
        let outcome = &self.planned.outcome;
        let change = outcome.change(at);
        let Some(distribution) = &outcome.distribution else {
            return "nothing to distribute".to_owned();
        };
        let found = &distribution.allotments[at];
        match change {
            _ if self.planned.fails() => "no plan".to_owned(),
            0 if outcome.number > 0 && found.quota < found.rounded => "at its cap".to_owned(),
            0 if found.room <= 0 => "has its share".to_owned(),
            0 => "other regions take them all".to_owned(),
            1.. => format!("{change} more, towards its share"),
            _ if self.nodes() + change < 0 => {
                format!("{} fewer, more than it has", -change)
            }
            _ => format!("{} fewer, towards its share", -change),
        }
    }

    fn failure(&self) -> Option<String> {
        match &self.planned.outcome.answer {
            CheckStatus::Error(reason) => Some(reason.clone()),
            CheckStatus::Done => None,
        }
    }
}
