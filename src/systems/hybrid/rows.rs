//! Placement rules as rows.

use std::collections::BTreeSet;

use crate::hybrid::engine::{Decision, RuleOutcome};
use crate::hybrid::model::{Model, PlacementRule};
use crate::hybrid::{decision, failure};
use crate::kit::named::Name;
use crate::kit::plural::plural;
use crate::plan::row::{At, Facts, Moved, Row, Rows};
use crate::plan::{Answer, Mark, Plan, Section};

#[derive(Clone, Copy)]
struct Ended<'p, 'a> {
    model: &'p Model<'a>,
    rule: &'p PlacementRule<'a>,
    ended: &'p RuleOutcome,
}

pub(super) fn rows<'p>(plan: &'p Plan<'_, '_>) -> Rows<'p> {
    let model = &*plan.site.hybrid;
    Box::new(super::ended(plan).map(move |(rule, ended)| {
        let before: BTreeSet<Decision> = ended.previous.iter().copied().collect();
        let after: BTreeSet<Decision> = ended.decisions.iter().copied().collect();
        let kept = before.intersection(&after).count();
        Row {
            section: Section::Rules,
            kind: "PlacementRule",
            name: Name::new(rule.namespace, rule.name),
            at: At::Place(rule.place),
            mark: match ended {
                ended if ended.state.is_unplaced() => Mark::Failed,
                ended if !ended.changed => Mark::Same,
                ended if ended.previous.is_empty() => Mark::New,
                _ => Mark::Changed,
            },
            moved: Moved::of(before.len(), after.len(), kept),
            fails: ended.state.is_unplaced(),
            facts: Box::new(Ended { model, rule, ended }),
        }
    }))
}

impl<'p> Ended<'p, '_> {
    fn answer(&self, decisions: &[Decision]) -> Answer<'p> {
        let names = decisions.iter();
        Answer::decisions(names.map(|one| decision(self.model, self.rule, *one)))
    }
}

impl<'p> Facts<'p> for Ended<'p, '_> {
    fn was(&self) -> Option<Answer<'p>> {
        Some(self.answer(&self.ended.previous))
    }

    fn now(&self) -> Option<Answer<'p>> {
        Some(self.answer(&self.ended.decisions))
    }

    fn because(&self) -> String {
        let candidates = plural(self.ended.candidates.len(), "candidate");
        format!("{}, {candidates}", self.ended.state.word())
    }

    fn failure(&self) -> Option<String> {
        failure(self.rule, self.ended)
    }
}
