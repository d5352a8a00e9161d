//! Which clusters a Subscription is propagated to.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::decided::{Decided, RULE_LABEL, clusters, ways};
use super::{Clusters, Extra, Row};
use crate::delivery::argo::hub::Objects;
use crate::delivery::names::Names;
use crate::delivery::read::Model;
use crate::delivery::read::subscription::{Placement, Subscription};
use crate::kit::selector::Selector;
use crate::ocm::model::{ManagedCluster, Model as Hub};
use crate::source::Place;

/// Why a Subscription is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// What kind of fault it is.
    pub why: Why,
    /// What is wrong.
    pub message: String,
    /// Where.
    pub place: Place,
}

/// What keeps a Subscription from being propagated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// No placement, or a local and a remote one.
    Placement,
    /// A reference to another kind or version.
    Reference,
    /// A selector that cannot be read.
    Selector,
    /// No channel, or none that exists.
    Channel,
}

/// The versions that a reference may have.
const VERSIONS: [&str; 3] = [
    "apps.open-cluster-management.io/v1",
    "cluster.open-cluster-management.io/v1alpha1",
    "cluster.open-cluster-management.io/v1beta1",
];

/// The clusters of the hub by their labels, as Subscriptions ask for them.
struct Inventory<'h, 'a> {
    clusters: &'h [ManagedCluster<'a>],
    by_name_label: FxHashMap<&'a str, Vec<&'a str>>,
}

/// Where a Subscription goes, and the numbers of the objects that say so.
type Answer = Result<(Clusters, Vec<usize>), Refused>;

/// The row of every Subscription, and why some of them fail.
pub(super) fn follow<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    decided: &Decided<'a>,
    names: &Names<'a>,
    local: Option<u32>,
) -> (Vec<Row<'a>>, Vec<Option<Refused>>) {
    if model.subscriptions.is_empty() {
        return Default::default();
    }
    let mut by_name_label: FxHashMap<&'a str, Vec<&'a str>> = FxHashMap::default();
    for cluster in hub.clusters.iter().filter(|cluster| !cluster.terminating) {
        if let Some((_, value)) = cluster.labels.iter().find(|(key, _)| *key == "name") {
            by_name_label.entry(value).or_default().push(cluster.name);
        }
    }
    let inventory = Inventory {
        clusters: &hub.clusters,
        by_name_label,
    };
    // The objects of rules by their own label.
    let rules = |objects: &Objects<'a>| {
        let mut found: FxHashMap<(&str, String), Vec<usize>> = FxHashMap::default();
        for at in 0..objects.len() {
            let object = objects.get(at);
            if let Some(rule) = object.label(RULE_LABEL) {
                found
                    .entry((object.namespace, rule.to_owned()))
                    .or_default()
                    .push(at);
            }
        }
        found
    };
    let rules = [rules(&decided.planned), rules(&decided.held)];
    let channels: FxHashSet<(&str, &str)> = model.channels.iter().copied().collect();
    let mut refused = Vec::new();
    let mut rows = Vec::new();
    for subscription in &model.subscriptions {
        let fault = fault(subscription, &channels);
        let at = |side: usize| -> Answer {
            if let Some(fault) = &fault {
                return Err(fault.clone());
            }
            let objects = [&decided.planned, &decided.held][side];
            answer(
                subscription,
                objects,
                &rules[side],
                &inventory,
                names,
                local,
            )
        };
        let (planned, held) = (at(0), at(1));
        // Without a decision that is held nobody knows what was.
        let was = held.ok().filter(|(_, read)| !read.is_empty());
        let was = was.map(|(clusters, _)| clusters);
        let kept = was.clone().unwrap_or_default();
        let (clusters, via, fault) = match planned {
            Ok((clusters, read)) => (clusters, ways(&decided.planned, read.into_iter()), None),
            Err(fault) => (kept, Vec::new(), Some(fault)),
        };
        rows.push(Row {
            id: subscription.id,
            via,
            clusters,
            was,
            error: fault.as_ref().map(|fault| fault.message.clone()),
            extra: Extra::None,
        });
        refused.push(fault);
    }
    (rows, refused)
}

