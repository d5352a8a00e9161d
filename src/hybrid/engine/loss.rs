//! What placement rules decide if objects are lost: only the rules that could have decided for
//! them are planned again.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::super::model::{Model, ObjectId};
use super::rounds::{Course, Planner};
use super::{Decision, Keep, NoCommands, RuleOutcome, State};

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

/// So many candidates of rules are remembered at most, by each thread.
const REMEMBERED: usize = 1 << 20;

/// The rules, ready to be planned with objects missing; no command is run.
pub struct Losses<'m, 'a> {
    model: &'m Model<'a>,
    planner: Planner<'m, 'a>,
    /// How the rules go that were planned before; nothing where each loss is another way.
    courses: FxHashMap<u32, Option<Course<'m, 'a>>>,
    /// How many more candidates are remembered.
    room: usize,
}

/// The result of a rule after a loss.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// How it ends.
    pub state: State,
    /// Its decisions.
    pub decisions: Vec<Decision>,
}

impl<'m, 'a> Losses<'m, 'a> {
    /// What rules share is found once for all losses.
    #[must_use]
    pub fn new(model: &'m Model<'a>) -> Self {
        Self {
            model,
            planner: Planner::new(model),
            courses: FxHashMap::default(),
            room: REMEMBERED,
        }
    }

    /// The rules that the loss of these objects touches, by index, and what happens to them.
    pub fn of(&mut self, touched: &Touched, lost: &[ObjectId]) -> Vec<(usize, Ended)> {
        let rules = touched.by(lost).into_iter();
        rules
            .map(|rule| (rule as usize, self.without(rule, lost)))
            .collect()
    }

    fn without(&mut self, at: u32, lost: &[ObjectId]) -> Ended {
        let rule = &self.model.placement_rules[at as usize];
        let planner = &mut self.planner;
        if let [lost] = lost {
            let room = &mut self.room;
            let course = self.courses.entry(at).or_insert_with(|| {
                let course = planner.course(rule)?;
                *room = room.checked_sub(course.len())?;
                Some(course)
            });
            let ended = course.as_ref();
            let ended = ended.and_then(|course| planner.without(rule, course, *lost));
            if let Some((state, decisions)) = ended {
                return Ended { state, decisions };
            }
        }
        planner.lost.grow(self.model.inventory.objects().len());
        planner.lost.extend(lost.iter().map(|&id| id as usize));
        let outcome = planner.plan(rule, Keep::Last, &mut NoCommands, None, None);
        lost.iter().for_each(|&id| planner.lost.remove(id as usize));
        Ended {
            state: outcome.state,
            decisions: outcome.decisions,
        }
    }
}
