//! What a site keeps of an earlier one: all that depends on no changed document.

use std::ptr;

use crate::document::{Document, DocumentKind, Documents};
use crate::load::Loaded;

use super::Checked;
use super::checking::{Before, Stage};

/// Compares a site with an earlier one: marks the unchanged documents, and gives the kinds of the
/// others. `None` if a file or document has come or gone.
pub(super) fn compare<'b, 'a>(
    site: &'b Checked<'a>,
    loaded: &Loaded,
    documents: &mut Documents<'a>,
) -> Option<Before<'b, 'a>> {
    let before = &site.documents.all;
    // Generators may make more or fewer documents.
    if !loaded.is_comparable(site.loaded) || documents.all.len() != before.len() {
        return None;
    }
    let mut touched = Vec::new();
    for (document, was) in documents.all.iter_mut().zip(before) {
        document.known = is_same(document, was);
        if !document.known {
            touched.extend([document.kind, was.kind]);
        }
    }
    touched.sort_unstable();
    touched.dedup();
    Some(Before {
        site,
        touched: Some(touched),
    })
}

/// Whether both are one document, read once.
fn is_same(document: &Document<'_>, was: &Document<'_>) -> bool {
    let facts = |one: &Document<'_>| (one.kind, one.refused, one.is_recorded);
    let same_build = match (document.build, was.build) {
        (None, None) => true,
        (Some(build), Some(was)) => ptr::eq(build, was),
        _ => false,
    };
    document.node == was.node && facts(document) == facts(was) && same_build
}

/// Whether a part of a site is still valid: no document that it reads has changed since.
#[must_use]
pub fn holds(part: &Checked<'_>, loaded: &Loaded) -> bool {
    let changed = loaded.changed_kinds(part.loaded);
    let mut made = part.stages.made();
    loaded.is_comparable(part.loaded)
        && made.all(|stage| !changed.iter().any(|kind| stage.reads(Some(part), *kind)))
}

/// Whether it pays to keep the part of a site that reads no documents of these kinds: it is at
/// least an eighth of the site, and no hub's documents are mixed in.
#[must_use]
pub fn pays(loaded: &Loaded, without: &[DocumentKind]) -> bool {
    if loaded.hub.is_some() {
        return false;
    }
    let is_kept = |kind: DocumentKind| {
        let mut stages = Stage::ALL.into_iter();
        stages.any(|stage| {
            kind.system() == Some(stage.system())
                && stage.reads(None, kind)
                && !without.iter().any(|kind| stage.reads(None, *kind))
        })
    };
    let bytes = loaded.bytes();
    let kept = bytes.iter().filter(|(kind, _)| is_kept(**kind));
    let kept: usize = kept.map(|(_, bytes)| *bytes).sum();
    kept > 0 && 8 * kept >= bytes.values().sum()
}
