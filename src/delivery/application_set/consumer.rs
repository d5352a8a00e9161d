//! The answers of ApplicationSets.

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

/// ApplicationSets.
pub(in crate::delivery) struct ApplicationSets;

impl Consumer for ApplicationSets {
    fn document(&self) -> DocumentKind {
        DocumentKind::ApplicationSet
    }

    fn ids<'a>(&self, model: &Model<'a>, _: &Hub<'a>) -> Vec<Id<'a>> {
        model.application_sets.iter().map(|one| one.id).collect()
    }

    fn findings(&self, followed: Followed<'_, '_>, sink: &mut Sink) {
        findings::planned(followed, sink);
    }

    fn links<'q, 'a>(&self, study: &'q Study<'_, 'a>, row: &'q Row<'a>) -> Links<'q> {
        why::links(study, row)
    }

    fn obstacles<'a>(&self, finder: &ObstacleFinder<'_, 'a>, row: &Row<'a>) -> Vec<Obstacle> {
        let Extra::ApplicationSet(about) = &row.extra else {
            return Vec::new();
        };
        let set = &finder.site.model.application_sets[about.set];
        finder.application_set(set, about, row)
    }

    fn loss(&self, model: &Model<'_>, row: &Row<'_>) -> String {
        findings::loss(model, row)
    }

    fn keeps(&self) -> bool {
        true
    }
}
