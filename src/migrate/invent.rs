//! Generated clusters that compare a rule with its Placement: every combination of labels,
//! conditions and taints that either could distinguish. Of a rule with many terms every side of
//! each term, and every pair of terms that fail, while all other terms hold.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::target::names;
use crate::delivery::placement_rule::read::Rule;
use crate::kit::selector::{LabelSelector, Selector};

/// Clusters of one proof, at most.
const MOST: usize = 4096;
/// A value that no selector names.
const OTHER: &str = "planner-other";
const BESIDE: &str = "planner-beside";
const UNAVAILABLE: &str = "cluster.open-cluster-management.io/unavailable";
const UNREACHABLE: &str = "cluster.open-cluster-management.io/unreachable";
const OWN_TAINT: &str = "example.com/taint";
/// When everything happened.
const TIME: &str = "2025-01-01T00:00:00Z";

/// An invented cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cluster {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: Vec<(String, String)>,
    /// Its conditions as type and status; `None` where it never reported any status.
    pub conditions: Option<Vec<(String, String)>>,
    /// Its taint: key and effect.
    pub taint: Option<(String, String)>,
    /// Whether it is being deleted.
    pub terminating: bool,
    /// Its allocatable amount of a resource.
    pub allocatable: Option<(String, String)>,
}

