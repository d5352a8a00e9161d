//! A site read once more: what does not depend on the documents that changed is kept.

use crate::document::{Document, DocumentKind, Documents};
use crate::load::Loaded;

use super::Checked;
use super::checking::{Before, Stage};

/// Marks the documents that are as they were in an earlier site of the same files, and gives that
/// site with the kinds of all others. `None` where too much has changed to compare them: a file or
/// document has come or gone, or what was found is not there as the stages found it.
pub(super) fn compare<'b, 'a>(
    site: &'b Checked<'a>,
    loaded: &Loaded,
    documents: &mut Documents<'a>,
) -> Option<Before<'b, 'a>> {
    let before = &site.documents;
    let comparable = site.stages.are_as_found
        && site.loaded.hub.is_none()
        && loaded.hub.is_none()
        && loaded.inputs.is_empty()
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
    document.node == was.node
        && facts(document) == facts(was)
        && document.build.is_none()
        && was.build.is_none()
}

/// Whether it pays to hold on to an earlier site for the models that need not be made again once
/// these documents are checked: they are of at least as many bytes as those that are made again.
#[must_use]
pub fn keeps_most(site: &Checked<'_>, loaded: &Loaded) -> bool {
    if !site.stages.are_as_found || !loaded.is_of_same_files(site.loaded) {
        return false;
    }
    let (same, changed) = loaded.compared(site.loaded);
    let is_kept = |kind: DocumentKind| {
        let own = |stage: &Stage| kind.system() == Some(stage.system());
        let mut stages = Stage::ALL.into_iter().filter(own);
        stages.any(|stage| {
            let depends = |kind: &DocumentKind| stage.reads(site, *kind);
            depends(&kind) && !changed.keys().any(depends)
        })
    };
    let bytes = |kept: bool| -> usize {
        let same = same.iter().filter(|(kind, _)| is_kept(**kind) == kept);
        same.map(|(_, bytes)| *bytes).sum()
    };
    bytes(true) > 0 && bytes(true) >= bytes(false) + changed.values().sum::<usize>()
}
