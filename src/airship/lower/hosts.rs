//! Nodes and profiles: lowering, and the checks that Drydock makes of them.
//! Source: Drydock, `doc/source/topology.rst`.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Omitted;
use super::near::Near;
use crate::airship::layering::Rendered;
use crate::airship::model::{Host, Label, Site, Text};
use crate::airship::rules;
use crate::diagnostic::{Diagnostic, Object, Severity, Sink};
use crate::kit::dag::Dag;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::parallel;
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

pub(super) fn word(node: Node<'_>) -> Option<Text<'_>> {
    Some(Text {
        text: node.text()?,
        place: node.place(),
    })
}

/// The fields of a host's data that are checked, found in one pass over its keys.
#[derive(Default)]
struct Fields<'a> {
    host_profile: Option<Node<'a>>,
    hardware_profile: Option<Node<'a>>,
    /// Key and value.
    addressing: Option<(Node<'a>, Node<'a>)>,
    oob: Option<Node<'a>>,
    platform: Option<Node<'a>>,
    tags: Option<Node<'a>>,
    labels: Option<Node<'a>>,
    rack: Option<Node<'a>>,
}

impl<'a> Fields<'a> {
    fn new(document: &Rendered<'a>) -> Self {
        let mut fields = Self::default();
        let mut metadata = None;
        for (key, value) in document.data().into_iter().flat_map(Node::entries) {
            match key.text() {
                Some("host_profile") => fields.host_profile = Some(value),
                Some("hardware_profile") => fields.hardware_profile = Some(value),
                Some("addressing") => fields.addressing = Some((key, value)),
                Some("oob") => fields.oob = Some(value),
                Some("platform") => fields.platform = Some(value),
                Some("metadata") => metadata = Some(value),
                _ => {}
            }
        }
        for (key, value) in metadata.into_iter().flat_map(Node::entries) {
            match key.text() {
                Some("tags") => fields.tags = Some(value),
                Some("owner_data") => fields.labels = Some(value),
                Some("rack") => fields.rack = Some(value),
                _ => {}
            }
        }
        fields
    }

    fn host(&self, name: Text<'a>) -> Host<'a> {
        let label = |(key, value): (Node<'a>, Node<'a>)| {
            Some(Label {
                key: key.text()?,
                value: value.text()?,
                place: value.place(),
            })
        };
        // Room for just as many: lists that grow take four at least, for every node of the site.
        let size = |node: Option<Node<'_>>| node.map_or(0, Node::len);
        let mut tags = Vec::with_capacity(size(self.tags));
        tags.extend(self.tags.into_iter().flat_map(Node::items).filter_map(word));
        let mut labels = Vec::with_capacity(size(self.labels));
        let entries = self.labels.into_iter().flat_map(Node::entries);
        labels.extend(entries.filter_map(label));
        Host {
            name,
            host_profile: self.host_profile.and_then(word),
            parent: None,
            hardware_profile: self.hardware_profile.and_then(word),
            tags,
            labels,
            rack: self.rack.and_then(word),
            addresses: self.addresses(),
        }
    }

    fn addresses(&self) -> Box<[(&'a str, &'a str)]> {
        let entries = self.addressing.into_iter().flat_map(|(_, all)| all.items());
        let text = |entry: Node<'a>, key: &str| entry.get(key)?.text();
        let address = |entry| Some((text(entry, "network")?, text(entry, "address")?));
        entries.filter_map(address).collect()
    }
}

/// The content of some of Drydock's documents, in their order.
#[derive(Default)]
struct Drydock<'a> {
    nodes: Vec<Host<'a>>,
    profiles: Vec<Host<'a>>,
    /// Names of hardware profiles.
    hardware: Vec<&'a str>,
    found: Sink,
}

