//! The records to write: pages of decisions, as a hub would hold them.

use jiff::Timestamp;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::Outcome;
use super::engine::place::{Change, Page, Placed};
use super::model::{GROUP_INDEX_LABEL, GROUP_NAME_LABEL, Model, PLACEMENT_LABEL, Placement};
use crate::document::record;
use crate::kit::time::format_seconds;

/// The labels of a page: index and name of its group, and its placement.
#[derive(Debug, Clone, Copy)]
pub struct Labels<'p>(usize, &'p str, &'p str);

impl<'p> Labels<'p> {
    /// The labels of this page.
    #[must_use]
    pub fn of(placed: &Placed<'p>, page: &Page, placement: &Placement<'p>) -> Self {
        Self(page.group, placed.groups[page.group].name, placement.name)
    }
}

impl Serialize for Labels<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(3))?;
        map.serialize_entry(GROUP_INDEX_LABEL, &self.0.to_string())?;
        map.serialize_entry(GROUP_NAME_LABEL, self.1)?;
        map.serialize_entry(PLACEMENT_LABEL, self.2)?;
        map.end()
    }
}

/// A `PlacementDecision` as a hub would hold it.
fn document(model: &Model<'_>, outcome: &Outcome<'_>, placed: &Placed<'_>, page: &Page) -> Value {
    let placement = &model.placements[placed.placement];
    let names = &outcome.placements.names;
    let decision = |id: &u32| json!({"clusterName": names[*id as usize], "reason": ""});
    json!({
        "apiVersion": "cluster.open-cluster-management.io/v1beta1",
        "kind": "PlacementDecision",
        "metadata": {
            "name": page.name,
            "namespace": placement.namespace,
            "labels": Labels::of(placed, page, placement),
        },
        "status": {"decisions": page.clusters.iter().map(decision).collect::<Vec<Value>>()},
    })
}

/// All `PlacementDecision`s of a plan, by placement.
pub fn documents<'p>(
    model: &'p Model<'_>,
    outcome: &'p Outcome<'_>,
) -> impl Iterator<Item = Value> + 'p {
    outcome.placements.placed.iter().flat_map(move |placed| {
        placed
            .pages
            .iter()
            .map(move |page| document(model, outcome, placed, page))
    })
}

/// The records of a plan: every `PlacementDecision` that is made or altered, and for each that
/// goes one with a deletion timestamp.
#[must_use]
pub fn records(
    model: &Model<'_>,
    outcome: &Outcome<'_>,
    number: &str,
    now: Timestamp,
) -> Vec<Value> {
    let mut records = Vec::new();
    for placed in &outcome.placements.placed {
        let placement = &model.placements[placed.placement];
        for page in placed
            .pages
            .iter()
            .filter(|page| page.change != Change::Unchanged)
        {
            let mut made = document(model, outcome, placed, page);
            made["metadata"]["annotations"] = json!({record::ANNOTATION: number});
            records.push(made);
        }
        for name in &placed.deleted {
            records.push(json!({
                "apiVersion": "cluster.open-cluster-management.io/v1beta1",
                "kind": "PlacementDecision",
                "metadata": {
                    "name": name,
                    "namespace": placement.namespace,
                    "labels": {PLACEMENT_LABEL: placement.name},
                    "annotations": {record::ANNOTATION: number},
                    "deletionTimestamp": format_seconds(now),
                },
                "status": {"decisions": []},
            }));
        }
    }
    records
}
