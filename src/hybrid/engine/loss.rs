//! The decisions of placement rules if objects are lost. Only the rules that the loss affects are
//! planned again.

use std::ops::Range;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::super::model::{Model, ObjectId, PlacementRule};
use super::rounds::{Course, Each, Fate, Planner};
use super::{Decision, Keep, NoCommands, RuleOutcome, State};
use crate::kit::sorted::{in_order, only};

/// Which rules each object affects.
#[derive(Debug, Default)]
pub struct Touched {
    /// The rules of each object.
    rules: Vec<Rules>,
    /// How many rules there are.
    count: usize,
    /// How the loss of a single object changes a rule, by object and rule, if that is known.
    alone: Option<Vec<(ObjectId, u32, Moved)>>,
}

/// Numbers of rules in ascending order, as a bit set where they are many.
#[derive(Debug, Clone)]
enum Rules {
    Few(Vec<u32>),
    Many(FixedBitSet),
}

/// How a loss changes a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// How it ends.
    pub state: State,
    /// Decisions that it no longer makes.
    pub removed: Vec<Decision>,
    /// Decisions that it makes instead.
    pub added: Vec<Decision>,
    /// Whether it had decisions and has none left.
    pub emptied: bool,
}

/// An object that affects fewer than one in this many rules has few of them.
const FEW: usize = 32;

/// Up to this many candidates, the rule is planned without each of them.
const SEVERAL: usize = 8;

impl Rules {
    fn add(&mut self, rule: u32, all: usize) {
        match self {
            Self::Few(rules) if rules.len() < all / FEW + 1 => rules.push(rule),
            Self::Few(rules) => {
                let mut bits = FixedBitSet::with_capacity(all);
                bits.extend(rules.iter().map(|rule| *rule as usize));
                bits.insert(rule as usize);
                *self = Self::Many(bits);
            }
            Self::Many(bits) => bits.insert(rule as usize),
        }
    }

    fn each(&self, mut see: impl FnMut(u32)) {
        match self {
            Self::Few(rules) => rules.iter().copied().for_each(see),
            Self::Many(bits) => bits
                .ones()
                .filter_map(|rule| u32::try_from(rule).ok())
                .for_each(&mut see),
        }
    }
}

impl Touched {
    /// Looks at these `rules`; `planned` are the outcomes of all rules. With `alone`, it also finds
    /// how the loss of each single object changes each rule, which pays off for many losses.
    #[must_use]
    pub fn new<'a>(
        model: &Model<'a>,
        planned: &[RuleOutcome],
        rules: Range<usize>,
        alone: bool,
    ) -> Self {
        let objects = model.inventory.objects().len();
        let mut planner = Planner::new(model);
        planner.lost.grow(objects);
        let mut touched = Self {
            rules: vec![Rules::Few(Vec::new()); objects],
            count: planned.len(),
            alone: None,
        };
        let mut moved = Vec::new();
        for (at, number) in rules.clone().zip((0..).skip(rules.start)) {
            let (rule, outcome) = (&model.placement_rules[at], &planned[at]);
            let each = planner.each(rule);
            let candidates = each.initial.iter();
            let candidates = candidates.filter(|id| each.idle.binary_search(id).is_err());
            for id in in_order(candidates.copied().chain(objects_of(&outcome.previous))) {
                touched.rules[id as usize].add(number, planned.len());
            }
            if alone {
                let mut alone = Alone {
                    planner: &mut planner,
                    rule,
                    outcome,
                    each: &each,
                };
                moved.extend(alone.all().into_iter().map(|(id, one)| (id, number, one)));
            }
        }
        moved.sort_unstable_by_key(|one| (one.0, one.1));
        touched.alone = alone.then_some(moved);
        touched
    }

    /// Joins parts whose rules follow one another.
    #[must_use]
    pub fn join(parts: Vec<Self>) -> Self {
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        for part in parts {
            for (own, more) in all.rules.iter_mut().zip(&part.rules) {
                more.each(|rule| own.add(rule, part.count));
            }
            if let (Some(own), Some(more)) = (&mut all.alone, part.alone) {
                own.extend(more);
            }
        }
        let alone = all.alone.iter_mut();
        alone.for_each(|alone| alone.sort_unstable_by_key(|one| (one.0, one.1)));
        all
    }

    /// How the loss of a single object changes rules.
    fn alone(&self, lost: ObjectId) -> Option<&[(ObjectId, u32, Moved)]> {
        let all = self.alone.as_deref()?;
        let from = all.partition_point(|one| one.0 < lost);
        let len = all[from..].partition_point(|one| one.0 == lost);
        Some(&all[from..from + len])
    }
}

