//! One state of a site, and what is planned of it.

use crate::diagnostic::Sink;
use crate::document::Documents;
use crate::hybrid::engine::Keep;
use crate::load::{Edits, Loaded};
use crate::options::Options;
use crate::plan::{self, Quality};
use crate::site;

use super::decisions::{Decisions, decisions};

/// A site as read: the files and the findings of reading them.
#[derive(Debug, Clone, Copy)]
pub struct State<'l> {
    /// The files.
    pub loaded: &'l Loaded,
    /// The findings.
    pub read: &'l Sink,
}

/// What is planned.
#[derive(Debug, Default)]
pub struct Answered {
    /// The decisions; refused documents take no part in them.
    pub decisions: Decisions,
    /// What was found.
    pub sink: Sink,
    /// Whether documents were refused.
    pub refused: bool,
    /// What the plan amounts to, refusals apart.
    pub quality: Option<Quality>,
    /// Whether no document is ours.
    pub nothing: bool,
}

/// Plans these documents.
#[must_use]
pub fn answer(
    documents: &Documents<'_>,
    unreadable: usize,
    mut sink: Sink,
    options: &Options,
) -> Answered {
    let site = site::check(documents, unreadable, options, &mut sink);
    let plan = plan::make(&site, documents.sources, options, Keep::Last, &mut sink);
    Answered {
        decisions: decisions(&plan),
        quality: Some(plan.quality),
        nothing: site.counts.is_nothing(),
        refused: sink.refused(),
        sink,
    }
}

impl State<'_> {
    /// Plans the site with these edits.
    #[must_use]
    pub fn edited(&self, edits: &Edits, options: &Options) -> Answered {
        let (documents, sink) = self.loaded.edited(edits, self.read);
        answer(&documents, self.loaded.unreadable, sink, options)
    }
}
