//! Faults of a simulated run: a file's, and those of the flags.
//! Source: the format in the README of the Airship corpus.

use std::cell::Cell;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::engine::inherit;
use super::engine::run::{Action, Faults, StepFaults};
use super::model::Site;
use super::rules;
use crate::diagnostic::{Diagnostic, Sink};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::source::Place;
use crate::yaml::{Dialect, Kind, Node, Scalar};

const KEYS: [&str; 5] = ["prepare", "deploy", "join", "steps", "rollout"];
const STEP_KEYS: [&str; 6] = ["group", "action", "fail", "timeout", "seconds", "done"];

/// Reads faults over a site. Several files add up.
pub struct Reader<'s, 'a> {
    site: &'s Site<'a>,
    groups: FxHashMap<&'a str, u32>,
    /// How many unknown names may still be compared with all known ones.
    guesses: Cell<usize>,
    /// The faults read so far.
    pub faults: Faults,
}

impl<'s, 'a> Reader<'s, 'a> {
    /// No faults yet.
    #[must_use]
    pub fn new(site: &'s Site<'a>) -> Self {
        let groups = site
            .groups
            .iter()
            .map(|group| group.name.text)
            .zip(0..)
            .collect();
        Self {
            site,
            groups,
            guesses: Cell::new(20),
            faults: Faults::default(),
        }
    }

    fn near<'n>(&self, name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
        let left = self.guesses.get();
        self.guesses.set(left.saturating_sub(1));
        if left == 0 {
            None
        } else {
            nearest(name, known)
        }
    }

    /// A document of a faults file.
    pub fn document(&mut self, node: Node<'_>, sink: &mut Sink) {
        if node.is_null() {
            return;
        }
        if !of_kind(node, Kind::Mapping, "the faults", sink) {
            return;
        }
        known_keys(node, &KEYS, sink);
        for (key, place) in [("prepare", 0), ("deploy", 1), ("join", 2)] {
            let Some(part) = node.get(key).filter(|part| !part.is_null()) else {
                continue;
            };
            if !of_kind(part, Kind::Mapping, key, sink) {
                continue;
            }
            known_keys(part, &["fail"], sink);
            let nodes = self.nodes(part.get("fail"), "fail", sink);
            let faults = &mut self.faults;
            let sets = [&mut faults.prepare, &mut faults.deploy, &mut faults.join];
            for (set, _) in sets.into_iter().zip(0..).filter(|(_, at)| *at == place) {
                set.union_with(&nodes);
            }
        }
        let Some(steps) = node.get("steps").filter(|steps| !steps.is_null()) else {
            return;
        };
        if of_kind(steps, Kind::Sequence, "steps", sink) {
            for step in steps.items() {
                self.step(step, sink);
            }
        }
    }

    fn step(&mut self, node: Node<'_>, sink: &mut Sink) {
        if !of_kind(node, Kind::Mapping, "a step", sink) {
            return;
        }
        known_keys(node, &STEP_KEYS, sink);
        let fault = StepFaults {
            fail: self.nodes(node.get("fail"), "fail", sink),
            timeout: truth(node.get("timeout"), sink),
            seconds: seconds(node.get("seconds"), sink),
            done: self.nodes(node.get("done"), "done", sink),
        };
        let action = match node.get("action").and_then(Node::text) {
            Some("prepare") => Action::Prepare,
            Some("deploy") => Action::Deploy,
            _ => {
                let at = node.get("action").unwrap_or(node);
                format_fault(at.place(), "`action` must be prepare or deploy", sink);
                return;
            }
        };
        let Some((group, name)) = node
            .get("group")
            .and_then(|node| Some((node, node.text()?)))
        else {
            format_fault(node.place(), "a step must name its `group`", sink);
            return;
        };
        let Some(number) = self.groups.get(name).copied() else {
            let near = self.near(name, self.groups.keys().copied());
            unknown("group", name, Some(group.place()), near, sink);
            return;
        };
        let step = self.faults.steps.entry((number, action)).or_default();
        step.fail.union_with(&fault.fail);
        step.done.union_with(&fault.done);
        step.timeout |= fault.timeout;
        step.seconds = step.seconds.max(fault.seconds);
    }

    fn nodes(&self, list: Option<Node<'_>>, key: &str, sink: &mut Sink) -> FixedBitSet {
        let mut found = FixedBitSet::with_capacity(self.site.nodes.len());
        let Some(list) = list.filter(|list| !list.is_null()) else {
            return found;
        };
        if !of_kind(list, Kind::Sequence, key, sink) {
            return found;
        }
        for item in list.items() {
            match item.text() {
                Some(name) => {
                    if let Some(node) = self.node(name, Some(item.place()), sink) {
                        found.insert(node);
                    }
                }
                None => format_fault(item.place(), "give the name of a node", sink),
            }
        }
        found
    }

    fn node(&self, name: &str, place: Option<Place>, sink: &mut Sink) -> Option<usize> {
        let node = self.site.node(name);
        if node.is_none() {
            let names = self.site.nodes.iter().map(|node| node.name.text);
            unknown("node", name, place, self.near(name, names), sink);
        }
        node.map(|node| node as usize)
    }

    /// `--fail NODE`: the node fails in prepare.
    pub fn fail_node(&mut self, name: &str, sink: &mut Sink) {
        if let Some(node) = self.node(name, None, sink) {
            self.faults.prepare.grow(self.site.nodes.len());
            self.faults.prepare.insert(node);
        }
    }

    /// `--fail-rack RACK`: all nodes of the rack fail in prepare.
    pub fn fail_rack(&mut self, name: &str, sink: &mut Sink) {
        let mut racks = Vec::new();
        let mut found = false;
        self.faults.prepare.grow(self.site.nodes.len());
        for node in 0..u32::try_from(self.site.nodes.len()).unwrap_or(u32::MAX) {
            let Some(rack) = inherit::effective(self.site, node).rack else {
                continue;
            };
            if rack.text == name {
                found = true;
                self.faults.prepare.insert(node as usize);
            } else {
                racks.push(rack.text);
            }
        }
        if !found {
            racks.sort_unstable();
            racks.dedup();
            unknown("rack", name, None, self.near(name, racks), sink);
        }
    }
}

