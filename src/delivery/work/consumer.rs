//! The answers of ManifestWorkReplicaSets.

use super::{findings, why};
use crate::delivery::consumer::{Consumer, Followed, Links};
use crate::delivery::id::Id;
use crate::delivery::model::Model;
use crate::delivery::repair::finder::ObstacleFinder;
use crate::delivery::row::{Extra, Row};
use crate::delivery::why::study::Study;
use crate::diagnostic::Sink;
use crate::document::DocumentKind;
use crate::ocm::model::Model as Hub;
use crate::repair::Obstacle;

/// ManifestWorkReplicaSets.
pub(in crate::delivery) struct ReplicaSets;

impl Consumer for ReplicaSets {
    fn document(&self) -> DocumentKind {
        DocumentKind::ManifestWorkReplicaSet
    }

    fn ids<'a>(&self, _: &Model<'a>, hub: &Hub<'a>) -> Vec<Id<'a>> {
        let sets = hub.replica_sets.iter();
        sets.map(|set| Id {
            kind: self.kind(),
            namespace: set.namespace,
            name: set.name,
            place: set.place,
        })
        .collect()
    }

    fn findings(&self, followed: Followed<'_, '_>, sink: &mut Sink) {
        findings::planned(followed, sink);
    }

    fn links<'q, 'a>(&self, study: &'q Study<'_, 'a>, row: &'q Row<'a>) -> Links<'q> {
        why::links(study, row)
    }

    fn obstacles<'a>(&self, finder: &ObstacleFinder<'_, 'a>, row: &Row<'a>) -> Vec<Obstacle> {
        match &row.extra {
            Extra::Works(about) => finder.works(about, row),
            _ => Vec::new(),
        }
    }
}
