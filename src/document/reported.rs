//! The findings already reported for refused documents, so that reading on reports only their other
//! faults and no consequences of the first ones.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::source::Place;

/// Where findings lie, by the kind, namespace and name of their documents.
#[derive(Debug, Default)]
pub(crate) struct Reported(BTreeMap<Key, Findings>);

type Key = (String, Option<String>, String);

#[derive(Debug, Default)]
struct Findings {
    pointers: BTreeSet<String>,
    places: Vec<Place>,
}

fn key(object: &Object) -> Key {
    let Object {
        kind,
        name,
        namespace,
        ..
    } = object.clone();
    // Where none is written, some findings name the one that kubectl would use.
    let namespace = namespace.filter(|namespace| namespace != "default");
    (kind, namespace, name)
}

impl Reported {
    /// Collects the findings of a sink.
    pub(crate) fn new(sink: &Sink) -> Self {
        let mut reported: BTreeMap<Key, Findings> = BTreeMap::new();
        for found in &sink.diagnostics {
            let Some(object) = &found.object else {
                continue;
            };
            let known = reported.entry(key(object)).or_default();
            known.pointers.extend(found.pointer.clone());
            known
                .places
                .extend(found.primary.as_ref().map(|label| label.place));
        }
        Self(reported)
    }

    /// Leaves the errors among the findings about an object that do not lie at, above or below
    /// the place of one that has been reported.
    pub(crate) fn others(&self, object: &Object, findings: &mut Vec<Diagnostic>) {
        findings.retain(Diagnostic::is_error);
        if let Some(reported) = self.0.get(&key(object)) {
            findings.retain(|found| !reported.bear_on(found));
        }
    }
}

impl Findings {
    fn bear_on(&self, found: &Diagnostic) -> bool {
        if let Some(pointer) = &found.pointer {
            return bears_on(&self.pointers, pointer);
        }
        let Some(place) = found.primary.as_ref().map(|label| label.place) else {
            return true;
        };
        self.places.iter().any(|known| {
            known.source == place.source
                && known.span.start <= place.span.end
                && place.span.start <= known.span.end
        })
    }
}

fn bears_on(reported: &BTreeSet<String>, pointer: &str) -> bool {
    let ends = pointer.match_indices('/').map(|(at, _)| at);
    let mut above = ends.map(|at| &pointer[..at]).chain([pointer]);
    let below = format!("{pointer}/");
    let next = reported.range(below.clone()..).next();
    above.any(|part| reported.contains(part)) || next.is_some_and(|next| next.starts_with(&below))
}
