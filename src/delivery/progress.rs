//! The rollout progress of a cluster, from the conditions on a hub.
//!
//! Upstream: `clusterRolloutStatusFunc` of `manifestworkreplicaset_deploy_reconcile.go` and
//! `setRolloutStatus` of `addonconfiguration/graph.go` of open-cluster-management.io/ocm.

use super::addon::read::{AddOn, Config, Install, Installed, config};
use super::work::read::Work;
use crate::kit::time::parse_rfc3339;
use crate::ocm::engine::rollout::Instant;
use crate::ocm::lower::{at, get, items, text};
use crate::ocm::model::Status;
use crate::yaml::Node;

/// A status, and when the cluster came into it.
pub(crate) type Progress = (Status, Option<Instant>);

/// The fields of a condition that count.
struct Condition<'a> {
    status: &'a str,
    reason: &'a str,
    generation: i64,
    since: Option<Instant>,
}

/// The first condition of a type.
fn condition<'a>(status: Option<Node<'a>>, kind: &str) -> Option<Condition<'a>> {
    let mut all = items(status.and_then(|status| get(status, "conditions")));
    let found = all.find(|one| text(*one, "type") == kind)?;
    let since = parse_rfc3339(text(found, "lastTransitionTime"));
    Some(Condition {
        status: text(found, "status"),
        reason: text(found, "reason"),
        generation: number(get(found, "observedGeneration")),
        since: since.map(jiff::Timestamp::as_nanosecond),
    })
}

fn number(node: Option<Node<'_>>) -> i64 {
    let digits = node.and_then(Node::text);
    digits.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// How far the cluster of a work is. Conditions count only if they are about what the work says
/// now.
pub(crate) fn of_work(work: &Work<'_>) -> Progress {
    let status = get(work.node, "status");
    let generation = number(at(work.node, &["metadata", "generation"]));
    let now = |kind: &str| condition(status, kind).filter(|one| one.generation == generation);
    let degraded = condition(status, "Degraded");
    let (Some(applied), Some(progressing)) = (now("Applied"), now("Progressing")) else {
        return (Status::ToApply, None);
    };
    let outdated = |one: &Condition<'_>| one.generation != generation;
    if applied.status != "True" || degraded.as_ref().is_some_and(outdated) {
        return (Status::ToApply, None);
    }
    let degraded = degraded.filter(|one| one.status == "True");
    match (progressing.status, degraded) {
        ("True", Some(degraded)) => (Status::Failed, degraded.since),
        ("False", _) => (Status::Succeeded, progressing.since),
        _ => (Status::Progressing, progressing.since),
    }
}

/// How far a cluster is that gets an add-on only now: where nothing is configured, nothing is left
/// to do.
pub(crate) fn of_new(wanted: &[Config<'_>]) -> Progress {
    match wanted {
        [] => (Status::Succeeded, None),
        _ => (Status::ToApply, None),
    }
}

/// How far a cluster is with the configuration that it is to have of an add-on.
pub(crate) fn of_addon<'a>(
    one: &Installed<'a>,
    addon: &AddOn<'a>,
    install: &Install<'a>,
    wanted: &[Config<'a>],
) -> Progress {
    let there = one
        .status
        .and_then(|status| get(status, "configReferences"));
    if items(there).count() != wanted.len() {
        return (Status::ToApply, None);
    }
    let progressing = condition(one.status, "Progressing");
    let since = |reason: &str| {
        let told = progressing.as_ref().filter(|told| told.reason == reason);
        told.map(|told| told.since)
    };
    for actual in items(there) {
        let desired = Given::of(actual, "desiredConfig");
        let is_wanted = |desired: &Given<'a>| {
            let wanted = wanted.iter().find(|wanted| desired.is(wanted))?;
            let own = one.configs.iter().any(|config| desired.is(config));
            // The hub takes over what a cluster asks for by itself.
            let hash = (!own).then(|| hash(addon, install, wanted)).flatten();
            Some(hash.is_none_or(|hash| hash == desired.hash))
        };
        if desired.as_ref().and_then(is_wanted) != Some(true) {
            return (Status::ToApply, None);
        }
        if Given::of(actual, "lastAppliedConfig") != desired {
            let failed = since("Failed").map(|since| (Status::Failed, since));
            let under_way = since("Progressing").flatten();
            return failed.unwrap_or((Status::Progressing, under_way));
        }
    }
    (Status::Succeeded, since("Completed").flatten())
}

/// A configuration as it was given to a cluster.
#[derive(PartialEq, Eq)]
struct Given<'a> {
    kind: (&'a str, &'a str),
    object: (&'a str, &'a str),
    hash: &'a str,
}

impl<'a> Given<'a> {
    fn of(reference: Node<'a>, field: &str) -> Option<Self> {
        let given = get(reference, field)?;
        Some(Self {
            kind: config(reference).kind(),
            object: (text(given, "namespace"), text(given, "name")),
            hash: text(given, "specHash"),
        })
    }

    fn is(&self, config: &Config<'_>) -> bool {
        self.kind == config.kind() && self.object == (config.namespace, config.name)
    }
}

/// The digest of a configuration's content by what the hub holds of the add-on. None where it does
/// not know it yet.
fn hash<'a>(addon: &AddOn<'a>, install: &Install<'a>, config: &Config<'a>) -> Option<&'a str> {
    let status = addon.status?;
    let of = |references: Option<Node<'a>>| {
        let given = items(references).filter_map(|one| Given::of(one, "desiredConfig"));
        let mut hashes = given.filter(|given| given.is(config) && !given.hash.is_empty());
        hashes.next().map(|given| given.hash)
    };
    let progressions = items(get(status, "installProgressions"));
    let is_own = |one: &Node<'a>| {
        (text(*one, "namespace"), text(*one, "name")) == (install.namespace, install.name.text)
    };
    let mut own = progressions.filter(is_own);
    let defaults = ["defaultConfigReferences", "defaultconfigReferences"];
    own.find_map(|one| of(get(one, "configReferences")))
        .or_else(|| defaults.iter().find_map(|field| of(get(status, field))))
}
