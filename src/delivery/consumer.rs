//! The answers of each kind of consumer.

use super::follow::Deliveries;
use super::id::Id;
use super::model::Model;
use super::repair::finder::ObstacleFinder;
use super::row::Row;
use super::why::study::Study;
use crate::diagnostic::Sink;
use crate::document::{DocumentKind, info_of};
use crate::ocm::model::Model as Hub;
use crate::repair::Obstacle;
use crate::source::Sources;
use crate::why::Verdict;

/// A site whose consumers were followed.
#[derive(Clone, Copy)]
pub(super) struct Followed<'m, 'a> {
    /// The consumers.
    pub(super) model: &'m Model<'a>,
    /// The placements and clusters.
    pub(super) hub: &'m Hub<'a>,
    /// The clusters of the consumers.
    pub(super) deliveries: &'m Deliveries<'a>,
    /// The texts of the documents.
    pub(super) sources: &'m Sources,
}

/// The verdicts of every link on a cluster, by its number and whether it is reached.
pub(super) type Links<'q> = Box<dyn Fn(u32, bool) -> Vec<Verdict> + 'q>;

/// A kind of consumer.
pub(super) trait Consumer: Sync {
    /// The kind of its documents.
    fn document(&self) -> DocumentKind;

    /// Its name, as documents write it.
    fn kind(&self) -> &'static str {
        info_of(self.document()).map_or("", |info| info.name)
    }

    /// The objects of the kind, in document order.
    fn ids<'a>(&self, model: &Model<'a>, hub: &Hub<'a>) -> Vec<Id<'a>>;

    /// Reports the faults of its objects that only a plan shows.
    fn findings(&self, followed: Followed<'_, '_>, sink: &mut Sink);

    /// The verdicts between one of them and each cluster; what holds for all clusters is computed
    /// once.
    fn links<'q, 'a>(&self, study: &'q Study<'_, 'a>, row: &'q Row<'a>) -> Links<'q>;

    /// The obstacles between one of them and a cluster.
    fn obstacles<'a>(&self, finder: &ObstacleFinder<'_, 'a>, row: &Row<'a>) -> Vec<Obstacle>;

    /// The effect on one of them of being left without a cluster.
    fn loss(&self, _: &Model<'_>, row: &Row<'_>) -> String {
        format!("{} `{}` loses every cluster", row.id.kind, row.id.name)
    }

    /// Whether one that fails leaves its clusters as they are.
    fn keeps(&self) -> bool {
        false
    }

    /// Whether others depend on its documents.
    fn is_shared(&self) -> bool {
        false
    }
}
