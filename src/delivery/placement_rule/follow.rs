//! The decision of a PlacementRule.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::read::{Hint, Hub, Resource, Rule};
use crate::delivery::id::Id;
use crate::kit::quantity::Quantity;
use crate::kit::selector::{Expression, LabelSelector};
use crate::ocm::model::{ManagedCluster, Model};

/// The label that `spec.clusters` is compared with.
pub const NAME_LABEL: &str = "name";

/// The decision of a rule.
#[derive(Debug)]
pub struct Decided<'a> {
    /// The rule.
    pub id: Id<'a>,
    /// The clusters, in the order of its decisions.
    pub clusters: Vec<&'a str>,
    /// The clusters in the documents.
    pub was: Option<Vec<&'a str>>,
    /// How many were to be taken of how many, where the hub takes any of them.
    pub arbitrary: Option<(usize, usize)>,
    /// Whether somebody else decides.
    pub left_alone: bool,
    /// How many clusters match before they are counted.
    pub matching: usize,
    /// How many are left by what its author may see; `None` where that does not matter.
    pub seen: Option<usize>,
    /// Why it cannot be decided.
    pub error: Option<String>,
}

impl Decided<'_> {
    /// Whether its decisions stay as the documents hold them.
    #[must_use]
    pub const fn stays(&self) -> bool {
        self.left_alone || self.error.is_some()
    }
}

/// Decides for a rule.
pub(in crate::delivery) fn decide<'a>(
    rule: &Rule<'a>,
    hub: &Model<'a>,
    more: &Hub<'a>,
) -> Decided<'a> {
    let held = || rule.held.clone().unwrap_or_default();
    let mut decided = Decided {
        id: rule.id,
        clusters: Vec::new(),
        was: rule.held.clone(),
        arbitrary: None,
        left_alone: rule.left_alone(),
        matching: 0,
        seen: None,
        error: None,
    };
    if decided.left_alone {
        decided.clusters = held();
        return decided;
    }
    if rule.replicas == Some(0) {
        return decided;
    }
    let mut left = match passing(rule, hub, more) {
        Ok(left) => left,
        Err(error) => {
            decided.clusters = held();
            decided.error = Some(format!("the selector cannot be read: {error}"));
            return decided;
        }
    };
    let mut authors = rule.author.iter();
    decided.seen = authors
        .any(|author| !author.sees_all())
        .then_some(left.len());
    decided.matching = left.len();
    let total = match rule.replicas.map(usize::try_from) {
        None => left.len(),
        Some(Err(_)) => 0,
        Some(Ok(number)) => number.min(left.len()),
    };
    let all = left.len();
    let ambiguous = match rule.hint {
        Some(hint) => {
            by_resource(&mut left, hint);
            let key = |at: usize| hint.resource.map(|what| amount(left[at], what));
            total > 0 && total < all && key(total - 1) == key(total)
        }
        None => {
            let held = held();
            let place =
                |cluster: &&ManagedCluster<'a>| held.iter().position(|name| *name == cluster.name);
            let kept = left
                .iter()
                .filter(|cluster| place(cluster).is_some())
                .count();
            left.sort_by_key(|cluster| (place(cluster).unwrap_or(usize::MAX), cluster.name));
            total > kept && total < all
        }
    };
    left.truncate(total);
    if rule.hint.is_none() {
        left.sort_by_key(|cluster| cluster.name);
    }
    decided.arbitrary = ambiguous.then_some((total, all));
    decided.clusters = left.into_iter().map(|cluster| cluster.name).collect();
    decided
}

/// The clusters that a rule can choose: those that match, are in the wanted conditions and may be
/// seen by who wrote it.
pub(crate) fn passing<'m, 'a>(
    rule: &Rule<'a>,
    hub: &'m Model<'a>,
    more: &Hub<'a>,
) -> Result<Vec<&'m ManagedCluster<'a>>, String> {
    let mut left = matching(rule, hub)?;
    let wanted: BTreeMap<&str, &str> = rule.conditions.iter().copied().collect();
    left.retain(|cluster| {
        let reported = more.conditions.get(cluster.name);
        reported.is_none_or(|reported| meets(reported, &wanted))
    });
    let author = rule.author.as_ref().filter(|author| !author.sees_all());
    if let Some(seen) = author.and_then(|author| more.seen_by(author)) {
        left.retain(|cluster| seen.contains(&cluster.name));
    }
    Ok(left)
}

/// The clusters whose labels match and that are not being deleted, by name.
pub(crate) fn matching<'m, 'a>(
    rule: &Rule<'a>,
    hub: &'m Model<'a>,
) -> Result<Vec<&'m ManagedCluster<'a>>, String> {
    let named = (!rule.clusters.is_empty()).then(|| LabelSelector {
        match_labels: Vec::new(),
        match_expressions: vec![Expression {
            key: NAME_LABEL,
            operator: "In",
            values: rule.clusters.iter().map(|name| name.text).collect(),
        }],
    });
    let selector = named.as_ref().or(rule.selector.as_ref());
    let selector = selector.map(LabelSelector::compile).transpose();
    let selector = selector.map_err(|error| error.to_string())?;
    let matches = |cluster: &&ManagedCluster<'a>| {
        let label = |key: &str| label(cluster, key);
        !cluster.terminating && selector.as_ref().is_none_or(|one| one.matches(label))
    };
    Ok(hub.clusters.iter().filter(matches).collect())
}

/// The value of a cluster's label.
pub(crate) fn label<'a>(cluster: &ManagedCluster<'a>, key: &str) -> Option<&'a str> {
    let mut labels = cluster.labels.iter().rev();
    labels
        .find(|(name, _)| *name == key)
        .map(|(_, value)| *value)
}

/// A condition that was never reported does not count against a cluster.
fn meets(reported: &[(&str, &str)], wanted: &BTreeMap<&str, &str>) -> bool {
    let mut reported = reported.iter();
    reported.all(|(kind, status)| wanted.get(kind).is_none_or(|wanted| wanted == status))
}

fn amount(cluster: &ManagedCluster<'_>, what: Resource) -> Quantity {
    let allocatable = &cluster.allocatable;
    let text = match what {
        Resource::Cpu => &allocatable.cpu,
        Resource::Memory => &allocatable.memory,
    };
    let text = text.as_deref().unwrap_or("0");
    Quantity::parse(text).unwrap_or(Quantity::ZERO)
}

/// Sorts by a resource; clusters that have as much of it stay in the order of their names.
fn by_resource(clusters: &mut [&ManagedCluster<'_>], hint: Hint) {
    let Some(what) = hint.resource else {
        return;
    };
    if hint.ascending {
        clusters.sort_by_key(|cluster| amount(cluster, what));
    } else {
        clusters.sort_by_key(|cluster| Reverse(amount(cluster, what)));
    }
}
