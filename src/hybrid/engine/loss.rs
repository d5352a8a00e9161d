//! What placement rules decide if objects are lost: only the rules that could have decided for
//! them are planned again.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use super::super::model::{Model, ObjectId};
use super::rounds::Planner;
use super::{Decision, Keep, NoCommands, RuleOutcome};

/// The rules that look at each object: it is one of their candidates before the first round, or
/// among their earlier decisions.
#[derive(Debug)]
pub struct Touched {
    /// For each object where its rules end in the list of all.
    ends: Vec<usize>,
    rules: Vec<u32>,
}

impl Touched {
    /// Records the objects of every rule; `planned` are their outcomes.
    #[must_use]
    pub fn new<'a>(model: &Model<'a>, planned: &[RuleOutcome]) -> Self {
        let mut planner = Planner::new(model);
        let mut pairs: Vec<(ObjectId, u32)> = Vec::new();
        for ((rule, outcome), at) in model.placement_rules.iter().zip(planned).zip(0..) {
            let mut objects = planner.candidates(rule);
            let earlier = outcome.previous.iter();
            objects.extend(earlier.filter_map(|decision| match decision {
                Decision::Object(id) => Some(*id),
                Decision::Hub | Decision::Unknown(_) => None,
            }));
            objects.sort_unstable();
            objects.dedup();
            pairs.extend(objects.into_iter().map(|id| (id, at)));
        }
        pairs.sort_unstable();
        let ids = (0..).take(model.inventory.objects().len());
        Self {
            ends: ids
                .map(|id: ObjectId| pairs.partition_point(|pair| pair.0 <= id))
                .collect(),
            rules: pairs.into_iter().map(|(_, rule)| rule).collect(),
        }
    }

    /// The rules that look at one of these objects, in order.
    fn by(&self, lost: &[ObjectId]) -> BTreeSet<u32> {
        let of = |id: &ObjectId| {
            let id = *id as usize;
            let start = id.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.rules[start..self.ends[id]]
        };
        lost.iter().flat_map(of).copied().collect()
    }
}

/// The rules, ready to be planned with objects missing; no command is run.
pub struct Losses<'m, 'a> {
    model: &'m Model<'a>,
    planner: Planner<'m, 'a>,
}

impl<'m, 'a> Losses<'m, 'a> {
    /// What rules share is found once for all losses.
    #[must_use]
    pub fn new(model: &'m Model<'a>) -> Self {
        Self {
            model,
            planner: Planner::new(model),
        }
    }

    /// The rules that the loss of these objects touches, by index, and what happens to them.
    pub fn of(&mut self, touched: &Touched, lost: &[ObjectId]) -> Vec<(usize, RuleOutcome)> {
        let mut missing = FixedBitSet::with_capacity(self.model.inventory.objects().len());
        missing.extend(lost.iter().map(|&id| id as usize));
        self.planner.lost = missing;
        let plan = |rule: u32| {
            let rule = rule as usize;
            let of = &self.model.placement_rules[rule];
            let outcome = self
                .planner
                .plan(of, Keep::Last, &mut NoCommands, None, None);
            (rule, outcome)
        };
        touched.by(lost).into_iter().map(plan).collect()
    }
}
