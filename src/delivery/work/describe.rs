//! What the row of a replica set of works says.

use std::collections::BTreeSet;

use super::about::About;
use crate::delivery::describe::{Cells, Describe, NOTHING};
use crate::delivery::follow::Deliveries;
use crate::delivery::model::Model;
use crate::delivery::row::Row;
use crate::diagnostic::Severity;

impl<'a> Describe<'a> for About<'a> {
    fn is_stuck(&self, _: &Row<'a>) -> bool {
        false
    }

    fn title(&self, row: &Row<'a>) -> String {
        format!("Works {}", row.id.full_name())
    }

    /// The works on each cluster, and what becomes of those that are removed.
    fn cells(&self, row: &Row<'a>, deliveries: &Deliveries<'a>, _: &Model<'a>) -> Option<Cells> {
        let stays: BTreeSet<&str> = self.stays.iter().map(|work| work.namespace).collect();
        let clusters = row.clusters.ones().filter_map(|at| u32::try_from(at).ok());
        let here = clusters.map(|at| {
            let removed = if stays.contains(deliveries.ground.names.name(at)) {
                "not decided any more, and never deleted"
            } else {
                NOTHING
            };
            (at, [row.giving(at), removed.to_owned()])
        });
        Some(Cells {
            heads: ["Via", "Removed"],
            here: here.collect(),
            gone: if self.orphan {
                "left there (Orphan)"
            } else {
                "deleted there"
            }
            .to_owned(),
        })
    }

    /// The works return as soon as their placements select clusters again.
    fn emptied(&self) -> Severity {
        Severity::Warning
    }

    fn is_held(&self) -> bool {
        true
    }

    fn keeps(&self, way: usize) -> bool {
        self.kept.contains(&way)
    }
}
