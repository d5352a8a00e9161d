//! Which documents of a repository affect a plan: the kinds that a plan needs, their possible
//! parents, and the sources of their substitutions, transitively. See "What is read" in
//! planner-placement(7).

use rustc_hash::FxHashMap;

use super::layer::is_policy;
use super::parents::ByLabel;
use crate::airship::raw::{Raw, source_of};

/// The kinds that a plan is made of.
pub(crate) const NEEDED: [&str; 5] = [
    "shipyard/DeploymentConfiguration/v1",
    "shipyard/DeploymentStrategy/v1",
    "drydock/BaremetalNode/v1",
    "drydock/HostProfile/v1",
    "drydock/HardwareProfile/v1",
];

/// The documents that bear on a plan, in order.
pub(crate) fn closure<'a>(raws: &[Raw<'a>]) -> Vec<Raw<'a>> {
    let by_label = ByLabel::new(raws);
    let mut by_name: FxHashMap<(&str, &str), Vec<u32>> = FxHashMap::default();
    for (raw, number) in raws.iter().zip(0..) {
        by_name
            .entry((raw.schema, raw.name))
            .or_default()
            .push(number);
    }
    let mut taken = vec![false; raws.len()];
    let mut open: Vec<u32> = Vec::new();
    for (raw, number) in raws.iter().zip(0..) {
        if NEEDED.contains(&raw.schema) || is_policy(raw) {
            taken[number as usize] = true;
            open.push(number);
        }
    }
    while let Some(number) = open.pop() {
        let raw = &raws[number as usize];
        let mut add = |other: u32| {
            if !std::mem::replace(&mut taken[other as usize], true) {
                open.push(other);
            }
        };
        by_label
            .candidates(raws, number as usize)
            .into_iter()
            .for_each(&mut add);
        for source in raw.substitutions().map(source_of) {
            by_name
                .get(&source)
                .into_iter()
                .flatten()
                .copied()
                .for_each(&mut add);
        }
        // A replacement shares schema and name with what it replaces.
        by_name
            .get(&(raw.schema, raw.name))
            .into_iter()
            .flatten()
            .copied()
            .for_each(&mut add);
    }
    raws.iter()
        .zip(taken)
        .filter(|(_, taken)| *taken)
        .map(|(raw, _)| *raw)
        .collect()
}