fn unknown(what: &str, name: &str, place: Option<Place>, near: Option<&str>, sink: &mut Sink) {
    let message = format!("the faults name the {what} `{name}`, which does not exist");
    let mut found =
        Diagnostic::new(&rules::UNKNOWN_FAULT, message).suggest(near, "it has no effect");
    if let Some(place) = place {
        found = found.at(place, format!("no such {what}"));
    }
    sink.push(found);
}

fn format_fault(place: Place, message: &str, sink: &mut Sink) {
    sink.push(
        Diagnostic::new(&rules::FAULTS_FORMAT, message)
            .at(place, "not in the expected format")
            .help("see `planner explain airship::faults_format`"),
    );
}

fn of_kind(node: Node<'_>, kind: Kind, what: &str, sink: &mut Sink) -> bool {
    if node.kind() == kind {
        return true;
    }
    let wanted = match kind {
        Kind::Mapping => "a mapping",
        Kind::Sequence => "a list",
        Kind::Scalar => "a value",
    };
    format_fault(node.place(), &format!("{what} must be {wanted}"), sink);
    false
}

fn known_keys(node: Node<'_>, known: &[&str], sink: &mut Sink) {
    for (key, _) in node.entries() {
        let text = key.text().unwrap_or("");
        if !known.contains(&text) {
            let hint = nearest(text, known.iter().copied())
                .map_or(String::new(), |near| format!("; {}", did_you_mean(near)));
            format_fault(
                key.place(),
                &format!("faults have no key `{text}`{hint}"),
                sink,
            );
        }
    }
}

fn truth(node: Option<Node<'_>>, sink: &mut Sink) -> bool {
    let Some(node) = node.filter(|node| !node.is_null()) else {
        return false;
    };
    match node.scalar(Dialect::PyYaml) {
        Some(Scalar::Bool(value)) => value,
        _ => {
            format_fault(node.place(), "`timeout` must be true or false", sink);
            false
        }
    }
}

/// Whole seconds, upwards: limits are whole, so nothing is lost.
#[allow(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, as meant"
)]
fn seconds(node: Option<Node<'_>>, sink: &mut Sink) -> Option<i64> {
    let node = node.filter(|node| !node.is_null())?;
    match node.scalar(Dialect::PyYaml) {
        Some(Scalar::Int(value)) => Some(i64::try_from(value).unwrap_or(i64::MAX)),
        Some(Scalar::Float(value)) => Some(value.ceil() as i64),
        _ => {
            format_fault(node.place(), "`seconds` must be a number", sink);
            None
        }
    }
}
