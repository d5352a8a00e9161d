//! What placement rules decide if objects are lost: only the rules that could have decided for
//! them are planned again.

use fixedbitset::FixedBitSet;

use super::super::model::{Model, ObjectId};
use super::rounds::Planner;
use super::{Decision, Keep, NoCommands, RuleOutcome};

/// The objects that each rule looks at: its candidates before the first round, and those among
/// its earlier decisions.
#[derive(Debug)]
pub struct Touched {
    /// For each rule, ascending.
    rules: Vec<Vec<ObjectId>>,
}

impl Touched {
    /// Records the objects of every rule; `planned` are their outcomes.
    #[must_use]
    pub fn new<'a>(model: &Model<'a>, planned: &[RuleOutcome]) -> Self {
        let mut planner = Planner::new(model);
        let rules = model
            .placement_rules
            .iter()
            .zip(planned)
            .map(|(rule, outcome)| {
                let mut objects = planner.candidates(rule);
                let earlier = outcome
                    .previous
                    .iter()
                    .filter_map(|decision| match decision {
                        Decision::Object(id) => Some(*id),
                        Decision::Hub | Decision::Unknown(_) => None,
                    });
                objects.extend(earlier);
                objects.sort_unstable();
                objects.dedup();
                objects
            });
        Self {
            rules: rules.collect(),
        }
    }

    /// The rules that look at one of these objects.
    fn by<'t>(&'t self, lost: &'t [ObjectId]) -> impl Iterator<Item = usize> + 't {
        let looks = |objects: &Vec<ObjectId>| {
            let mut lost = lost.iter();
            lost.any(|id| objects.binary_search(id).is_ok())
        };
        let rules = self.rules.iter().enumerate();
        rules
            .filter(move |(_, objects)| looks(objects))
            .map(|(rule, _)| rule)
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
        let plan = |rule: usize| {
            let of = &self.model.placement_rules[rule];
            let outcome = self
                .planner
                .plan(of, Keep::Last, &mut NoCommands, None, None);
            (rule, outcome)
        };
        touched.by(lost).map(plan).collect()
    }
}
