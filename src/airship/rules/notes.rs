//! Notes that a designer can act on although nothing is wrong: nodes, racks and groups that the
//! strategy does not mention.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::airship::Strategy;
use crate::airship::model::{Site, Text};
use crate::airship::rules;
use crate::diagnostic::{Diagnostic, Object, Rule, Sink};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::kit::plural::first_names;
use crate::source::Place;

/// How many names a note lists.
const SHOWN: usize = 10;

/// Where notes on a strategy of this name go.
struct Notes<'n> {
    name: Text<'n>,
    sink: &'n mut Sink,
}

impl Notes<'_> {
    /// One note about these names, if there are any; `what` is its text for one and for several.
    fn add(
        &mut self,
        rule: &'static Rule,
        what: [&str; 2],
        names: &[Text<'_>],
        label: &'static str,
        help: impl Into<Cow<'static, str>>,
    ) {
        let Some(first) = names.first() else { return };
        let shown = first_names(names.iter().map(|word| word.text), SHOWN);
        let place = if first.place == Place::default() {
            self.name.place
        } else {
            first.place
        };
        let what = match names {
            [_] => format!("1 {}", what[0]),
            many => format!("{} {}", many.len(), what[1]),
        };
        let message = format!("{what}: {shown}");
        self.sink.push(
            Diagnostic::new(rule, message)
                .at(place, label)
                .help(help)
                .object(Object::new("DeploymentStrategy", self.name.text)),
        );
    }
}

/// Notes on a planned site.
pub fn planned(strategy: &Strategy<'_, '_>, sink: &mut Sink) {
    let (site, plan) = (strategy.site, &strategy.deployment);
    let Some(name) = site.strategy else {
        return;
    };
    let mut notes = Notes { name, sink };
    let unassigned: Vec<Text<'_>> = plan
        .unassigned
        .iter()
        .map(|node| site.nodes[*node as usize].name)
        .collect();
    notes.add(
        &rules::UNASSIGNED_NODES,
        [
            "node is in no group and is never deployed",
            "nodes are in no group and are never deployed",
        ],
        &unassigned,
        "in no group",
        "add a group or a selector that matches them",
    );
    let groups = || site.groups.iter().zip(&plan.members);
    let empty: Vec<Text<'_>> = groups()
        .filter(|(_, nodes)| nodes.is_empty())
        .map(|(group, _)| group.name)
        .collect();
    notes.add(
        &rules::EMPTY_GROUP,
        ["group has no nodes", "groups have no nodes"],
        &empty,
        "has no nodes",
        "correct the selectors, or remove the group",
    );
    let mut needed = vec![false; site.groups.len()];
    let needs = site.groups.iter().flat_map(|group| &group.depends_on);
    for group in needs.filter_map(|need| need.group) {
        needed[group as usize] = true;
    }
    let idle: Vec<Text<'_>> = groups()
        .zip(&needed)
        .filter(|((group, nodes), needed)| group.critical && nodes.is_empty() && !**needed)
        .map(|((group, _), _)| group.name)
        .collect();
    notes.add(
        &rules::IDLE_CRITICAL_GROUP,
        [
            "critical group has no nodes and nothing depends on it",
            "critical groups have no nodes and nothing depends on them",
        ],
        &idle,
        "cannot fail, so it stops nothing",
        "correct its selectors, or remove the group",
    );
    let lax: Vec<Text<'_>> = groups()
        .filter(|(group, nodes)| group.criteria.is_none() && !nodes.is_empty())
        .map(|(group, _)| group.name)
        .collect();
    notes.add(
        &rules::NO_CRITERIA,
        [
            "group has no success criteria and succeeds even when all its nodes fail",
            "groups have no success criteria and succeed even when all their nodes fail",
        ],
        &lax,
        "no `success_criteria`",
        "add criteria, or check them in a dependent group with the same nodes",
    );
    notes.add(
        &rules::UNCOVERED_RACK,
        [
            "rack has no node in any group",
            "racks have no node in any group",
        ],
        &strategy.uncovered_racks,
        "this rack",
        "add a group or a selector that matches their nodes",
    );
    unknown_values(site, &mut notes);
}

/// Names, tags and racks that a selector asks for and no node has.
fn unknown_values<'a>(site: &Site<'a>, notes: &mut Notes<'_>) {
    // All that is asked for, less what some host has.
    let selectors = || site.groups.iter().flat_map(|group| &group.selectors);
    let mut names: FxHashSet<&str> = selectors().flat_map(|one| &one.names).copied().collect();
    let mut tags: FxHashSet<&str> = selectors().flat_map(|one| &one.tags).copied().collect();
    let mut racks: FxHashSet<&str> = selectors().flat_map(|one| &one.racks).copied().collect();
    for node in site.nodes.iter() {
        names.remove(node.name.text);
    }
    for host in site.nodes.iter().chain(site.profiles.iter()) {
        for tag in &host.tags {
            tags.remove(tag.text);
        }
        if let Some(rack) = host.rack {
            racks.remove(rack.text);
        }
    }
    let hosts = || site.nodes.iter().chain(site.profiles.iter());
    let known = || {
        let names = site.nodes.iter().map(|node| node.name.text);
        let tags = hosts().flat_map(|host| host.tags.iter().map(|tag| tag.text));
        let racks = hosts().filter_map(|host| host.rack.map(|rack| rack.text));
        names.chain(tags).chain(racks)
    };
    let mut unknown: BTreeMap<&str, Text<'a>> = BTreeMap::new();
    for group in &site.groups {
        let place = group.name.place;
        for selector in &group.selectors {
            let names = selector.names.iter().filter(|name| names.contains(*name));
            let tags = selector.tags.iter().filter(|tag| tags.contains(*tag));
            let racks = selector.racks.iter().filter(|rack| racks.contains(*rack));
            for text in names.chain(tags).chain(racks) {
                unknown.entry(text).or_insert(Text { text, place });
            }
        }
    }
    let unknown: Vec<Text<'a>> = unknown.into_values().collect();
    notes.add(
        &rules::UNKNOWN_VALUE,
        [
            "selector value matches no node",
            "selector values match no node",
        ],
        &unknown,
        "selected here",
        match unknown.first().and_then(|word| nearest(word.text, known())) {
            Some(near) => did_you_mean(near),
            None => "correct the name, tag or rack, or remove it".to_owned(),
        },
    );
}
