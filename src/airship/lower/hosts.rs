//! Nodes and profiles: lowering, and the checks that Drydock makes of them.
//! Source: Airship deployment strategy, sections 5 and 13.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Holes;
use super::near::Near;
use crate::airship::layering::Rendered;
use crate::airship::model::{Host, Label, Site, Word};
use crate::airship::rules;
use crate::diagnostic::{Diagnostic, Object, Severity, Sink};
use crate::kit::dag::Dag;
use crate::kit::nearest::nearest;
use crate::source::Place;
use crate::yaml::Node;

/// The kinds that Drydock knows.
const DRYDOCK: [&str; 8] = [
    "BaremetalNode",
    "BootAction",
    "HardwareProfile",
    "HostProfile",
    "Network",
    "NetworkLink",
    "Rack",
    "Region",
];

pub(super) fn word(node: Node<'_>) -> Option<Word<'_>> {
    Some(Word {
        text: node.text()?,
        place: node.place(),
    })
}

fn host<'a>(document: &Rendered<'a>) -> Host<'a> {
    let data = document.data();
    let field = |key: &str| data.and_then(|data| data.get(key)).and_then(word);
    let metadata = data.and_then(|data| data.get("metadata"));
    let part = |key: &str| metadata.and_then(|metadata| metadata.get(key));
    let label = |(key, value): (Node<'a>, Node<'a>)| {
        Some(Label {
            key: key.text()?,
            value: value.text()?,
            place: value.place(),
        })
    };
    Host {
        name: Word {
            text: document.raw.name,
            place: document.raw.place,
        },
        host_profile: field("host_profile"),
        parent: None,
        hardware_profile: field("hardware_profile"),
        tags: part("tags")
            .into_iter()
            .flat_map(Node::items)
            .filter_map(word)
            .collect(),
        labels: part("owner_data")
            .into_iter()
            .flat_map(Node::entries)
            .filter_map(label)
            .collect(),
        rack: part("rack").and_then(word),
    }
}

/// Reads nodes and profiles into the site and checks them as Drydock does.
pub(super) fn hosts<'a>(
    rendered: &[Rendered<'a>],
    holes: &Holes<'a>,
    site: &mut Site<'a>,
    sink: &mut Sink,
) {
    let mut hardware: FxHashMap<&str, Place> = FxHashMap::default();
    for document in rendered {
        let Some(kind) = document.raw.schema.strip_prefix("drydock/") else {
            continue;
        };
        match kind {
            "BaremetalNode/v1" => {
                if let Some(fault) = unusable_node(document) {
                    sink.push(fault);
                }
                site.nodes.push(host(document));
            }
            "HostProfile/v1" => site.profiles.push(host(document)),
            "HardwareProfile/v1" => {
                hardware.insert(document.raw.name, document.raw.place);
            }
            _ => {
                let known = kind
                    .strip_suffix("/v1")
                    .is_some_and(|kind| DRYDOCK.contains(&kind));
                if !known {
                    sink.push(unknown_kind(document));
                }
                continue;
            }
        }
        if let Some(fault) = unusable_host(document) {
            sink.push(fault);
        }
    }
    site.nodes
        .sort_by(|one, two| one.name.text.cmp(two.name.text));
    site.profiles
        .sort_by(|one, two| one.name.text.cmp(two.name.text));
    resolve(site, &hardware, holes, sink);
}

fn unusable(document: &Rendered<'_>, message: String, place: Place, label: &str) -> Diagnostic {
    Diagnostic::new(&rules::UNUSABLE_DOCUMENT, message)
        .at(place, label)
        .upstream("DD000")
        .object(document.raw.object())
}

fn unknown_kind(document: &Rendered<'_>) -> Diagnostic {
    let schema = document.raw.root.get("schema").unwrap_or(document.raw.root);
    let message = format!("Drydock knows no document `{}`", document.raw.schema);
    let found = unusable(document, message, schema.place(), "this schema");
    match nearest(document.raw.kind(), DRYDOCK) {
        Some(near) => found.help(format!("did you mean `drydock/{near}/v1`?")),
        None => found.help(format!(
            "the kinds of Drydock are {}, all of v1",
            DRYDOCK.join(", ")
        )),
    }
}

