//! The placements that decide otherwise where clusters are lost.

use std::collections::BTreeMap;

use crate::kit::named::Name;
use crate::loss::{Loss, PlacementLost};
use crate::plan::{Plan, Section};

/// The clusters of each Placement, and whether it is satisfied.
fn decided<'p>(plan: &'p Plan<'_, '_>) -> BTreeMap<Name<'p>, (Vec<String>, bool)> {
    let rows = super::rows::rows(plan).filter(|row| row.section == Section::Placements);
    let decided = rows.map(|row| (row.name, (row.places(), !row.fails)));
    decided.collect()
}

pub(super) fn compare(before: &Plan<'_, '_>, after: &Plan<'_, '_>, loss: &mut Loss) {
    let before = decided(before);
    for (name, (now, satisfied)) in decided(after) {
        let (was, was_satisfied) = before.get(&name).cloned().unwrap_or_default();
        loss.placements.extend(PlacementLost::between(
            (name.namespace, name.name),
            (&was, was_satisfied),
            (&now, satisfied),
        ));
    }
}
