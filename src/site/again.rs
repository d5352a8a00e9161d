//! A site read once more: what does not depend on the documents that changed is kept.

use std::ptr;

use crate::document::{Document, DocumentKind, Documents};
use crate::load::Loaded;

use super::Checked;
use super::checking::{Before, Stage};

/// Marks the documents that are as they were in an earlier site of the same files, and gives that
/// site with the kinds of all others. `None` where too much has changed to compare them: a file or
/// document has come or gone.
pub(super) fn compare<'b, 'a>(
    site: &'b Checked<'a>,
    loaded: &Loaded,
    documents: &mut Documents<'a>,
) -> Option<Before<'b, 'a>> {
    let before = &site.documents;
    let comparable = site.loaded.hub.is_none()
        && loaded.hub.is_none()
        && documents.repositories == before.repositories
        && documents.templates == before.templates
        && documents.all.len() == before.all.len()
        && loaded.is_of_same_files(site.loaded);
    if !comparable {
        return None;
    }
    let mut touched = Vec::new();
    for (document, was) in documents.all.iter_mut().zip(&before.all) {
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

/// Whether a document is the same, read only once.
fn is_same(document: &Document<'_>, was: &Document<'_>) -> bool {
    let facts = |one: &Document<'_>| (one.kind, one.refused, one.is_recorded);
    let same_build = match (document.build, was.build) {
        (None, None) => true,
        (Some(build), Some(was)) => ptr::eq(build, was),
        _ => false,
    };
    document.node == was.node && facts(document) == facts(was) && same_build
}

/// Whether a part of a site is still true of documents that were read after it.
#[must_use]
pub fn holds(part: &Checked<'_>, loaded: &Loaded) -> bool {
    let changed = loaded.changed_kinds(part.loaded);
    let mut made = part.stages.made();
    loaded.is_of_same_files(part.loaded)
        && made.all(|stage| !changed.iter().any(|kind| stage.reads(Some(part), *kind)))
}

/// Whether the part of a site that reads no documents of these kinds is worth to be kept: at least
/// an eighth of it.
#[must_use]
pub fn pays(loaded: &Loaded, without: &[DocumentKind]) -> bool {
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
