//! Which documents the answer for one consumer and one cluster depends on.

use crate::delivery::consumer::Consumer;
use crate::delivery::kinds::KINDS;
use crate::delivery::model::Model;
use crate::document::{Document, DocumentKind};
use crate::yaml::Node;

/// A subject in its parts.
fn parts(subject: &str) -> (&str, &str, &str) {
    let (kind, rest) = subject.split_once('/').unwrap_or((subject, ""));
    let (namespace, name) = rest.split_once('/').unwrap_or(("", rest));
    (kind, namespace, name)
}

/// Whether the answer hangs on a document, the other clusters and what is decided apart.
#[must_use]
pub fn needs(model: &Model<'_>, document: &Document<'_>, subject: &str, cluster: &str) -> bool {
    use DocumentKind as Kind;
    let (kind, namespace, name) = parts(subject);
    let home = document.namespace().unwrap_or("default");
    let here = home == namespace;
    let named = document.name() == Some(name);
    let rules = || {
        model
            .rules
            .iter()
            .any(|rule| rule.id.namespace == namespace)
    };
    // What generators make is made of the whole site, and what authors may see is written in any
    // role.
    if model.made || model.authored {
        return true;
    }
    // An add-on follows placements of any namespace, and clusters may be registered from any.
    let anywhere = matches!(kind, "ClusterManagementAddOn" | "ApplicationSet");
    match document.kind {
        Kind::ManagedClusterSet | Kind::PolicyGenerator => true,
        Kind::Placement | Kind::ManagedClusterSetBinding | Kind::PlacementDecision => {
            anywhere || here
        }
        Kind::ManagedCluster => document.name() == Some(cluster) || rules(),
        Kind::AddOnPlacementScore => document.namespace() == Some(cluster),
        Kind::LegacyRule => here,
        Kind::Policy => kind == "Policy" && here && named,
        Kind::PolicySet | Kind::PlacementBinding => kind == "Policy" && here,
        Kind::ApplicationSet => kind == "ApplicationSet" && here && named,
        Kind::GitOpsCluster => anywhere || kind == "GitOpsCluster" && here && named,
        Kind::DrPlacementControl | Kind::DrPolicy => anywhere || here,
        Kind::Subscription => kind == "Subscription" && here && named,
        Kind::Channel => kind == "Subscription",
        Kind::ClusterManagementAddOn => kind == "ClusterManagementAddOn" && named,
        Kind::ManagedClusterAddOn => kind == "ClusterManagementAddOn" && named,
        Kind::ManifestWorkReplicaSet => kind == "ManifestWorkReplicaSet" && here && named,
        Kind::ManifestWork => kind == "ManifestWorkReplicaSet",
        Kind::Foreign => {
            let written = document.node.get("kind").and_then(Node::text);
            kind == "ApplicationSet" && matches!(written, Some("ConfigMap" | "Secret"))
        }
        _ => false,
    }
}

/// Whether a document bears on nothing but the consumer.
#[must_use]
pub fn is_own(document: &Document<'_>, subject: &str) -> bool {
    let (kind, namespace, name) = parts(subject);
    let is_own = |consumer: &dyn Consumer| {
        !consumer.is_shared() && (consumer.kind(), consumer.document()) == (kind, document.kind)
    };
    let home = document.namespace().unwrap_or("default");
    KINDS.into_iter().any(is_own)
        && document.name() == Some(name)
        && (namespace.is_empty() || home == namespace)
}
