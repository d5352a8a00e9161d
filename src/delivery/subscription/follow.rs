//! Which clusters a Subscription is propagated to.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

use super::read::{Placement, Subscription};
use crate::delivery::application_set::argo::hub::Objects;
use crate::delivery::decided::{Decided, clusters, ways};
use crate::delivery::model::Model;
use crate::delivery::names::{Clusters, Names};
use crate::delivery::placement_rule::follow::{NAME_LABEL, label};
use crate::delivery::policy::read::Selects;
use crate::delivery::row::{Extra, Row, Via};
use crate::kit::selector::{Expression, LabelSelector};
use crate::ocm::model::{ManagedCluster, Model as Hub};
use crate::source::Place;

/// Why a Subscription is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The kind of fault.
    pub why: Why,
    /// The message.
    pub message: String,
    /// Where.
    pub place: Place,
}

/// The faults that keep a Subscription from being propagated.
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

/// Where a Subscription goes, and the numbers of the objects that say so.
type Answer = Result<(Clusters, Vec<usize>), Refused>;

/// The row of every Subscription, and why some of them fail.
pub(in crate::delivery) fn follow<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    decided: &Decided<'a>,
    names: &Names<'a>,
    local: Option<u32>,
) -> (Vec<Row<'a>>, Vec<Option<Refused>>) {
    if model.subscriptions.is_empty() {
        return Default::default();
    }
    let channels: FxHashSet<(&str, &str)> = model
        .channels
        .iter()
        .map(|channel| (channel.namespace.text, channel.name.text))
        .collect();
    let mut refused = Vec::new();
    let mut rows = Vec::new();
    for subscription in &model.subscriptions {
        let fault = fault(subscription, &channels);
        let at = |side: usize| -> Answer {
            if let Some(fault) = &fault {
                return Err(fault.clone());
            }
            let objects = [&decided.planned, &decided.held][side];
            answer(subscription, objects, &hub.clusters, names, local)
        };
        let (planned, held) = (at(0), at(1));
        // Without a decision that is held nobody knows what was.
        let was = held.ok().filter(|(_, read)| !read.is_empty());
        let was = was.map(|(clusters, _)| clusters);
        let kept = was.clone().unwrap_or_default();
        let (clusters, mut via, fault) = match planned {
            Ok((clusters, read)) => (clusters, ways(&decided.planned, read.into_iter()), None),
            Err(fault) => (kept, Vec::new(), Some(fault)),
        };
        if fault.is_none() && via.is_empty() {
            via.extend(way(subscription));
        }
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

/// The way by a reference that leads to no decision.
fn way<'a>(subscription: &Subscription<'a>) -> Option<Via<'a>> {
    let placement = subscription.placement.as_ref()?;
    let reference = placement.reference.as_ref().filter(|_| !placement.local)?;
    let kind = reference.selects().kind();
    Some(Via {
        binding: None,
        set: None,
        placement: (kind, subscription.id.namespace, reference.name.text),
        clusters: Clusters::default(),
        restricted: false,
    })
}

/// The fault of a Subscription that holds whatever is decided.
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
    let remote = placement.is_remote();
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
    clusters_of_hub: &[ManagedCluster<'a>],
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
        let (namespace, name) = (subscription.id.namespace, reference.name.text);
        let read = match reference.selects() {
            Selects::Placement => objects.of_placement(namespace, name),
            Selects::Rule => objects.of_rule(namespace, name),
        };
        return Ok((clusters(objects, read), read.to_vec()));
    }
    let selector = match placement {
        Placement {
            clusters: None,
            selector: None,
            ..
        } => return set(&mut std::iter::empty()),
        Placement {
            clusters: Some(wanted),
            ..
        } if !wanted.is_empty() => {
            let named = LabelSelector {
                match_labels: Vec::new(),
                match_expressions: vec![Expression {
                    key: NAME_LABEL,
                    operator: "In",
                    values: wanted.iter().map(|name| name.text).collect(),
                }],
            };
            Some((named, wanted[0].place, "clusters"))
        }
        // A list without clusters asks for none of them, and so for all.
        Placement { selector, .. } => selector
            .as_ref()
            .map(|(selector, place)| (selector.clone(), *place, "clusterSelector")),
    };
    let selector = match &selector {
        None => None,
        Some((selector, place, field)) => Some(selector.compile().map_err(|fault| Refused {
            why: Why::Selector,
            message: format!("`{field}` cannot be read: {fault}"),
            place: *place,
        })?),
    };
    let matches = |cluster: &&ManagedCluster<'a>| {
        let mut all = selector.iter();
        !cluster.terminating && all.all(|one| one.matches(|key| label(cluster, key)))
    };
    let found = clusters_of_hub.iter().filter(matches);
    set(&mut found.filter_map(|cluster| names.find(cluster.name)))
}
