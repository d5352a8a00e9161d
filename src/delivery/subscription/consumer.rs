//! The answers of Subscriptions.

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

/// Subscriptions.
pub(in crate::delivery) struct Subscriptions;

impl Consumer for Subscriptions {
    fn document(&self) -> DocumentKind {
        DocumentKind::Subscription
    }

    fn ids<'a>(&self, model: &Model<'a>, _: &Hub<'a>) -> Vec<Id<'a>> {
        model.subscriptions.iter().map(|one| one.id).collect()
    }

    fn findings(&self, followed: Followed<'_, '_>, sink: &mut Sink) {
        findings::planned(followed, sink);
    }

    fn links<'q, 'a>(&self, study: &'q Study<'_, 'a>, row: &'q Row<'a>) -> Links<'q> {
        Box::new(|number, chosen| study.subscription(row, number, chosen))
    }

    fn obstacles<'a>(&self, finder: &ObstacleFinder<'_, 'a>, row: &Row<'a>) -> Vec<Obstacle> {
        let mut subscriptions = finder.site.model.subscriptions.iter();
        let at = subscriptions.position(|one| one.id == row.id);
        at.map_or_else(Vec::new, |at| finder.subscription(at))
    }

    fn loss(&self, _: &Model<'_>, row: &Row<'_>) -> String {
        format!(
            "Subscription `{}` is withdrawn from every cluster",
            row.id.name
        )
    }

    fn keeps(&self) -> bool {
        true
    }
}
