//! Clusters and Nodes.

use super::exact;
use super::reader::{Reader, Reference, list, present};
use crate::diagnostic::{Diagnostic, Sink};
use crate::kit::quantity::Quantity;
use crate::ogc::model::{
    AccessMode, Cluster, Label, Node, StorageType, VolumeMode, VolumeProvider,
};
use crate::ogc::rules;
use crate::yaml;

/// A Cluster whose Projects are still names.
pub(super) struct LooseCluster<'a> {
    pub(super) cluster: Cluster<'a>,
    pub(super) projects: Vec<Reference<'a>>,
}

/// A Node document, whose Cluster is still a name.
pub(super) struct LooseNode<'a> {
    pub(super) node: Node<'a>,
    pub(super) cluster: Reference<'a>,
}

/// Reads a Cluster document.
pub(super) fn cluster<'a>(root: yaml::Node<'a>, sink: &mut Sink) -> Option<LooseCluster<'a>> {
    let mut reader = Reader::new(root, "Cluster", sink);
    let own = reader.own_name();
    reader.unread(&["annotations"]);
    let created = reader.created();
    let mut cluster = Cluster {
        name: own.name,
        place: own.place,
        created,
        labels: labels(&mut reader, root.get("metadata")),
        ..Cluster::default()
    };
    let mut projects = Vec::new();
    if let Some(spec) = present(root, "spec") {
        projects = list(spec, "projects")
            .map(|node| reader.name(node))
            .collect();
        cluster.nodes = exact(list(spec, "nodes").map(|node| {
            let own = reader.name_at(node, "name");
            self::node(&mut reader, own, Some(node), present(node, "allocatable"))
        }));
        cluster.providers =
            exact(list(spec, "volumeProviders").map(|node| provider(&mut reader, node)));
    }
    let status = present(root, "status").and_then(|status| present(status, "phase"));
    cluster.status = status.map(|node| (reader.text(node), node.place()));
    let dated = root.at(&["metadata", "creationTimestamp"]);
    let dated = dated.is_some_and(|time| !time.is_null());
    rules::check_cluster(&cluster, (projects.is_empty(), dated), |found| {
        reader.report(found);
    });
    reader.accept(LooseCluster { cluster, projects })
}

/// Reads a Node document.
pub(super) fn node_document<'a>(root: yaml::Node<'a>, sink: &mut Sink) -> Option<LooseNode<'a>> {
    let mut reader = Reader::new(root, "Node", sink);
    let own = reader.own_name();
    reader.unread(&["annotations"]);
    let cluster = match root.get("spec") {
        Some(spec) => reader.name_at(spec, "cluster"),
        None => Reference::default(),
    };
    let status = present(root, "status");
    let allocatable = status.and_then(|status| present(status, "allocatable"));
    let node = node(&mut reader, own, root.get("metadata"), allocatable);
    reader.accept(LooseNode { node, cluster })
}

fn node<'a>(
    reader: &mut Reader<'_, 'a>,
    own: Reference<'a>,
    labelled: Option<yaml::Node<'a>>,
    allocatable: Option<yaml::Node<'a>>,
) -> Node<'a> {
    let mut amount = |key| allocatable.and_then(|node| reader.quantity_at(node, key));
    let (cpu, memory) = (amount("cpu"), amount("memory"));
    for (key, value) in allocatable.into_iter().flat_map(yaml::Node::entries) {
        if !value.is_null() && !matches!(key.text(), Some("cpu" | "memory")) {
            reader.quantity(value);
        }
    }
    let missing = match (cpu, memory) {
        (None, None) => Some("CPU and memory"),
        (None, _) => Some("CPU"),
        (_, None) => Some("memory"),
        _ => None,
    };
    if let Some(missing) = missing {
        let message = format!("Node `{}` does not state its {missing}", own.name);
        reader.report(
            Diagnostic::new(&rules::NODE_WITHOUT_FIGURES, message)
                .at(own.place, "counts as having none")
                .help("add it to `allocatable`"),
        );
    }
    Node {
        name: own.name,
        place: own.place,
        labels: labels(reader, labelled),
        cpu: cpu.unwrap_or(Quantity::ZERO),
        memory: memory.unwrap_or(Quantity::ZERO),
        allocatable: allocatable.map_or(own.place, yaml::Node::place),
    }
}

fn labels<'a>(reader: &mut Reader<'_, 'a>, owner: Option<yaml::Node<'a>>) -> Box<[Label<'a>]> {
    let Some(labels) = owner.and_then(|owner| present(owner, "labels")) else {
        return Box::default();
    };
    let label = |(key, value): (yaml::Node<'a>, yaml::Node<'a>)| {
        let place = key.place();
        let key = reader.text(key);
        rules::check_key(key, place, |found| reader.report(found));
        Label {
            key,
            value: reader.text(value),
            place: value.place(),
        }
    };
    labels.entries().map(label).collect()
}

fn provider<'a>(reader: &mut Reader<'_, 'a>, node: yaml::Node<'a>) -> VolumeProvider<'a> {
    let own = reader.name_at(node, "name");
    let words = |key| present(node, key).map(|list| list.items().filter_map(yaml::Node::text));
    VolumeProvider {
        name: own.name,
        place: own.place,
        storage: reader
            .word_at(node, "type", StorageType::from_word)
            .unwrap_or(StorageType::StandardHDD),
        modes: words("modes").map(|words| words.filter_map(VolumeMode::from_word).collect()),
        access_modes: words("accessModes")
            .map(|words| words.filter_map(AccessMode::from_word).collect()),
        max_volume: reader.quantity_at(node, "maxVolume"),
    }
}
