//! DRPlacementControls of Ramen, which decide instead of the hub, and their DRPolicies.

use rustc_hash::FxHashMap;

use crate::delivery::gitops::read::Reference;
use crate::delivery::id::Id;
use crate::document::{DocumentKind, Documents};
use crate::ocm::lower::{Admission, Head, at, items, text_at};
use crate::source::Text;
use crate::yaml::{Dialect, Node, Scalar};

/// A DRPlacementControl.
#[derive(Debug)]
pub struct Control<'a> {
    /// Its kind, namespace, name and place.
    pub id: Id<'a>,
    /// `spec.placementRef`.
    pub placement: Reference<'a>,
    /// `spec.preferredCluster`, empty where absent.
    pub preferred: Text<'a>,
    /// `spec.failoverCluster`, empty where absent.
    pub failover: Text<'a>,
    /// `spec.action`, empty where absent.
    pub action: Text<'a>,
    /// `spec.dryRun`.
    pub dry_run: bool,
    /// `spec.drPolicyRef.name`, empty where absent.
    pub policy: Text<'a>,
}

/// A DRPolicy.
#[derive(Debug)]
pub struct DrPolicy<'a> {
    /// Its name.
    pub name: &'a str,
    /// `spec.drClusters`.
    pub clusters: Vec<&'a str>,
}

/// Reads a DRPlacementControl.
pub(in crate::delivery) fn control<'a>(
    node: Node<'a>,
    admission: &mut Admission<'_, 'a>,
) -> Control<'a> {
    let id = Id::of(admission);
    let nowhere = Text::absent(id.place);
    let field = |path: &[&str]| {
        let found = at(node, path).map(text_at);
        found
            .filter(|found| !found.text.is_empty())
            .unwrap_or(nowhere)
    };
    let dry_run = at(node, &["spec", "dryRun"]).and_then(|one| one.scalar(Dialect::Kubernetes));
    Control {
        id,
        placement: at(node, &["spec", "placementRef"])
            .map_or_else(|| Reference::absent(id.place), Reference::of),
        preferred: field(&["spec", "preferredCluster"]),
        failover: field(&["spec", "failoverCluster"]),
        action: field(&["spec", "action"]),
        dry_run: dry_run == Some(Scalar::Bool(true)),
        policy: field(&["spec", "drPolicyRef", "name"]),
    }
}

/// Reads a DRPolicy.
pub(in crate::delivery) fn policy<'a>(
    node: Node<'a>,
    admission: &mut Admission<'_, 'a>,
) -> DrPolicy<'a> {
    let clusters = items(at(node, &["spec", "drClusters"])).filter_map(Node::text);
    DrPolicy {
        name: admission.head.name,
        clusters: clusters.collect(),
    }
}

/// The annotation that switches scheduling off.
pub const DISABLE: &str = "cluster.open-cluster-management.io/experimental-scheduling-disable";

/// The Placements that have it, and what it says.
pub(in crate::delivery) fn marks<'a>(
    documents: &Documents<'a>,
) -> FxHashMap<(&'a str, &'a str), Text<'a>> {
    let placements = documents.of(DocumentKind::Placement);
    let mark = |document: &crate::document::Document<'a>| {
        let head = Head::of(document.node);
        let mark = at(document.node, &["metadata", "annotations", DISABLE])?;
        Some(((head.namespace(), head.name), text_at(mark)))
    };
    placements.filter_map(mark).collect()
}
