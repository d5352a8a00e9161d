//! Policies that reach no cluster, and why.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::read::{Policy, Selects};
use crate::delivery::findings::say::object;
use crate::delivery::ground::{Chosen, Ground};
use crate::delivery::id::Id;
use crate::delivery::model::Model;
use crate::delivery::placement_rule::read::Rule;
use crate::delivery::row::{Row, Via};
use crate::delivery::rules::{POLICY_IN_CLUSTER_NAMESPACE, POLICY_NOWHERE, RESTRICTED_ONLY};
use crate::diagnostic::{Diagnostic, Object, Severity, Sink};
use crate::kit::named::Name;
use crate::kit::plural::plural;
use crate::ocm::model::{Model as Hub, Observed};

/// A placement or rule: its kind, namespace and name.
pub(in crate::delivery) type Reference<'a> = (&'static str, &'a str, &'a str);

/// The references to things that only the hub knows: whether they select a cluster cannot be told.
pub(in crate::delivery) fn left_open<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
) -> FxHashSet<Reference<'a>> {
    let observed = Observed::of(hub);
    let placements = hub.placements.iter();
    let placements = placements.filter(|one| observed.leaves_open(one));
    let placements = placements.map(|one| (Selects::Placement.kind(), one.namespace, one.name));
    let asks = |rule: &&Rule<'a>| {
        let selector = rule.selector.as_ref();
        rule.clusters.is_empty() && selector.is_some_and(|selector| observed.lacks(selector))
    };
    let rules = model.rules.iter().filter(asks);
    let rules = rules.map(|one| (Selects::Rule.kind(), one.id.namespace, one.id.name));
    placements.chain(rules).collect()
}

/// Policies that reach no cluster because what they are bound to selects none.
#[derive(Default)]
pub(in crate::delivery) struct Nowhere<'a>(BTreeMap<Reference<'a>, Vec<Id<'a>>>);

impl Nowhere<'_> {
    /// One finding for each: one cause is told once.
    pub(in crate::delivery) fn say(self, hub: &Hub<'_>, sink: &mut Sink) {
        for ((kind, namespace, placement), policies) in self.0 {
            let [first, others @ ..] = policies.as_slice() else {
                continue;
            };
            let name = format!("`{}/{}`", first.namespace, first.name);
            let (what, verb) = match others.len() {
                0 => (name, "is bound but reaches"),
                more => (
                    format!("{name} and {}", plural(more, "other policy")),
                    "are bound but reach",
                ),
            };
            let message = format!("{what} {verb} no cluster: {kind} {placement} selects none");
            let cause = Object::new(kind, placement).in_namespace(namespace);
            let mut found = goes_nowhere(message, first, hub).because(cause);
            for other in others {
                found = found.related(other.place, "also reaches no cluster");
            }
            sink.push(found);
        }
    }
}

fn goes_nowhere(mut message: String, id: &Id<'_>, hub: &Hub<'_>) -> Diagnostic {
    if hub.is_sample {
        let all = plural(hub.clusters.len(), "cluster");
        message.push_str(&format!(" (of the {all} in these documents)"));
    }
    let found = Diagnostic::new(&POLICY_NOWHERE, message)
        .at(id.place, "reaches no cluster")
        .help("bind it to a placement that selects clusters, or remove it")
        .object(object(id));
    if hub.is_sample {
        found.severity(Severity::Note)
    } else {
        found
    }
}

/// The finding on a policy that reaches no cluster.
pub(in crate::delivery) fn of_policy<'a>(
    policy: &Policy<'a>,
    row: &Row<'a>,
    ground: &Ground<'a>,
    (hub, open): (&Hub<'a>, &FxHashSet<Reference<'a>>),
    (nowhere, sink): (&mut Nowhere<'a>, &mut Sink),
) {
    let namespace = policy.id.namespace;
    if policy.refused.is_some() {
        return;
    }
    if ground.has_cluster(namespace) {
        let message = format!(
            "`{namespace}` is the namespace of ManagedCluster `{namespace}`: the hub deletes \
             policies there"
        );
        sink.push(
            Diagnostic::new(&POLICY_IN_CLUSTER_NAMESPACE, message)
                .at(policy.id.place, "this policy")
                .help("move it to another namespace")
                .object(object(&policy.id))
                .not_refusing(),
        );
        return;
    }
    if policy.disabled || row.via.is_empty() || !row.clusters.is_clear() {
        return;
    }
    let name = Name::new(namespace, policy.id.name).to_string();
    if row.via.iter().all(|via| via.restricted) {
        sink.push(
            Diagnostic::new(
                &RESTRICTED_ONLY,
                format!("`{name}` has only `restricted` bindings, which place nothing"),
            )
            .at(policy.id.place, "reaches no cluster")
            .help("remove a `subFilter`, or bind it without one")
            .object(object(&policy.id)),
        );
        return;
    }
    // A placement that is not there, or has nothing to choose from, is reported for itself, or its
    // clusters lie elsewhere.
    let there: Vec<_> = row
        .via
        .iter()
        .filter(|via| !via.restricted)
        .filter(|via| chosen(via, ground).is_some_and(|chosen| chosen.has_candidates))
        .collect();
    if !hub.holds_clusters || there.is_empty() {
        return;
    }
    let (kind, _, placement) = there[0].placement;
    let selects = |via: &&&Via<'a>| {
        let chosen = chosen(via, ground);
        chosen.is_some_and(|chosen| !chosen.planned.is_clear())
    };
    let Some(via) = there.iter().find(selects) else {
        if open.contains(&there[0].placement) {
            return;
        }
        let bound = nowhere.0.entry((kind, namespace, placement));
        bound.or_default().push(policy.id);
        return;
    };
    let why = format!(
        "the set excludes every cluster that {} {} selects",
        via.placement.0, via.placement.2
    );
    let message = format!("`{name}` is bound but reaches no cluster: {why}");
    sink.push(goes_nowhere(message, &policy.id, hub));
}

/// The selection of a way's placement, if it exists.
pub(in crate::delivery) fn chosen<'g, 'a>(
    via: &Via<'a>,
    ground: &'g Ground<'a>,
) -> Option<&'g Chosen> {
    let (kind, namespace, name) = via.placement;
    let what = match kind {
        "Placement" => Selects::Placement,
        _ => Selects::Rule,
    };
    ground.chosen.get(&(what, namespace, name))
}
