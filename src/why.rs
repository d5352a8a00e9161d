//! Why a subject went where it did, as data: every stage of every candidate, also after the
//! first that fails. The systems fill it, `render` writes it.

pub mod placed;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use crate::diagnostic::Label;
use crate::document::System;
use crate::yaml::Op;

/// The reasons for one subject.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// The subject, with the name of its kind.
    pub subject: String,
    /// The system of the subject.
    pub system: System,
    /// How the answer came about, step by step, one sentence or sum a line.
    pub steps: Vec<String>,
    /// Where it goes, for a subject that goes to one place.
    pub to: Option<String>,
    /// How filters narrowed the candidates down, for a system that filters step by step.
    pub funnel: Option<Funnel>,
    /// The candidates in the order that decides.
    pub candidates: Vec<Candidate>,
    /// The stage that decided, and how; `None` where nothing was decided.
    pub decided_by: Option<DecidedBy>,
    /// Whether the subject was placed; if not, the exit status is 3.
    pub placed: bool,
}

/// How filters narrowed the candidates down, one after the other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Funnel {
    /// The rules in force, each with its origin.
    pub rules: Vec<(String, &'static str)>,
    /// The rules that are not in force, and why.
    pub hidden: Vec<String>,
    /// The filters in their order, after the row of all candidates.
    pub filters: Vec<Passage>,
    /// Reasons beyond the first, which would keep a candidate out as well.
    pub further: Vec<String>,
    /// The lines that ask, and those that decided.
    pub at: Vec<Label>,
}

/// The effect of one filter.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// The filter's name.
    pub filter: String,
    /// How many candidates it left.
    pub left: usize,
    /// Its remarks: the requirement, and the candidates it removed.
    pub said: Vec<Said>,
}

/// A remark on some candidates: `riga, oslo: cost 7, lowest 3`; without candidates on the filter
/// itself, without a text their names alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    /// The remark.
    pub text: String,
    /// Their names.
    pub names: Vec<String>,
}

/// The stage that decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidedBy {
    /// The stage's name.
    pub stage: String,
    /// How it decided.
    pub reason: String,
}

/// One candidate and the verdict of every stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// Whether it was chosen.
    pub chosen: bool,
    /// The stage that removed it; `None` for a chosen one.
    pub removed_by: Option<String>,
    /// One verdict a stage, in the order of the stages.
    pub verdicts: Vec<Verdict>,
    /// How it did among those that no filter removed, where these are ranked.
    pub ranking: Option<Ranking>,
    /// The changes after which it would be chosen, if they were requested.
    pub changes: Option<Changes>,
}

/// How a candidate did among those that are ranked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ranking {
    /// Its place, the best first.
    pub place: usize,
    /// The score that it is ranked by.
    pub score: String,
}

/// The changes after which a candidate would be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// The smallest sets of changes, each proven: what is declared before what is observed, narrow
    /// before blunt ones; then those of the candidate, those of the subject, those of both.
    pub sets: Vec<Vec<Change>>,
    /// How many other decisions each of these sets moves, where that was asked for; those that
    /// move nothing else come first.
    pub also_moves: Vec<usize>,
    /// Where no set of up to so many changes is enough.
    pub none_up_to: Option<usize>,
    /// With it, the obstacles.
    pub obstacles: Vec<Needed>,
    /// How many different edits were on offer.
    pub offered: usize,
    /// How many plans were made.
    pub plans: usize,
    /// Whether the search stopped because of that.
    pub stopped: bool,
}

/// The nearest candidate that was not chosen, and what separates it from being so.
#[derive(Debug, Clone, PartialEq)]
pub struct RunnerUp {
    /// Its name.
    pub candidate: String,
    /// The smallest changes with which it is chosen, proven; none are known where this is empty.
    pub changes: Vec<Change>,
    /// Whether values beyond the one that is set do as well, and on which side of it they are.
    pub bound: Option<Bound>,
}

/// Which other values than the one that is set do as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Larger ones.
    OrMore,
    /// Smaller ones.
    OrLess,
}

