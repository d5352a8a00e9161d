//! Why a node is in a group or not, and what a node's tags, labels and rack are and where
//! they come from.

use super::Strategy;
use super::engine::inherit::{self, Effective};
use super::model::{Group, Host, Selector, Site};
use crate::document::System;
use crate::source::Place;
use crate::why::{Candidate, DecidedBy, Verdict, Why};

/// The subjects that can be asked about: groups, then nodes.
pub fn subjects(site: &Site<'_>) -> impl Iterator<Item = String> {
    let (groups, nodes) = (site.groups.iter(), site.nodes.iter());
    let groups = groups.map(|group| group.name.text.to_owned());
    groups.chain(nodes.map(|node| node.name.text.to_owned()))
}

/// The reasons for a group or a node; none if the name is unknown. A group takes precedence over a
/// node of the same name. If the question names one node, only that node is checked for a group.
#[must_use]
pub fn why(strategy: &Strategy<'_, '_>, subject: &str, asked: Option<&str>) -> Option<Why> {
    let site = strategy.site;
    if let Some(group) = site.group(subject) {
        return Some(of_group(strategy, group, asked));
    }
    site.node(subject).map(|node| of_node(strategy, node))
}

fn of_group(strategy: &Strategy<'_, '_>, number: u32, asked: Option<&str>) -> Why {
    let (site, plan) = (strategy.site, &strategy.deployment);
    let group = &site.groups[number as usize];
    let members = &plan.members[number as usize];
    let nodes = match asked.and_then(|name| site.node(name)) {
        Some(node) => node..node + 1,
        None => 0..u32::try_from(site.nodes.len()).unwrap_or(u32::MAX),
    };
    let candidates = nodes.map(|node| {
        let host = &site.nodes[node as usize];
        let verdicts = verdicts(group, host, &inherit::effective(site, node));
        let chosen = members.binary_search(&node).is_ok();
        Candidate::new(host.name.text, chosen, verdicts)
    });
    let at = plan
        .order
        .iter()
        .position(|one| *one == number)
        .unwrap_or(0);
    let critical = if group.critical {
        "critical"
    } else {
        "not critical"
    };
    let mut steps = vec![format!(
        "group {} of {} in the order, {critical}",
        at + 1,
        plan.order.len()
    )];
    for need in &group.depends_on {
        steps.push(format!("after {}", need.name.text));
    }
    steps.push(match group.selectors.len() {
        0 => "no selectors: all nodes of the site".to_owned(),
        1 => "one selector: nodes that match all of its criteria".to_owned(),
        some => format!("{some} selectors: nodes that match all criteria of at least one of them"),
    });
    Why {
        steps,
        candidates: candidates.collect(),
        decided_by: Some(DecidedBy {
            stage: "selectors".to_owned(),
            reason: format!("{} of {} nodes", members.len(), site.nodes.len()),
        }),
        placed: true,
        ..Why::new(System::Airship, group.name.text)
    }
}

fn of_node(strategy: &Strategy<'_, '_>, node: u32) -> Why {
    let (site, plan) = (strategy.site, &strategy.deployment);
    let host = &site.nodes[node as usize];
    let effective = inherit::effective(site, node);
    let mut chosen = Vec::new();
    let mut candidates = Vec::new();
    for number in &plan.order {
        let group = &site.groups[*number as usize];
        let is = plan.members[*number as usize].binary_search(&node).is_ok();
        if is {
            chosen.push(group.name.text);
        }
        let verdicts = verdicts(group, host, &effective);
        candidates.push(Candidate::new(group.name.text, is, verdicts));
    }
    let reason = match chosen.as_slice() {
        [] => "in no group: it is never deployed".to_owned(),
        [first] => format!("in {first}"),
        [first, rest @ ..] => {
            format!(
                "in {first}, which handles it first, and in {}",
                rest.join(", ")
            )
        }
    };
    Why {
        steps: origins(site, host, &effective),
        candidates,
        decided_by: Some(DecidedBy {
            stage: "selectors".to_owned(),
            reason,
        }),
        placed: !chosen.is_empty(),
        ..Why::new(System::Airship, host.name.text)
    }
}

