//! The algorithm of Open Cluster Management's placement and rollout, free of files and clocks.

pub mod groups;
pub mod hub;
pub mod place;
pub mod rollout;
pub mod score;
pub mod select;
pub mod world;

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::ocm::model::Model;
use hub::Hub;
use place::{Detail, Placed, bound_sets, place, settle};
use world::World;

/// The answers for all placements.
#[derive(Debug, Default)]
pub struct Placements<'a> {
    /// The names of clusters by id; those of clusters that do not exist come last.
    pub names: Vec<&'a str>,
    /// Each placement for itself, by namespace and name.
    pub placed: Vec<Placed<'a>>,
    /// One pass in document order, where there are several: the placement's place in the model and
    /// its clusters in the order of its decisions.
    pub sequential: Vec<(usize, Vec<u32>)>,
}

/// Plans all placements at an instant.
#[must_use]
pub fn plan_placements<'a>(
    model: &Model<'a>,
    now: Timestamp,
    detail: Detail,
    cel: &dyn select::Cel<'a>,
) -> Placements<'a> {
    let hub = Hub::new(model, now);
    let mut world = World::new(model);
    let mut bound: BTreeMap<&str, Vec<&'a str>> = BTreeMap::new();
    for placement in &model.placements {
        bound
            .entry(placement.namespace)
            .or_insert_with(|| bound_sets(&hub, placement.namespace));
    }
    let of = |index: usize| bound[model.placements[index].namespace].as_slice();
    let mut placed: Vec<Placed<'a>> = (0..model.placements.len())
        .map(|index| place(&hub, &world, cel, of(index), index, detail))
        .collect();
    placed.sort_by_key(|placed| {
        let placement = &model.placements[placed.placement];
        (placement.namespace, placement.name)
    });
    let names = world.names().to_vec();
    let mut sequential = Vec::new();
    if placed.len() > 1 {
        for index in 0..model.placements.len() {
            let one = place(&hub, &world, cel, of(index), index, Detail::Chosen);
            settle(&mut world, &hub, &one);
            let clusters = one
                .pages
                .into_iter()
                .flat_map(|page| page.clusters)
                .collect();
            sequential.push((index, clusters));
        }
    }
    Placements {
        names,
        placed,
        sequential,
    }
}
