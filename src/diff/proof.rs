//! Whether reverting all causes of a move undoes it. If more is needed, the smallest set found that
//! does.

use std::collections::{BTreeMap, BTreeSet};

use crate::parallel;

use super::trials::{Set, Trials};

/// Plans made to prove the causes of one difference, at most.
const RUNS: usize = 192;

/// Plans made to find out which of several causes are needless, at most.
const LEFT_OUT: usize = 64;

/// Documents planned in all of these runs together, at most.
const WORK: usize = 4_000_000;

/// For each move the causes, and whether taking exactly them back undoes it.
pub(super) fn proven(
    named: Vec<Set>,
    count: usize,
    documents: usize,
    jobs: usize,
    back: &Trials<'_>,
) -> Vec<(Set, bool)> {
    let mut budget = RUNS.min(WORK / documents.max(1));
    // The named sets, each once; the set of all changes shows what can be undone at all.
    let all: Set = (0..count).collect();
    let mut sets: Vec<&Set> = vec![&all];
    sets.extend(named.iter().filter(|set| !set.is_empty()));
    let mut seen = BTreeSet::new();
    sets.retain(|set| seen.insert(*set));
    sets.truncate(budget);
    budget -= sets.len();
    parallel::map(jobs, &sets, |set| back.ask(set, |_| ()));
    let known: BTreeSet<&Set> = sets.into_iter().collect();
    let undoes = |set: &Set, at: usize| known.contains(set) && back.undoes(set, at);
    let open: Vec<usize> = (0..named.len())
        .filter(|at| !undoes(&named[*at], *at) && undoes(&all, *at))
        .collect();
    let share = budget / open.len().max(1);
    let larger = parallel::map(jobs, &open, |at| {
        enlarged(*at, &named[*at], count, share, back)
    });
    let larger: BTreeMap<usize, Set> = open
        .iter()
        .zip(larger)
        .filter_map(|(at, set)| Some((*at, set?)))
        .collect();
    let proven: Vec<bool> = (0..named.len())
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
    mut causes: Vec<(Set, bool)>,
    documents: usize,
    back: &Trials<'_>,
    forth: &Trials<'_>,
) -> Vec<(Set, bool)> {
    let mut budget = LEFT_OUT.min(WORK / documents.max(1));
    let mut asked: [BTreeSet<Set>; 2] = Default::default();
    let mut allowed = |way: usize, set: &Set| {
        if !asked[way].contains(set) {
            budget = budget.checked_sub(1)?;
            asked[way].insert(set.clone());
        }
        Some(())
    };
    let several = causes.iter_mut().enumerate();
    for (at, (set, _)) in several.filter(|(_, (set, proven))| *proven && set.len() > 1) {
        for one in set.clone() {
            let mut fewer = set.clone();
            fewer.remove(&one);
            if allowed(0, &fewer).is_none() {
                return causes;
            }
            if !back.undoes(&fewer, at) {
                continue;
            }
            if allowed(1, &fewer).is_none() {
                return causes;
            }
            if forth.makes(&fewer, at) {
                *set = fewer;
            }
        }
    }
    causes
}

/// The fewest changes found that undo a move, where all of them do: those that are named, and
/// one after the other the last change of the shortest run that is still needed. `None` if
/// that takes more than so many plans.
fn enlarged(
    at: usize,
    named: &Set,
    count: usize,
    mut plans: usize,
    back: &Trials<'_>,
) -> Option<Set> {
    let mut undoes = |set: &Set| {
        plans = plans.checked_sub(1)?;
        Some(back.undoes(set, at))
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
            if undoes(&tried)? {
                long = middle;
            } else {
                short = middle;
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
