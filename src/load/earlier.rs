//! Files as an earlier run read them: what still has the same text is not parsed again.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::source::{Source, SourceId, Sources};
use crate::yaml::Limits;

use super::piece::{Piece, Pieces};

/// The files of the last run that shared them, with their trees and the findings in them. Copies
/// share them; the default keeps nothing.
#[derive(Debug, Clone, Default)]
pub struct EarlierFiles(Option<Arc<Mutex<Arc<ParsedFiles>>>>);

/// Parsed files, by name.
#[derive(Debug, Default)]
pub(super) struct ParsedFiles {
    limits: Limits,
    files: FxHashMap<String, ParsedFile>,
}

/// A file and the pieces that it was read in; none if it was not parsed.
#[derive(Debug, Clone)]
struct ParsedFile {
    source: Arc<Source>,
    pieces: Arc<[Piece]>,
}

impl EarlierFiles {
    /// A place that runs share.
    #[must_use]
    pub fn shared() -> Self {
        Self(Some(Arc::default()))
    }

    /// The files of the last run, if it had the same limits.
    pub(super) fn files(&self, limits: Limits) -> Arc<ParsedFiles> {
        let Some(shared) = &self.0 else {
            return Arc::default();
        };
        let files = Arc::clone(&shared.lock().unwrap_or_else(PoisonError::into_inner));
        if files.limits == limits {
            files
        } else {
            Arc::default()
        }
    }

    /// Keeps what was read; `pieces` are in the order of their files, and those of `known` files
    /// were known before.
    pub(super) fn keep(
        &self,
        limits: Limits,
        sources: &Sources,
        pieces: &[Piece],
        mut known: Pieces,
    ) {
        let Some(shared) = &self.0 else {
            return;
        };
        let mut rest = pieces;
        let file = |(source, id): (&Arc<Source>, SourceId)| {
            let count = rest.partition_point(|piece| piece.tree.source <= id);
            let (of_file, others) = rest.split_at(count);
            rest = others;
            let file = ParsedFile {
                source: Arc::clone(source),
                pieces: known.remove(&id).unwrap_or_else(|| of_file.into()),
            };
            (source.name.clone(), file)
        };
        let numbered = sources.files.iter().zip((0..).map(SourceId));
        let files = ParsedFiles {
            limits,
            files: numbered.map(file).collect(),
        };
        *shared.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(files);
    }
}

impl ParsedFiles {
    /// The file of a name, if it still has this text.
    pub(super) fn source(&self, name: &str, text: &str) -> Option<&Arc<Source>> {
        let source = &self.files.get(name)?.source;
        (source.text == text).then_some(source)
    }

    /// The pieces of the files that were taken from here, whatever numbers they had.
    pub(super) fn pieces(&self, sources: &Sources, files: &[SourceId]) -> Pieces {
        let known = |id: &SourceId| {
            let source = &sources.files[id.0 as usize];
            let file = self.files.get(&source.name)?;
            if !Arc::ptr_eq(&file.source, source) {
                return None;
            }
            let has_moved = file.pieces.iter().any(|piece| piece.tree.source != *id);
            let pieces: Arc<[Piece]> = if has_moved {
                file.pieces.iter().map(|piece| piece.in_file(*id)).collect()
            } else {
                Arc::clone(&file.pieces)
            };
            Some((*id, pieces))
        };
        files.iter().filter_map(known).collect()
    }
}
