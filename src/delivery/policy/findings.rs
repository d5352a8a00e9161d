//! Findings about policies, their sets and their bindings.

use super::{carried, order};
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::follow::Bound;
use super::nowhere::{Nowhere, chosen, left_open, of_policy};
use super::read::{Action, Binding, Exclusion, Path, Policy, PolicySet, Selects};
use crate::delivery::consumer::Followed;
use crate::delivery::findings::doubt::is_doubtful;
use crate::delivery::findings::elsewhere::{Elsewhere, is_elsewhere};
use crate::delivery::findings::say::{Names, Once, object};
use crate::delivery::follow::Deliveries;
use crate::delivery::id::Id;
use crate::delivery::model::Model;
use crate::delivery::row::{Extra, Row, Via};
use crate::delivery::rules::{
    EXCLUSION_IDLE, HUB_TEMPLATES, OVERRIDE_IDLE, POLICY_UNBOUND, UNKNOWN_PLACEMENT,
    UNKNOWN_POLICY, UNKNOWN_POLICY_SET,
};
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::document::DocumentKind;
use crate::kit::plural::plural;
use crate::ocm::model::Model as Hub;
use crate::source::{Place, Sources, Text};

/// The findings in the documents of policies, read together.
pub(in crate::delivery) fn check(
    model: &Model<'_>,
    hub: &Hub<'_>,
    elsewhere: &mut Elsewhere,
    sink: &mut Sink,
) {
    let names = KnownNames::of(model, hub);
    for binding in model.bindings.iter().chain(&model.unserved) {
        placement(binding, &names, (model, hub), elsewhere, sink);
        for subject in &binding.subjects {
            let kind = if subject.set {
                DocumentKind::PolicySet
            } else {
                DocumentKind::Policy
            };
            let from = ("binding", binding.id);
            names.check(kind, subject.name, from, model, elsewhere, sink);
        }
    }
    for set in &model.sets {
        for policy in &set.policies {
            let from = ("set", set.id);
            names.check(DocumentKind::Policy, *policy, from, model, elsewhere, sink);
        }
    }
    let templates = model.policies.iter().filter(|policy| policy.hub_templates);
    let templates: Vec<&Policy<'_>> = templates.collect();
    if let Some(first) = templates.first() {
        let message = format!(
            "{} {} templates that the hub fills in; planner does not resolve them",
            plural(templates.len(), "policy"),
            if templates.len() == 1 { "has" } else { "have" }
        );
        sink.push(
            Diagnostic::new(&HUB_TEMPLATES, message)
                .at(first.id.place, "the first of them")
                .help("they change what a policy says on a cluster, never which cluster gets it"),
        );
    }
}

/// The names that are there, by namespace.
struct KnownNames<'a> {
    placements: Names<'a>,
    rules: Names<'a>,
    policies: Names<'a>,
    sets: Names<'a>,
    /// Whether the clusters of a hub are among the documents.
    hub: bool,
}

impl<'a> KnownNames<'a> {
    fn of(model: &Model<'a>, hub: &Hub<'a>) -> Self {
        let placements = hub.placements.iter().chain(&hub.refused_placements);
        let mut known = Self {
            placements: Names::of(placements.map(|one| (one.namespace, one.name))),
            rules: Names::of(
                model
                    .rules
                    .iter()
                    .map(|one| (one.id.namespace, one.id.name)),
            ),
            policies: Names::of(
                model
                    .policies
                    .iter()
                    .map(|one| (one.id.namespace, one.id.name)),
            ),
            sets: Names::of(model.sets.iter().map(|one| (one.id.namespace, one.id.name))),
            hub: hub.holds_clusters,
        };
        for (kind, namespace, name) in model.refused.keys() {
            match kind {
                DocumentKind::LegacyRule => known.rules.add(namespace, name),
                DocumentKind::Policy => known.policies.add(namespace, name),
                DocumentKind::PolicySet => known.sets.add(namespace, name),
                _ => {}
            }
        }
        known
    }

    /// A name that a binding or a set refers to.
    fn check(
        &self,
        kind: DocumentKind,
        name: Text<'a>,
        (what, from): (&'static str, Id<'a>),
        model: &Model<'a>,
        elsewhere: &mut Elsewhere,
        sink: &mut Sink,
    ) {
        let (names, other, rule, word) = match kind {
            DocumentKind::PolicySet => {
                (&self.sets, &self.policies, &UNKNOWN_POLICY_SET, "PolicySet")
            }
            _ => (&self.policies, &self.sets, &UNKNOWN_POLICY, "Policy"),
        };
        if names.has(from.namespace, name.text) {
            return;
        }
        // Without any policy there is nothing that the name could be a slip of.
        let here = names.any_in(from.namespace) || (self.hub && !names.is_empty());
        let other_namespace = names.is_anywhere(name.text);
        let may_hold = || model.open.may_hold(&from, word, name.text, other_namespace);
        if !(here || other_namespace) || may_hold() {
            elsewhere.add(what, from.place, name.place);
            elsewhere.lacking(name.place, model.open.lacking(&from, word, name.text));
            return;
        }
        let message = format!("there is no {word} `{}` in `{}`", name.text, from.namespace);
        let mut help = names.help(from.namespace, name.text);
        if other.has(from.namespace, name.text) {
            let other = if word == "Policy" {
                "PolicySet"
            } else {
                "Policy"
            };
            help = format!("there is a {other} of that name");
        }
        sink.push(
            Diagnostic::new(rule, message)
                .at(name.place, "no such name")
                .help(help)
                .object(object(&from)),
        );
    }
}

