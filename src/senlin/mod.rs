//! Senlin: how many nodes go to which region when a cluster grows or shrinks.
//!
//! The rules are those of OpenStack Senlin's `region_placement` policy 1.0, release 16 (its
//! modules `senlin.policies.region_placement`, `senlin.common.scaleutils` and
//! `senlin.common.schema`); section numbers in this module are those of our specification
//! "Senlin region placement".

pub mod engine;
mod intake;
mod lower;
pub mod model;
pub mod records;
mod regions;
pub mod repair;
pub mod rules;
pub mod why;

use std::path::Path;

use crate::diagnostic::Sink;
use crate::document::Documents;
use crate::options::CheckOptions;

pub use intake::recognise_profiles;
pub use regions::regions_in;

use engine::{Check, CheckStatus, Failure, Outcome};
use model::DocumentSet;

/// The document sets of all files.
#[derive(Debug, Default)]
pub struct Model<'a> {
    /// The sets of which nothing was refused, by path, then document order.
    pub sets: Vec<DocumentSet<'a>>,
}

/// The results of the policy checks of all files.
#[derive(Debug, Default)]
pub struct Regions<'m, 'a> {
    /// The sets that hold all that a plan needs, in the model's order.
    pub planned: Vec<Planned<'m, 'a>>,
    /// The checks that Senlin itself cannot finish: their documents are at fault.
    pub failed: Vec<(Check<'m, 'a>, Failure)>,
}

/// A document set and the result of its policy check.
#[derive(Debug)]
pub struct Planned<'m, 'a> {
    /// The documents.
    pub set: &'m DocumentSet<'a>,
    /// The parts that the check reads.
    pub check: Check<'m, 'a>,
    /// The answer.
    pub outcome: Outcome,
}

/// Reads and checks the Senlin documents of all files. A refused document takes its file with it.
pub fn check<'a>(documents: &Documents<'a>, settings: &CheckOptions, sink: &mut Sink) -> Model<'a> {
    let mut model = Model::default();
    for (set, refused) in lower::lower(documents, settings.jobs, sink) {
        if !refused {
            rules::check(&set, settings.validating, sink);
            model.sets.push(set);
        }
    }
    model
}

/// Runs the policy check of every file that holds all it needs.
#[must_use]
pub fn plan<'m, 'a>(model: &'m Model<'a>) -> Regions<'m, 'a> {
    let mut regions = Regions::default();
    for set in &model.sets {
        let Some(check) = Check::of(set) else {
            continue;
        };
        match engine::plan(check) {
            Ok(outcome) => regions.planned.push(Planned {
                set,
                check,
                outcome,
            }),
            Err(failure) => regions.failed.push((check, failure)),
        }
    }
    regions
}

/// The subjects whose cluster has this name, or whose path ends like this one.
#[must_use]
pub fn called(regions: &Regions<'_, '_>, name: &str) -> Vec<String> {
    let end = name.trim_start_matches("./");
    let called = regions.planned.iter().filter(|planned| {
        planned.check.cluster.name.as_deref() == Some(name)
            || Path::new(planned.set.path).ends_with(end)
    });
    called.map(|planned| planned.set.path.to_owned()).collect()
}

impl Planned<'_, '_> {
    /// Whether nodes are added or removed.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.outcome.number != 0 && !self.fails()
    }

    /// Whether the policy check answers with an error.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.outcome.answer != CheckStatus::Done
    }
}
