//! Ori Global Cloud: which Cluster each Application of a Package goes to, and why.

pub mod describe;
pub mod engine;
pub mod inheritance;
pub mod judge;
pub mod labels;
mod lower;
pub mod model;
pub mod records;
pub mod rules;
pub mod why;

use self::engine::{Outcome, Settings};
use self::model::Model;
use crate::diagnostic::Sink;
use crate::document::Documents;
use crate::options::Options;

/// Makes and checks the model of a site's OGC documents; refused documents take no part.
pub fn lower<'a>(documents: &Documents<'a>, options: &Options, sink: &mut Sink) -> Model<'a> {
    let model = lower::lower(documents, options.jobs, sink);
    // A review of half a site would raise what the other half answers.
    if options.validating && !sink.refused() {
        rules::review(&model, &plan(&model, options), sink);
    }
    model
}

/// Plans the Packages asked for.
#[must_use]
pub fn plan<'a>(model: &Model<'a>, options: &Options) -> Outcome<'a> {
    let settings = Settings {
        packages: &options.packages,
        same_node: options.same_node,
        trace: options.trace,
        jobs: options.jobs,
    };
    engine::plan(model, &settings)
}
