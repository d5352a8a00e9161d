//! IBM hybrid placement rules.
//!
//! A rule names possible targets, advisors recommend some of them, and in rounds all but the
//! wanted number are removed. Source: "Hybrid placement rules".

pub mod command;
pub mod engine;
mod lower;
pub mod model;
pub mod records;
pub mod repair;
pub mod rules;
pub mod why;

use crate::diagnostic::{Object, Sink};
use crate::document::Documents;
use crate::kit::named::Name;
use crate::options::Options;
use crate::parallel;
use crate::source::Sources;
use engine::{Keep, Outcome};
use model::{AnswerForm, Entry, Model, PlacementRule};

/// Reads and checks the documents of hybrid placement.
pub fn check<'a>(documents: &Documents<'a>, sink: &mut Sink) -> Model<'a> {
    let model = lower::lower(documents, sink);
    rules::check(&model, sink);
    model
}

/// Plans every rule and runs the commands of advisors, if they are allowed; what went wrong with
/// them is reported.
pub fn plan(model: &Model<'_>, sources: &Sources, options: &Options, sink: &mut Sink) -> Outcome {
    let keep = rounds(options);
    let asks = |entry: &Entry<'_>| matches!(entry.answer, AnswerForm::Command(_));
    if !model.answers.iter().any(asks) {
        return unaided(model, options);
    }
    let mut commands = command::Commands::new(sources, options);
    // Programs are asked in the order of the rules.
    let rules = engine::plan(
        model,
        &model.placement_rules,
        keep,
        &mut commands,
        &options.progress,
    );
    commands.report(sink);
    Outcome { ended: rules }
}

/// Which rounds the output shows.
fn rounds(options: &Options) -> Keep {
    match (options.trace, options.screen) {
        (true, _) => Keep::All,
        (false, true) => Keep::Ends,
        (false, false) => Keep::Last,
    }
}

/// Plans every rule and runs no program.
#[must_use]
pub fn unaided(model: &Model<'_>, options: &Options) -> Outcome {
    let (keep, jobs) = (rounds(options), options.jobs);
    let run = |rules: &[PlacementRule<'_>]| {
        engine::plan(
            model,
            rules,
            keep,
            &mut engine::NoCommands,
            &options.progress,
        )
    };
    // Each run computes what its rules share once: make as few runs as there are threads.
    let size = model.placement_rules.len().div_ceil(jobs.max(1)).max(32);
    let runs: Vec<_> = model.placement_rules.chunks(size).collect();
    let rules = parallel::join(parallel::map(jobs, &runs, |rules| run(rules)));
    Outcome { ended: rules }
}

/// The rule as the subject of a sentence: `namespace/name`, or the name alone.
#[must_use]
pub fn subject(rule: &PlacementRule<'_>) -> String {
    Name::new(rule.namespace, rule.name).to_string()
}

/// The rule that [`subject`] calls so.
fn rule_called<'m, 'a>(model: &'m Model<'a>, name: &str) -> Option<&'m PlacementRule<'a>> {
    model
        .placement_rules
        .iter()
        .find(|rule| subject(rule) == name)
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

/// Why a rule has no decision; none if it has one.
#[must_use]
pub fn failure(rule: &PlacementRule<'_>, ended: &engine::RuleOutcome) -> Option<String> {
    use engine::State;
    match ended.state {
        State::Waiting => {
            let last = ended.rounds.last();
            let silent = last.map_or(&[][..], |round| round.waiting_for.as_slice());
            let name = |at: &usize| format!("`{}`", rule.advisors[*at].name);
            let names: Vec<String> = silent.iter().map(name).collect();
            let s = if names.len() == 1 { "" } else { "s" };
            Some(format!(
                "round {} has no answer from advisor{s} {}; the decisions stay as they are",
                ended.round_count,
                names.join(", ")
            ))
        }
        State::NoPlacement => Some("no recommended candidate is left".to_owned()),
        State::NoCandidates => Some("there is no candidate".to_owned()),
        State::Decided | State::HubDefault => None,
    }
}

fn object_of(rule: &PlacementRule<'_>) -> Object {
    let object = Object::new("PlacementRule", rule.name);
    match rule.namespace {
        "" => object,
        namespace => object.in_namespace(namespace),
    }
}
