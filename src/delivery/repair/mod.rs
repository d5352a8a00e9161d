//! The obstacles between a cluster and a consumer, link by link down to its placements, and the
//! edits that would remove them. Each kind of consumer has a file; the engine that decides a
//! Placement answers for the Placement itself.

mod application_set;
mod applications;
mod hub;
mod made;
mod needs;
mod policy;
mod rule;

use super::follow::rule::label;
use super::follow::{Deliveries, Extra, Row};
use super::read::Model;
use super::why::is_kind;
use crate::document::{Document, DocumentKind, Documents};
use crate::kit::named::Name;
use crate::ocm::model::{ManagedCluster, Model as Hub};
use crate::repair::{Obstacle, Side, Target, all_of};

pub use made::{generator_of, into_entries};
pub use needs::{is_own, needs};

/// Ways to clear one of several links that are offered, at most.
const WAYS: usize = 40;
/// Other names that are offered, at most.
const NAMES: usize = 5;

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

/// Whether a subject is a consumer: no namespace begins like a kind.
#[must_use]
pub fn is_consumer(subject: &str) -> bool {
    subject.starts_with(|first: char| first.is_ascii_uppercase())
}

/// The obstacles between a cluster and a consumer; none where it is reached, `None` where
/// either is not known.
#[must_use]
pub fn obstacles(site: &Site<'_, '_>, subject: &str, cluster: &str) -> Option<Vec<Obstacle>> {
    let (kind, rest) = subject.split_once('/')?;
    let mut rows = site.deliveries.rows.iter();
    let row = rows.find(|row| is_kind(&row.id, kind) && row.id.full_name().to_string() == rest)?;
    let number = site.deliveries.ground.names.find(cluster)?;
    if row.clusters.contains(number as usize) {
        return Some(Vec::new());
    }
    let mut clusters = site.hub.clusters.iter();
    let finder = ObstacleFinder {
        site,
        name: cluster,
        number,
        cluster: clusters.find(|one| one.name == cluster),
    };
    let mut unique: Vec<Obstacle> = Vec::new();
    for one in finder.of(row) {
        if !unique.contains(&one) {
            unique.push(one);
        }
    }
    if unique.is_empty() {
        unique.push(Obstacle::new("delivery", "to reach the cluster"));
    }
    Some(unique)
}

/// Looks for what is in the way of one cluster.
struct ObstacleFinder<'f, 'a> {
    site: &'f Site<'f, 'a>,
    name: &'f str,
    number: u32,
    /// The cluster, where the hub has it.
    cluster: Option<&'f ManagedCluster<'a>>,
}

/// All that is in one way to the cluster.
type Way = Vec<Obstacle>;

impl<'a> ObstacleFinder<'_, 'a> {
    fn of(&self, row: &Row<'a>) -> Vec<Obstacle> {
        let model = self.site.model;
        match &row.extra {
            Extra::Policy(about) => self.policy(&model.policies[about.policy], row),
            Extra::ApplicationSet(about) => {
                self.application_set(&model.application_sets[about.set], about, row)
            }
            Extra::AddOn(about) => self.addon(about),
            Extra::Works(about) => self.works(about, row),
            Extra::None => match row.id.kind {
                "GitOpsCluster" => {
                    let at = model.gitops.iter().position(|one| one.id == row.id);
                    at.map_or_else(Vec::new, |at| self.gitops(at))
                }
                "Subscription" => {
                    let at = model.subscriptions.iter().position(|one| one.id == row.id);
                    at.map_or_else(Vec::new, |at| self.subscription(at))
                }
                _ => {
                    let at = model.controls.iter().position(|one| one.id == row.id);
                    at.map_or_else(Vec::new, |at| self.control(at))
                }
            },
        }
    }

    /// The document of an object, also of one that a generator makes.
    fn target(&self, kind: DocumentKind, namespace: &str, name: &str) -> Option<Target<'a>> {
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
    fn on_cluster(&self) -> Option<Target<'a>> {
        self.target(DocumentKind::ManagedCluster, "", self.name)
    }

    /// The obstacles in a Placement that does not select the cluster.
    fn placement(&self, namespace: &str, name: &str) -> Way {
        let found = (self.site.placement)(&Name::new(namespace, name).to_string(), self.name);
        found.unwrap_or_else(|| {
            let needs = format!("Placement {namespace}/{name} to select the cluster");
            vec![Obstacle::new("placement", needs)]
        })
    }

    /// The same where Ramen may decide in the place of the hub.
    fn decided(&self, namespace: &str, name: &str) -> Way {
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
    fn placements(&self, namespace: &str) -> Vec<&'a str> {
        use super::read::policy::Selects;
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
    fn renamed(
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

    fn label(&self, key: &str) -> Option<&'a str> {
        label(self.cluster?, key)
    }
}

/// Several ways of which one is enough.
fn any(stage: &str, needs: &str, mut ways: Vec<Way>) -> Vec<Obstacle> {
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