/// The objects among decisions.
fn objects_of(decisions: &[Decision]) -> impl Iterator<Item = ObjectId> {
    decisions.iter().filter_map(|decision| match decision {
        Decision::Object(id) => Some(*id),
        Decision::Hub | Decision::Unknown(_) => None,
    })
}

impl Moved {
    /// The change from one outcome to another; `None` if they are the same.
    fn between(was: &RuleOutcome, state: State, decisions: &[Decision]) -> Option<Self> {
        let was_in = in_order(was.decisions.iter().copied());
        let now_in = in_order(decisions.iter().copied());
        let moved = Self {
            state,
            removed: only(&was_in, &now_in),
            added: only(&now_in, &was_in),
            emptied: now_in.is_empty() && !was_in.is_empty(),
        };
        moved.is_another(was).then_some(moved)
    }

    /// Whether a rule's decisions change, or it no longer decides.
    fn is_another(&self, was: &RuleOutcome) -> bool {
        let undecided = self.state.is_unplaced() && !was.state.is_unplaced();
        undecided || !self.removed.is_empty() || !self.added.is_empty()
    }
}

/// One rule, whose objects are lost one at a time.
struct Alone<'p, 'm, 'a> {
    planner: &'p mut Planner<'m, 'a>,
    rule: &'m PlacementRule<'a>,
    outcome: &'p RuleOutcome,
    each: &'p Each,
}

impl<'m, 'a> Alone<'_, 'm, 'a> {
    /// Every object whose loss changes the rule, with the change.
    fn all(&mut self) -> Vec<(ObjectId, Moved)> {
        let each = self.each;
        let was = in_order(objects_of(&self.outcome.decisions));
        let ends: Vec<(Moved, usize)> = each.ends.iter().map(|list| end(&was, list)).collect();
        let late = |fate: &&Fate| **fate == Fate::Other { late: true };
        let course = if each.fates.iter().filter(late).count() > SEVERAL {
            self.planner.course(self.rule)
        } else {
            None
        };
        let mut alike = FxHashMap::default();
        let mut all = Vec::new();
        for (&id, fate) in each.initial.iter().zip(&each.fates) {
            let moved = match fate {
                Fate::Open | Fate::Same => None,
                Fate::Ends(at) => {
                    let (moved, left) = &ends[*at];
                    let moved = ends_without(moved, *left, id, &was);
                    moved.is_another(self.outcome).then_some(moved)
                }
                Fate::Other { late: false } => self.anew(id),
                Fate::Other { late: true } => match course.as_ref().and_then(|one| one.kind(id)) {
                    Some(kind) => alike
                        .entry(kind)
                        .or_insert_with(|| self.late(course.as_ref(), id))
                        .clone(),
                    None => self.late(course.as_ref(), id),
                },
            };
            all.extend(moved.map(|moved| (id, moved)));
        }
        // A rule that waits keeps decisions that are no candidates.
        if self.outcome.state == State::Waiting {
            let mut others = in_order(objects_of(&self.outcome.previous));
            others.retain(|id| each.initial.binary_search(id).is_err());
            let others = others.into_iter();
            all.extend(others.filter_map(|id| Some((id, self.anew(id)?))));
        }
        all
    }

    fn anew(&mut self, lost: ObjectId) -> Option<Moved> {
        let (state, decisions) = anew(self.planner, self.rule, &[lost]);
        Moved::between(self.outcome, state, &decisions)
    }

    /// Plans the rule without one candidate, starting where its absence first matters.
    fn late(&mut self, course: Option<&Course<'m, 'a>>, lost: ObjectId) -> Option<Moved> {
        let planner = &mut *self.planner;
        let known = course.and_then(|course| planner.without(self.rule, course, lost));
        let (state, decisions) = known.unwrap_or_else(|| {
            planner.lost.insert(lost as usize);
            let ended = planner.rest(self.rule, self.each, lost);
            planner.lost.remove(lost as usize);
            ended
        });
        Moved::between(self.outcome, state, &decisions)
    }
}

