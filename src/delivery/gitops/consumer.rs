//! The answers of GitOpsClusters.

use super::findings;
use crate::delivery::consumer::{Consumer, Followed, Links};
use crate::delivery::id::Id;
use crate::delivery::model::Model;
use crate::delivery::repair::finder::ObstacleFinder;
use crate::delivery::row::Row;
use crate::delivery::why::study::Study;
use crate::diagnostic::Sink;
use crate::document::DocumentKind;
use crate::ocm::model::Model as Hub;
use crate::repair::Obstacle;

/// GitOpsClusters.
pub(in crate::delivery) struct GitOpsClusters;

impl Consumer for GitOpsClusters {
    fn document(&self) -> DocumentKind {
        DocumentKind::GitOpsCluster
    }

    fn ids<'a>(&self, model: &Model<'a>, _: &Hub<'a>) -> Vec<Id<'a>> {
        model.gitops.iter().map(|one| one.id).collect()
    }

    fn findings(&self, followed: Followed<'_, '_>, sink: &mut Sink) {
        findings::planned(followed, sink);
    }

    fn links<'q, 'a>(&self, study: &'q Study<'_, 'a>, row: &'q Row<'a>) -> Links<'q> {
        Box::new(|number, chosen| study.gitops(row, number, chosen))
    }

    fn obstacles<'a>(&self, finder: &ObstacleFinder<'_, 'a>, row: &Row<'a>) -> Vec<Obstacle> {
        let mut gitops = finder.site.model.gitops.iter();
        let at = gitops.position(|one| one.id == row.id);
        at.map_or_else(Vec::new, |at| finder.gitops(at))
    }

    fn loss(&self, _: &Model<'_>, row: &Row<'_>) -> String {
        let name = row.id.name;
        format!("the clusters of GitOpsCluster `{name}` are removed from Argo CD")
    }

    fn is_shared(&self) -> bool {
        true
    }
}
