//! The remedies for losses: the smallest sets of edits after which one is survived, and edits with
//! which as many as possible are. Each is proven by planning the changed site with and without the
//! lost things.

mod together;
mod trial;
mod ways;

pub use together::together;

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;

use crate::changes::{self, FEW, PLANS};
use crate::options::Options;
use crate::parallel;
use crate::plan::Plan;
use crate::repair::{self, Limits, May, Obstacle, Trial};
use crate::risk::{Loss, Remedies, Remedy, Risk};
use crate::site::Checked;

use trial::{Bench, Tried};

/// Edits of a set, at most.
pub const EDITS: usize = 3;

/// Sets that are told of one loss, at most.
const TOLD: usize = 5;

/// Sets of small sites that are looked at for the calm ones among them, at most.
const LOOKED_AT: usize = 20;

/// Documents planned for all losses together, at most, but for one plan a loss.
const WORK: usize = 20_000_000;

/// Adds to each loss that needs it what can be done about it; `done` is called after each.
pub fn find(plan: &Plan<'_, '_>, risk: &mut Risk, options: &Options, done: &(dyn Fn() + Sync)) {
    let hurting: Vec<usize> = hurting(risk).collect();
    let documents = plan.site.documents.all.len();
    let plans = WORK / (documents * hurting.len()).max(1);
    let bench = Bench::of(plan, options);
    let found = parallel::map(options.jobs, &hurting, |at| {
        let found = remedies(&bench, &risk.losses[*at], plans.clamp(1, PLANS));
        done();
        found
    });
    for (at, found) in hurting.into_iter().zip(found) {
        risk.losses[at].remedies = Some(found);
    }
}

/// The losses, by number, for which remedies are looked for.
pub fn hurting(risk: &Risk) -> impl Iterator<Item = usize> {
    let losses = risk.losses.iter().enumerate();
    losses.filter(|(_, loss)| loss.hurts()).map(|(at, _)| at)
}

/// The remedies for one loss.
fn remedies(bench: &Bench<'_, '_, '_>, loss: &Loss, plans: usize) -> Remedies {
    let steps = Cell::new(changes::STEPS);
    let site = bench.plan.site;
    if loss.is_survived() && !ways::can_be_kept(loss) {
        return Remedies {
            gone: true,
            ..Remedies::default()
        };
    }
    let obstacles = ways::obstacles(site, &bench.options, loss, &steps);
    let exact = site.documents.all.len() <= FEW;
    let limits = Limits {
        edits: EDITS,
        plans,
        may: May::Both,
        exact,
        told: if exact { LOOKED_AT } else { TOLD },
    };
    let proven: RefCell<Vec<(Vec<repair::Edit>, Remedy)>> = RefCell::default();
    let found = repair::search(&obstacles, limits, |edits| {
        let open = |site: &Checked<'_>, loss: &Loss| -> Vec<Obstacle> {
            // The obstacles behind the largest sets are not needed.
            if edits.len() < EDITS {
                ways::obstacles(site, &bench.options, loss, &steps)
            } else {
                Vec::new()
            }
        };
        match bench.tried(loss, edits, open) {
            Tried::Impossible => Trial::Impossible,
            Tried::Lost(obstacles) => Trial::Lost(obstacles),
            Tried::Survived { moves, class } => {
                let remedy = Remedy {
                    edits: edits.iter().map(|edit| bench.change(edit)).collect(),
                    moves_today: moves,
                    class,
                };
                proven.borrow_mut().push((edits.to_vec(), remedy));
                Trial::Chosen
            }
        }
    });
    let proven = proven.into_inner();
    let set = |edits: &Vec<repair::Edit>| {
        let remedy = proven.iter().find(|(own, _)| own == edits);
        remedy.map(|(_, remedy)| remedy.clone())
    };
    let mut sets: Vec<Remedy> = found.sets.iter().filter_map(set).collect();
    sets.sort_by_key(|remedy| {
        let moves = remedy.moves_today > 0;
        (remedy.is_observed(), moves, Reverse(remedy.class))
    });
    sets.truncate(TOLD);
    Remedies {
        sets,
        none_up_to: found.none_up_to,
        offered: found.offered,
        plans: found.plans,
        stopped: found.stopped,
        gone: false,
    }
}
