//! Findings of two states of a site, compared by identity.

use crate::diagnostic::baseline::Baseline;
use crate::diagnostic::{Diagnostic, Identity, Sink};
use crate::document::{Documents, identities};

/// The findings of a state.
#[derive(Debug, Clone, Copy)]
pub struct FoundIn<'f, 'a> {
    /// The findings.
    pub sink: &'f Sink,
    /// The documents they are about.
    pub documents: &'f Documents<'a>,
}

impl FoundIn<'_, '_> {
    fn identities(&self) -> Vec<Identity> {
        let all: Vec<&Diagnostic> = self.sink.diagnostics.iter().collect();
        identities(self.documents, &all, str::to_owned).collect()
    }
}

/// The findings that only the later side has, and those that only the earlier side has.
#[must_use]
pub fn findings(earlier: FoundIn<'_, '_>, later: FoundIn<'_, '_>) -> (Sink, Sink) {
    let (before, after) = (earlier.identities(), later.identities());
    let new = without(later.sink, after.clone(), before.clone());
    (new, without(earlier.sink, before, after))
}

/// The findings of a sink that have no equal among the known ones.
fn without(sink: &Sink, own: Vec<Identity>, known: Vec<Identity>) -> Sink {
    let mut baseline = Baseline::default();
    baseline.add(known);
    let mut left = sink.filtered(|_| true);
    baseline.cover(&mut left, own);
    left.suppressed.clear();
    left
}
