//! The effect of a loss on region placements: how many nodes each region has with and without it.

use std::collections::BTreeSet;

use crate::document::{Document, DocumentKind};
use crate::plan::{Plan, again};
use crate::senlin::engine::CheckStatus;
use crate::senlin::engine::loss::Losses;
use crate::site::Thing;

use crate::loss::{Loss, RegionLost};

/// The result of [`losses`], file by file.
pub(super) type FileLosses<'p, 'a> = Vec<Option<Losses<'p, 'a>>>;

/// The checks of all files, ready to be asked with regions missing; none where it has to be planned
/// again for that.
pub(super) fn losses<'p, 'a>(plan: &'p Plan<'_, 'a>) -> FileLosses<'p, 'a> {
    let planned = plan.regions.planned.iter();
    planned
        .map(|one| again::losses_of_regions(one.check, &one.outcome))
        .collect()
}

/// Plans the touched files without what is lost; whether that could be done without planning the
/// whole site again. `known` are the checks of all files.
pub(super) fn assess<'d, 'a: 'd>(
    plan: &Plan<'_, 'a>,
    known: &FileLosses<'_, 'a>,
    lost: &[Thing],
    touched: impl Iterator<Item = &'d Document<'a>>,
    loss: &mut Loss,
) -> bool {
    let names = lost.iter().filter_map(|thing| match thing {
        Thing::Region(name) => Some(name.as_str()),
        _ => None,
    });
    let names: Vec<&str> = names.collect();
    let sources = plan.site.documents.sources;
    let touched = touched.filter(|document| document.kind == DocumentKind::Senlin);
    let files: BTreeSet<_> = touched.map(|document| document.source()).collect();
    let paths = files
        .into_iter()
        .map(|file| sources.get(file).name.as_str());
    let paths: BTreeSet<&str> = paths.collect();
    let mut found = Vec::new();
    for (planned, losses) in plan.regions.planned.iter().zip(known) {
        let path = planned.set.path;
        if !paths.contains(path) {
            continue;
        }
        let Some(changed) = losses.as_ref().and_then(|losses| losses.of(&names)) else {
            return false;
        };
        let failed = planned.outcome.answer == CheckStatus::Done && !changed.answered;
        found.extend(
            changed
                .regions
                .into_iter()
                .map(|(name, from, to)| RegionLost {
                    path: path.to_owned(),
                    name: name.to_owned(),
                    from,
                    to,
                    failed,
                }),
        );
    }
    loss.regions.append(&mut found);
    true
}

/// How many nodes more the other regions can hold if one is lost; without a bound where one of
/// them has no cap.
pub(super) fn rooms(plan: &Plan<'_, '_>) -> Vec<(String, i128)> {
    let mut all = Vec::new();
    for planned in &plan.regions.planned {
        let (check, outcome) = (planned.check, &planned.outcome);
        let rooms: Vec<Option<i128>> = outcome
            .usable
            .iter()
            .zip(0..)
            .map(|(position, at)| {
                let position = *position as usize;
                let nodes = check.cluster.nodes[position] + outcome.change(at);
                Some(check.policy.regions[position].cap()? - nodes)
            })
            .collect();
        let unbound = rooms.iter().filter(|room| room.is_none()).count();
        let total: i128 = rooms.iter().flatten().sum();
        for (position, room) in outcome.usable.iter().zip(&rooms) {
            if unbound == usize::from(room.is_none()) {
                let name = &check.policy.regions[*position as usize].name;
                let subject = format!("{}/{name}", planned.set.path);
                all.push((subject, total - room.unwrap_or(0)));
            }
        }
    }
    all
}
