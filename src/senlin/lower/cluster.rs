//! A cluster document: its limits, the known regions, and its nodes counted by region.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use crate::diagnostic::{Severity, Sink};
use crate::parallel;
use crate::senlin::model::{Cluster, LARGEST, Policy};
use crate::senlin::rules;
use crate::yaml::{Node, Scalar};

use super::fault::{self, CLUSTER_KEYS, about, bare};
use super::value::{python, scalar, text};

/// Reads the cluster and counts its nodes for the regions of the policy.
pub(super) fn lower<'a>(
    node: Node<'a>,
    policy: Option<&Policy<'a>>,
    jobs: usize,
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
    let census = properties.derived(|properties| Census::of(properties, jobs).owned());
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

/// The fewest nodes that are worth a thread.
const RUN: usize = 8192;

/// The nodes by region, counted straight off the tree, whatever policy asks.
#[derive(Debug, Default)]
struct Census<N> {
    /// All of them.
    size: i128,
    regions: FxHashMap<N, i128>,
    /// The faults of the lists of nodes.
    found: Sink,
}

impl<'a> Census<&'a str> {
    fn of(properties: Node<'a>, jobs: usize) -> Self {
        let mut census = Self::default();
        let get = |key: &str| properties.get(key).filter(|node| !node.is_null());
        if let Some(list) = get("nodes") {
            census.nodes(list, jobs);
        }
        if let Some(map) = get("node_counts") {
            census.counts(map);
        }
        census
    }

    /// The census without its documents.
    fn owned(self) -> Census<String> {
        let regions = self.regions.into_iter();
        Census {
            size: self.size,
            regions: regions
                .map(|(name, count)| (name.to_owned(), count))
                .collect(),
            found: self.found,
        }
    }

    fn add(&mut self, region: Option<&'a str>, count: i128) {
        self.size += count;
        if let Some(name) = region {
            *self.regions.entry(name).or_default() += count;
        }
    }

    fn nodes(&mut self, list: Node<'a>, jobs: usize) {
        if !list.is_sequence() {
            let found = fault::wanted(list, "/properties/nodes", "nodes", "a list");
            return self.found.push(found);
        }
        let size = list.len().div_ceil(jobs.max(1)).max(RUN);
        let mut rest = list.items().enumerate();
        let mut runs = vec![rest.clone().take(size)];
        while rest.nth(size - 1).is_some() {
            runs.push(rest.clone().take(size));
        }
        let counted = parallel::map(jobs, &runs, |run| {
            let mut census = Self::default();
            run.clone().for_each(|(at, node)| census.node(at, node));
            census
        });
        for run in counted {
            for (name, count) in run.regions {
                *self.regions.entry(name).or_default() += count;
            }
            self.size += run.size;
            self.found.append(run.found);
        }
    }

    /// The region of a node is `data.placement.region_name` if that is text.
    fn node(&mut self, at: usize, node: Node<'a>) {
        if !node.is_mapping() {
            let path = format!("/properties/nodes/{at}");
            let found = fault::wanted(node, &path, "a node", "a mapping");
            return self.found.push(found);
        }
        let region = node
            .at(&["data", "placement", "region_name"])
            .and_then(text);
        if region.is_none() {
            misplaced(node, at, &mut self.found);
        }
        self.add(region, 1);
    }

    fn counts(&mut self, map: Node<'a>) {
        if !map.is_mapping() {
            self.found.push(fault::wanted(
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
                    self.found.push(fault::wanted(
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

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::source::SourceId;
    use crate::yaml::{Limits, parse};

    /// The nodes of a long list are counted in runs.
    #[test]
    fn counts_and_faults_do_not_depend_on_threads() {
        let mut text = "nodes:\n".to_owned();
        for at in 0..3 * RUN {
            match at {
                9000 | 20_000 => text.push_str("- web\n"),
                at => writeln!(
                    text,
                    "- {{data: {{placement: {{region_name: r{}}}}}}}",
                    at % 7
                )
                .unwrap(),
            }
        }
        let parsed = parse(SourceId::default(), &text, 0..text.len(), Limits::default());
        let properties = parsed.tree.node(&text, parsed.documents[0]);
        let census = |jobs| Census::of(properties, jobs).owned();
        let one = census(1);
        assert_eq!(one.size, 3 * RUN as i128 - 2);
        assert_eq!(one.regions.values().sum::<i128>(), one.size);
        let pointers = |census: &Census<String>| -> Vec<_> {
            let found = census.found.diagnostics.iter();
            found.map(|found| found.pointer.clone()).collect()
        };
        assert_eq!(pointers(&one).len(), 2);
        assert!(format!("{:?}", pointers(&one)).contains("/properties/nodes/20000"));
        for jobs in [2, 3] {
            let several = census(jobs);
            assert_eq!(several.size, one.size);
            assert_eq!(several.regions, one.regions);
            assert_eq!(pointers(&several), pointers(&one));
        }
    }
}
