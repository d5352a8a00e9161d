//! The Applications that go elsewhere where Clusters or Nodes are lost, and the volumes they leave.

use std::collections::BTreeMap;

use crate::kit::named::Name;
use crate::loss::{Loss, MovedApplication, Volume};
use crate::plan::{Mark, Plan};

/// The Cluster of each Application that is not withdrawn.
fn decided<'p>(plan: &'p Plan<'_, '_>) -> BTreeMap<Name<'p>, Option<String>> {
    let rows = super::rows::rows(plan).filter(|row| row.mark != Mark::Gone);
    rows.map(|row| (row.name, row.places().pop())).collect()
}

pub(super) fn applications(before: &Plan<'_, '_>, after: &Plan<'_, '_>, loss: &mut Loss) {
    let after = decided(after);
    for (name, from) in decided(before) {
        if let Some(to) = after.get(&name).filter(|to| **to != from) {
            loss.applications.push(MovedApplication {
                package: name.namespace.to_owned(),
                application: name.name.to_owned(),
                from,
                to: to.clone(),
            });
        }
    }
}

/// Volumes out of bounds and why, by kind and name.
fn volumes_of(plan: &Plan<'_, '_>) -> BTreeMap<Volume, &'static str> {
    let items = plan.applications.iter().flat_map(|outcome| &outcome.items);
    let mut all = BTreeMap::new();
    for item in items {
        for volume in &item.out_of_bounds {
            let key = Volume {
                cluster: volume.cluster.to_owned(),
                kind: volume.kind.to_owned(),
                name: volume.name.to_owned(),
                application: item.full_name().to_string(),
            };
            all.insert(key, volume.removed_by.word());
        }
    }
    all
}

pub(super) fn volumes(before: &Plan<'_, '_>, after: &Plan<'_, '_>, loss: &mut Loss) {
    let known = volumes_of(before);
    for (volume, why) in volumes_of(after) {
        let had = known.get(&volume);
        if had.is_none() || why == "gone" && had != Some(&why) {
            loss.volumes.push(volume);
        }
    }
}
