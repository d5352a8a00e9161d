//! A cluster document: its limits, the known regions, and its nodes counted by region.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::diagnostic::{Severity, Sink};
use crate::senlin::model::{Cluster, LARGEST, Policy};
use crate::senlin::rules;
use crate::yaml::{Node, Scalar};

use super::fault::{self, CLUSTER_KEYS, about, bare};
use super::value::{python, scalar, text};

/// Reads the cluster and counts its nodes for the regions of the policy.
pub(super) fn lower<'a>(
    node: Node<'a>,
    policy: Option<&Policy<'a>>,
    sink: &mut Sink,
) -> Cluster<'a> {
    fault::unknown_keys(node, "", super::ENVELOPE, sink);
    let mut cluster = Cluster {
        max_size: -1,
        max_nodes_per_cluster: 1000,
        place: fault::head(node).place(),
        ..Cluster::default()
    };
    let regions = policy.map_or(&[][..], |policy| policy.regions.as_slice());
    cluster.known = vec![true; regions.len()];
    cluster.nodes = vec![0; regions.len()];
    let Some(properties) = super::properties(node, sink) else {
        return cluster;
    };
    fault::unknown_keys(properties, "/properties", CLUSTER_KEYS, sink);
    let get = |key: &str| properties.get(key).filter(|node| !node.is_null());
    cluster.name = get("name").map(python);
    for (key, to) in [
        ("desired_capacity", &mut cluster.desired_capacity),
        ("min_size", &mut cluster.min_size),
        ("max_size", &mut cluster.max_size),
        ("max_nodes_per_cluster", &mut cluster.max_nodes_per_cluster),
    ] {
        if let Some(number) = get(key).and_then(|node| integer(node, key, sink)) {
            *to = number;
        }
    }
    if cluster.max_size == 0 {
        cluster.max_size = -1;
    }
    let positions: FxHashMap<&str, u32> = regions
        .iter()
        .zip(0..)
        .map(|(region, at)| (&*region.name, at))
        .collect();
    if let Some(list) = get("known_regions") {
        known(list, &positions, &mut cluster, sink);
    }
    let census = properties.derived(Census::of);
    sink.append(census.found.clone());
    cluster.size = census.size;
    for (name, at) in &positions {
        cluster.nodes[*at as usize] = census.regions.get(*name).copied().unwrap_or(0);
    }
    cluster
}

fn known(
    list: Node<'_>,
    positions: &FxHashMap<&str, u32>,
    cluster: &mut Cluster<'_>,
    sink: &mut Sink,
) {
    if !list.is_sequence() {
        sink.push(fault::wanted(
            list,
            "/properties/known_regions",
            "known_regions",
            "a list",
        ));
        return;
    }
    cluster.known_place = Some(list.place());
    cluster.known.fill(false);
    for item in list.items() {
        let name: Cow<'_, str> = python(item);
        if let Some(at) = positions.get(&*name) {
            cluster.known[*at as usize] = true;
        }
    }
}

/// Reports a node whose region is in a field that nothing reads.
fn misplaced(node: Node<'_>, at: usize, sink: &mut Sink) {
    let entry = ["region", "region_name"].into_iter().find_map(|key| {
        let (key, value) = node.entry(key)?;
        Some((key, value.text()?))
    });
    let Some((key, region)) = entry else {
        return;
    };
    let name = key.text().unwrap_or_default();
    sink.push(
        about(&rules::UNKNOWN_KEY, format!("unknown key `{name}`"))
            .at(key.place(), "the region of a node does not stand here")
            .pointer(format!("/properties/nodes/{at}/{name}"))
            .help(format!(
                "write `data: {{placement: {{region_name: {region}}}}}`"
            ))
            .severity(Severity::Warning),
    );
}

/// The nodes by region, counted straight off the tree, whatever policy asks.
#[derive(Debug, Default)]
struct Census {
    /// All of them.
    size: i128,
    regions: FxHashMap<String, i128>,
    /// The faults of the lists of nodes.
    found: Sink,
}

impl Census {
    fn of(properties: Node<'_>) -> Self {
        let mut census = Self::default();
        let mut found = Sink::default();
        let get = |key: &str| properties.get(key).filter(|node| !node.is_null());
        if let Some(list) = get("nodes") {
            census.nodes(list, &mut found);
        }
        if let Some(map) = get("node_counts") {
            census.counts(map, &mut found);
        }
        census.found = found;
        census
    }

    fn add(&mut self, region: Option<&str>, count: i128) {
        self.size += count;
        let Some(name) = region else { return };
        match self.regions.get_mut(name) {
            Some(known) => *known += count,
            None => drop(self.regions.insert(name.to_owned(), count)),
        }
    }

    /// The region of a node is `data.placement.region_name` if that is text.
    fn nodes(&mut self, list: Node<'_>, sink: &mut Sink) {
        if !list.is_sequence() {
            sink.push(fault::wanted(list, "/properties/nodes", "nodes", "a list"));
            return;
        }
        for (at, item) in list.items().enumerate() {
            if !item.is_mapping() {
                let path = format!("/properties/nodes/{at}");
                sink.push(fault::wanted(item, &path, "a node", "a mapping"));
                continue;
            }
            let region = item
                .at(&["data", "placement", "region_name"])
                .and_then(text);
            if region.is_none() {
                misplaced(item, at, sink);
            }
            self.add(region, 1);
        }
    }

    fn counts(&mut self, map: Node<'_>, sink: &mut Sink) {
        if !map.is_mapping() {
            sink.push(fault::wanted(
                map,
                "/properties/node_counts",
                "node_counts",
                "a mapping",
            ));
            return;
        }
        for (key, value) in map.entries() {
            match scalar(value) {
                Some(Scalar::Int(count @ 0..=LARGEST)) => self.add(text(key), count),
                _ => {
                    let path = format!("/properties/node_counts/{}", python(key));
                    let what = format!("the number of nodes in `{}`", python(key));
                    sink.push(fault::wanted(
                        value,
                        &path,
                        &what,
                        "an integer of at least 0",
                    ));
                }
            }
        }
    }
}

fn integer(node: Node<'_>, key: &str, sink: &mut Sink) -> Option<i128> {
    match scalar(node) {
        Some(Scalar::Int(number)) if number.unsigned_abs() <= LARGEST.unsigned_abs() => {
            Some(number)
        }
        _ => {
            let message = format!("{key} `{}` is not an integer within ±10^30", python(node));
            sink.push(
                about(&rules::WRONG_TYPE, message)
                    .at(node.place(), "an integer is expected here")
                    .pointer(format!("/properties/{key}"))
                    .help(match bare(node, "an integer") {
                        Some(number) => format!("write `{number}`"),
                        None => "write an integer".to_owned(),
                    }),
            );
            None
        }
    }
}
