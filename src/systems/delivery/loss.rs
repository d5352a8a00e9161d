//! The deliveries that differ where clusters are lost.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::delivery::follow::Deliveries;
use crate::delivery::row::Row;
use crate::delivery::why::subject;
use crate::loss::{DeliveriesLost, Delivery};
use crate::plan::Plan;

/// The deliveries that differ in another plan.
pub(in crate::systems) fn compare(before: &Plan<'_, '_>, after: &Plan<'_, '_>) -> DeliveriesLost {
    let mut found = DeliveriesLost::default();
    let Some(old) = &before.deliveries else {
        return found;
    };
    let nothing = Deliveries::default();
    let new = after.deliveries.as_deref().unwrap_or(&nothing);
    let key = |row: &Row<'_>| {
        (
            row.id.kind,
            row.id.namespace.to_owned(),
            row.id.name.to_owned(),
        )
    };
    let rows: FxHashMap<_, &Row<'_>> = new.rows.iter().map(|row| (key(row), row)).collect();
    // The numbers of clusters are those of the first plan.
    let numbers: Vec<Option<u32>> = (0..new.ground.names.len())
        .map(|at| {
            old.ground
                .names
                .find(new.ground.names.name(u32::try_from(at).ok()?))
        })
        .collect();
    for row in &old.rows {
        let mut now = FixedBitSet::new();
        if let Some(row) = rows.get(&key(row)) {
            for at in row.clusters.ones().filter_map(|at| numbers[at]) {
                now.grow_and_insert(at as usize);
            }
        }
        found.add(&Delivery::from(subject(&row.id)), &row.clusters, &now);
    }
    found
}
