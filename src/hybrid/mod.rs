//! IBM hybrid placement rules.
//!
//! A rule names possible targets, advisors recommend some of them, and in rounds all but the
//! wanted number are removed. Source: "Hybrid placement rules".

pub mod command;
pub mod engine;
mod lower;
pub mod model;
pub mod rules;
pub mod why;

use crate::diagnostic::{Object, Sink};
use crate::document::Documents;
use crate::options::Options;
use crate::parallel;
use crate::source::Sources;
use engine::{Keep, Outcome};
use model::{AnswerForm, Entry, Model, PlacementRule};

/// Reads and checks the documents of hybrid placement.
///
/// `validate` also hears the faults of answers that only planning brings to light; it runs no
/// command.
pub fn lower<'a>(documents: &Documents<'a>, options: &Options, sink: &mut Sink) -> Model<'a> {
    let model = lower::lower(documents, sink);
    rules::check(&model, sink);
    if options.validating {
        let outcome = unaided(&model, options.jobs, Keep::Last);
        rules::report(&model, &outcome, sink);
    }
    model
}

/// Plans every rule, running commands if they are allowed; faults of answers are reported.
pub fn plan(
    model: &Model<'_>,
    sources: &Sources,
    options: &Options,
    keep: Keep,
    sink: &mut Sink,
) -> Outcome {
    let mut commands = command::Commands::new(sources, options.allow_commands);
    let asks = |entry: &Entry<'_>| matches!(entry.answer, AnswerForm::Command(_));
    let outcome = if model.answers.iter().any(asks) {
        // Programs are asked in the order of the rules.
        let rules = engine::plan(model, &model.rules, keep, &mut commands);
        Outcome { rules }
    } else {
        unaided(model, options.jobs, keep)
    };
    rules::report(model, &outcome, sink);
    commands.report(sink);
    outcome
}

/// Plans every rule and runs no program.
fn unaided(model: &Model<'_>, jobs: usize, keep: Keep) -> Outcome {
    let run =
        |rules: &[PlacementRule<'_>]| engine::plan(model, rules, keep, &mut engine::NoCommands);
    // What rules share is found once in each run: as few runs as there are threads.
    let size = model.rules.len().div_ceil(jobs.max(1)).max(32);
    let runs: Vec<_> = model.rules.chunks(size).collect();
    let rules = parallel::join(parallel::map(jobs, &runs, |rules| run(rules)));
    Outcome { rules }
}

/// The rule as the subject of a sentence: `namespace/name`, or the name alone.
#[must_use]
pub fn subject(rule: &PlacementRule<'_>) -> String {
    match rule.namespace {
        "" => rule.name.to_owned(),
        namespace => format!("{namespace}/{}", rule.name),
    }
}

/// The text key of a decision.
#[must_use]
pub fn decision(model: &Model<'_>, rule: &PlacementRule<'_>, decision: engine::Decision) -> String {
    use engine::Decision;
    match decision {
        Decision::Object(id) => model.inventory.object(id).key(),
        Decision::Hub => format!("{}/{}/{}", model::CLUSTER_KIND, model::HUB, model::HUB),
        Decision::Unknown(index) => format!("Unknown/{}", rule.decisions[index].name),
    }
}

fn object_of(rule: &PlacementRule<'_>) -> Object {
    let object = Object::new("PlacementRule", rule.name);
    match rule.namespace {
        "" => object,
        namespace => object.in_namespace(namespace),
    }
}