impl<'a> Drydock<'a> {
    fn read(documents: &[Rendered<'a>], known: Option<&Hosts<'a>>) -> Self {
        let mut all = Self::default();
        for document in documents {
            let Some(kind) = document.schema.strip_prefix(SCHEMA) else {
                continue;
            };
            match known.and_then(|known| known.node(document, kind)) {
                Some(node) => all.nodes.push(node.clone()),
                None => all.add(document, kind),
            }
        }
        // Runs in order make the sorting of all of them a merge.
        all.nodes.sort_by_key(|node| node.name.text);
        all
    }

    fn add(&mut self, document: &Rendered<'a>, kind: &str) {
        let fields = Fields::new(document);
        let name = Text {
            text: document.name,
            place: document.place,
        };
        let mut fault = None;
        match kind {
            NODE => {
                fault = unusable_node(document, &fields);
                self.nodes.push(fields.host(name));
            }
            "HostProfile/v1" => self.profiles.push(fields.host(name)),
            "HardwareProfile/v1" => self.hardware.push(name.text),
            _ => {
                let known = kind
                    .strip_suffix("/v1")
                    .is_some_and(|kind| DRYDOCK.contains(&kind));
                if !known {
                    self.found.push(unknown_kind(document));
                }
                return;
            }
        }
        let faults = fault.into_iter().chain(unusable_host(document, &fields));
        faults.for_each(|fault| self.found.push(fault));
    }
}

/// The prefix of the schemas of Drydock's documents.
const SCHEMA: &str = "drydock/";
/// The rest of a node's schema.
const NODE: &str = "BaremetalNode/v1";

/// The nodes and profiles of a site, checked as Drydock does.
#[derive(Debug, Clone)]
pub(in crate::airship) struct Hosts<'a> {
    pub(super) nodes: Arc<Vec<Host<'a>>>,
    pub(super) profiles: Arc<Vec<Host<'a>>>,
    pub(super) found: Sink,
    /// How many documents they were read from.
    documents: usize,
}

