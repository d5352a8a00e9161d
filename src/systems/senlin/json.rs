//! `regionPlacements[]` of a plan.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::senlin::Regions;
use crate::senlin::engine::data::{data, integer};
use crate::senlin::engine::{Check, Outcome};

/// One file's cluster, action and answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegionPlacement<'m> {
    path: &'m str,
    cluster: Option<&'m str>,
    action: &'m str,
    regions: Vec<Region<'m>>,
    data: Map<String, Value>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region<'m> {
    name: &'m str,
    weight: Value,
    cap: Option<Value>,
    nodes: Value,
    share: Option<Value>,
    change: Value,
    after: Value,
}

/// The entries of all files that hold all a plan needs, by path.
#[must_use]
pub fn region_placements<'m>(regions: &'m Regions<'_, '_>) -> Vec<RegionPlacement<'m>> {
    let planned = regions.planned.iter().map(|planned| {
        let (check, outcome) = (planned.check, &planned.outcome);
        RegionPlacement {
            path: planned.set.path,
            cluster: check.cluster.name.as_deref(),
            action: check.action.name,
            regions: rows(check, outcome),
            data: data(check, outcome),
        }
    });
    planned.collect()
}

fn rows<'m>(check: Check<'m, '_>, outcome: &Outcome) -> Vec<Region<'m>> {
    let usable = outcome.usable.iter().enumerate();
    let row = |(at, position): (usize, &u32)| {
        let region = &check.policy.regions[*position as usize];
        let nodes = check.cluster.nodes[*position as usize];
        let change = outcome.change(at);
        let share = outcome
            .distribution
            .as_ref()
            .map(|found| found.allotments[at].quota);
        Region {
            name: &region.name,
            weight: integer(region.weight),
            cap: region.cap().map(integer),
            nodes: integer(nodes),
            share: share.map(integer),
            change: integer(change),
            after: integer(nodes + change),
        }
    };
    usable.map(row).collect()
}