/// The change from decisions to a list of candidates, and the length of the list.
fn end(was: &[ObjectId], list: &[ObjectId]) -> (Moved, usize) {
    let list = in_order(list.iter().copied());
    let objects = |ids: Vec<ObjectId>| ids.into_iter().map(Decision::Object).collect();
    let moved = Moved {
        state: State::Decided,
        removed: objects(only(was, &list)),
        added: objects(only(&list, was)),
        emptied: false,
    };
    (moved, list.len())
}

/// The same change if one candidate of the list is lost.
fn ends_without(end: &Moved, left: usize, lost: ObjectId, was: &[ObjectId]) -> Moved {
    let is_decided = was.binary_search(&lost).is_ok();
    let lost = Decision::Object(lost);
    let mut moved = end.clone();
    if left == 1 {
        moved.state = State::NoPlacement;
        moved.emptied = !was.is_empty();
    }
    if is_decided {
        moved.removed.push(lost);
    } else {
        moved.added.retain(|one| *one != lost);
    }
    moved
}

/// Plans a rule without these objects.
fn anew<'m, 'a>(
    planner: &mut Planner<'m, 'a>,
    rule: &'m PlacementRule<'a>,
    lost: &[ObjectId],
) -> (State, Vec<Decision>) {
    planner.lost.extend(lost.iter().map(|&id| id as usize));
    let outcome = planner.plan(rule, Keep::Last, &mut NoCommands, None, None);
    lost.iter().for_each(|&id| planner.lost.remove(id as usize));
    (outcome.state, outcome.decisions)
}

/// The rules, ready to be planned with objects missing; no command is run.
pub struct Losses<'m, 'a> {
    model: &'m Model<'a>,
    planned: &'m [RuleOutcome],
    planner: Planner<'m, 'a>,
}

impl<'m, 'a> Losses<'m, 'a> {
    /// Computes once the data that all losses share; `planned` are the outcomes of all rules.
    #[must_use]
    pub fn new(model: &'m Model<'a>, planned: &'m [RuleOutcome]) -> Self {
        let mut planner = Planner::new(model);
        planner.lost.grow(model.inventory.objects().len());
        Self {
            model,
            planned,
            planner,
        }
    }

    /// The rules that the loss of these objects changes, by index, and the effect on each.
    pub fn of(&mut self, touched: &Touched, lost: &[ObjectId]) -> Vec<(usize, Moved)> {
        if let [lost] = lost
            && let Some(alone) = touched.alone(*lost)
        {
            let alone = alone.iter();
            return alone
                .map(|(_, rule, moved)| (*rule as usize, moved.clone()))
                .collect();
        }
        // Each affected rule with each lost object that affects it.
        let mut pairs: Vec<(u32, ObjectId)> = Vec::new();
        for id in lost {
            touched.rules[*id as usize].each(|rule| pairs.push((rule, *id)));
        }
        pairs.sort_unstable();
        let rules = pairs.chunk_by(|a, b| a.0 == b.0);
        rules
            .filter_map(|pairs| self.without(touched, pairs, lost))
            .collect()
    }

    fn without(
        &mut self,
        touched: &Touched,
        pairs: &[(u32, ObjectId)],
        lost: &[ObjectId],
    ) -> Option<(usize, Moved)> {
        let rule = pairs.first()?.0;
        let at = rule as usize;
        if let [(_, only)] = pairs
            && let Some(alone) = touched.alone(*only)
        {
            let found = alone.binary_search_by_key(&rule, |one| one.1);
            let moved = found.ok().map(|found| &alone[found].2);
            // Without any candidate it ends in another way.
            if moved.is_none_or(|moved| !moved.state.is_unplaced()) {
                return moved.map(|moved| (at, moved.clone()));
            }
        }
        let rule = &self.model.placement_rules[at];
        let (state, decisions) = anew(&mut self.planner, rule, lost);
        Some((at, Moved::between(&self.planned[at], state, &decisions)?))
    }
}