impl<'a> Hosts<'a> {
    /// The known host of a node that has not changed. A faulty node refuses its site, so every
    /// known node is sound.
    fn node(&self, document: &Rendered<'a>, kind: &str) -> Option<&Host<'a>> {
        if !document.known || kind != NODE {
            return None;
        }
        let named = |node: &Host<'a>| node.name.text.cmp(document.name);
        let at = self.nodes.binary_search_by(named).ok()?;
        Some(&self.nodes[at]).filter(|node| node.name.place == document.place)
    }

    /// Whether these documents of a site made from this one's say the same: none has changed, none
    /// has come or gone.
    pub(super) fn are_those_of(&self, rendered: &[Rendered<'_>]) -> bool {
        of_drydock(rendered).all(|document| document.known)
            && of_drydock(rendered).count() == self.documents
    }
}

fn of_drydock<'r, 'a>(rendered: &'r [Rendered<'a>]) -> impl Iterator<Item = &'r Rendered<'a>> {
    let all = rendered.iter();
    all.filter(|document| document.schema.starts_with(SCHEMA))
}

/// Reads nodes and profiles and checks them as Drydock does. `before` are the hosts of the site
/// that this one was made from; nodes that have not changed are taken from there.
pub(super) fn hosts<'a>(
    rendered: &[Rendered<'a>],
    before: Option<&Hosts<'a>>,
    omitted: &Omitted<'a>,
    jobs: usize,
) -> Hosts<'a> {
    let (mut nodes, mut profiles, mut hardware) = (Vec::new(), Vec::new(), Vec::new());
    let mut found = Sink::default();
    let read = |run: &[Rendered<'a>]| Drydock::read(run, before);
    for mut part in parallel::map_runs(jobs, rendered, read) {
        nodes.append(&mut part.nodes);
        profiles.append(&mut part.profiles);
        hardware.append(&mut part.hardware);
        found.append(part.found);
    }
    nodes.sort_by_key(|node| node.name.text);
    profiles.sort_by_key(|profile| profile.name.text);
    hardware.sort_unstable();
    hardware.dedup();
    link(&mut nodes, &mut profiles);
    let site = Site {
        nodes: Arc::new(nodes),
        profiles: Arc::new(profiles),
        ..Site::default()
    };
    resolve(&site, &hardware, omitted, &mut found);
    Hosts {
        nodes: site.nodes,
        profiles: site.profiles,
        found,
        documents: of_drydock(rendered).count(),
    }
}

fn unusable(
    document: &Rendered<'_>,
    message: String,
    place: Place,
    label: &'static str,
) -> Diagnostic {
    Diagnostic::new(&rules::UNUSABLE_DOCUMENT, message)
        .at(place, label)
        .upstream("DD000")
        .object(document.object())
}

fn unknown_kind(document: &Rendered<'_>) -> Diagnostic {
    let schema = document.root.get("schema").unwrap_or(document.root);
    let message = format!("Drydock does not know the schema `{}`", document.schema);
    let found = unusable(document, message, schema.place(), "this schema");
    match nearest(document.kind(), DRYDOCK) {
        Some(near) => found.help(did_you_mean(&format!("drydock/{near}/v1"))),
        None => found.help(format!("Drydock knows {}, all of v1", DRYDOCK.join(", "))),
    }
}

/// A node needs an address, and each of its entries one.
fn unusable_node(document: &Rendered<'_>, fields: &Fields<'_>) -> Option<Diagnostic> {
    let name = document.name;
    let entry = fields.addressing;
    let Some((key, addresses)) = entry.filter(|(_, addresses)| !addresses.is_empty()) else {
        let place = entry.map_or(document.place, |(key, _)| key.place());
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
    let named = |key: &&str| without.get(key).is_some_and(Node::is_scalar);
    let written = ["ip", "ip_address", "addr"].into_iter().find(named);
    Some(found.help(match written {
        Some(key) => format!("write `address` instead of `{key}`"),
        None => "give it an address, or `dhcp`".to_owned(),
    }))
}

/// Parameters must be single values: Drydock turns each into text.
fn unusable_host(document: &Rendered<'_>, fields: &Fields<'_>) -> Option<Diagnostic> {
    let kernel = fields.platform.and_then(|node| node.get("kernel_params"));
    let sections = fields.oob.into_iter().chain(kernel);
    let mut bad = sections.flat_map(Node::entries).filter(|(key, value)| {
        let secret = document.lenient && key.text() == Some("credential");
        !secret && (!value.is_scalar() || value.is_null())
    });
    let (key, _) = bad.next()?;
    let text = key.text().unwrap_or("");
    let message = format!("`{text}` of `{}` is not a single value", document.name);
    let found = unusable(document, message, key.place(), "empty, a list or a mapping");
    Some(found.help("write a single value"))
}

/// Names of profiles to the profiles.
fn link<'a>(nodes: &mut [Host<'a>], profiles: &mut [Host<'a>]) {
    let names = profiles.iter().map(|profile| profile.name.text);
    let index: FxHashMap<&str, u32> = names.zip(0..).collect();
    for host in profiles.iter_mut().chain(nodes) {
        let name = host.host_profile.map(|name| name.text);
        host.parent = name.and_then(|name| index.get(name).copied());
    }
}

/// Reports cycles and unknown names. What no node uses cannot break anything, so it is a warning
/// there.
fn resolve<'a>(site: &Site<'a>, hardware: &[&'a str], omitted: &Omitted<'a>, sink: &mut Sink) {
    let used = used(site);
    let mut reported: FxHashSet<Place> = FxHashSet::default();
    let mut near = Near::new(site.profiles.iter().map(|profile| profile.name.text));
    let mut unknown = |host: &Host<'a>, kind: &str, severity: Severity| {
        let (Some(name), None) = (host.host_profile, host.parent) else {
            return;
        };
        if omitted.contains(&("drydock/HostProfile/v1", name.text)) || !reported.insert(name.place)
        {
            return;
        }
        let message = format!("there is no host profile `{}`", name.text);
        let suggested = near.nearest(name.text);
        sink.push(
            Diagnostic::new(&rules::UNKNOWN_HOST_PROFILE, message)
                .at(name.place, "no such profile")
                .suggest(
                    suggested,
                    near.otherwise("drydock/HostProfile/v1", name.text),
                )
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
    for node in site.nodes.iter() {
        unknown(node, "BaremetalNode", Severity::Error);
    }
    let acyclic = cycles(site, &used, sink);
    hardware_of(site, &acyclic, hardware, omitted, sink);
}

/// The profiles that some node inherits from, directly or not.
fn used(site: &Site<'_>) -> Vec<bool> {
    let mut used = vec![false; site.profiles.len()];
    for node in site.nodes.iter() {
        let mut next = node.parent;
        while let Some(at) = next.filter(|at| !used[*at as usize]) {
            used[at as usize] = true;
            next = site.profiles[at as usize].parent;
        }
    }
    used
}

/// Reports the cycles; returns the profiles that are neither in nor below one, parents first.
fn cycles(site: &Site<'_>, used: &[bool], sink: &mut Sink) -> Vec<u32> {
    let needs = site.profiles.iter().map(|profile| profile.parent);
    let needs: Vec<Vec<u32>> = needs.map(|need| need.into_iter().collect()).collect();
    let graph = Dag::new(&needs);
    for cycle in graph.cycles() {
        let cycle: Vec<u32> = cycle.into_iter().rev().collect();
        let profile = |number: &u32| &site.profiles[*number as usize];
        let names: Vec<&str> = cycle.iter().map(|one| profile(one).name.text).collect();
        let message = if names.len() == 1 {
            format!("host profile `{}` inherits from itself", names[0])
        } else {
            format!(
                "host profiles inherit in a cycle: {} -> {}",
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
            .at(at(&cycle[0]), "inherits from here")
            .help("remove one `host_profile`")
            .upstream("RecursionError")
            .object(Object::new("HostProfile", names[0]));
        for one in &cycle[1..] {
            found = found.related(at(one), "and then from here");
        }
        let level = if cycle.iter().any(|one| used[*one as usize]) {
            Severity::Error
        } else {
            Severity::Warning
        };
        sink.push(found.severity(level));
    }
    graph.waves().concat()
}

/// Every node needs a hardware profile that is there; `hardware` has their names in order.
fn hardware_of<'a>(
    site: &Site<'a>,
    acyclic: &[u32],
    hardware: &[&'a str],
    omitted: &Omitted<'a>,
    sink: &mut Sink,
) {
    let mut of_profile: Vec<Option<Given<'a>>> = vec![None; site.profiles.len()];
    for at in acyclic {
        of_profile[*at as usize] = given(&site.profiles[*at as usize], &of_profile);
    }
    let known: FxHashSet<&str> = hardware.iter().copied().collect();
    let mut reported: FxHashSet<Place> = FxHashSet::default();
    let mut near = Near::new(hardware.iter().copied());
    for node in site.nodes.iter() {
        let Some(given) = given(node, &of_profile) else {
            continue;
        };
        let object = || Object::new("BaremetalNode", node.name.text);
        match given {
            None => sink.push(
                Diagnostic::new(
                    &rules::NO_HARDWARE_PROFILE,
                    format!("node `{}` has no hardware profile", node.name.text),
                )
                .at(node.name.place, "neither its own nor inherited")
                .help("set `hardware_profile` in the node or one of its host profiles")
                .upstream("ValueError")
                .object(object()),
            ),
            Some(word) if omitted.contains(&("drydock/HardwareProfile/v1", word.text)) => {}
            Some(word) if !known.contains(word.text) && reported.insert(word.place) => {
                let suggested = near.nearest(word.text);
                sink.push(
                    Diagnostic::new(
                        &rules::UNKNOWN_HARDWARE_PROFILE,
                        format!("there is no hardware profile `{}`", word.text),
                    )
                    .at(word.place, "no such profile")
                    .suggest(
                        suggested,
                        near.otherwise("drydock/HardwareProfile/v1", word.text),
                    )
                    .upstream("DesignError")
                    .object(object()),
                );
            }
            Some(_) => {}
        }
    }
}

/// The hardware profile in force for a host, if it has one.
type Given<'a> = Option<Text<'a>>;

/// The hardware profile in force for a host; `None` when its inheritance ends in a cycle or in an
/// unknown name.
fn given<'a>(host: &Host<'a>, of_profile: &[Option<Given<'a>>]) -> Option<Given<'a>> {
    let above = match host.parent {
        Some(parent) => of_profile[parent as usize]?,
        None if host.host_profile.is_some() => return None,
        None => None,
    };
    Some(over(host, above))
}

/// A host's own hardware profile over the inherited one; `!` takes it away where there is a
/// parent.
fn over<'a>(host: &Host<'a>, above: Option<Text<'a>>) -> Option<Text<'a>> {
    match host.hardware_profile {
        Some(word) if word.text == "!" && host.parent.is_some() => None,
        Some(word) => Some(word),
        None => above,
    }
}
