//! Files as an earlier run read them: what still has the same text is not parsed again.

use std::sync::{Arc, Mutex, PoisonError};

use crate::source::{Source, SourceId, Sources};
use crate::yaml::Limits;

use super::piece::Piece;

/// The files of the last run that shared them, with their trees and the findings in them. Copies
/// share them; the default keeps nothing.
#[derive(Debug, Clone, Default)]
pub struct EarlierFiles(Option<Arc<Mutex<Arc<ParsedFiles>>>>);

/// Parsed files, by their numbers.
#[derive(Debug, Default)]
pub(super) struct ParsedFiles {
    limits: Limits,
    files: Vec<ParsedFile>,
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

    /// Keeps what was read; `pieces` are in the order of their files.
    pub(super) fn keep(
        &self,
        limits: Limits,
        sources: &Sources,
        pieces: &[Piece],
        known: &ParsedFiles,
    ) {
        let Some(shared) = &self.0 else {
            return;
        };
        let mut rest = pieces;
        let file = |(source, id): (&Arc<Source>, SourceId)| {
            let count = rest.partition_point(|piece| piece.tree.source <= id);
            let (of_file, others) = rest.split_at(count);
            rest = others;
            let earlier = known.pieces(id, source);
            ParsedFile {
                source: Arc::clone(source),
                pieces: earlier.map_or_else(|| of_file.into(), Arc::clone),
            }
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
    /// The file of a number, if it still has this name and text.
    pub(super) fn source(&self, id: SourceId, name: &str, text: &str) -> Option<&Arc<Source>> {
        let source = &self.files.get(id.0 as usize)?.source;
        (source.name == name && source.text == text).then_some(source)
    }

    /// The pieces of a file that was taken from here.
    pub(super) fn pieces(&self, id: SourceId, source: &Arc<Source>) -> Option<&Arc<[Piece]>> {
        let file = self.files.get(id.0 as usize)?;
        Arc::ptr_eq(&file.source, source).then_some(&file.pieces)
    }
}
