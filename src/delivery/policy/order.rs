//! Findings about the order between policies.

use std::collections::BTreeMap;

use fixedbitset::FixedBitSet;

use super::follow::{Awaited, Bound, awaited};
use super::read::{Dependency, GROUP, Policy};
use crate::delivery::findings::doubt::is_doubtful;
use crate::delivery::findings::say::{Names, object};
use crate::delivery::follow::Deliveries;
use crate::delivery::model::Model;
use crate::delivery::row::Extra;
use crate::delivery::rules::{
    DEPENDENCY_CONFLICT, DEPENDENCY_CYCLE, DEPENDENCY_ELSEWHERE, DEPENDENCY_FORM, UNKNOWN_POLICY,
    UNKNOWN_POLICY_SET,
};
use crate::diagnostic::{Diagnostic, Sink};
use crate::kit::dag::Dag;
use crate::kit::plural::plural;

/// Reports the faults in the order of policies on clusters.
pub(in crate::delivery) fn planned<'a>(
    model: &Model<'a>,
    bound: &Bound<'_, 'a>,
    deliveries: &Deliveries<'a>,
    with_hub: bool,
    sink: &mut Sink,
) {
    if model
        .policies
        .iter()
        .all(|policy| policy.dependencies.is_empty())
    {
        return;
    }
    let mut numbers: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (policy, at) in model.policies.iter().zip(0..) {
        numbers.insert((policy.id.namespace, policy.id.name), at);
    }
    let mut clusters: Vec<Option<&FixedBitSet>> = vec![None; model.policies.len()];
    for row in &deliveries.rows {
        if let Extra::Policy(about) = &row.extra {
            clusters[about.policy] = Some(&row.clusters);
        }
    }
    let known = Names::of(numbers.keys().copied());
    let mut waits: Vec<Vec<u32>> = vec![Vec::new(); model.policies.len()];
    for (at, policy) in model.policies.iter().enumerate() {
        if policy.dependencies.is_empty() || policy.replica || policy.refused.is_some() {
            continue;
        }
        conflicts(policy, bound, sink);
        for dependency in &policy.dependencies {
            form(policy, dependency, sink);
            let policies = match awaited(dependency, policy.id.namespace, bound) {
                Awaited::Object => continue,
                Awaited::NoSet(namespace, name) => {
                    sink.diagnostics
                        .extend(no_set(model, policy, dependency, (namespace, name)));
                    continue;
                }
                Awaited::Policies(policies) => policies,
            };
            for (_, namespace, name) in policies {
                let Some(other) = numbers.get(&(namespace, name)).copied() else {
                    // Tests and overlays move policies to another namespace.
                    let moved = known.has(policy.id.namespace, name);
                    let open = &model.open;
                    let may_be_there = moved
                        || open.has_more_in(namespace)
                        || open.may_hold(&policy.id, "Policy", name, false);
                    if known.any_in(namespace) && !may_be_there {
                        let message = format!("there is no Policy `{name}` in `{namespace}`");
                        sink.push(
                            Diagnostic::new(&UNKNOWN_POLICY, message)
                                .at(dependency.name.place, "is never met")
                                .help(known.help(namespace, name))
                                .object(object(&policy.id)),
                        );
                    }
                    continue;
                };
                if dependency.compliance == "Compliant" {
                    waits[at].push(u32::try_from(other).unwrap_or(u32::MAX));
                }
                let doubtful = || {
                    let both = [policy, &model.policies[other]];
                    both.iter().any(|one| is_doubtful(model, bound, one))
                };
                if with_hub && other != at && !doubtful() {
                    let reached = (clusters[at], clusters[other]);
                    elsewhere(
                        policy,
                        &model.policies[other],
                        dependency,
                        reached,
                        deliveries,
                        sink,
                    );
                }
            }
        }
    }
    cycles(model, &waits, &clusters, sink);
}

/// About a set that a policy waits for and that is not there.
fn no_set(
    model: &Model<'_>,
    policy: &Policy<'_>,
    dependency: &Dependency<'_>,
    (namespace, name): (&str, &str),
) -> Option<Diagnostic> {
    let there = model.sets.iter().any(|set| set.id.namespace == namespace);
    (there && !model.open.has_more_in(namespace)).then(|| {
        let message = format!("there is no PolicySet `{name}` in `{namespace}`");
        Diagnostic::new(&UNKNOWN_POLICY_SET, message)
            .at(dependency.name.place, "is never met")
            .help("correct the name")
            .object(object(&policy.id))
    })
}