/// What is wrong with a Subscription, whatever is decided.
fn fault(subscription: &Subscription<'_>, channels: &FxHashSet<(&str, &str)>) -> Option<Refused> {
    let refuse = |why: Why, message: String, place: Place| {
        Some(Refused {
            why,
            message,
            place,
        })
    };
    let Some(placement) = &subscription.placement else {
        let message = "a Subscription needs a placement".to_owned();
        return refuse(Why::Placement, message, subscription.id.place);
    };
    let remote = placement.reference.is_some()
        || placement.clusters.is_some()
        || placement.selector.is_some();
    if placement.local && remote {
        let message = "`local: true` and a remote placement cannot be used together".to_owned();
        return refuse(Why::Placement, message, placement.place);
    }
    if !remote {
        // Nothing is fetched for anybody.
        return None;
    }
    let channel = subscription.channel;
    match channel.text.split_once('/') {
        Some((namespace, name))
            if !namespace.is_empty() && !name.is_empty() && !name.contains('/') =>
        {
            if !channels.is_empty() && !channels.contains(&(namespace, name)) {
                let message = format!("there is no Channel `{}`", channel.text);
                return refuse(Why::Channel, message, channel.place);
            }
        }
        _ => {
            let message = format!("`channel` is `{}`, not NAMESPACE/NAME", channel.text);
            return refuse(Why::Channel, message, channel.place);
        }
    }
    if let Some(reference) = &placement.reference {
        let kind = reference.kind.map_or("", |kind| kind.text);
        if !matches!(kind, "" | "Placement" | "PlacementRule") {
            let message = format!("`placementRef` is of kind `{kind}`");
            return refuse(Why::Reference, message, reference.place);
        }
        let version = reference.api_version.map_or("", |version| version.text);
        if !version.is_empty() && !VERSIONS.contains(&version) {
            let message = format!("`placementRef` has apiVersion `{version}`");
            return refuse(Why::Reference, message, reference.place);
        }
    }
    None
}

/// Where a Subscription without a fault goes.
fn answer<'a>(
    subscription: &Subscription<'a>,
    objects: &Objects<'a>,
    rules: &FxHashMap<(&str, String), Vec<usize>>,
    inventory: &Inventory<'_, 'a>,
    names: &Names<'a>,
    local: Option<u32>,
) -> Answer {
    let set = |clusters: &mut dyn Iterator<Item = u32>| {
        let mut set = FixedBitSet::new();
        for cluster in clusters {
            set.grow_and_insert(cluster as usize);
        }
        Ok((Arc::new(set), Vec::new()))
    };
    let Some(placement) = &subscription.placement else {
        return set(&mut std::iter::empty());
    };
    if placement.local {
        return set(&mut local.into_iter());
    }
    if let Some(reference) = &placement.reference {
        let namespace = subscription.id.namespace;
        let read = match reference.kind.map(|kind| kind.text) {
            Some("Placement") => objects.of_placement(namespace, reference.name.text),
            _ => {
                let found = rules.get(&(namespace, reference.name.text.to_owned()));
                found.map_or(&[][..], Vec::as_slice)
            }
        };
        return Ok((clusters(objects, read), read.to_vec()));
    }
    let number = |name: &&str| names.find(name);
    match placement {
        Placement {
            clusters: Some(wanted),
            ..
        } if !wanted.is_empty() => {
            let found = wanted
                .iter()
                .filter_map(|wanted| inventory.by_name_label.get(wanted.text));
            set(&mut found.flatten().filter_map(number))
        }
        Placement {
            selector: Some((selector, place)),
            ..
        } => {
            let selector: Selector<'_> = selector.compile().map_err(|fault| Refused {
                why: Why::Selector,
                message: format!("`clusterSelector` cannot be read: {fault}"),
                place: *place,
            })?;
            let label = |cluster: &ManagedCluster<'a>, key: &str| {
                let found = cluster.labels.iter().find(|(name, _)| *name == key);
                found.map(|(_, value)| *value)
            };
            let found = inventory.clusters.iter().filter(|cluster| {
                !cluster.terminating && selector.matches(|key| label(cluster, key))
            });
            set(&mut found.filter_map(|cluster| names.find(cluster.name)))
        }
        _ => set(&mut std::iter::empty()),
    }
}
