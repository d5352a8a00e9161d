//! The findings of a reviewer: sound documents that cannot serve their purpose.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::{
    SELECTS_NOTHING, TOLERATION_OPERATOR, UNBOUND_SET, UNKNOWN_LABEL, UNUSED_TOLERATION, object_of,
};
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::kit::nearest::{Names, did_you_mean, nearest};
use crate::kit::plural::plural;
use crate::kit::selector::LabelSelector;
use crate::kit::vocabulary::{Unknown, Vocabulary};
use crate::ocm::engine::hub::Hub;
use crate::ocm::engine::select::tolerates;
use crate::ocm::model::{
    ClusterSelector, Model, Observed, Placement, Taint, Toleration, is_built_in,
};
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
    let taints = Taints::of(model);
    for placement in &model.placements {
        tolerations(placement, &taints, sink);
    }
}

/// The different taints of all clusters.
struct Taints<'m, 'a> {
    by_key: BTreeMap<&'a str, Vec<&'m Taint<'a>>>,
    keys: OnceCell<Names<'a>>,
}

impl<'m, 'a> Taints<'m, 'a> {
    fn of(model: &'m Model<'a>) -> Self {
        let mut met = BTreeSet::new();
        let mut by_key: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for taint in model.clusters.iter().flat_map(|cluster| &cluster.taints) {
            if met.insert((taint.key, taint.value, taint.effect)) {
                by_key.entry(taint.key).or_default().push(taint);
            }
        }
        Self {
            by_key,
            keys: OnceCell::new(),
        }
    }

    /// The taints that a toleration may be meant for: those of its key, without one all.
    fn of_key(&self, toleration: &Toleration<'_>) -> impl Iterator<Item = &'m Taint<'a>> {
        let own = self
            .by_key
            .get(toleration.key)
            .filter(|_| !toleration.key.is_empty());
        let all = toleration
            .key
            .is_empty()
            .then(|| self.by_key.values().flatten());
        own.into_iter()
            .flatten()
            .chain(all.into_iter().flatten())
            .copied()
    }

    fn keys(&self) -> &Names<'a> {
        self.keys
            .get_or_init(|| Names::new(self.by_key.keys().copied()))
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
                .help(
                    "add a ManagedClusterSetBinding with that name to the namespaces that need \
                       it",
                )
                .object(Object::new("ManagedClusterSet", set.name)),
        );
    }
}

/// The labels and the claims of all clusters.
struct Words<'a> {
    labels: Vocabulary<'a>,
    claims: Vocabulary<'a>,
}

/// A requirement for a label or claim that no cluster has.
struct Stranger<'v> {
    key: &'v str,
    unknown: Unknown<'v>,
    /// The kind of the data: a label or a claim.
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
    let observed = Observed::of(model);
    for placement in &model.placements {
        for predicate in &placement.predicates {
            if observed.lacks_any(&predicate.selector) {
                continue;
            }
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

/// Tolerations that the hub accepts silently and that tolerate nothing, whatever else the
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

fn tolerations(placement: &Placement<'_>, taints: &Taints<'_, '_>, sink: &mut Sink) {
    let mut looks = Names::LOOKS;
    for toleration in &placement.tolerations {
        if has_unknown_operator(toleration) {
            continue;
        }
        if taints
            .of_key(toleration)
            .any(|taint| tolerates(toleration, taint))
        {
            continue;
        }
        let what = if toleration.key.is_empty() {
            "any taint".to_owned()
        } else {
            format!("`{}`", toleration.key)
        };
        let known = taints.by_key.contains_key(toleration.key);
        let near = (!known)
            .then(|| taints.keys().nearest(toleration.key, &mut looks))
            .flatten();
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
