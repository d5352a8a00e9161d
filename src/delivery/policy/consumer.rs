//! The answers of Policies.

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

/// Policies.
pub(in crate::delivery) struct Policies;

impl Consumer for Policies {
    fn document(&self) -> DocumentKind {
        DocumentKind::Policy
    }

    fn ids<'a>(&self, model: &Model<'a>, _: &Hub<'a>) -> Vec<Id<'a>> {
        model.policies.iter().map(|one| one.id).collect()
    }

    fn findings(&self, followed: Followed<'_, '_>, sink: &mut Sink) {
        findings::planned(followed, sink);
    }

    fn links<'q, 'a>(&self, study: &'q Study<'_, 'a>, row: &'q Row<'a>) -> Links<'q> {
        why::links(study, row)
    }

    fn obstacles<'a>(&self, finder: &ObstacleFinder<'_, 'a>, row: &Row<'a>) -> Vec<Obstacle> {
        match &row.extra {
            Extra::Policy(about) => finder.policy(&finder.site.model.policies[about.policy], row),
            _ => Vec::new(),
        }
    }
}