impl Cluster {
    /// A cluster with these labels.
    pub(super) fn of(name: &str, labels: &[(String, String)]) -> Self {
        Self {
            name: name.to_owned(),
            labels: labels.to_vec(),
            conditions: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// How much has to be said of it.
    pub(super) fn weight(&self) -> usize {
        let conditions = self.conditions.as_ref().map_or(0, Vec::len);
        self.labels.len()
            + conditions
            + usize::from(self.taint.is_some())
            + usize::from(self.terminating)
    }

    /// The document of the cluster.
    pub(super) fn document(&self) -> impl Serialize {
        fn pair((key, value): &(String, String)) -> (&str, &str) {
            (key, value)
        }
        let condition = |(kind, status)| Condition {
            kind,
            status,
            reason: "Generated",
            message: "",
            last_transition_time: TIME,
        };
        let taint = |(key, effect)| Taint {
            key,
            effect,
            time_added: TIME,
        };
        // Without a capacity there is no score.
        let amounts: Option<BTreeMap<&str, &str>> = self
            .allocatable
            .as_ref()
            .map(|amount| [pair(amount)].into());
        let status = Status {
            conditions: self
                .conditions
                .as_ref()
                .map(|conditions| conditions.iter().map(pair).map(condition).collect()),
            capacity: amounts.clone(),
            allocatable: amounts,
        };
        ManagedCluster {
            api_version: "cluster.open-cluster-management.io/v1",
            kind: "ManagedCluster",
            metadata: Metadata {
                name: &self.name,
                labels: self.labels.iter().map(pair).collect(),
                deletion_timestamp: self.terminating.then_some(TIME),
            },
            spec: Spec {
                hub_accepts_client: true,
                taints: self.taint.iter().map(pair).map(taint).collect(),
            },
            status: (status.conditions.is_some() || status.capacity.is_some()).then_some(status),
        }
    }
}

/// The document of a cluster.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ManagedCluster<'c> {
    api_version: &'static str,
    kind: &'static str,
    metadata: Metadata<'c>,
    spec: Spec<'c>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status<'c>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'c> {
    name: &'c str,
    labels: BTreeMap<&'c str, &'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deletion_timestamp: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Spec<'c> {
    hub_accepts_client: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    taints: Vec<Taint<'c>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Taint<'c> {
    key: &'c str,
    effect: &'c str,
    time_added: &'static str,
}

#[derive(Serialize)]
struct Status<'c> {
    #[serde(skip_serializing_if = "Option::is_none")]
    conditions: Option<Vec<Condition<'c>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    capacity: Option<BTreeMap<&'c str, &'c str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allocatable: Option<BTreeMap<&'c str, &'c str>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Condition<'c> {
    #[serde(rename = "type")]
    kind: &'c str,
    status: &'c str,
    reason: &'static str,
    message: &'static str,
    last_transition_time: &'static str,
}

/// The values that a selector tells apart, by label; `None` is its absence.
fn choices(selector: Option<&LabelSelector<'_>>) -> Vec<(String, Vec<Option<String>>)> {
    let mut keys: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (key, value) in selector.iter().flat_map(|one| &one.match_labels) {
        keys.entry(key).or_default().insert(value);
    }
    for one in selector.iter().flat_map(|one| &one.match_expressions) {
        keys.entry(one.key).or_default().extend(&one.values);
    }
    // A label that nobody asks for.
    keys.entry(BESIDE).or_default();
    let choices = |(key, values): (&str, BTreeSet<&str>)| {
        let mut all: Vec<Option<String>> = vec![None];
        all.extend(values.iter().map(|value| Some((*value).to_owned())));
        if !values.contains(OTHER) {
            all.push(Some(OTHER.to_owned()));
        }
        (key.to_owned(), all)
    };
    keys.into_iter().map(choices).collect()
}

/// The statuses of the conditions that a rule asks for, by type: those that it wants first.
fn kinds<'r>(rule: &Rule<'r>) -> Vec<(&'r str, Vec<&'r str>)> {
    let mut kinds: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (kind, status) in &rule.conditions {
        kinds.entry(kind).or_default().insert(status);
    }
    if kinds.is_empty() {
        kinds.insert("ManagedClusterConditionAvailable", BTreeSet::new());
    }
    let whole = |(kind, wanted): (&'r str, BTreeSet<&'r str>)| {
        let known = ["True", "False", "Unknown"];
        let others = known.into_iter().filter(|status| !wanted.contains(status));
        (kind, wanted.iter().copied().chain(others).collect())
    };
    kinds.into_iter().map(whole).collect()
}

/// Every state of these conditions.
fn states(kinds: &[(&str, Vec<&str>)]) -> Vec<Option<Vec<(String, String)>>> {
    let mut all = vec![Vec::new()];
    for (kind, statuses) in kinds {
        let mut more = Vec::new();
        for status in statuses {
            let with = |old: &Vec<(String, String)>| {
                let mut new = old.clone();
                new.push(((*kind).to_owned(), (*status).to_owned()));
                new
            };
            more.extend(all.iter().map(with));
        }
        all.extend(more);
    }
    let mut states = vec![None];
    states.extend(all.into_iter().map(Some));
    states
}

fn taints() -> Vec<Option<(String, String)>> {
    let taint = |key: &str, effect: &str| Some((key.to_owned(), effect.to_owned()));
    vec![
        None,
        taint(UNAVAILABLE, "NoSelect"),
        taint(UNREACHABLE, "NoSelect"),
        taint(OWN_TAINT, "NoSelect"),
        taint(OWN_TAINT, "NoSelectIfNew"),
        taint(OWN_TAINT, "PreferNoSelect"),
    ]
}

/// Every cluster that a rule could tell from another; none where they are too many.
pub(super) fn clusters(rule: &Rule<'_>) -> Option<Vec<Cluster>> {
    let named = names(rule);
    let labels = choices(named.as_ref().or(rule.selector.as_ref()));
    let (kinds, taints) = (kinds(rule), taints());
    let times = |all: Option<usize>, size: usize| all?.checked_mul(size).filter(|all| *all <= MOST);
    let states_count = kinds.iter().map(|(_, all)| all.len() + 1);
    let states_count = states_count.fold(Some(1), times).map(|all| all + 1);
    let sizes: Vec<usize> = labels.iter().map(|(_, values)| values.len()).collect();
    let others = [taints.len(), 2];
    let all = sizes
        .iter()
        .chain(&others)
        .copied()
        .fold(states_count, times);
    let Some(all) = all else {
        return sides(rule, &labels, &kinds, &taints);
    };
    let states = states(&kinds);
    let made = |number: usize| {
        let mut rest = number;
        let mut pick = |size: usize| {
            let at = rest % size;
            rest /= size;
            at
        };
        let taint = taints[pick(taints.len())].clone();
        let conditions = states[pick(states.len())].clone();
        let terminating = pick(2) == 1;
        let label = |((key, values), at): (&(String, Vec<Option<String>>), usize)| {
            Some((key.clone(), values[at].clone()?))
        };
        let picked: Vec<usize> = sizes.iter().map(|size| pick(*size)).collect();
        let own = labels.iter().zip(picked).filter_map(label);
        Cluster {
            name: name(number),
            labels: own.collect(),
            conditions,
            taint,
            terminating,
            allocatable: None,
        }
    };
    Some((0..all).map(made).collect())
}

fn name(number: usize) -> String {
    format!("c{number:04}")
}

/// A way to fail a term by which the rule selects a cluster.
#[derive(Clone)]
enum Other<'t> {
    Label(&'t str, Option<&'t str>),
    Condition(&'t str, &'t str),
    NoConditions,
    Taint(&'t (String, String)),
    Terminating,
}

impl Other<'_> {
    /// Which term it is a side of: a cluster is on one side of each.
    fn term(&self) -> (u8, &str) {
        match self {
            Self::Label(key, _) => (0, key),
            Self::Condition(kind, _) => (1, kind),
            Self::NoConditions => (2, ""),
            Self::Taint(_) => (3, ""),
            Self::Terminating => (4, ""),
        }
    }

