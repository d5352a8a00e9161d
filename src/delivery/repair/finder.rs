//! The steps of a search for obstacles that kinds of consumers share.

use crate::delivery::follow::Deliveries;
use crate::delivery::model::Model;
use crate::delivery::placement_rule::follow::label;
use crate::delivery::policy::read::Selects;
use crate::document::{Document, DocumentKind, Documents};
use crate::kit::named::Name;
use crate::ocm::model::{ManagedCluster, Model as Hub};
use crate::repair::{Obstacle, Side, Target, all_of};

/// Ways to clear one of several links that are offered, at most.
const WAYS: usize = 40;
/// Other names that are offered, at most.
pub(in crate::delivery) const NAMES: usize = 5;
/// The version of Placements that references name.
pub(in crate::delivery) const PLACEMENT_API: &str = "cluster.open-cluster-management.io/v1beta1";

/// A site that was planned, and what keeps a cluster out of a placement: nothing where it is
/// decided, `None` where that is not known.
pub struct Site<'s, 'a> {
    /// The consumers.
    pub model: &'s Model<'a>,
    /// The placements and clusters.
    pub hub: &'s Hub<'a>,
    /// The clusters that the consumers reach.
    pub deliveries: &'s Deliveries<'a>,
    /// The documents that may be edited.
    pub documents: &'s Documents<'a>,
    /// The obstacles between a cluster and a Placement: `NAMESPACE/NAME`, cluster.
    pub placement: &'s dyn Fn(&str, &str) -> Option<Vec<Obstacle>>,
}

/// Looks for what is in the way of one cluster.
pub(in crate::delivery) struct ObstacleFinder<'f, 'a> {
    pub(in crate::delivery) site: &'f Site<'f, 'a>,
    pub(in crate::delivery) name: &'f str,
    pub(in crate::delivery) number: u32,
    /// The cluster, where the hub has it.
    pub(in crate::delivery) cluster: Option<&'f ManagedCluster<'a>>,
}

/// The obstacles on one way to the cluster.
pub(in crate::delivery) type Way = Vec<Obstacle>;

impl<'a> ObstacleFinder<'_, 'a> {
    /// The document of an object, also of one that a generator makes.
    pub(in crate::delivery) fn target(
        &self,
        kind: DocumentKind,
        namespace: &str,
        name: &str,
    ) -> Option<Target<'a>> {
        let is_it = |document: &&Document<'a>| {
            document.kind == kind
                && document.name() == Some(name)
                && (namespace.is_empty() || document.namespace().unwrap_or("default") == namespace)
        };
        let document = self.site.documents.all.iter().find(is_it)?;
        let side = match kind {
            DocumentKind::ManagedCluster => Side::Candidate,
            _ => Side::Subject,
        };
        Some(Target::of(document, side))
    }

    /// The document of the cluster.
    pub(in crate::delivery) fn on_cluster(&self) -> Option<Target<'a>> {
        self.target(DocumentKind::ManagedCluster, "", self.name)
    }

    /// The obstacles in a Placement that does not select the cluster.
    pub(in crate::delivery) fn placement(&self, namespace: &str, name: &str) -> Way {
        let found = (self.site.placement)(&Name::new(namespace, name).to_string(), self.name);
        found.unwrap_or_else(|| {
            let needs = format!("Placement {namespace}/{name} to select the cluster");
            vec![Obstacle::new("placement", needs)]
        })
    }

    /// The same where Ramen may decide in the place of the hub.
    pub(in crate::delivery) fn decided(&self, namespace: &str, name: &str) -> Way {
        let mut controls = self.site.model.controls.iter();
        let own = controls.position(|one| {
            (one.id.namespace, one.placement.name.text) == (namespace, name)
                && self.site.model.marks.contains_key(&(namespace, name))
        });
        match own {
            Some(at) => self.control(at),
            None => self.placement(namespace, name),
        }
    }

    /// The Placements of a namespace by name, those that have the cluster first.
    pub(in crate::delivery) fn placements(&self, namespace: &str) -> Vec<&'a str> {
        let chosen = &self.site.deliveries.ground.chosen;
        let own = chosen
            .iter()
            .filter(|((what, space, _), _)| *what == Selects::Placement && *space == namespace);
        let mut names: Vec<(bool, &'a str)> = own
            .map(|((.., name), chosen)| (!chosen.planned.contains(self.number as usize), *name))
            .collect();
        names.sort_unstable();
        let names = names.into_iter().map(|(_, name)| name);
        names.take(NAMES).collect()
    }

    /// Another Placement of the namespace in the place of one that does not exist.
    pub(in crate::delivery) fn renamed(
        &self,
        target: Option<Target<'a>>,
        pointer: &str,
        namespace: &str,
        name: &str,
    ) -> Obstacle {
        let needs = format!("a Placement {name} in namespace {namespace}");
        let mut obstacle = Obstacle::new("placement", needs);
        for other in self.placements(namespace) {
            obstacle.one(target.and_then(|target| target.set(pointer, other)));
        }
        obstacle
    }

    pub(in crate::delivery) fn label(&self, key: &str) -> Option<&'a str> {
        label(self.cluster?, key)
    }
}

/// Several ways of which one is enough.
pub(in crate::delivery) fn any(stage: &str, needs: &str, mut ways: Vec<Way>) -> Vec<Obstacle> {
    if ways.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    if ways.len() == 1 {
        return ways.pop().unwrap_or_default();
    }
    let mut obstacle = Obstacle::new(stage, needs);
    for way in &ways {
        let lists: Vec<_> = way.iter().map(|one| one.remedies.clone()).collect();
        for remedy in all_of(&lists, WAYS) {
            obstacle.way(remedy.edits, remedy.blunt);
        }
    }
    vec![obstacle]
}