/// A node needs an address, and each of its entries one.
fn unusable_node(document: &Rendered<'_>) -> Option<Diagnostic> {
    let name = document.raw.name;
    let entry = document.data().and_then(|data| data.entry("addressing"));
    let Some((key, addresses)) = entry.filter(|(_, addresses)| !addresses.is_empty()) else {
        let place = entry.map_or(document.raw.place, |(key, _)| key.place());
        let message = format!("node `{name}` has no address");
        let found = unusable(document, message, place, "no `addressing` entry");
        return Some(found.help("give it one: `addressing: [{network: …, address: …}]`"));
    };
    let without = addresses.items().find(|address| {
        address
            .get("address")
            .and_then(Node::text)
            .unwrap_or("")
            .is_empty()
    })?;
    let place = without
        .entries()
        .next()
        .map_or(key.place(), |(key, _)| key.place());
    let message = format!("node `{name}` has an `addressing` entry without an address");
    let found = unusable(document, message, place, "no `address` in this entry");
    Some(found.help("give it an address, or `dhcp`"))
}

/// Parameters must be single values: Drydock turns each into text.
fn unusable_host(document: &Rendered<'_>) -> Option<Diagnostic> {
    let data = document.data()?;
    let places: [&[&str]; 2] = [&["oob"], &["platform", "kernel_params"]];
    let entries = places
        .iter()
        .filter_map(|path| data.at(path))
        .flat_map(Node::entries);
    let mut bad = entries.filter(|(key, value)| {
        let secret = document.raw.lenient && key.text() == Some("credential");
        !secret && (!value.is_scalar() || value.is_null())
    });
    let (key, _) = bad.next()?;
    let text = key.text().unwrap_or("");
    let message = format!("`{text}` of `{}` is no single value", document.raw.name);
    let found = unusable(document, message, key.place(), "empty, a list or a mapping");
    Some(found.help("write it as one text"))
}

/// Names of profiles to the profiles; rings and unknown names are told. What no node uses
/// cannot break anything, so it is a warning there.
fn resolve<'a>(
    site: &mut Site<'a>,
    hardware: &FxHashMap<&'a str, Place>,
    holes: &Holes<'a>,
    sink: &mut Sink,
) {
    let index: FxHashMap<&str, u32> = site
        .profiles
        .iter()
        .map(|profile| profile.name.text)
        .zip(0..)
        .collect();
    let parent = |host: &Host<'_>| {
        host.host_profile
            .and_then(|name| index.get(name.text).copied())
    };
    let parents: Vec<Option<u32>> = site.profiles.iter().map(parent).collect();
    let of_nodes: Vec<Option<u32>> = site.nodes.iter().map(parent).collect();
    for (profile, parent) in site.profiles.iter_mut().zip(&parents) {
        profile.parent = *parent;
    }
    for (node, parent) in site.nodes.iter_mut().zip(of_nodes) {
        node.parent = parent;
    }
    let used = used(site);
    let mut told: FxHashSet<Place> = FxHashSet::default();
    let mut near = Near::new(site.profiles.iter().map(|profile| profile.name.text));
    let mut unknown = |host: &Host<'a>, kind: &str, severity: Severity| {
        let (Some(name), None) = (host.host_profile, host.parent) else {
            return;
        };
        if holes.contains(&("drydock/HostProfile/v1", name.text)) || !told.insert(name.place) {
            return;
        }
        let message = format!("there is no host profile `{}`", name.text);
        let near = near.nearest(name.text);
        sink.push(
            Diagnostic::new(&rules::UNKNOWN_HOST_PROFILE, message)
                .at(name.place, "no such profile")
                .help(near.map_or_else(
                    || format!("add a drydock/HostProfile/v1 named `{}`", name.text),
                    |near| format!("did you mean `{near}`?"),
                ))
                .upstream("DesignError")
                .object(Object::new(kind, host.name.text))
                .severity(severity),
        );
    };
    let level = |used: bool| {
        if used {
            Severity::Error
        } else {
            Severity::Warning
        }
    };
    for (profile, used) in site.profiles.iter().zip(&used) {
        unknown(profile, "HostProfile", level(*used));
    }
    for node in &site.nodes {
        unknown(node, "BaremetalNode", Severity::Error);
    }
    let ringed = rings(site, &parents, &used, sink);
    hardware_of(site, hardware, holes, &ringed, sink);
}

/// The profiles that some node inherits from, directly or not.
fn used(site: &Site<'_>) -> Vec<bool> {
    let mut used = vec![false; site.profiles.len()];
    for node in &site.nodes {
        let mut next = node.parent;
        while let Some(at) = next.filter(|at| !used[*at as usize]) {
            used[at as usize] = true;
            next = site.profiles[at as usize].parent;
        }
    }
    used
}

