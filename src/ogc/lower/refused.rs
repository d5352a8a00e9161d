//! The other faults of a document that was refused already, so that one run shows all of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Diagnostic, Sink};
use crate::document::{Document, DocumentKind, info_of, object_of};

use super::package::{self, Known};
use super::reader;
use super::resolve::Loose;

/// What has been found already: JSON Pointers by the kind and name of the document.
struct AlreadyReported(BTreeMap<(String, String), BTreeSet<String>>);

impl AlreadyReported {
    fn new(sink: &Sink) -> Self {
        let mut reported: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
        for found in &sink.diagnostics {
            if let (Some(object), Some(pointer)) = (&found.object, &found.pointer) {
                let key = (object.kind.clone(), object.name.clone());
                reported.entry(key).or_default().insert(pointer.clone());
            }
        }
        Self(reported)
    }

    /// Whether something at, above or below the place of a finding has been found.
    fn bears_on(&self, document: &Document<'_>, found: &Diagnostic) -> bool {
        let kind = info_of(document.kind).map_or("", |info| info.name);
        let object = object_of(document.node, kind);
        let Some(pointer) = found.pointer.as_deref() else {
            return true;
        };
        let Some(reported) = self.0.get(&(object.kind, object.name)) else {
            return false;
        };
        let ends = pointer.match_indices('/').map(|(at, _)| at);
        let mut above = ends.map(|at| &pointer[..at]).chain([pointer]);
        let below = format!("{pointer}/");
        let next = reported.range(below.clone()..).next();
        above.any(|part| reported.contains(part))
            || next.is_some_and(|next| next.starts_with(&below))
    }
}

/// Reads refused documents once more for their other errors; nothing is reported that may follow
/// from what has been reported.
pub(super) fn report_remaining<'a>(
    documents: &[Document<'a>],
    known: &Known<'_, 'a>,
    sink: &mut Sink,
) {
    let refused = || documents.iter().filter(|document| document.refused);
    if refused().next().is_none() {
        return;
    }
    let reported = AlreadyReported::new(sink);
    let mut suggestions = reader::SUGGESTIONS;
    for document in refused() {
        let mut rest = Sink::default();
        if document.kind == DocumentKind::Application {
            let _ = package::application(document.node, known, &mut suggestions, &mut rest);
        } else {
            let again = Document {
                refused: false,
                ..*document
            };
            super::read(&again, &mut Loose::default(), &mut rest);
        }
        rest.diagnostics
            .retain(|found| found.is_error() && !reported.bears_on(document, found));
        sink.append(rest);
    }
}
