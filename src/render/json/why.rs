//! `planner why` as data.

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::diagnostic::Sink;
use crate::render::diagnostics::{self, JsonDiagnostics};
use crate::source::Sources;
use crate::why::{Bound, Candidate, Change, Changes, Needed, RunnerUp, Verdict, Why};

use super::envelope::Head;

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
    #[serde(flatten)]
    changes: Option<JsonChanges<'w>>,
    verdicts: Vec<JsonVerdict<'w>>,
}

/// Candidates are written one by one: a subject may have very many.
struct Candidates<'w> {
    all: &'w [Candidate],
    sources: &'w Sources,
}

impl Serialize for Candidates<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let one = |candidate| JsonCandidate::new(candidate, self.sources);
        to.collect_seq(self.all.iter().map(one))
    }
}

impl<'w> JsonCandidate<'w> {
    fn new(candidate: &'w Candidate, sources: &'w Sources) -> Self {
        let verdicts = candidate.verdicts.iter();
        Self {
            name: &candidate.name,
            chosen: candidate.chosen,
            removed_by: candidate.removed_by.as_deref(),
            changes: candidate.changes.as_ref().map(JsonChanges::new),
            verdicts: verdicts.map(|one| verdict(one, sources)).collect(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonChanges<'w> {
    changes: Vec<JsonSet<'w>>,
    /// Absent where no edit was tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    none_up_to: Option<Option<usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    obstacles: Option<Vec<JsonNeeded<'w>>>,
    offered: usize,
    plans: usize,
    stopped: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonSet<'w> {
    proven: bool,
    kind: &'static str,
    cost: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    also_moves: Option<usize>,
    edits: Vec<JsonEdit<'w>>,
}

#[derive(Debug, Serialize)]
pub(super) struct JsonEdit<'w> {
    object: JsonObject<'w>,
    path: &'w str,
    line: usize,
    pointer: &'w str,
    op: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'w Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'w Value>,
}

#[derive(Debug, Serialize)]
struct JsonObject<'w> {
    kind: &'w str,
    name: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<&'w str>,
}

#[derive(Serialize)]
struct JsonNeeded<'w> {
    stage: &'w str,
    needs: &'w str,
}

impl<'w> JsonEdit<'w> {
    pub(super) fn of(change: &'w Change) -> Self {
        Self {
            object: JsonObject {
                kind: &change.kind,
                name: &change.name,
                namespace: change.namespace.as_deref(),
                package: change.package.as_deref(),
            },
            path: &change.path,
            line: change.line,
            pointer: &change.pointer,
            op: change.op.word(),
            before: change.before.as_ref(),
            after: change.op.value(),
        }
    }
}

/// Whether a set of edits changes what is declared alone.
pub(super) fn kind(edits: &[Change]) -> &'static str {
    if edits.iter().any(|change| change.observed) {
        "observed"
    } else {
        "declared"
    }
}

impl<'w> JsonChanges<'w> {
    fn new(found: &'w Changes) -> Self {
        let mut also = found.also_moves.iter();
        let set = |edits: &'w Vec<Change>| JsonSet {
            proven: true,
            kind: kind(edits),
            cost: edits.len(),
            also_moves: also.next().copied(),
            edits: edits.iter().map(JsonEdit::of).collect(),
        };
        let needed = |needed: &'w Needed| JsonNeeded {
            stage: &needed.stage,
            needs: &needed.needs,
        };
        Self {
            changes: found.sets.iter().map(set).collect(),
            none_up_to: (found.plans > 0).then_some(found.none_up_to),
            obstacles: (found.sets.is_empty() && !found.stopped)
                .then(|| found.obstacles.iter().map(needed).collect()),
            offered: found.offered,
            plans: found.plans,
            stopped: found.stopped,
        }
    }
}

/// The candidate that came next; without edits none are known that select it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonRunnerUp<'w> {
    candidate: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    proven: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<&'static str>,
    edits: Vec<JsonEdit<'w>>,
}

impl<'w> JsonRunnerUp<'w> {
    fn new(next: &'w RunnerUp) -> Self {
        Self {
            candidate: &next.candidate,
            proven: (!next.changes.is_empty()).then_some(true),
            bound: next.bound.map(|bound| match bound {
                Bound::OrMore => "orMore",
                Bound::OrLess => "orLess",
            }),
            edits: next.changes.iter().map(JsonEdit::of).collect(),
        }
    }
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
    #[serde(flatten)]
    head: Head,
    subject: Option<&'w str>,
    system: Option<&'static str>,
    candidates: Candidates<'w>,
    steps: &'w [String],
    decided_by: Option<JsonDecided<'w>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    runner_up: Option<JsonRunnerUp<'w>>,
    diagnostics: JsonDiagnostics<'w>,
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
            head: Head::of("Why", now),
            subject: why.map(|why| why.subject.as_str()),
            system: why.map(|why| why.system.name()),
            candidates: Candidates {
                all: candidates,
                sources,
            },
            steps: why.map_or(&[][..], |why| why.steps.as_slice()),
            decided_by: why
                .and_then(|why| why.decided_by.as_ref())
                .map(|decided| JsonDecided {
                    filter: &decided.stage,
                    reason: &decided.reason,
                }),
            runner_up: None,
            diagnostics: diagnostics::json(sink, sources),
        }
    }

    /// With the candidate that came next.
    #[must_use]
    pub fn then(mut self, next: Option<&'w RunnerUp>) -> Self {
        self.runner_up = next.map(JsonRunnerUp::new);
        self
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
