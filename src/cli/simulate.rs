//! `planner simulate`: load, check, run the deployment strategy with faults, report.

use crate::airship::Strategy;
use crate::airship::engine::run::DeploymentVerdict;
use crate::airship::faults::Reader;
use crate::diagnostic::Sink;
use crate::document::System;
use crate::load::Loaded;
use crate::ocm;
use crate::ocm::engine::rollout::Ending;
use crate::ocm::simulate::{Faults, RolloutRun};
use crate::plan::{Plan, again};
use crate::render::json::{self, Simulation, StrategyRun};
use crate::render::text::Screen;
use crate::render::{diagnostics, text};

use super::args::SimulateArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::SimulateFormat;
use super::output::Outputs;
use super::progress;
use super::session::{Session, keep};
use super::unanswered::Inputs;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &SimulateArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?;
    let inputs = Inputs::of(&args.common, &args.input.paths).and(&args.faults);
    outputs.answer(&inputs, console, || run_with(args, &outputs, console))
}

fn run_with(
    args: &SimulateArgs,
    outputs: &Outputs<SimulateFormat>,
    console: &Console,
) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.input.paths, &args.common, console)?;
    session.request.beside.clone_from(&args.faults);
    session.options.systems = vec![System::Ocm];
    let loaded = keep(session.open(console)?);
    outputs.guard(&session.inputs(loaded))?;
    let session = keep(session);
    let whole = keep(progress::check(loaded, &session.rules, console));
    let checked = super::without::left(whole, &args.without.without)?;
    let plan = keep(progress::plan(checked, &session.options, console));
    let mut faults = Sink::default();
    let rollouts = rollouts(plan, loaded, &mut faults);
    let strategy = plan.strategy.as_ref().filter(|_| plan.complete);
    let run = strategy.map(|strategy| simulate(strategy, loaded, args, &mut faults));
    if let Some(unknown) = faults
        .diagnostics
        .iter()
        .find(|found| found.primary.is_none())
    {
        // Said of --fail and --fail-rack: the call is at fault, not a document.
        let help = unknown.help.as_deref().unwrap_or_default();
        return Err(Failure::usage(format!("{} ({help})", unknown.message)));
    }
    let found = checked.report(&[&plan.findings, &faults]);
    let invalid = found.refused();
    let run = run.filter(|_| !invalid || session.options.keep_going);
    let sources = &loaded.sources;
    let answer = Simulation {
        now: plan.now,
        counts: plan.counts,
        strategy: strategy.zip(run.as_ref()),
        rollout_runs: rollouts.as_deref().map(json::ocm::rollout_runs),
        invalid,
        sink: &found,
        sources,
    };
    for output in outputs.answered() {
        output.emit(console, |out| match output.format {
            SimulateFormat::Json => json::write_json(&answer, out),
            SimulateFormat::Yaml => json::write_yaml(&answer, out),
            SimulateFormat::Text => {
                let screen = Screen {
                    trace: args.trace,
                    ..output.screen(console)
                };
                let mut page = page(&answer, &screen);
                for run in rollouts.iter().flatten().filter(|_| !answer.invalid) {
                    let title =
                        format!("{}/{} to {}", run.namespace, run.replica_set, run.placement);
                    page.gap();
                    page.append(text::ocm::run(&title, &run.run, &screen));
                }
                out.write_all(page.write(&screen).as_bytes())
            }
        })?;
    }
    if outputs.for_people() {
        let said = |rule: &_| run.is_some() && text::airship::ON_SCREEN.contains(&rule);
        let shown = found.filtered(|found| !said(found.rule));
        console.err(&diagnostics::full(
            &shown,
            sources,
            console.look_on_stderr(),
        ));
    }
    if invalid {
        return Ok(Exit::Fault);
    }
    let failed = run
        .as_ref()
        .is_some_and(|run| run.run.verdict == DeploymentVerdict::Failed);
    let unfinished =
        |run: &RolloutRun<'_>| !matches!(&run.run, Ok(run) if run.ending == Ending::Completed);
    match (&run, &rollouts) {
        (None, None) => {
            console.err("planner: nothing to simulate: there is no strategy and no rollout\n");
            Ok(Exit::NoInput)
        }
        (_, rollouts) if failed || rollouts.iter().flatten().any(unfinished) => {
            Ok(Exit::Unplaceable)
        }
        _ => Ok(Exit::Success),
    }
}

/// Runs the rollouts with the faults of the files beside the site.
fn rollouts<'a>(
    plan: &Plan<'_, 'a>,
    loaded: &Loaded,
    sink: &mut Sink,
) -> Option<Vec<RolloutRun<'a>>> {
    let model = &plan.site.ocm;
    if !plan.complete || !ocm::simulate::has_rollouts(model) {
        return None;
    }
    let mut faults = Faults::default();
    for document in loaded.beside_documents() {
        faults.read(document, model, sink);
    }
    Some(again::rollouts(plan, &faults))
}

/// Runs the strategy with the faults of the files beside the site and of the command line.
fn simulate<'a>(
    strategy: &Strategy<'_, 'a>,
    loaded: &Loaded,
    args: &SimulateArgs,
    sink: &mut Sink,
) -> StrategyRun<'a> {
    let mut reader = Reader::new(strategy.site);
    for document in loaded.beside_documents() {
        reader.document(document, sink);
    }
    args.fail
        .iter()
        .for_each(|node| reader.fail_node(node, sink));
    args.fail_rack
        .iter()
        .for_each(|rack| reader.fail_rack(rack, sink));
    let faults = &reader.faults;
    let weakest = args.weakest;
    StrategyRun {
        run: again::run(strategy, faults),
        weakest: weakest.then(|| again::weakest(strategy, faults, args.bound)),
    }
}

fn page(answer: &Simulation<'_, '_>, screen: &Screen) -> text::Page {
    let Some((strategy, simulated)) = answer.strategy else {
        return if answer.invalid {
            text::invalid(answer.sink, screen)
        } else {
            text::Page::new()
        };
    };
    let mut page = text::airship::run(strategy, &simulated.run, screen);
    if let Some((sets, taken_down)) = &simulated.weakest {
        page.gap();
        page.append(text::airship::weakest(
            strategy.site,
            sets,
            taken_down,
            screen,
        ));
    }
    page
}
