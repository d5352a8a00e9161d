//! What a reviewer of a site would raise: sound documents that cannot do what they are for.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::{
    SELECTS_NOTHING, TOLERATION_OPERATOR, UNBOUND_SET, UNKNOWN_LABEL, UNUSED_TOLERATION, object_of,
};
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::kit::plural::plural;
use crate::kit::selector::LabelSelector;
use crate::kit::vocabulary::{Unknown, Vocabulary};
use crate::ocm::engine::hub::Hub;
use crate::ocm::engine::select::tolerates;
use crate::ocm::model::{ClusterSelector, Model, Placement, Taint, Toleration, is_built_in};
use crate::source::Place;

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
        let message = format!("no namespace binds the cluster set `{}`", set.name);
        sink.push(
            Diagnostic::new(&UNBOUND_SET, message)
                .at(set.place, "no placement can use it")
                .help("add a ManagedClusterSetBinding of that name to the namespaces that need it")
                .object(Object::new("ManagedClusterSet", set.name)),
        );
    }
}

/// The labels and the claims of all clusters.
struct Words<'a> {
    labels: Vocabulary<'a>,
    claims: Vocabulary<'a>,
}

/// A requirement that names what no cluster has.
struct Stranger<'v> {
    key: &'v str,
    unknown: Unknown<'v>,
    /// What carries such things.
    thing: &'static str,
    place: Option<Place>,
}

impl Words<'_> {
    fn strangers<'v>(&'v self, selector: &'v ClusterSelector<'_>) -> Vec<Stranger<'v>> {
        let (labels, claims) = (&selector.labels, &selector.claims);
        let mut found = strangers(&self.labels, labels, &selector.label_places, "label");
        found.extend(strangers(
            &self.claims,
            claims,
            &selector.claim_places,
            "claim",
        ));
        found
    }
}

fn strangers<'v>(
    words: &'v Vocabulary<'_>,
    selector: &'v LabelSelector<'_>,
    places: &[Place],
    thing: &'static str,
) -> Vec<Stranger<'v>> {
    let labels = selector.match_labels.iter().map(|(key, value)| {
        let unknown = words.unknown(key, std::slice::from_ref(value), false);
        (*key, unknown)
    });
    let expressions = selector.match_expressions.iter().map(|asked| {
        let excludes = matches!(asked.operator, "NotIn" | "DoesNotExist");
        (asked.key, words.unknown(asked.key, &asked.values, excludes))
    });
    let asked = labels.chain(expressions).enumerate();
    asked
        .filter_map(|(index, (key, unknown))| {
            Some(Stranger {
                key,
                unknown: unknown?,
                thing,
                place: places.get(index).copied(),
            })
        })
        .collect()
}

fn unknown_labels(
    placement: &Placement<'_>,
    strangers: Vec<Stranger<'_>>,
    whole: Place,
    sink: &mut Sink,
) {
    for stranger in strangers {
        let message = stranger
            .unknown
            .message(stranger.key, "cluster", stranger.thing);
        let help = stranger.unknown.help();
        sink.push(
            Diagnostic::new(&UNKNOWN_LABEL, message)
                .at(stranger.place.unwrap_or(whole), "used here")
                .help(
                    help.unwrap_or_else(|| "correct it, or add the label to a cluster".to_owned()),
                )
                .object(object_of(placement)),
        );
    }
}

/// Predicates whose selectors match no cluster of the hub, and selectors that name what no cluster
/// has; CEL expressions are left aside.
fn selectors(model: &Model<'_>, now: Timestamp, sink: &mut Sink) {
    let asks = |p: &Placement<'_>| !p.predicates.is_empty() || !p.groups.is_empty();
    if !model.placements.iter().any(asks) {
        return;
    }
    let clusters = || model.clusters.iter();
    let words = Words {
        labels: clusters().flat_map(|c| c.labels.iter().copied()).collect(),
        claims: clusters().flat_map(|c| c.claims.iter().copied()).collect(),
    };
    let hub = Hub::new(model, now);
    for placement in &model.placements {
        for predicate in &placement.predicates {
            let none = hub
                .matching_both(&predicate.selector)
                .is_ok_and(|clusters| clusters.is_clear());
            let strangers = words.strangers(&predicate.selector);
            if none {
                let near = strangers.iter().find_map(|s| s.unknown.help());
                let help = "correct its labels and claims, or add them to a cluster".to_owned();
                let message = format!(
                    "a predicate of `{}` matches none of {}",
                    placement.name,
                    plural(model.clusters.len(), "cluster")
                );
                sink.push(
                    Diagnostic::new(&SELECTS_NOTHING, message)
                        .at(predicate.place, "matches no cluster")
                        .help(near.unwrap_or(help))
                        .object(object_of(placement)),
                );
            } else {
                unknown_labels(placement, strangers, predicate.place, sink);
            }
        }
        for group in &placement.groups {
            let strangers = words.strangers(&group.selector);
            unknown_labels(placement, strangers, group.place, sink);
        }
    }
}

const OPERATORS: [&str; 2] = ["Equal", "Exists"];

fn has_unknown_operator(toleration: &Toleration<'_>) -> bool {
    let operator = toleration.operator;
    !operator.is_empty() && !OPERATORS.contains(&operator) && !toleration.key.is_empty()
}

/// Tolerations that the hub takes silently and that tolerate nothing, whatever else the
/// documents hold.
pub(in crate::ocm) fn operators(model: &Model<'_>, sink: &mut Sink) {
    for placement in model.placements.iter().chain(&model.refused_placements) {
        let tolerations = placement.tolerations.iter();
        for toleration in tolerations.filter(|one| has_unknown_operator(one)) {
            let operator = toleration.operator;
            let message = format!("the hub does not know the toleration operator `{operator}`");
            let help = match nearest(operator, OPERATORS) {
                Some(near) => did_you_mean(near),
                None => "write Equal or Exists".to_owned(),
            };
            sink.push(
                Diagnostic::new(&TOLERATION_OPERATOR, message)
                    .at(toleration.place, "tolerates nothing")
                    .help(help)
                    .object(object_of(placement)),
            );
        }
    }
}

fn tolerations(placement: &Placement<'_>, taints: &[&Taint<'_>], sink: &mut Sink) {
    for toleration in &placement.tolerations {
        if has_unknown_operator(toleration) {
            continue;
        }
        if taints.iter().any(|taint| tolerates(toleration, taint)) {
            continue;
        }
        let what = if toleration.key.is_empty() {
            "any taint".to_owned()
        } else {
            format!("`{}`", toleration.key)
        };
        let keys = taints.iter().map(|taint| taint.key);
        let known = keys.clone().any(|key| key == toleration.key);
        let near = nearest(toleration.key, keys).filter(|_| !known);
        let message = format!(
            "the toleration of {what} in `{}` matches no taint of any cluster",
            placement.name
        );
        sink.push(
            Diagnostic::new(&UNUSED_TOLERATION, message)
                .at(toleration.place, "tolerates nothing")
                .help(near.map_or_else(|| "correct it, or remove it".to_owned(), did_you_mean))
                .object(object_of(placement)),
        );
    }
}
