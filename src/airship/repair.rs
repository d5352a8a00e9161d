//! The obstacles between a node and a group, and the edits that would remove them.

mod withstand;

use serde_json::json;

use super::Strategy;
use super::engine::inherit::{self, Effective};
use super::model::{Host, Selector};
use crate::document::{Document, Documents};
use crate::repair::{Obstacle, Remedy, Side, Target, all_of, step};

pub use withstand::withstand;

/// Ways to meet one selector that are offered, at most.
const WAYS: usize = 40;

/// The obstacles that keep a node out of a group: empty if it is in the group, `None` if either
/// name is unknown.
#[must_use]
pub fn obstacles<'a>(
    strategy: &Strategy<'_, 'a>,
    documents: &Documents<'a>,
    subject: &str,
    candidate: &str,
) -> Option<Vec<Obstacle>> {
    let site = strategy.site;
    let (group, node, group_is) = match site.group(subject) {
        Some(group) => (group, site.node(candidate)?, Side::Subject),
        None => (site.group(candidate)?, site.node(subject)?, Side::Candidate),
    };
    let node_is = match group_is {
        Side::Subject => Side::Candidate,
        Side::Candidate => Side::Subject,
    };
    let members = &strategy.deployment.members[group as usize];
    if members.binary_search(&node).is_ok() {
        return Some(Vec::new());
    }
    let host = &site.nodes[node as usize];
    let group = &site.groups[group as usize];
    let on_group = Target::holding(documents, group.name.place, group_is)?;
    let name = on_group.pointer_to(group.name.place)?;
    let finder = ObstacleFinder {
        host,
        effective: inherit::effective(site, node),
        list: format!("{}/selectors", name.strip_suffix("/name")?),
        on_group,
        on_node: Target::holding(documents, host.name.place, node_is)?,
    };
    let mut obstacle = Obstacle::new("selectors", "one of the selectors to hold");
    for (selector, at) in group.selectors.iter().zip(0..) {
        for remedy in finder.meet(selector, at) {
            obstacle.way(remedy.edits, remedy.blunt);
        }
    }
    let named = json!({"node_names": [host.name.text]});
    obstacle.one(finder.on_group.append(&finder.list, named));
    obstacle.blunt(finder.on_group.remove(&*finder.list));
    Some(vec![obstacle])
}

/// Whether the answer for a node depends on a document: other nodes are judged by themselves, but
/// those that documents may inherit from.
#[must_use]
pub fn needs(document: &Document<'_>, subject: &str, candidate: &str) -> bool {
    let text = |path: &[&str]| document.node.at(path).and_then(|node| node.text());
    let schema = text(&["schema"]).unwrap_or_default();
    let inherited = document.node.at(&["metadata", "labels"]).is_some();
    let asked = |name: &str| name == subject || name == candidate;
    !schema.starts_with("drydock/BaremetalNode/") || inherited || document.name().is_none_or(asked)
}

struct ObstacleFinder<'m, 'a> {
    host: &'m Host<'a>,
    effective: Effective<'a>,
    /// The pointer to the group's selectors.
    list: String,
    on_group: Target<'a>,
    on_node: Target<'a>,
}

impl ObstacleFinder<'_, '_> {
    /// The ways to meet a selector: each of its criteria that fails has to be met.
    fn meet(&self, selector: &Selector<'_>, at: usize) -> Vec<Remedy> {
        const TAGS: &str = "/data/metadata/tags";
        let mut missing: Vec<Vec<Remedy>> = Vec::new();
        let base = format!("{}/{at}", self.list);
        let mut criterion = |key: &str, obstacle: &mut Obstacle, own: Vec<String>| {
            for text in own {
                obstacle.one(self.on_group.append(&format!("{base}/{key}"), text));
            }
            obstacle.one(self.on_group.remove(format!("{base}/{key}")));
            missing.push(std::mem::take(&mut obstacle.remedies));
        };
        let name = self.host.name.text;
        if !selector.names.is_empty() && !selector.names.contains(&name) {
            let mut obstacle = Obstacle::new("", "");
            criterion("node_names", &mut obstacle, vec![name.to_owned()]);
        }
        let tags = &self.effective.tags;
        if !selector.tags.is_empty() && !tags.iter().any(|tag| selector.tags.contains(&tag.text)) {
            let mut obstacle = Obstacle::new("", "");
            for tag in selector.tags.iter().take(3) {
                obstacle.one(self.on_node.append(TAGS, *tag));
            }
            let own = tags.iter().take(3).map(|tag| tag.text.to_owned()).collect();
            criterion("node_tags", &mut obstacle, own);
        }
        let rack = self.effective.rack.map(|rack| rack.text);
        if !selector.racks.is_empty() && !rack.is_some_and(|rack| selector.racks.contains(&rack)) {
            let mut obstacle = Obstacle::new("", "");
            for rack in selector.racks.iter().take(3) {
                obstacle.one(self.on_node.set("/data/metadata/rack", *rack));
            }
            let own = rack.map(str::to_owned).into_iter().collect();
            criterion("rack_names", &mut obstacle, own);
        }
        let labels = &self.effective.labels;
        let hit = labels
            .iter()
            .any(|label| selector.labels.contains(&(label.key, label.value)));
        if !selector.labels.is_empty() && !hit {
            let mut obstacle = Obstacle::new("", "");
            for (key, value) in selector.labels.iter().take(3) {
                let pointer = format!("/data/metadata/owner_data/{}", step(key));
                obstacle.one(self.on_node.set(pointer, *value));
            }
            let own = labels.iter().take(3);
            let own = own.map(|label| format!("{}: {}", label.key, label.value));
            criterion("node_labels", &mut obstacle, own.collect());
        }
        all_of(&missing, WAYS)
    }
}