    fn put(&self, cluster: &mut Cluster) {
        let set = |all: &mut Vec<(String, String)>, key: &str, value: Option<&str>| {
            all.retain(|(own, _)| own != key);
            all.extend(value.map(|value| (key.to_owned(), value.to_owned())));
        };
        match self {
            Self::Label(key, value) => set(&mut cluster.labels, key, *value),
            Self::Condition(kind, status) => {
                if let Some(all) = &mut cluster.conditions {
                    set(all, kind, Some(status));
                }
            }
            Self::NoConditions => cluster.conditions = None,
            Self::Taint(taint) => cluster.taint = Some((*taint).clone()),
            Self::Terminating => cluster.terminating = true,
        }
    }
}

/// A cluster that the rule selects, those that are on another side of one term, and those on which
/// two terms fail.
fn sides(
    rule: &Rule<'_>,
    labels: &[(String, Vec<Option<String>>)],
    kinds: &[(&str, Vec<&str>)],
    taints: &[Option<(String, String)>],
) -> Option<Vec<Cluster>> {
    let own = matching(rule).unwrap_or_default();
    let first = |(kind, statuses): &(&str, Vec<&str>)| {
        Some(((*kind).to_owned(), (*statuses.first()?).to_owned()))
    };
    let base = Cluster {
        conditions: Some(kinds.iter().filter_map(first).collect()),
        ..Cluster::of("", &own)
    };
    let named = names(rule);
    let compiled = named.as_ref().or(rule.selector.as_ref());
    let compiled = compiled.and_then(|selector| selector.compile().ok());
    let mut others = vec![Other::NoConditions, Other::Terminating];
    others.extend(taints.iter().flatten().rev().map(Other::Taint));
    for (kind, statuses) in kinds {
        let sides = statuses.iter().take(2);
        others.extend(sides.map(|status| Other::Condition(kind, status)));
    }
    for (key, values) in labels {
        let own = own.iter().find(|(own, _)| own == key);
        let own = own.map(|(_, value)| value.as_str());
        let values = values.iter().map(Option::as_deref);
        let values = values.filter(|value| *value != own);
        // One value of each kind: none, one that fits, and one that does not.
        let kind = |value: Option<&str>| {
            let fits = compiled.as_ref().map(|all| fits(all, key, value));
            (value.is_none(), fits)
        };
        let mut seen = Vec::new();
        let mut values: Vec<Option<&str>> = values.collect();
        values.retain(|value| {
            let kind = kind(*value);
            let is_new = !seen.contains(&kind);
            seen.push(kind);
            is_new
        });
        values.sort_by_key(|value| kind(*value).1 != Some(true));
        others.extend(values.into_iter().map(|value| Other::Label(key, value)));
    }
    // Of each term one side, on which it fails.
    let mut failing: Vec<&Other<'_>> = Vec::new();
    for other in others.iter().rev() {
        if failing.iter().all(|known| known.term() != other.term()) {
            failing.push(other);
        }
    }
    if others.len() + failing.len() * failing.len() / 2 >= MOST {
        return None;
    }
    let with = |cluster: &Cluster, other: &Other<'_>| {
        let mut cluster = cluster.clone();
        other.put(&mut cluster);
        cluster
    };
    let mut made = vec![base.clone()];
    // A condition that was never reported holds: what does not fail need not be said each time.
    let base = Cluster {
        conditions: Some(Vec::new()),
        ..base
    };
    made.push(base.clone());
    made.extend(others.iter().map(|other| with(&base, other)));
    for (at, one) in failing.iter().enumerate() {
        let alone = with(&base, one);
        made.extend(failing[at + 1..].iter().map(|two| with(&alone, two)));
    }
    for (cluster, number) in made.iter_mut().zip(0..) {
        cluster.name = name(number);
    }
    Some(made)
}

