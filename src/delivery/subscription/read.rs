//! Subscriptions of `apps.open-cluster-management.io/v1`, and their Channels.

use crate::delivery::gitops::read::Reference;
use crate::delivery::id::Id;
use crate::kit::selector::LabelSelector;
use crate::ocm::lower::{Admission, at, get, items, label_selector, text_at};
use crate::source::{Place, Text};
use crate::yaml::{Dialect, Node, Scalar};

/// A Subscription.
#[derive(Debug)]
pub struct Subscription<'a> {
    /// Its kind, namespace, name and place.
    pub id: Id<'a>,
    /// `spec.channel`.
    pub channel: Text<'a>,
    /// `spec.placement`, if it is there.
    pub placement: Option<Placement<'a>>,
}

/// `spec.placement`.
#[derive(Debug)]
pub struct Placement<'a> {
    /// `placementRef`, if it is there.
    pub reference: Option<Reference<'a>>,
    /// Whether `local` is true.
    pub local: bool,
    /// `clusters`, if they are there: values of the label `name`.
    pub clusters: Option<Vec<Text<'a>>>,
    /// `clusterSelector`, if it is there, and where.
    pub selector: Option<(LabelSelector<'a>, Place)>,
    /// Where it is.
    pub place: Place,
}

impl Placement<'_> {
    /// Whether it asks for clusters other than the hub.
    #[must_use]
    pub const fn is_remote(&self) -> bool {
        self.reference.is_some() || self.clusters.is_some() || self.selector.is_some()
    }
}

/// Reads a Subscription.
pub(in crate::delivery) fn subscription<'a>(
    node: Node<'a>,
    admission: &mut Admission<'_, 'a>,
) -> Subscription<'a> {
    let id = Id::of(admission);
    let nowhere = Text::absent(id.place);
    Subscription {
        id,
        channel: at(node, &["spec", "channel"]).map_or(nowhere, text_at),
        placement: at(node, &["spec", "placement"]).map(placement),
    }
}

fn placement<'a>(node: Node<'a>) -> Placement<'a> {
    let local = get(node, "local").and_then(|local| local.scalar(Dialect::Kubernetes));
    let name = |cluster: Node<'a>| get(cluster, "name").map(text_at);
    Placement {
        reference: get(node, "placementRef").map(Reference::of),
        local: local == Some(Scalar::Bool(true)),
        clusters: get(node, "clusters").map(|list| items(Some(list)).filter_map(name).collect()),
        selector: get(node, "clusterSelector").map(|one| (label_selector(one).0, one.place())),
        place: node.place(),
    }
}
