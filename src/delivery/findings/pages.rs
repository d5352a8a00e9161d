//! Findings about pages of decisions.

use crate::delivery::follow::Deliveries;
use crate::delivery::rules::PAGE_GAP;
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::kit::plural::plural;

/// Placements some of whose clusters are in no page for a moment.
pub(super) fn gaps(deliveries: &Deliveries<'_>, sink: &mut Sink) {
    for gap in &deliveries.gaps {
        let first = &gap.moves[0];
        let redone = match gap.deliveries.len() {
            0 => String::new(),
            1 => "; 1 delivery removes and recreates what it has there".to_owned(),
            many => format!("; {many} deliveries remove and recreate what they have there"),
        };
        let are = match gap.moves.len() {
            1 => "is",
            _ => "are",
        };
        let message = format!(
            "{} of `{}/{}` {are} briefly in no PlacementDecision: `{}` moves from `{}` to \
             `{}`{redone}",
            plural(gap.moves.len(), "cluster"),
            gap.namespace,
            gap.placement,
            first.cluster,
            first.from,
            first.to
        );
        sink.push(
            Diagnostic::new(&PAGE_GAP, message)
                .at(gap.place, "its decisions move to a later page")
                .help(
                    "use decision groups of at most 100 clusters, so that clusters move only \
                     within a page; a new cluster whose name sorts last moves none",
                )
                .object(Object::new("Placement", gap.placement).in_namespace(gap.namespace))
                .not_refusing(),
        );
    }
}
