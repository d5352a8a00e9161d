//! The other faults of a document that was refused already, so that one run shows all of them.

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Sink};
use crate::document::{Document, DocumentKind};
use crate::source::Place;

use super::package::{self, Known};
use super::reader;
use super::resolve::Loose;

/// What has been found already: places in order, each with its JSON Pointer.
struct Told(Vec<(Place, Option<String>)>);

impl Told {
    fn new(sink: &Sink) -> Self {
        let at = |found: &Diagnostic| Some((found.primary.as_ref()?.place, found.pointer.clone()));
        let mut places: Vec<_> = sink.diagnostics.iter().filter_map(at).collect();
        places.sort();
        Self(places)
    }

    /// What was found at or inside a place.
    fn inside(&self, place: Place) -> &[(Place, Option<String>)] {
        let (source, span) = (place.source, place.span);
        let before = |at: &Place, end: u32| (at.source, at.span.start) < (source, end);
        let from = self.0.partition_point(|(at, _)| before(at, span.start));
        let end = span.end.max(span.start + 1);
        let to = self.0.partition_point(|(at, _)| before(at, end));
        &self.0[from..to]
    }
}

/// Reads refused documents once more for their other errors; nothing is told that may follow
/// from what has been told.
pub(super) fn tell<'a>(documents: &[Document<'a>], known: &Known<'_, 'a>, sink: &mut Sink) {
    let refused = || documents.iter().filter(|document| document.refused);
    if refused().next().is_none() {
        return;
    }
    let told = Told::new(sink);
    let mut suggestions = reader::SUGGESTIONS;
    for document in refused() {
        let whole = document.node.place();
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
        let known: BTreeSet<&str> = told
            .inside(whole)
            .iter()
            .filter_map(|(_, pointer)| pointer.as_deref())
            .collect();
        rest.diagnostics.retain(|found| {
            let pointer = found.pointer.as_deref();
            let place = found.primary.as_ref().map(|label| label.place);
            let new = |place: Place| {
                let (inner, outer) = (place.span, whole.span);
                let within = outer.start <= inner.start && inner.end <= outer.end;
                within && told.inside(place).is_empty()
            };
            found.is_error()
                && place.is_some_and(new)
                && !pointer.is_some_and(|pointer| known.contains(pointer))
        });
        sink.append(rest);
    }
}
