//! GitOpsClusters: which clusters are registered with Argo CD.

use crate::delivery::id::Id;
use crate::delivery::policy::read::Selects;
use crate::ocm::lower::{Admission, at, get, text_at};
use crate::source::{Place, Text};
use crate::yaml::Node;

/// A reference to what selects clusters, as written.
#[derive(Debug, Clone, Copy)]
pub struct Reference<'a> {
    /// `kind`, if it is there.
    pub kind: Option<Text<'a>>,
    /// `apiVersion`, if it is there.
    pub api_version: Option<Text<'a>>,
    /// `name`, empty where absent.
    pub name: Text<'a>,
    /// `namespace`, if it is there.
    pub namespace: Option<Text<'a>>,
    /// Where it is.
    pub place: Place,
}

impl<'a> Reference<'a> {
    /// The reference that is missing in an object.
    pub(in crate::delivery) fn absent(place: Place) -> Self {
        Self {
            kind: None,
            api_version: None,
            name: Text::absent(place),
            namespace: None,
            place,
        }
    }

    pub(in crate::delivery) fn of(node: Node<'a>) -> Self {
        let field = |key: &str| {
            let found = get(node, key).map(text_at);
            found.filter(|found| !found.text.is_empty())
        };
        let nowhere = Text::absent(node.place());
        Self {
            kind: field("kind"),
            api_version: field("apiVersion"),
            name: field("name").unwrap_or(nowhere),
            namespace: field("namespace"),
            place: node.place(),
        }
    }

    /// The kind that a Subscription looks for by it.
    #[must_use]
    pub fn selects(&self) -> Selects {
        match self.kind.map(|kind| kind.text) {
            Some("Placement") => Selects::Placement,
            _ => Selects::Rule,
        }
    }
}

/// A GitOpsCluster.
#[derive(Debug)]
pub struct GitOpsCluster<'a> {
    /// Its kind, namespace, name and place.
    pub id: Id<'a>,
    /// `spec.argoServer.argoNamespace`.
    pub argo: Text<'a>,
    /// `spec.placementRef`.
    pub placement: Reference<'a>,
}

/// Reads a GitOpsCluster.
pub(in crate::delivery) fn gitops_cluster<'a>(
    node: Node<'a>,
    admission: &mut Admission<'_, 'a>,
) -> GitOpsCluster<'a> {
    let id = Id::of(admission);
    let nowhere = Text::absent(id.place);
    let reference = at(node, &["spec", "placementRef"]);
    GitOpsCluster {
        id,
        argo: at(node, &["spec", "argoServer", "argoNamespace"]).map_or(nowhere, text_at),
        placement: reference.map_or_else(|| Reference::absent(id.place), Reference::of),
    }
}
