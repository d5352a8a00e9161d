//! Whether the files are still as they were read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::document::DocumentKind;
use crate::yaml::Tree;

use super::piece::Piece;
use super::{Loaded, Refusal, Request, builds, text, walk};

/// The first file that is not as it was read: changed, gone or new. Standard input stays what
/// it was.
///
/// # Errors
/// A request that can no longer be understood.
pub fn changed(request: &Request, loaded: &Loaded) -> Result<Option<String>, Refusal> {
    let mut again = Loaded::default();
    let (files, _) = walk::files(request, &mut again)?;
    let mut before = loaded.sources.files[..loaded.site_files].iter();
    let mut now = files.iter();
    loop {
        let (file, source) = match (now.next(), before.next()) {
            (None, None) => return Ok(builds::changed(request, loaded)),
            (Some(file), Some(source)) if file.name == source.name => (file, source),
            // Both are in the order of their names: the smaller one is gone or new.
            (Some(file), Some(source)) => {
                return Ok(Some(file.name.clone().min(source.name.clone())));
            }
            (Some(file), None) => return Ok(Some(file.name.clone())),
            (None, Some(source)) => return Ok(Some(source.name.clone())),
        };
        if file.path.is_none() {
            continue;
        }
        let limit = request.limits.file_bytes;
        let read = text::read(file, request.store(), None, limit);
        if read.text != source.text {
            return Ok(Some(file.name.clone()));
        }
    }
}

impl Loaded {
    /// Whether its documents can be compared one by one with those of another run: both read the
    /// same files, with as many documents, and no hub.
    #[must_use]
    pub fn is_comparable(&self, other: &Self) -> bool {
        let (own, others) = (&self.sources.files, &other.sources.files);
        let mut pairs = own.iter().zip(others);
        self.hub.is_none()
            && other.hub.is_none()
            && own.len() == others.len()
            && pairs.all(|(one, two)| one.name == two.name)
            && self.documents_read() == other.documents_read()
            && self.repositories == other.repositories
            && self.template_kinds() == other.template_kinds()
    }

    /// The kinds of the documents that only one of two runs has.
    #[must_use]
    pub fn changed_kinds(&self, other: &Self) -> BTreeSet<DocumentKind> {
        let mut kinds = BTreeSet::new();
        for (one, two) in [(self, other), (other, self)] {
            let trees = two.pieces.iter().map(|piece| Arc::as_ptr(&piece.tree));
            let trees: FxHashSet<*const Tree> = trees.collect();
            let pieces = one.pieces.iter();
            let changed = pieces.filter(|piece| !trees.contains(&Arc::as_ptr(&piece.tree)));
            kinds.extend(changed.flat_map(Piece::kinds));
        }
        kinds
    }

    /// The kinds of the documents in files that no earlier run had read, and of those that were
    /// built.
    #[must_use]
    pub fn new_kinds(&self) -> BTreeSet<DocumentKind> {
        let is_new =
            |piece: &&Piece| piece.build.is_some() || !self.known.contains(&piece.tree.source);
        let pieces = self.pieces.iter().filter(is_new);
        pieces.flat_map(Piece::kinds).collect()
    }

    /// How many bytes of documents it has of each kind.
    #[must_use]
    pub fn bytes(&self) -> BTreeMap<DocumentKind, usize> {
        let mut bytes = BTreeMap::new();
        for piece in &self.pieces {
            let text = &self.sources.get(piece.tree.source).text;
            for entry in &*piece.documents {
                let span = piece.tree.node(text, entry.root).span();
                *bytes.entry(entry.kind).or_default() += (span.end - span.start) as usize;
            }
        }
        bytes
    }
}
