//! Ori Global Cloud: which Cluster each Application of a Package goes to, and why.

pub mod describe;
pub mod engine;
pub mod inheritance;
pub mod judge;
pub mod labels;
mod lower;
pub mod model;
pub mod records;
pub mod repair;
pub mod rules;
pub mod sums;
pub mod why;

use self::engine::{Outcome, Settings};
use self::model::Model;
use crate::diagnostic::Sink;
use crate::document::Documents;
use crate::options::{CheckOptions, Options};

/// Makes and checks the model of a site's OGC documents; refused documents take no part.
pub fn check<'a>(documents: &Documents<'a>, settings: &CheckOptions, sink: &mut Sink) -> Model<'a> {
    lower::lower(documents, settings, sink)
}

/// Plans the Packages asked for.
#[must_use]
pub fn plan<'a>(model: &Model<'a>, options: &Options) -> Outcome<'a> {
    let settings = Settings {
        packages: &options.packages,
        same_node: options.same_node,
        trace: options.trace,
        jobs: options.jobs,
        progress: Some(&options.progress),
    };
    engine::plan(model, &settings)
}