/// The fewest labels that a rule selects.
pub(super) fn matching(rule: &Rule<'_>) -> Option<Vec<(String, String)>> {
    let named = names(rule);
    let Some(selector) = named.as_ref().or(rule.selector.as_ref()) else {
        return Some(Vec::new());
    };
    let compiled = selector.compile().ok()?;
    let mut labels = Vec::new();
    // Labels are judged one by one: each key has a value of its own that fits, or none.
    for (key, values) in choices(Some(selector)) {
        let fits = |value: &&Option<String>| fits(&compiled, &key, value.as_deref());
        if let Some(value) = values.iter().find(fits)? {
            labels.push((key, value.clone()));
        }
    }
    Some(labels)
}

fn fits(selector: &Selector<'_>, key: &str, value: Option<&str>) -> bool {
    let own = selector.requirements.iter();
    let mut own = own.filter(|one| one.key == key);
    own.all(|one| one.matches(value))
}

/// Clusters of a rule that takes some of them by a resource, for which a Placement may take others:
/// amounts that are close, and one that nobody has told.
pub(super) fn by_resource(
    resource: &str,
    labels: &[(String, String)],
    number: usize,
) -> Vec<Vec<Cluster>> {
    let cluster = |name: String, amount: Option<&str>| Cluster {
        allocatable: amount.map(|amount| (resource.to_owned(), amount.to_owned())),
        ..Cluster::of(&name, labels)
    };
    let family = |rest: &[(&str, Option<&str>)], top: &str| {
        let tops = (1..number).map(|at| cluster(format!("x{at}"), Some(top)));
        let rest = rest
            .iter()
            .map(|(name, amount)| cluster((*name).to_owned(), *amount));
        tops.chain(rest).collect::<Vec<_>>()
    };
    vec![
        family(&[("b", Some("1Gi")), ("c", None)], "10Gi"),
        family(
            &[("a", None), ("b", Some("1Gi")), ("c", Some("2Gi"))],
            "1Gi",
        ),
        family(
            &[
                ("a", Some("998Gi")),
                ("b", Some("999Gi")),
                ("c", Some("1Gi")),
            ],
            "1000Gi",
        ),
        family(
            &[
                ("a", Some("3Gi")),
                ("b", Some("2Gi")),
                ("c", Some("1000Gi")),
            ],
            "1Gi",
        ),
    ]
}