/// For subjects that could not be placed, by system and name: the fewest changes with which
/// they are.
pub type Ways = BTreeMap<(&'static str, String), Vec<Change>>;

/// One value to be changed in a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The document's kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its namespace, if it has one.
    pub namespace: Option<String>,
    /// Its index among all documents.
    pub document: u32,
    /// Its file.
    pub path: String,
    /// The line to be changed.
    pub line: usize,
    /// JSON Pointer into the document.
    pub pointer: String,
    /// The path of the field as people read it; for an added item, that of the list.
    pub field: String,
    /// The change of the value.
    pub op: Op,
    /// The current value.
    pub before: Option<serde_json::Value>,
    /// Whether the document is the candidate's; else it is the subject's.
    pub of_candidate: bool,
    /// Whether the value is observed, and not declared.
    pub observed: bool,
    /// The Package of an Application: names are unique in one alone.
    pub package: Option<String>,
}

impl Change {
    /// The kind and the name of the document.
    #[must_use]
    pub fn object(&self) -> String {
        let (kind, name) = (&self.kind, &self.name);
        match self.namespace.as_ref().or(self.package.as_ref()) {
            Some(within) => format!("{kind} {within}/{name}"),
            None => format!("{kind} {name}"),
        }
    }
}

/// `Cluster oslo: set metadata.labels.region to "eu" (was "us")`.
impl fmt::Display for Change {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, object) = (&self.field, self.object());
        let before = self.before.as_ref().map(value_text);
        let after = self.op.value().map(value_text).unwrap_or_default();
        match (&self.op, before) {
            (Op::Set(_), Some(before)) => {
                write!(to, "{object}: set {path} to {after} (was {before})")
            }
            (Op::Set(_), None) => write!(to, "{object}: set {path} to {after}"),
            (Op::Insert(_), _) => write!(to, "{object}: add {after} to {path}"),
            (Op::Remove, Some(before)) => write!(to, "{object}: remove {path} ({before})"),
            (Op::Remove, None) => write!(to, "{object}: remove {path}"),
        }
    }
}

/// A value as people write it.
#[must_use]
pub fn value_text(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A condition that would have to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needed {
    /// The stage.
    pub stage: String,
    /// The condition that would have to hold.
    pub needs: String,
}

/// The verdict of one stage on one candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The stage's name.
    pub stage: String,
    /// Whether the candidate passes it.
    pub passes: bool,
    /// Why, in one phrase.
    pub reason: String,
    /// The required value, if it is a number or a text.
    pub asked: Option<String>,
    /// The actual value.
    pub found: Option<String>,
    /// The lines that decided.
    pub at: Vec<Label>,
    /// Whether this reason would be gone with the others: it needs no change of its own.
    pub idle: bool,
}

impl Why {
    /// A subject without any reasons yet.
    #[must_use]
    pub fn new(system: System, subject: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            system,
            steps: Vec::new(),
            to: None,
            funnel: None,
            candidates: Vec::new(),
            decided_by: None,
            placed: false,
        }
    }
}

impl Candidate {
    /// A candidate; where it is not chosen, the first stage that it fails removed it.
    #[must_use]
    pub fn new(name: impl Into<String>, chosen: bool, verdicts: Vec<Verdict>) -> Self {
        let failed = verdicts.iter().find(|verdict| !verdict.passes);
        Self {
            name: name.into(),
            chosen,
            removed_by: failed
                .filter(|_| !chosen)
                .map(|verdict| verdict.stage.clone()),
            verdicts,
            ranking: None,
            changes: None,
        }
    }

    /// The reasons against it that have to be changed for it to be chosen.
    pub fn obstacles(&self) -> impl Iterator<Item = &Verdict> {
        let failed = self.verdicts.iter().filter(|verdict| !verdict.passes);
        failed.filter(|verdict| !verdict.idle)
    }
}

impl Verdict {
    /// A verdict without numbers or places.
    #[must_use]
    pub fn new(stage: impl Into<String>, passes: bool, reason: impl Into<String>) -> Self {
        Self {
            stage: stage.into(),
            passes,
            reason: reason.into(),
            asked: None,
            found: None,
            at: Vec::new(),
            idle: false,
        }
    }

    /// Adds the required and the actual value.
    #[must_use]
    pub fn compared(mut self, asked: impl Into<String>, found: impl Into<String>) -> Self {
        self.asked = Some(asked.into());
        self.found = Some(found.into());
        self
    }

    /// With a line that decided.
    #[must_use]
    pub fn at(mut self, place: crate::source::Place, text: impl Into<Cow<'static, str>>) -> Self {
        self.at.push(Label {
            place,
            text: text.into(),
        });
        self
    }
}