/// Rack, tags and labels in effect, each with the document that gives it.
fn origins(site: &Site<'_>, host: &Host<'_>, effective: &Effective<'_>) -> Vec<String> {
    let chain = chain(site, host);
    let from = |place: Place| {
        let gives = |host: &&&Host<'_>| {
            let tags = host
                .tags
                .iter()
                .chain(&host.rack)
                .any(|word| word.place == place);
            tags || host.labels.iter().any(|label| label.place == place)
        };
        match chain.iter().position(|one| gives(&one)) {
            Some(0) => "its own".to_owned(),
            Some(at) => format!("from the host profile {}", chain[at].name.text),
            None => "inherited".to_owned(),
        }
    };
    let mut steps = Vec::new();
    if chain.len() > 1 {
        let names: Vec<&str> = chain[1..].iter().map(|host| host.name.text).collect();
        steps.push(format!("inherits from {}", names.join(", then ")));
    }
    steps.push(match effective.rack {
        Some(rack) => format!("rack {} ({})", rack.text, from(rack.place)),
        None => "no rack".to_owned(),
    });
    for tag in &effective.tags {
        steps.push(format!("tag {} ({})", tag.text, from(tag.place)));
    }
    for label in &effective.labels {
        steps.push(format!(
            "label {}: {} ({})",
            label.key,
            label.value,
            from(label.place)
        ));
    }
    steps
}

/// The host and the profiles above it; a cycle is not followed twice.
fn chain<'s, 'a>(site: &'s Site<'a>, host: &'s Host<'a>) -> Vec<&'s Host<'a>> {
    let mut chain = vec![host];
    let mut next = host.parent;
    while let Some(at) = next {
        let profile = &site.profiles[at as usize];
        if chain.len() > site.profiles.len() {
            break;
        }
        chain.push(profile);
        next = profile.parent;
    }
    chain
}

/// One verdict for each criterion of each selector.
fn verdicts(group: &Group<'_>, host: &Host<'_>, is: &Effective<'_>) -> Vec<Verdict> {
    if group.selectors.is_empty() {
        let all = Verdict::new("no selectors", true, "the group has all nodes");
        return vec![all.at(group.name.place, "this group")];
    }
    let mut all = Vec::new();
    for (selector, number) in group.selectors.iter().zip(1..) {
        if selector.is_empty() {
            let verdict = Verdict::new(format!("selector {number}"), true, "it has no criteria");
            all.push(verdict.at(selector.place, "this selector"));
            continue;
        }
        all.extend(criteria(selector, host, is, number));
    }
    all
}

fn criteria(
    selector: &Selector<'_>,
    host: &Host<'_>,
    is: &Effective<'_>,
    number: usize,
) -> Vec<Verdict> {
    let verdict = |key: &str, asked: &[&str], found: Vec<&str>, hit: Option<(&str, Place)>| {
        let stage = format!("selector {number} {key}");
        let found = if found.is_empty() {
            "none".to_owned()
        } else {
            found.join(", ")
        };
        let reason = match hit {
            Some((text, _)) => format!("{text} is required"),
            None => "none of these".to_owned(),
        };
        let verdict = Verdict::new(stage, hit.is_some(), reason)
            .compared(asked.join(", "), found)
            .at(selector.place, "this selector");
        match hit {
            Some((text, place)) => verdict.at(place, text.to_owned()),
            None => verdict,
        }
    };
    let mut all = Vec::new();
    if !selector.names.is_empty() {
        let name = host.name.text;
        let hit = selector
            .names
            .contains(&name)
            .then_some((name, host.name.place));
        all.push(verdict("node_names", &selector.names, vec![name], hit));
    }
    if !selector.tags.is_empty() {
        let tags: Vec<&str> = is.tags.iter().map(|tag| tag.text).collect();
        let hit = is.tags.iter().find(|tag| selector.tags.contains(&tag.text));
        let hit = hit.map(|tag| (tag.text, tag.place));
        all.push(verdict("node_tags", &selector.tags, tags, hit));
    }
    if !selector.racks.is_empty() {
        let hit = is.rack.filter(|rack| selector.racks.contains(&rack.text));
        let hit = hit.map(|rack| (rack.text, rack.place));
        let rack = is.rack.map(|rack| rack.text).into_iter().collect();
        all.push(verdict("rack_names", &selector.racks, rack, hit));
    }
    if !selector.labels.is_empty() {
        let pair = |(key, value): &(&str, &str)| format!("{key}: {value}");
        let asked: Vec<String> = selector.labels.iter().map(pair).collect();
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        let keys = |key: &str| selector.labels.iter().any(|(wanted, _)| *wanted == key);
        let near = is.labels.iter().filter(|label| keys(label.key));
        let found: Vec<String> = near
            .map(|label| format!("{}: {}", label.key, label.value))
            .collect();
        let hit = is
            .labels
            .iter()
            .find(|label| selector.labels.contains(&(label.key, label.value)));
        let hit = hit.map(|label| (label.value, label.place));
        let found = found.iter().map(String::as_str).collect();
        all.push(verdict("node_labels", &asked, found, hit));
    }
    all
}
