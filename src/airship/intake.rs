//! Which files Airship's reader reads, and refuses as a whole.

use std::collections::BTreeSet;

use crate::document::{Document, DocumentKind};
use crate::source::SourceId;

use super::raw;

/// The schema prefixes of documents that make a site: those of Shipyard, Drydock and Pegleg, and
/// the policy that layers them.
const OF_A_SITE: [&str; 4] = [
    "shipyard/",
    "drydock/",
    "pegleg/",
    "deckhand/LayeringPolicy",
];

/// Airship documents without any site are not ours: charts for Armada alone, or keys and
/// certificates, lead to no deployment, and their own tools take them without an envelope's
/// layers.
pub fn recognise(all: &mut [Document<'_>]) {
    let of_a_site = |document: &Document<'_>| {
        let mut schemas = OF_A_SITE.iter();
        document.kind == DocumentKind::Airship
            && schemas.any(|schema| raw::declares(document, schema).is_some())
    };
    if all.iter().any(of_a_site) {
        return;
    }
    for document in all.iter_mut().filter(|d| d.kind == DocumentKind::Airship) {
        document.kind = DocumentKind::Foreign;
    }
}

/// The files with a document of Airship's. Its tools read a whole file with PyYAML's safe loader:
/// what that refuses, a tab between tokens too, is refused anywhere in the file.
#[must_use]
pub fn strict_files(all: &[Document<'_>]) -> BTreeSet<SourceId> {
    let ours = all
        .iter()
        .filter(|document| document.kind == DocumentKind::Airship);
    ours.map(|document| document.source()).collect()
}
