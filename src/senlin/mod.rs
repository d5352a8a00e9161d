//! Senlin: how many nodes go to which region when a cluster grows or shrinks.
//!
//! The rules are those of OpenStack Senlin's `region_placement` policy 1.0, release 16 (its
//! modules `senlin.policies.region_placement`, `senlin.common.scaleutils` and
//! `senlin.common.schema`); section numbers in this module are those of our specification
//! "Senlin region placement".

pub mod engine;
mod lower;
pub mod model;
pub mod rules;
mod why;

use crate::diagnostic::Sink;
use crate::document::Documents;
use crate::options::Options;

pub use why::{subjects, why};

use engine::{Check, Outcome};
use model::DocumentSet;

/// The document sets of all files, checked.
#[derive(Debug, Default)]
pub struct Model<'a> {
    /// The sets of which nothing was refused, by path, then document order.
    pub sets: Vec<Checked<'a>>,
}

/// A document set and what the policy check makes of it.
#[derive(Debug)]
pub struct Checked<'a> {
    /// The documents.
    pub set: DocumentSet<'a>,
    /// The answer; `None` when the file lacks policy, cluster or action.
    pub outcome: Option<Outcome>,
}

impl<'a> Checked<'a> {
    /// The check and its outcome, if the file holds all that a plan needs.
    #[must_use]
    pub fn planned(&self) -> Option<(Check<'_, 'a>, &Outcome)> {
        Some((Check::of(&self.set)?, self.outcome.as_ref()?))
    }
}

/// Reads and checks the Senlin documents of all files. The policy check itself runs here: where
/// it breaks upstream, the documents are at fault. A refused document takes its file with it.
pub fn lower<'a>(documents: &Documents<'a>, options: &Options, sink: &mut Sink) -> Model<'a> {
    let mut model = Model::default();
    for (set, refused) in lower::lower(documents, sink) {
        if refused {
            continue;
        }
        let mut found = Sink::default();
        let outcome = rules::check(&set, options.validating, &mut found);
        let refused = found.refused();
        sink.append(found);
        if !refused {
            model.sets.push(Checked { set, outcome });
        }
    }
    model
}

/// The records of a plan: for each file in which nodes are added or removed, its action with the
/// new data (contract, section 4). `directory` is the display name of the directory of records,
/// `number` the record's own number.
#[must_use]
pub fn records(model: &Model<'_>, directory: &str, number: &str) -> Vec<serde_json::Value> {
    let planned = model
        .sets
        .iter()
        .filter(|checked| checked.changes())
        .filter_map(|checked| {
            let (check, outcome) = checked.planned()?;
            let data = engine::data::data(check, outcome);
            let path = checked.set.path;
            Some(lower::record::document(
                path,
                check.action,
                data,
                directory,
                number,
            ))
        });
    planned.collect()
}

impl Checked<'_> {
    /// Whether nodes are added or removed.
    #[must_use]
    pub fn changes(&self) -> bool {
        let done = |outcome: &Outcome| outcome.answer == engine::CheckStatus::Done;
        self.outcome
            .as_ref()
            .is_some_and(|outcome| outcome.number != 0 && done(outcome))
    }

    /// Whether the policy check answers with an error.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.outcome
            .as_ref()
            .is_some_and(|outcome| outcome.answer != engine::CheckStatus::Done)
    }
}
