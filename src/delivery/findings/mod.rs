//! Faults of the consumers of a site: those that their documents show together, and those that only
//! following them reveals. A file for each kind.

mod applicationset;
mod carried;
mod disaster;
mod doubt;
mod elsewhere;
mod gitops;
mod hub;
mod nowhere;
mod order;
mod placement;
mod policy;
mod rule;
mod subscription;

use std::collections::{BTreeMap, BTreeSet};

use self::elsewhere::Elsewhere;
use super::follow::{Deliveries, Row};
use super::read::{Id, Model};
use crate::diagnostic::{Diagnostic, Object, Rule, Sink};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::ocm::model::Model as Hub;
use crate::source::{Place, SourceId, Sources};

/// Reports the faults that the documents show together: a line for each kind.
pub(super) fn check(model: &Model<'_>, hub: &Hub<'_>, sources: &Sources, sink: &mut Sink) {
    let mut elsewhere = Elsewhere::default();
    policy::check(model, hub, &mut elsewhere, sink);
    rule::check(model, hub, sources, sink);
    elsewhere::placements(model, hub, &mut elsewhere);
    elsewhere.say(sources, sink);
}

/// Reports the faults that following the consumers reveals: a line for each kind.
pub(super) fn planned<'a>(
    model: &Model<'a>,
    deliveries: &Deliveries<'a>,
    hub: &Hub<'a>,
    sources: &Sources,
    sink: &mut Sink,
) {
    policy::planned(model, deliveries, hub, sources, sink);
    rule::planned(model, deliveries, hub, sink);
    hub::planned(model, hub, deliveries, sink);
    let words = |row: &Row<'_>| applicationset::loss(model, row);
    placement::emptied(model, deliveries, hub, &words, sink);
    if model.reads_decisions() {
        applicationset::planned(model, hub, deliveries, sink);
        gitops::planned(model, hub, deliveries, sink);
        subscription::planned(model, hub, deliveries, sink);
        disaster::planned(model, hub, deliveries, sink);
        placement::nobody_schedules(model, deliveries, hub, sink);
    }
}

/// A finding that refuses nothing: the rule, the place and what stands there, the message, and what
/// to do.
fn say(
    rule: &'static Rule,
    id: &Id<'_>,
    (place, label): (Place, &str),
    message: impl Into<String>,
    help: impl Into<String>,
) -> Diagnostic {
    Diagnostic::new(rule, message)
        .at(place, label)
        .help(help)
        .object(object(id))
        .not_refusing()
}

/// The object that a finding is about.
fn object(id: &Id<'_>) -> Object {
    let object = Object::new(id.kind, id.name);
    match id.namespace {
        "" => object,
        namespace => object.in_namespace(namespace),
    }
}

/// Names of one kind, by namespace.
#[derive(Default)]
struct Names<'a>(BTreeMap<&'a str, BTreeSet<&'a str>>);

impl<'a> Names<'a> {
    fn of(all: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut names = Self::default();
        for (namespace, name) in all {
            names.add(namespace, name);
        }
        names
    }

    fn add(&mut self, namespace: &'a str, name: &'a str) {
        self.0.entry(namespace).or_default().insert(name);
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn any_in(&self, namespace: &str) -> bool {
        self.0.contains_key(namespace)
    }

    fn has(&self, namespace: &str, name: &str) -> bool {
        let names = self.0.get(namespace);
        names.is_some_and(|names| names.contains(name))
    }

    fn is_anywhere(&self, name: &str) -> bool {
        self.0.values().any(|names| names.contains(name))
    }

    /// The name that was probably meant by one that is not there.
    fn help(&self, namespace: &str, name: &str) -> String {
        let mut others = self.0.iter().filter(|(_, names)| names.contains(name));
        if let Some((other, _)) = others.next() {
            return format!("there is one in `{other}`; it must be in `{namespace}`");
        }
        let here = self.0.get(namespace).into_iter().flatten().copied();
        match nearest(name, here) {
            Some(near) => did_you_mean(near),
            None => "add it, or correct the name".to_owned(),
        }
    }
}

/// Findings that are reported once for each directory, with their number and first place.
#[derive(Default)]
struct Once(BTreeMap<(SourceId, &'static str), (usize, Place)>);

impl Once {
    fn add(&mut self, what: &'static str, place: Place) {
        let entry = self.0.entry((place.source, what)).or_insert((0, place));
        entry.0 += 1;
    }

    fn say(
        self,
        sources: &Sources,
        sink: &mut Sink,
        one: impl Fn(&str, usize, Place) -> Diagnostic,
    ) {
        let mut directories: BTreeMap<(&str, &str), (usize, Place)> = BTreeMap::new();
        for ((source, what), (number, first)) in self.0 {
            let directory = sources.directory(source);
            let entry = directories.entry((directory, what)).or_insert((0, first));
            entry.0 += number;
        }
        for ((_, what), (number, first)) in directories {
            sink.push(one(what, number, first));
        }
    }
}
