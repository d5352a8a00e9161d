//! The words of findings about consumers.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::delivery::id::Id;
use crate::diagnostic::{Diagnostic, Object, Rule, Sink};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::kit::plural::first_names;
use crate::source::{Place, SourceId, Sources};

/// Names that a message gives before it counts.
const NAMED: usize = 5;

/// The first names, and how many more.
pub(in crate::delivery) fn list(names: &[&str]) -> String {
    first_names(names.iter().map(|name| format!("`{name}`")), NAMED)
}

/// A finding that refuses nothing: the rule, the place and what stands there, the message, and what
/// to do.
pub(in crate::delivery) fn say(
    rule: &'static Rule,
    id: &Id<'_>,
    (place, label): (Place, &'static str),
    message: impl Into<String>,
    help: impl Into<Cow<'static, str>>,
) -> Diagnostic {
    Diagnostic::new(rule, message)
        .at(place, label)
        .help(help)
        .object(object(id))
        .not_refusing()
}

/// The object that a finding is about.
pub(in crate::delivery) fn object(id: &Id<'_>) -> Object {
    let object = Object::new(id.kind, id.name);
    match id.namespace {
        "" => object,
        namespace => object.in_namespace(namespace),
    }
}

/// Names of one kind, by namespace.
#[derive(Default)]
pub(in crate::delivery) struct Names<'a>(BTreeMap<&'a str, BTreeSet<&'a str>>);

impl<'a> Names<'a> {
    pub(in crate::delivery) fn of(all: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut names = Self::default();
        for (namespace, name) in all {
            names.add(namespace, name);
        }
        names
    }

    pub(in crate::delivery) fn add(&mut self, namespace: &'a str, name: &'a str) {
        self.0.entry(namespace).or_default().insert(name);
    }

    pub(in crate::delivery) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::delivery) fn any_in(&self, namespace: &str) -> bool {
        self.0.contains_key(namespace)
    }

    pub(in crate::delivery) fn has(&self, namespace: &str, name: &str) -> bool {
        let names = self.0.get(namespace);
        names.is_some_and(|names| names.contains(name))
    }

    pub(in crate::delivery) fn is_anywhere(&self, name: &str) -> bool {
        self.0.values().any(|names| names.contains(name))
    }

    /// The name that was probably meant by one that is not there.
    pub(in crate::delivery) fn help(&self, namespace: &str, name: &str) -> String {
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
pub(in crate::delivery) struct Once(BTreeMap<(SourceId, &'static str), (usize, Place)>);

impl Once {
    pub(in crate::delivery) fn add(&mut self, what: &'static str, place: Place) {
        let entry = self.0.entry((place.source, what)).or_insert((0, place));
        entry.0 += 1;
    }

    pub(in crate::delivery) fn say(
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
