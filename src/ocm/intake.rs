//! How strict the hub's admission is with the documents of a site.

use crate::diagnostic::Severity;
use crate::diagnostic::{Diagnostic, Sink};
use crate::document::{DocumentKind, Documents, System};

/// Whether admission warns and does not refuse: a PlacementRule takes the clusters as they are, and
/// no other kind of OCM needs them admitted.
pub(super) fn lenient_admission(documents: &Documents<'_>) -> bool {
    let ocm = |kind: DocumentKind| {
        let own = kind.system() == Some(System::Ocm) && !kind.is_consumer();
        own && kind != DocumentKind::ManagedCluster
    };
    let mut kinds = documents.all.iter().map(|document| document.kind);
    documents.has(DocumentKind::PlacementRule) && !kinds.any(ocm)
}

/// Sets the severity of the schemas' findings about clusters that come from admission rules.
pub(super) fn admit(lenient: bool, sink: &mut Sink) {
    let admission = |found: &Diagnostic| {
        let object = found.object.as_ref();
        object.is_some_and(|object| object.kind == "ManagedCluster" && object.rule.is_some())
    };
    for found in sink.diagnostics.iter_mut().filter(|found| admission(found)) {
        if found.rule.severity == Severity::Error {
            found.refuses = !lenient;
            found.severity = if lenient {
                Severity::Warning
            } else {
                Severity::Error
            };
        }
    }
}
