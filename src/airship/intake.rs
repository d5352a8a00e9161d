//! Which files Airship's reader reads, and refuses as a whole.

use std::collections::BTreeSet;

use crate::document::{Document, DocumentKind};
use crate::source::SourceId;

/// The files with a document of Airship's. Its tools read a whole file with PyYAML's safe loader:
/// what that refuses, a tab between tokens too, is refused anywhere in the file (Airship
/// deployment strategy, section 13).
#[must_use]
pub fn strict_files(all: &[Document<'_>]) -> BTreeSet<SourceId> {
    let ours = all
        .iter()
        .filter(|document| document.kind == DocumentKind::Airship);
    ours.map(|document| document.source).collect()
}