/// Tells the rings; which profiles stand on or below one.
fn rings(site: &Site<'_>, parents: &[Option<u32>], used: &[bool], sink: &mut Sink) -> Vec<bool> {
    let needs: Vec<Vec<u32>> = parents
        .iter()
        .map(|parent| parent.iter().copied().collect())
        .collect();
    let graph = Dag::new(&needs);
    for ring in graph.cycles() {
        let ring: Vec<u32> = ring.into_iter().rev().collect();
        let profile = |number: &u32| &site.profiles[*number as usize];
        let names: Vec<&str> = ring.iter().map(|one| profile(one).name.text).collect();
        let message = if names.len() == 1 {
            format!("host profile `{}` inherits from itself", names[0])
        } else {
            format!(
                "host profiles inherit in a ring: {} -> {}",
                names.join(" -> "),
                names[0]
            )
        };
        let at = |number: &u32| {
            profile(number)
                .host_profile
                .map_or(Place::default(), |n| n.place)
        };
        let mut found = Diagnostic::new(&rules::PROFILE_RING, message)
            .at(at(&ring[0]), "inherits from here")
            .help("take one `host_profile` out")
            .upstream("RecursionError")
            .object(Object::new("HostProfile", names[0]));
        for one in &ring[1..] {
            found = found.related(at(one), "and on from here");
        }
        let level = if ring.iter().any(|one| used[*one as usize]) {
            Severity::Error
        } else {
            Severity::Warning
        };
        sink.push(found.severity(level));
    }
    let mut ringed = vec![true; site.profiles.len()];
    for fine in graph.waves().into_iter().flatten() {
        ringed[fine as usize] = false;
    }
    ringed
}

/// Every node needs a hardware profile that is there.
fn hardware_of<'a>(
    site: &Site<'a>,
    hardware: &FxHashMap<&'a str, Place>,
    holes: &Holes<'a>,
    ringed: &[bool],
    sink: &mut Sink,
) {
    // Per profile: the word in force, `None` without one; unset while unknown.
    let mut of_profile: Vec<Option<Option<Word<'a>>>> = vec![None; site.profiles.len()];
    let mut chain = Vec::new();
    for start in 0..site.profiles.len() {
        let mut next = Some(start).filter(|at| !ringed[*at]);
        while let Some(at) = next.filter(|at| of_profile[*at].is_none()) {
            chain.push(at);
            next = site.profiles[at].parent.map(|parent| parent as usize);
        }
        while let Some(at) = chain.pop() {
            let profile = &site.profiles[at];
            let above = profile
                .parent
                .and_then(|parent| of_profile[parent as usize])
                .flatten();
            of_profile[at] = Some(over(profile, above));
        }
    }
    let mut told: FxHashSet<Place> = FxHashSet::default();
    let mut names: Vec<&str> = hardware.keys().copied().collect();
    names.sort_unstable();
    let mut near = Near::new(names.into_iter());
    for node in &site.nodes {
        let hole = node.host_profile.is_some() && node.parent.is_none()
            || node
                .parent
                .is_some_and(|parent| broken(site, parent, ringed));
        if hole {
            continue;
        }
        let above = node
            .parent
            .and_then(|parent| of_profile[parent as usize])
            .flatten();
        let object = Object::new("BaremetalNode", node.name.text);
        match over(node, above) {
            None => sink.push(
                Diagnostic::new(
                    &rules::NO_HARDWARE_PROFILE,
                    format!("node `{}` has no hardware profile", node.name.text),
                )
                .at(node.name.place, "neither its own nor inherited")
                .help("set `hardware_profile` in the node or one of its host profiles")
                .upstream("ValueError")
                .object(object),
            ),
            Some(word) if holes.contains(&("drydock/HardwareProfile/v1", word.text)) => {}
            Some(word) if !hardware.contains_key(word.text) && told.insert(word.place) => {
                let near = near.nearest(word.text);
                sink.push(
                    Diagnostic::new(
                        &rules::UNKNOWN_HARDWARE_PROFILE,
                        format!("there is no hardware profile `{}`", word.text),
                    )
                    .at(word.place, "no such profile")
                    .help(near.map_or_else(
                        || format!("add a drydock/HardwareProfile/v1 named `{}`", word.text),
                        |near| format!("did you mean `{near}`?"),
                    ))
                    .upstream("DesignError")
                    .object(object),
                );
            }
            Some(_) => {}
        }
    }
}

/// Whether inheritance from a profile ends in a ring or in an unknown name.
fn broken(site: &Site<'_>, profile: u32, ringed: &[bool]) -> bool {
    let mut next = Some(profile);
    while let Some(at) = next {
        let profile = &site.profiles[at as usize];
        if ringed[at as usize] || profile.host_profile.is_some() && profile.parent.is_none() {
            return true;
        }
        next = profile.parent;
    }
    false
}

/// A host's own hardware profile over the inherited one; `!` takes it away where there is a
/// parent.
fn over<'a>(host: &Host<'a>, above: Option<Word<'a>>) -> Option<Word<'a>> {
    match host.hardware_profile {
        Some(word) if word.text == "!" && host.parent.is_some() => None,
        Some(word) => Some(word),
        None => above,
    }
}
