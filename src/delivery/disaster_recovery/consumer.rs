//! The answers of DRPlacementControls.

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

/// DRPlacementControls.
pub(in crate::delivery) struct Controls;

impl Consumer for Controls {
    fn document(&self) -> DocumentKind {
        DocumentKind::DrPlacementControl
    }

    fn ids<'a>(&self, model: &Model<'a>, _: &Hub<'a>) -> Vec<Id<'a>> {
        model.controls.iter().map(|one| one.id).collect()
    }

    fn findings(&self, followed: Followed<'_, '_>, sink: &mut Sink) {
        findings::planned(followed, sink);
    }

    fn links<'q, 'a>(&self, study: &'q Study<'_, 'a>, row: &'q Row<'a>) -> Links<'q> {
        Box::new(|number, _| study.control(row, number))
    }

    fn obstacles<'a>(&self, finder: &ObstacleFinder<'_, 'a>, row: &Row<'a>) -> Vec<Obstacle> {
        let mut controls = finder.site.model.controls.iter();
        let at = controls.position(|one| one.id == row.id);
        at.map_or_else(Vec::new, |at| finder.control(at))
    }

    fn keeps(&self) -> bool {
        true
    }

    fn is_shared(&self) -> bool {
        true
    }
}
