//! The other faults of a document that was refused already, so that one run shows all of them.

use crate::diagnostic::{Diagnostic, Sink};
use crate::document::{Document, DocumentKind, Reported};
use crate::kit::nearest::Names;
use crate::ogc::rules::UNCHECKED_RESOURCE;

use super::package::{self, ReferenceNames};
use super::resolve::Loose;

/// Reads refused documents once more for their other errors; nothing is reported that may follow
/// from what has been reported.
pub(super) fn report_remaining<'a>(
    documents: &[Document<'a>],
    known: &ReferenceNames<'_, 'a>,
    sink: &mut Sink,
) {
    let refused = || documents.iter().filter(|document| document.refused);
    if refused().next().is_none() {
        return;
    }
    let reported = Reported::new(sink);
    let mut looks = Names::LOOKS;
    for document in refused() {
        let mut rest = Sink::default();
        if document.kind == DocumentKind::Application {
            let _ = package::application(document.node, known, &mut looks, &mut rest);
        } else {
            let again = Document {
                refused: false,
                ..*document
            };
            super::read(&again, &mut Loose::default(), &mut rest);
        }
        // A resource that nothing checks is most often misspelt, whatever else is wrong.
        let unchecked = |found: &mut Diagnostic| found.rule.code == UNCHECKED_RESOURCE.code;
        let unchecked: Vec<_> = rest.diagnostics.extract_if(.., unchecked).collect();
        reported.others(&document.object(), &mut rest.diagnostics);
        rest.diagnostics.extend(unchecked);
        sink.append(rest);
    }
}