fn placement<'a>(
    binding: &Binding<'a>,
    known: &KnownNames<'a>,
    (model, hub): (&Model<'a>, &Hub<'a>),
    elsewhere: &mut Elsewhere,
    sink: &mut Sink,
) {
    let (namespace, name) = (binding.id.namespace, binding.placement_name);
    let (names, others) = match binding.placement {
        Selects::Placement => (&known.placements, &known.rules),
        Selects::Rule => (&known.rules, &known.placements),
    };
    if names.has(namespace, name.text) {
        return;
    }
    let is_other = others.has(namespace, name.text);
    let word = binding.placement.kind();
    if !is_other && is_elsewhere(model, hub, binding.placement, &binding.id, name.text) {
        elsewhere.add("binding", binding.id.place, name.place);
        let what = model.open.lacking(&binding.id, word, name.text);
        elsewhere.lacking(name.place, what);
        return;
    }
    let message = format!("there is no {word} `{}` in `{namespace}`", name.text);
    let help = if is_other {
        let other = match binding.placement {
            Selects::Placement => "PlacementRule",
            Selects::Rule => "Placement",
        };
        format!("there is a {other} of that name: refer to its kind and group")
    } else {
        names.help(namespace, name.text)
    };
    sink.push(
        Diagnostic::new(&UNKNOWN_PLACEMENT, message)
            .at(name.place, "does not exist: the binding places nothing")
            .help(help)
            .object(object(&binding.id))
            .because(Object::new(word, name.text).in_namespace(namespace)),
    );
}

/// Reports the faults of Policies that only a plan shows.
pub(super) fn planned<'a>(followed: Followed<'_, 'a>, sink: &mut Sink) {
    let Followed {
        model,
        hub,
        deliveries,
        sources,
    } = followed;
    let ground = &deliveries.ground;
    let bound = Bound::new(model);
    let mut nowhere = Nowhere::default();
    let open = left_open(model, hub);
    for row in &deliveries.rows {
        if let Extra::Policy(about) = &row.extra {
            let policy = &model.policies[about.policy];
            if !is_doubtful(model, &bound, policy) {
                of_policy(policy, row, ground, (hub, &open), (&mut nowhere, sink));
            }
        }
    }
    nowhere.say(hub, sink);
    unbound(model, &bound, deliveries, sources, sink);
    if hub.holds_clusters {
        let mut rows: FxHashMap<(&str, &str), (&Policy<'a>, &Row<'a>)> = FxHashMap::default();
        for row in &deliveries.rows {
            if let Extra::Policy(about) = &row.extra {
                let key = (row.id.namespace, row.id.name);
                rows.insert(key, (&model.policies[about.policy], row));
            }
        }
        for set in &model.sets {
            for exclusion in &set.exclusions {
                let key = (set.id.namespace, exclusion.policy.text);
                let sure = |one: &Policy<'a>| !one.disabled && !is_doubtful(model, &bound, one);
                if let Some((policy, row)) = rows.get(&key).filter(|(one, _)| sure(one)) {
                    self::exclusion(set, exclusion, (policy, row), &bound, deliveries, sink);
                }
            }
        }
        overrides(model, &bound, deliveries, sink);
    }
    carried::planned(model, deliveries, hub, sink);
    order::planned(model, &bound, deliveries, hub.holds_clusters, sink);
}

/// Policies that nothing binds: one finding per directory.
fn unbound<'a>(
    model: &Model<'a>,
    bound: &Bound<'_, 'a>,
    deliveries: &Deliveries<'_>,
    sources: &Sources,
    sink: &mut Sink,
) {
    let mut once = Once::default();
    for row in &deliveries.rows {
        if let Extra::Policy(about) = &row.extra {
            let policy = &model.policies[about.policy];
            let doubtful = || model.doubt.holds(policy, bound.paths(policy));
            if row.via.is_empty() && policy.refused.is_none() && !policy.disabled && !doubtful() {
                once.add("policy", policy.id.place);
            }
        }
    }
    once.say(sources, sink, |what, number, first| {
        let text = plural(number, what);
        let verb = if number == 1 { "is" } else { "are" };
        Diagnostic::new(&POLICY_UNBOUND, format!("{text} here {verb} not bound"))
            .at(first, "the first of them")
            .help("add a PlacementBinding, unless these are a library of policies")
    });
}

