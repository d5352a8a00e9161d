//! Whether a move is undone by its causes, all of them taken back together; where more is needed,
//! the fewest found that do it.

use std::collections::{BTreeMap, BTreeSet};

use crate::options::Options;
use crate::parallel;
use crate::plan::Assignment;

use super::decisions::Decisions;
use super::{Move, moves};

/// Plans made to prove the causes of one difference, at most.
const RUNS: usize = 192;

/// Plans made to find out which of several causes are needless, at most.
const LEFT_OUT: usize = 64;

/// Documents planned in all of these runs together, at most.
const WORK: usize = 4_000_000;

/// Changes that were taken back together.
type Set = BTreeSet<usize>;

/// For each move the causes, and whether taking exactly them back undoes it.
pub(super) fn proven(
    moves: &[Move],
    named: Vec<Set>,
    count: usize,
    documents: usize,
    trial: &Trial<'_>,
) -> Vec<(Set, bool)> {
    let mut budget = RUNS.min(WORK / documents.max(1));
    // What was named, each set once; everything taken back shows what can be undone at all.
    let all: Set = (0..count).collect();
    let mut sets: Vec<&Set> = vec![&all];
    sets.extend(named.iter().filter(|set| !set.is_empty()));
    let mut seen = BTreeSet::new();
    sets.retain(|set| seen.insert(*set));
    sets.truncate(budget);
    budget -= sets.len();
    let restored = parallel::map(trial.options.jobs, &sets, |set| trial.stay(moves, set));
    let known: BTreeMap<&Set, Vec<bool>> = sets.into_iter().zip(restored).collect();
    let undoes = |set: &Set, at: usize| known.get(set).is_some_and(|known| known[at]);
    let open: Vec<usize> = (0..moves.len())
        .filter(|at| !undoes(&named[*at], *at) && undoes(&all, *at))
        .collect();
    let share = budget / open.len().max(1);
    let larger = parallel::map(trial.options.jobs, &open, |at| {
        trial.enlarged(&moves[*at], &named[*at], count, share)
    });
    let larger: BTreeMap<usize, Set> = open
        .iter()
        .zip(larger)
        .filter_map(|(at, set)| Some((*at, set?)))
        .collect();
    let proven: Vec<bool> = (0..moves.len())
        .map(|at| larger.contains_key(&at) || undoes(&named[at], at))
        .collect();
    let mut larger = larger;
    let sets = named.into_iter().zip(0..);
    let sets = sets.map(|(set, at)| larger.remove(&at).unwrap_or(set));
    sets.zip(proven).collect()
}

/// Leaves out of the causes of each move what changes nothing in either direction: without it the
/// others undo the move in the later site, and bring it about in the earlier one.
pub(super) fn without_needless(
    moves: &[Move],
    mut causes: Vec<(Set, bool)>,
    documents: usize,
    trial: &Trial<'_>,
) -> Vec<(Set, bool)> {
    let mut budget = LEFT_OUT.min(WORK / documents.max(1));
    let mut back: BTreeMap<Set, Vec<bool>> = BTreeMap::new();
    let mut forth: BTreeMap<Set, Vec<Option<Assignment>>> = BTreeMap::new();
    let several = causes.iter_mut().enumerate();
    for (at, (set, _)) in several.filter(|(_, (set, proven))| *proven && set.len() > 1) {
        for one in set.clone() {
            let mut fewer = set.clone();
            fewer.remove(&one);
            let mut known = |set: &Set| {
                if !back.contains_key(set) {
                    budget = budget.checked_sub(1)?;
                    back.insert(set.clone(), trial.stay(moves, set));
                }
                Some(back[set][at])
            };
            match known(&fewer) {
                None => return causes,
                Some(false) => continue,
                Some(true) => {}
            }
            let mut made = |set: &Set| {
                if !forth.contains_key(set) {
                    budget = budget.checked_sub(1)?;
                    forth.insert(set.clone(), trial.made(moves, set));
                }
                Some(forth[set][at].clone())
            };
            let (Some(with), Some(less)) = (made(set), made(&fewer)) else {
                return causes;
            };
            // What the causes alone do not bring about says nothing about one of them.
            if with == less && with == moves[at].to {
                *set = fewer;
            }
        }
    }
    causes
}

/// Plans a site with some of the changes taken back; whether documents were refused.
type Planned<'t> = dyn Fn(&[usize], &Options) -> (Decisions, bool) + Sync + 't;

/// Plans the later site with changes taken back.
pub(super) struct Trial<'t> {
    /// The decisions of the earlier site.
    pub(super) old: &'t Decisions,
    /// How it is planned.
    pub(super) options: &'t Options,
    /// What is decided with some changes taken back, and whether documents were refused.
    pub(super) planned: &'t Planned<'t>,
    /// The same of the earlier site with some changes made.
    pub(super) applied: &'t Planned<'t>,
}

impl Trial<'_> {
    /// Which of the moves are none with these changes taken back.
    fn stay(&self, all: &[Move], set: &Set) -> Vec<bool> {
        let options = Options {
            jobs: 1,
            trace: false,
            ..self.options.clone()
        };
        let chosen: Vec<usize> = set.iter().copied().collect();
        let (decisions, refused) = (self.planned)(&chosen, &options);
        let left = moves(self.old, &decisions, true);
        let left: BTreeSet<_> = left.iter().map(|moved| &moved.subject).collect();
        let stays = |moved: &Move| !refused && !left.contains(&moved.subject);
        all.iter().map(stays).collect()
    }

    /// What is decided where something moves, in the earlier site with these changes made.
    fn made(&self, all: &[Move], set: &Set) -> Vec<Option<Assignment>> {
        let options = Options {
            jobs: 1,
            trace: false,
            ..self.options.clone()
        };
        let chosen: Vec<usize> = set.iter().copied().collect();
        let (decisions, _) = (self.applied)(&chosen, &options);
        let decided = all.iter().map(|moved| decisions.get(&moved.subject));
        decided.map(|answer| answer.cloned()).collect()
    }

    /// The fewest changes found that undo a move, where all of them do: those that are named, and
    /// one after the other the last change of the shortest run that is still needed. `None` if
    /// that takes more than so many plans.
    fn enlarged(&self, moved: &Move, named: &Set, count: usize, mut plans: usize) -> Option<Set> {
        let mut undoes = |set: &Set| {
            plans = plans.checked_sub(1)?;
            Some(self.stay(std::slice::from_ref(moved), set)[0])
        };
        let mut set = named.clone();
        let mut rest: Vec<usize> = (0..count).filter(|at| !set.contains(at)).collect();
        loop {
            // The shortest run of the rest that is enough is longer than `short`, at most `long`.
            let (mut short, mut long) = (0, rest.len());
            if long == 0 {
                return None;
            }
            while long - short > 1 {
                let middle = short.midpoint(long);
                let run = rest[..middle].iter().copied();
                let tried: Set = set.iter().copied().chain(run).collect();
                match undoes(&tried)? {
                    true => long = middle,
                    false => short = middle,
                }
            }
            set.insert(rest[long - 1]);
            rest.truncate(long - 1);
            if rest.is_empty() || undoes(&set)? {
                break;
            }
        }
        // Something added early may not be needed with what was added later.
        let added: Vec<usize> = set.difference(named).copied().collect();
        for one in added.iter().filter(|_| added.len() > 1) {
            let mut fewer = set.clone();
            fewer.remove(one);
            match undoes(&fewer) {
                Some(true) => set = fewer,
                Some(false) => {}
                None => break,
            }
        }
        Some(set)
    }
}
