//! What a reviewer of a site would raise: sound documents that cannot do what they are for.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{SELECTS_NOTHING, UNBOUND_SET, UNUSED_TOLERATION, object_of};
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::ocm::engine::hub::Hub;
use crate::ocm::engine::select::tolerates;
use crate::ocm::model::{Model, Placement, Taint, is_built_in};

/// Reviews a site's placements; without clusters or placements there is nothing to compare.
pub(in crate::ocm) fn review(model: &Model<'_>, now: Timestamp, sink: &mut Sink) {
    if model.placements.is_empty() {
        return;
    }
    unbound(model, sink);
    if model.clusters.is_empty() {
        return;
    }
    selectors(model, now, sink);
    let mut taints: Vec<&Taint<'_>> = Vec::new();
    for taint in model.clusters.iter().flat_map(|cluster| &cluster.taints) {
        let same = |known: &Taint<'_>| {
            (known.key, known.value, known.effect) == (taint.key, taint.value, taint.effect)
        };
        if !taints.iter().any(|known| same(known)) {
            taints.push(taint);
        }
    }
    for placement in &model.placements {
        tolerations(placement, &taints, sink);
    }
}

/// Sets that no placement can use.
fn unbound(model: &Model<'_>, sink: &mut Sink) {
    let bound: BTreeSet<&str> = model.bindings.iter().map(|binding| binding.name).collect();
    for set in &model.sets {
        if bound.contains(set.name) || is_built_in(set.name) {
            continue;
        }
        let message = format!("the cluster set `{}` is bound in no namespace", set.name);
        sink.push(
            Diagnostic::new(&UNBOUND_SET, message)
                .at(set.place, "no placement can use it")
                .help("add a ManagedClusterSetBinding of that name where it is wanted")
                .object(Object::new("ManagedClusterSet", set.name)),
        );
    }
}

/// Predicates whose selectors match no cluster of the hub; CEL expressions are left aside.
fn selectors(model: &Model<'_>, now: Timestamp, sink: &mut Sink) {
    if model.placements.iter().all(|p| p.predicates.is_empty()) {
        return;
    }
    let hub = Hub::new(model, now);
    for placement in &model.placements {
        for predicate in &placement.predicates {
            let none = hub
                .matching_both(&predicate.selector)
                .is_ok_and(|clusters| clusters.is_clear());
            if none {
                let message = format!(
                    "a predicate of `{}` matches none of the {} clusters",
                    placement.name,
                    model.clusters.len()
                );
                sink.push(
                    Diagnostic::new(&SELECTS_NOTHING, message)
                        .at(predicate.place, "matches no cluster")
                        .help("correct its labels and claims, or label a cluster so")
                        .object(object_of(placement)),
                );
            }
        }
    }
}

fn tolerations(placement: &Placement<'_>, taints: &[&Taint<'_>], sink: &mut Sink) {
    for toleration in &placement.tolerations {
        if taints.iter().any(|taint| tolerates(toleration, taint)) {
            continue;
        }
        let what = if toleration.key.is_empty() {
            "any taint".to_owned()
        } else {
            format!("`{}`", toleration.key)
        };
        let message = format!(
            "the toleration of {what} in `{}` matches no taint of any cluster",
            placement.name
        );
        sink.push(
            Diagnostic::new(&UNUSED_TOLERATION, message)
                .at(toleration.place, "tolerates nothing")
                .help("correct it, or remove it")
                .object(object_of(placement)),
        );
    }
}