/// An exclusion that has no effect.
fn exclusion<'a>(
    set: &PolicySet<'a>,
    exclusion: &Exclusion<'a>,
    (policy, row): (&Policy<'a>, &Row<'a>),
    bound: &Bound<'_, 'a>,
    deliveries: &Deliveries<'a>,
    sink: &mut Sink,
) {
    let ground = &deliveries.ground;
    let name = policy.id.name;
    let paths = bound.paths(policy).iter();
    let own = paths.filter(|path| path.set.is_some_and(|other| other.id == set.id));
    let own: Vec<&Path<'_, '_>> = own.collect();
    if own.is_empty() {
        return;
    }
    for cluster in &exclusion.clusters {
        let on = cluster.text;
        let number = ground.names.find(on).filter(|_| ground.has_cluster(on));
        let chosen = |number: usize| {
            let chosen = own.iter().filter_map(|path| path.chosen(ground));
            { chosen }.any(|chosen| chosen.planned.contains(number))
        };
        // That a placement selects no cluster at all is told of itself.
        let any = || {
            let mut chosen = own.iter().filter_map(|path| path.chosen(ground));
            chosen.any(|chosen| !chosen.planned.is_clear())
        };
        let message = match number.map(|number| number as usize) {
            None => format!("`{name}` is excluded on `{on}`, which does not exist"),
            Some(number) if !chosen(number) && !any() => continue,
            Some(number) if !chosen(number) => {
                format!("`{name}` is excluded on `{on}`, which no placement of the set selects")
            }
            Some(number) => {
                let mut open = row.via.iter().filter(|via| !via.restricted);
                let way = open.find(|via| via.clusters.contains(number));
                let Some(binding) = way.and_then(|via| via.binding) else {
                    continue;
                };
                format!(
                    "`{name}` is excluded on `{on}`, but binding `{}` still places it there",
                    binding.name
                )
            }
        };
        idle(message, cluster.place, set, sink);
    }
}

fn idle(message: String, place: Place, set: &PolicySet<'_>, sink: &mut Sink) {
    sink.push(
        Diagnostic::new(&EXCLUSION_IDLE, message)
            .at(place, "has no effect")
            .help("remove the exclusion, or exclude the cluster in every set that reaches it")
            .object(object(&set.id)),
    );
}

/// Overrides that change nothing.
fn overrides<'a>(
    model: &Model<'a>,
    bound: &Bound<'_, 'a>,
    deliveries: &Deliveries<'a>,
    sink: &mut Sink,
) {
    const ENFORCED: &str = "its policies are enforced already";
    let mut all: FxHashMap<Place, (bool, BTreeSet<&str>)> = FxHashMap::default();
    for binding in &model.bindings {
        if binding.overrides.is_some() || binding.restricted.is_some() {
            let given = binding.overrides.is_some();
            all.insert(binding.id.place, (given, BTreeSet::new()));
        }
    }
    for row in &deliveries.rows {
        let Extra::Policy(about) = &row.extra else {
            continue;
        };
        let policy = &model.policies[about.policy];
        let enforces = policy.action == Some(Action::Enforce);
        let doubtful = !row.via.is_empty() && is_doubtful(model, bound, policy);
        let selects_none = |via: &Via<'a>| {
            let chosen = chosen(via, &deliveries.ground);
            chosen.is_none_or(|chosen| chosen.planned.is_clear())
        };
        for via in &row.via {
            let place = via.binding.map(|binding| binding.place);
            if let Some((given, why)) = place.and_then(|place| all.get_mut(&place)) {
                why.insert(match () {
                    () if doubtful => "",
                    () if !*given => "it has no override",
                    () if enforces => ENFORCED,
                    // A placement without clusters, or a missing one, has a finding of its own.
                    () if row.clusters.is_clear() || selects_none(via) => "",
                    () if via.clusters.is_clear() => "no other binding reaches its clusters",
                    () => "",
                });
            }
        }
    }
    for binding in &model.bindings {
        let Some((_, why)) = all.get(&binding.id.place) else {
            continue;
        };
        let mut why = why.iter();
        let (Some(only), None) = (why.next(), why.next()) else {
            continue;
        };
        // That an open binding gives no clusters is said otherwise.
        let silent = binding.restricted.is_none() && *only != ENFORCED;
        let place = binding.overrides.or(binding.restricted);
        let Some(place) = place.filter(|_| !silent && !only.is_empty()) else {
            continue;
        };
        let message = format!("binding `{}` changes nothing: {only}", binding.id.name);
        sink.push(
            Diagnostic::new(&OVERRIDE_IDLE, message)
                .at(place, "has no effect")
                .help("remove it")
                .object(object(&binding.id)),
        );
    }
}
