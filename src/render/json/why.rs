//! `planner why` as data (contract, section 1).

use serde::Serialize;

use crate::diagnostic::Sink;
use crate::render::diagnostics::{self, JsonDiagnostic};
use crate::source::Sources;
use crate::why::{Verdict, Why};

use super::envelope::FORMAT_VERSION;

#[derive(Serialize)]
struct At<'w> {
    path: &'w str,
    line: usize,
    column: usize,
    label: &'w str,
}

#[derive(Serialize)]
struct JsonVerdict<'w> {
    stage: &'w str,
    passes: bool,
    reason: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<&'w str>,
    at: Vec<At<'w>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    idle: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonCandidate<'w> {
    name: &'w str,
    chosen: bool,
    removed_by: Option<&'w str>,
    verdicts: Vec<JsonVerdict<'w>>,
}

#[derive(Serialize)]
struct JsonDecided<'w> {
    filter: &'w str,
    reason: &'w str,
}

/// The whole answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WhyAnswer<'w> {
    api_version: &'static str,
    kind: &'static str,
    format_version: &'static str,
    now: String,
    subject: Option<&'w str>,
    system: Option<&'static str>,
    candidates: Vec<JsonCandidate<'w>>,
    steps: &'w [String],
    decided_by: Option<JsonDecided<'w>>,
    diagnostics: Vec<JsonDiagnostic<'w>>,
}

impl<'w> WhyAnswer<'w> {
    /// The answer; without one (documents were refused) only its findings follow.
    #[must_use]
    pub fn new(
        why: Option<&'w Why>,
        now: jiff::Timestamp,
        sink: &'w Sink,
        sources: &'w Sources,
    ) -> Self {
        let candidates = why.map_or(&[][..], |why| why.candidates.as_slice());
        Self {
            api_version: "planner/v1",
            kind: "Why",
            format_version: FORMAT_VERSION,
            now: now.to_string(),
            subject: why.map(|why| why.subject.as_str()),
            system: why.map(|why| why.system.name()),
            candidates: candidates
                .iter()
                .map(|candidate| JsonCandidate {
                    name: &candidate.name,
                    chosen: candidate.chosen,
                    removed_by: candidate.removed_by.as_deref(),
                    verdicts: candidate
                        .verdicts
                        .iter()
                        .map(|v| verdict(v, sources))
                        .collect(),
                })
                .collect(),
            steps: why.map_or(&[][..], |why| why.steps.as_slice()),
            decided_by: why
                .and_then(|why| why.decided_by.as_ref())
                .map(|decided| JsonDecided {
                    filter: &decided.stage,
                    reason: &decided.reason,
                }),
            diagnostics: diagnostics::json(sink, sources),
        }
    }
}

fn verdict<'w>(verdict: &'w Verdict, sources: &'w Sources) -> JsonVerdict<'w> {
    let at = verdict.at.iter().map(|label| {
        let source = sources.get(label.place.source);
        let start = source.position(label.place.span.start);
        At {
            path: &source.name,
            line: start.line,
            column: start.column,
            label: &label.text,
        }
    });
    JsonVerdict {
        stage: &verdict.stage,
        passes: verdict.passes,
        reason: &verdict.reason,
        asked: verdict.asked.as_deref(),
        found: verdict.found.as_deref(),
        at: at.collect(),
        idle: verdict.idle,
    }
}
