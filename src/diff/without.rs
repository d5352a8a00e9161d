//! The moves when things are lost, and the losses that cause them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::diagnostic::Object;
use crate::kit::plural::first_names;
use crate::options::Options;
use crate::plan::{self, Assignment, Plan};
use crate::site::{Changes, Thing};

use super::{Cause, Decisions, Diff, Move, between, decisions};

/// At most so many deliveries are named that reach nothing any more.
const NAMED: usize = 10;
/// At most so many things are tried alone.
const ALONE: usize = 16;

/// The moves between the plan of a whole site and its plan without these things, each written
/// `kind/name`, and their causes.
#[must_use]
pub fn without(
    whole: &Plan<'_, '_>,
    left: &Plan<'_, '_>,
    things: &[String],
    options: &Options,
) -> Diff {
    let before = decisions(whole);
    let mut diff = between(&before, &decisions(left));
    let mut lost: Vec<&str> = Vec::new();
    for name in things {
        if !lost.contains(&name.as_str()) {
            lost.push(name);
        }
    }
    give_reasons(&mut diff, &lost);
    if lost.len() > 1 && lost.len() <= ALONE {
        narrow(&mut diff, whole, &before, &lost, options);
    }
    diff.add_failures(left);
    diff
}

/// Names the lost things as the cause of every move: all of them together, for without a loss
/// nothing moves.
fn give_reasons(diff: &mut Diff, lost: &[&str]) {
    let cause = |name: &&str| {
        let (kind, name) = name.split_once('/').unwrap_or(("", name));
        Cause {
            what: kind.to_owned(),
            object: Object::new(kind, name),
            pointer: String::new(),
            path: String::new(),
            before: Some(Value::from(name)),
            after: None,
            at: None,
            roots: Vec::new(),
        }
    };
    diff.causes = lost.iter().map(cause).collect();
    for moved in &mut diff.moves {
        moved.because = (0..lost.len()).collect();
        moved.confirmed = true;
    }
}

/// Narrows the causes of a move down to one lost thing: if only the others are lost, the decision
/// stays.
fn narrow(
    diff: &mut Diff,
    whole: &Plan<'_, '_>,
    old: &Decisions,
    lost: &[&str],
    options: &Options,
) {
    for back in 0..lost.len() {
        let others = lost.iter().enumerate().filter(|(at, _)| *at != back);
        let others: Result<Vec<Thing>, String> =
            others.map(|(_, name)| Thing::parse(name)).collect();
        let Ok(others) = others else { continue };
        let Ok(changed) = whole.site.changed(Changes::without(others)) else {
            continue;
        };
        let site = changed.check();
        let now = decisions(&plan::make(&site, options));
        let open = diff
            .moves
            .iter_mut()
            .filter(|moved| moved.because.len() > 1);
        for moved in open {
            if old.get(&moved.subject) == now.get(&moved.subject) {
                moved.because = vec![back];
            }
        }
    }
}

/// Names the consumers that reached clusters and reach none any more.
fn unreached(diff: &Diff) -> Option<String> {
    let emptied = |moved: &&Move| {
        moved.subject.is_delivery()
            && matches!(&moved.to, Some(Assignment::Decisions(left)) if left.is_empty())
    };
    let moves = diff.moves.iter().filter(emptied);
    let left: Vec<&str> = moves.map(|moved| moved.subject.name.as_str()).collect();
    let named = first_names(left.iter(), NAMED);
    (!left.is_empty()).then(|| format!("Left without a cluster: {named}."))
}

/// Lines about volumes that the loss leaves behind, consumers left without a cluster, and kinds of
/// places of which none is left.
#[must_use]
pub fn remarks(before: &Plan<'_, '_>, after: &Plan<'_, '_>, diff: &Diff) -> Vec<String> {
    let mut lines = Vec::new();
    // Volumes of subjects that move are reported with the moves.
    let moves = diff
        .moves
        .iter()
        .filter(|moved| !moved.volumes_left.is_empty());
    let reported: BTreeSet<&str> = moves.map(|moved| moved.subject.name.as_str()).collect();
    let volumes = |plan: &Plan<'_, '_>| {
        let items = plan.applications.iter().flat_map(|outcome| &outcome.items);
        let mut all = BTreeMap::new();
        for item in items {
            let name = item.full_name().to_string();
            if reported.contains(name.as_str()) {
                continue;
            }
            for volume in &item.out_of_bounds {
                let key = format!(
                    "{}/{} of {}/{}",
                    volume.cluster, volume.name, item.package, item.application
                );
                all.insert(key, volume.removed_by.word());
            }
        }
        all
    };
    let known = volumes(before);
    for (volume, removed) in volumes(after) {
        if known.get(&volume) != Some(&removed)
            && (removed == "gone" || !known.contains_key(&volume))
        {
            lines.push(format!("Volume left behind: {volume}"));
        }
    }
    lines.extend(unreached(diff));
    let none = |had: usize, has: usize, what: &str| {
        (had > 0 && has == 0).then(|| format!("No {what} left."))
    };
    let nodes = |plan: &Plan<'_, '_>| plan.strategy.as_ref().map_or(0, |one| one.site.nodes.len());
    let (had, has) = (before.site, after.site);
    lines.extend(none(
        had.ogc.clusters.len(),
        has.ogc.clusters.len(),
        "Cluster",
    ));
    lines.extend(none(
        had.ocm.clusters.len(),
        has.ocm.clusters.len(),
        "ManagedCluster",
    ));
    lines.extend(none(nodes(before), nodes(after), "node"));
    lines.extend(none(had.regions(), has.regions(), "region"));
    lines
}
