//! Where the documents of region placement name a region.

use crate::yaml::Node;

use super::lower::value::{python, text};

/// Every entry of a document that is about a region: its name, and the entry. Entries of the
/// policy, of the known regions, of the counts, and the nodes of the region.
#[must_use]
pub fn regions_in(document: Node<'_>) -> Vec<(String, Node<'_>)> {
    let list = |key| {
        let list = document.at(&["properties", key]);
        list.into_iter().flat_map(Node::items)
    };
    let mut found = Vec::new();
    for entry in list("regions") {
        let name = entry.get("name").map(python);
        found.extend(name.map(|name| (name.into_owned(), entry)));
    }
    for entry in list("known_regions") {
        found.push((python(entry).into_owned(), entry));
    }
    for node in list("nodes") {
        let region = node.at(&["data", "placement", "region_name"]);
        let name = region.and_then(text);
        found.extend(name.map(|name| (name.to_owned(), node)));
    }
    let counts = document.at(&["properties", "node_counts"]);
    for (key, count) in counts.into_iter().flat_map(Node::entries) {
        found.extend(text(key).map(|name| (name.to_owned(), count)));
    }
    found
}
