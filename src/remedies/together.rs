//! The edits with which as many losses as possible are survived, kind by kind: the remedies that
//! help most losses first, then each edit left out on trial.

use std::collections::BTreeSet;

use crate::changes::{self, PLANS};
use crate::document::System;
use crate::options::Options;
use crate::parallel;
use crate::plan::Plan;
use crate::repair::{Edit, joined};
use crate::risk::{self, Loss, Risk, Together};
use crate::site::Thing;

use super::trial::Bench;

/// The kinds of things that take others with them: what helps there often helps the others.
const WHOLE: [&str; 2] = ["cluster", "rack"];

/// Adds the edits that make as many losses as possible survivable, from the known remedies of each
/// loss.
pub fn together(plan: &Plan<'_, '_>, risk: &mut Risk, options: &Options) {
    let search = Search {
        bench: Bench::of(plan, options),
        jobs: options.jobs,
        losses: &risk.losses,
    };
    risk.together = search.all();
}

/// Losses by their number.
type Numbers = BTreeSet<usize>;

struct Search<'r, 'p, 's, 'a> {
    bench: Bench<'p, 's, 'a>,
    jobs: usize,
    losses: &'r [Loss],
}

/// The site with edits.
#[derive(Clone)]
struct State {
    edits: Vec<Edit>,
    /// Losses that are not survived.
    left: Numbers,
    moves: usize,
}

/// Edits on offer, and the losses that are survived with them.
struct Offer {
    edits: Vec<Edit>,
    helps: Numbers,
    moves: usize,
}

impl Search<'_, '_, '_, '_> {
    fn all(&self) -> Vec<Together> {
        let losses = (0..).zip(self.losses);
        let left = losses.filter(|(_, loss)| !loss.is_survived());
        let mut state = State {
            edits: Vec::new(),
            left: left.map(|(at, _)| at).collect(),
            moves: 0,
        };
        let before = state.left.clone();
        let mut found = Vec::new();
        let others = Thing::LOST.into_iter();
        let others = others.filter(|kind| !WHOLE.contains(kind));
        for kind in WHOLE.into_iter().chain(others) {
            let of_kind = |at: &&usize| self.losses[**at].kind == kind;
            let before: Numbers = before.iter().filter(of_kind).copied().collect();
            if before.is_empty() {
                continue;
            }
            let earlier = state.edits.clone();
            let (plans, stopped) = self.one(kind, &mut state);
            let own = state.edits.iter().filter(|edit| !earlier.contains(edit));
            let left = state.left.iter().filter(of_kind);
            found.push(Together {
                kind,
                edits: own.map(|edit| self.bench.change(edit)).collect(),
                all: self.losses.iter().filter(|loss| loss.kind == kind).count(),
                before: before.len(),
                left: left.map(|at| self.losses[*at].name.clone()).collect(),
                moves_today: state.moves,
                plans,
                stopped,
            });
        }
        found
    }

    /// Adds edits with which losses of a kind are survived; the plans made, and whether there was
    /// more to try.
    fn one(&self, kind: &str, state: &mut State) -> (usize, bool) {
        let wanted = |left: &Numbers| -> Numbers {
            let of_kind = |at: &&usize| self.losses[**at].kind == kind;
            left.iter().filter(of_kind).copied().collect()
        };
        let (mut offers, mut stopped) = self.offers(&wanted(&state.left), state);
        let mut plans = offers.len();
        offers.retain(|offer| !offer.helps.is_empty());
        let earlier = state.edits.clone();
        loop {
            let wanted = wanted(&state.left);
            let gain = |offer: &Offer| offer.helps.intersection(&wanted).count();
            offers.retain(|offer| gain(offer) > 0);
            let best = (0..offers.len()).min_by_key(|at| {
                let offer = &offers[*at];
                let gain = std::cmp::Reverse(gain(offer));
                let is_observed = offer.edits.iter().any(Edit::is_observed);
                (is_observed, gain, offer.edits.len(), offer.moves > 0)
            });
            let Some(best) = best else {
                break;
            };
            if plans >= PLANS {
                stopped = true;
                break;
            }
            let offer = offers.remove(best);
            plans += 1;
            let next = joined(&state.edits, &offer.edits);
            let next = next.and_then(|edits| self.state(edits, None));
            if let Some(next) = next.filter(|next| is_better(&next.left, &state.left)) {
                *state = next;
            }
        }
        let own = state.edits.iter().filter(|edit| !earlier.contains(edit));
        for edit in own.cloned().collect::<Vec<Edit>>() {
            if plans >= PLANS {
                return (plans, true);
            }
            plans += 1;
            let mut fewer = state.edits.clone();
            fewer.retain(|other| *other != edit);
            let next = self.state(fewer, None);
            if let Some(next) = next.filter(|next| next.left.is_subset(&state.left)) {
                *state = next;
            }
        }
        (plans, stopped)
    }

    /// The remedies of losses, each once, and what each helps on top of the edits so far.
    fn offers(&self, wanted: &Numbers, state: &State) -> (Vec<Offer>, bool) {
        let remedies = wanted.iter().flat_map(|at| &self.losses[*at].remedies);
        let mut sets: Vec<Vec<Edit>> = Vec::new();
        for remedy in remedies.flat_map(|found| &found.sets) {
            let edits: Vec<Edit> = remedy.edits.iter().map(changes::edit).collect();
            if !sets.contains(&edits) {
                sets.push(edits);
            }
        }
        let stopped = sets.len() > PLANS;
        sets.truncate(PLANS);
        let offer = |edits: &Vec<Edit>| {
            let all = joined(&state.edits, edits);
            let with = all.and_then(|all| self.state(all, Some(wanted)));
            Offer {
                edits: edits.clone(),
                moves: with.as_ref().map_or(0, |with| with.moves),
                helps: with.map_or_else(Numbers::new, |with| wanted - &with.left),
            }
        };
        (parallel::map(self.jobs, &sets, offer), stopped)
    }

    /// The site with edits, and which of these losses are not survived there, or of all losses;
    /// nothing where the edits cannot be made or cost something its place today.
    fn state(&self, edits: Vec<Edit>, asked: Option<&Numbers>) -> Option<State> {
        let numbers: Vec<usize> = match asked {
            Some(asked) => asked.iter().copied().collect(),
            None => (0..self.losses.len()).collect(),
        };
        let judge = |plan: &Plan<'_, '_>| {
            let moves = self.bench.moves_today(plan)?;
            let lost = numbers.iter().map(|at| self.losses[*at].lost.clone());
            let lost: Vec<Vec<Thing>> = lost.collect();
            let after = risk::lose_each(plan, &lost, &self.bench.options);
            let left = numbers.iter().zip(after);
            let left = left.filter(|(_, after)| !after.is_survived());
            Some((moves, left.map(|(at, _)| *at).collect()))
        };
        let bench = &self.bench;
        let found = bench.with(&edits, |site| bench.planned(site, &System::ALL, judge)?);
        let (moves, left) = found?;
        Some(State { edits, left, moves })
    }
}

/// Whether fewer are left, and none that was not.
fn is_better(next: &Numbers, now: &Numbers) -> bool {
    next.is_subset(now) && next.len() < now.len()
}