/// Policies that wait for each other on clusters that all of them reach.
fn cycles(
    model: &Model<'_>,
    waits: &[Vec<u32>],
    clusters: &[Option<&FixedBitSet>],
    sink: &mut Sink,
) {
    for cycle in Dag::new(waits).cycles() {
        let mut shared: Option<FixedBitSet> = None;
        for at in &cycle {
            let own = clusters[*at as usize].cloned().unwrap_or_default();
            match &mut shared {
                None => shared = Some(own),
                Some(all) => all.intersect_with(&own),
            }
        }
        let number = shared.map_or(0, |all| all.count_ones(..));
        if number == 0 {
            continue;
        }
        let policies: Vec<&Policy<'_>> = cycle
            .iter()
            .map(|at| &model.policies[*at as usize])
            .collect();
        // A node is followed by one that waits for it.
        let mut names: Vec<String> = policies
            .iter()
            .rev()
            .map(|policy| format!("`{}`", policy.id.name))
            .collect();
        names.extend(names.first().cloned());
        let message = format!(
            "{} wait for each other on {}",
            names.join(" → "),
            plural(number, "cluster")
        );
        let mut found = Diagnostic::new(&DEPENDENCY_CYCLE, message)
            .at(policies[0].id.place, "is never applied")
            .help("remove one of the dependencies")
            .object(object(&policies[0].id));
        for other in &policies[1..] {
            found = found.related(other.id.place, "also waits");
        }
        sink.push(found);
    }
}

/// On some clusters a policy waits for one that does not go there.
fn elsewhere(
    policy: &Policy<'_>,
    other: &Policy<'_>,
    dependency: &Dependency<'_>,
    reached: (Option<&FixedBitSet>, Option<&FixedBitSet>),
    deliveries: &Deliveries<'_>,
    sink: &mut Sink,
) {
    let (Some(own), Some(theirs)) = reached else {
        return;
    };
    let all = own.count_ones(..);
    let mut hollow = own.clone();
    hollow.difference_with(theirs);
    let missing = hollow.count_ones(..);
    if missing == 0 {
        return;
    }
    let names = deliveries.ground.names.of(&hollow);
    let on = match missing {
        1 => format!("`{}` (1 of {all})", names[0]),
        many => format!("{many} of {all} clusters"),
    };
    let why = if other.disabled {
        "is disabled"
    } else {
        "is not there"
    };
    let message = format!(
        "on {on}, `{}` waits for `{}`, which {why}",
        policy.id.name, other.id.name
    );
    let help = if other.disabled {
        format!("enable `{}`, or remove the dependency", other.id.name)
    } else {
        format!("bind `{}` there too", other.id.name)
    };
    sink.push(
        Diagnostic::new(&DEPENDENCY_ELSEWHERE, message)
            .at(dependency.name.place, "stays pending")
            .related(other.id.place, "this policy")
            .help(help)
            .object(object(&policy.id)),
    );
}

/// A kind of ours with the version of another kind of ours.
fn form(policy: &Policy<'_>, dependency: &Dependency<'_>, sink: &mut Sink) {
    let version = dependency.api_version;
    let wanted = match dependency.kind {
        "Policy" => "/v1",
        "PolicySet" => "/v1beta1",
        _ => return,
    };
    let ours = version
        .text
        .strip_prefix(GROUP)
        .is_some_and(|rest| rest.starts_with('/'));
    if !ours || version.text.strip_prefix(GROUP) == Some(wanted) {
        return;
    }
    let message = format!(
        "kind {} needs `{GROUP}{wanted}`: the cluster finds no such object in `{}`",
        dependency.kind, version.text
    );
    sink.push(
        Diagnostic::new(&DEPENDENCY_FORM, message)
            .at(version.place, "this version")
            .help(format!("write `apiVersion: {GROUP}{wanted}`"))
            .object(object(&policy.id)),
    );
}

/// One object that is wanted in two states.
fn conflicts<'a>(policy: &Policy<'a>, bound: &Bound<'_, 'a>, sink: &mut Sink) {
    type Wanted<'w> = BTreeMap<String, (&'w str, Option<usize>)>;
    let mut wanted: Vec<(Option<usize>, String, &str)> = Vec::new();
    let mut said: Wanted<'_> = BTreeMap::new();
    for dependency in &policy.dependencies {
        let names = match awaited(dependency, policy.id.namespace, bound) {
            Awaited::Policies(policies) => {
                let names = policies.into_iter();
                names.map(|(name, ..)| format!("Policy {name}")).collect()
            }
            Awaited::NoSet(namespace, name) => vec![format!("PolicySet {namespace}/{name}")],
            Awaited::Object => vec![format!(
                "{} {} {}/{}",
                dependency.api_version.text,
                dependency.kind,
                dependency.namespace,
                dependency.name.text
            )],
        };
        for name in names {
            let other = wanted.iter().find(|(template, other, compliance)| {
                let together = template.is_none()
                    || dependency.template.is_none()
                    || *template == dependency.template;
                together && *other == name && *compliance != dependency.compliance
            });
            if let Some((.., before)) = other
                && said
                    .insert(name.clone(), (before, dependency.template))
                    .is_none()
            {
                let message = format!(
                    "`{}` must be both {before} and {}",
                    dependency.name.text, dependency.compliance
                );
                sink.push(
                    Diagnostic::new(&DEPENDENCY_CONFLICT, message)
                        .at(dependency.place, "in another state")
                        .help("keep one of them; every cluster reports an error")
                        .object(object(&policy.id))
                        .not_refusing(),
                );
            }
            wanted.push((dependency.template, name, dependency.compliance));
        }
    }
}
