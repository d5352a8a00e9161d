//! The head of every machine answer.

use serde::Serialize;

use crate::diagnostic::Sink;
use crate::render::diagnostics::{self, JsonDiagnostics};
use crate::site::Counts;
use crate::source::Sources;

/// The version of the `planner/v1` answers.
pub const FORMAT_VERSION: &str = "1";

/// How documents were counted.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentCounts {
    read: usize,
    planned: usize,
    not_ours: usize,
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
    #[serde(skip_serializing_if = "is_zero")]
    templates: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "what serde asks for")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl From<Counts> for DocumentCounts {
    fn from(counts: Counts) -> Self {
        Self {
            read: counts.read,
            planned: counts.planned,
            not_ours: counts.not_ours,
            left_out: counts.left_out,
            templates: counts.templates,
        }
    }
}

impl DocumentCounts {
    /// Each count with what it counts, those of nothing left out.
    #[must_use]
    pub fn named(self) -> Vec<(&'static str, usize)> {
        let all = [
            ("documents read", self.read),
            ("planned", self.planned),
            ("not ours", self.not_ours),
            ("left out", self.left_out),
            ("templates", self.templates),
        ];
        let there = |(_, number): &(_, usize)| *number > 0;
        let mut all: Vec<_> = all.into_iter().filter(there).collect();
        if all.is_empty() {
            all.push(("documents read", 0));
        }
        all
    }
}

/// `planner validate -o json`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Validation<'a> {
    api_version: &'static str,
    kind: &'static str,
    format_version: &'static str,
    documents: DocumentCounts,
    diagnostics: JsonDiagnostics<'a>,
    unreadable: usize,
    ignored: usize,
    baselined: usize,
    baseline_gone: &'a [String],
}

impl<'a> Validation<'a> {
    /// The answer over these findings; `gone` are the baseline's entries without a finding.
    #[must_use]
    pub fn new(
        sink: &'a Sink,
        sources: &'a Sources,
        counts: Counts,
        unreadable: usize,
        gone: &'a [String],
    ) -> Self {
        Self {
            api_version: "planner/v1",
            kind: "Validation",
            format_version: FORMAT_VERSION,
            documents: counts.into(),
            diagnostics: diagnostics::json(sink, sources),
            unreadable,
            ignored: sink.ignored(),
            baselined: sink.baselined(),
            baseline_gone: gone,
        }
    }
}

/// The head of an answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Head {
    api_version: &'static str,
    kind: &'static str,
    format_version: &'static str,
    now: String,
}

impl Head {
    /// The envelope of an answer of this kind.
    pub(super) fn of(kind: &'static str, now: jiff::Timestamp) -> Self {
        Self {
            api_version: "planner/v1",
            kind,
            format_version: FORMAT_VERSION,
            now: now.to_string(),
        }
    }
}

/// Any answer of a run that ended before it had one.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Unanswered<'a> {
    #[serde(flatten)]
    head: Head,
    documents: DocumentCounts,
    result: &'static str,
    diagnostics: JsonDiagnostics<'a>,
}

impl<'a> Unanswered<'a> {
    /// The answer of this kind with nothing but why there is none.
    #[must_use]
    pub fn new(
        kind: &'static str,
        now: jiff::Timestamp,
        sink: &'a Sink,
        sources: &'a Sources,
    ) -> Self {
        Self {
            head: Head::of(kind, now),
            documents: Counts::default().into(),
            result: if sink.has_errors() {
                "invalid"
            } else {
                "unchanged"
            },
            diagnostics: diagnostics::json(sink, sources),
        }
    }
}
