//! The refused documents, by name. References to them are not reported.

use std::collections::BTreeSet;

use crate::document::DocumentKind;

/// The kinds and names of the refused documents.
pub(super) struct Refused<'a>(BTreeSet<(DocumentKind, &'a str)>);

impl<'a> Refused<'a> {
    pub(super) fn of(names: BTreeSet<(DocumentKind, &'a str)>) -> Self {
        Self(names)
    }

    /// The names of one kind.
    pub(super) fn names(&self, kind: DocumentKind) -> impl Iterator<Item = &'a str> {
        let of_kind = self.0.iter().filter(move |(of, _)| *of == kind);
        of_kind.map(|(_, name)| *name)
    }

    pub(super) fn is_refused(&self, kind: DocumentKind, name: &'a str) -> bool {
        self.0.contains(&(kind, name))
    }
}
