//! `planner simulate`: load, check, run the deployment strategy with faults, report.

use std::env;
use std::mem::ManuallyDrop;
use std::path::PathBuf;

use crate::airship;
use crate::airship::engine::run::{self, DeploymentVerdict};
use crate::airship::engine::weakest;
use crate::airship::faults::Reader;
use crate::diagnostic::Sink;
use crate::ocm;
use crate::ocm::engine::rollout::Ending;
use crate::ocm::simulate::{Faults, RolloutRun};
use crate::render::json::{self, Simulation, StrategyRun};
use crate::render::text::Screen;
use crate::render::{diagnostics, text};
use crate::site;

use super::args::SimulateArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::output;
use super::session;

const FORMATS: &[&str] = &["text", "json", "yaml"];

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &SimulateArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = output::parse(&args.output, FORMATS)?;
    // What was read and planned lives until the program ends: freeing it would only take time.
    let session = session::open(&args.input.paths, &args.common, console)?;
    let mut session = ManuallyDrop::new(session);
    let directory = env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let limits = session.config.limits;
    let files: Vec<_> = args
        .faults
        .iter()
        .map(|path| session.loaded.side_file(path, &directory, limits))
        .collect();
    session.inputs.extend(args.faults.iter().cloned());
    output::guard(&outputs, &session.inputs)?;
    let mut sink = std::mem::take(&mut session.loaded.sink);
    let documents = ManuallyDrop::new(session.loaded.documents());
    session.print_notes(&documents, console);
    let sources = documents.sources;
    let options = &session.options;
    let site = site::check(&documents, session.loaded.unreadable, options, &mut sink);
    let site = ManuallyDrop::new(site);
    session.report_foreign(&documents, &mut sink);
    let wanted = !sink.refused() || options.keep_going;
    let rollouts = (wanted && ocm::simulate::has_rollouts(&site.ocm)).then(|| {
        let mut faults = Faults::default();
        for file in &files {
            for document in file.documents(&sources.get(file.source).text) {
                faults.read(document, &site.ocm, &mut sink);
            }
        }
        let planned = ocm::plan(&site.ocm, options);
        ocm::simulate::runs(&site.ocm, &planned.placements, options, &faults)
    });
    let mut strategy = None;
    if let Some(planned) = site.airship.site.as_ref().filter(|_| wanted) {
        let mut reader = Reader::new(planned);
        for file in &files {
            for document in file.documents(&sources.get(file.source).text) {
                reader.document(document, &mut sink);
            }
        }
        args.fail
            .iter()
            .for_each(|node| reader.fail_node(node, &mut sink));
        args.fail_rack
            .iter()
            .for_each(|rack| reader.fail_rack(rack, &mut sink));
        strategy = Some(simulate(&site.airship, planned, &reader, args));
    }
    session.config.apply(&mut sink);
    sink.sort(sources);
    let invalid = sink.refused();
    let strategy = strategy.filter(|_| !invalid || options.keep_going);
    let answer = Simulation {
        now: options.now,
        counts: site.counts,
        strategy: strategy.as_ref().map(|strategy| (&site.airship, strategy)),
        rollout_runs: rollouts.as_deref().map(json::ocm::rollout_runs),
        invalid,
        sink: &sink,
        sources,
    };
    for output in &outputs {
        output::emit(output, console, |out| match output.format {
            "json" => json::write_json(&answer, out),
            "yaml" => json::write_yaml(&answer, out),
            _ => {
                let mut screen = Screen {
                    trace: args.trace,
                    ..console.screen()
                };
                if output.file.is_some() {
                    screen = Screen {
                        width: None,
                        color: false,
                        ..screen
                    };
                }
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
    if output::on_stdout(&outputs) == "text" {
        let mut shown = Sink::default();
        let said = |rule: &_| strategy.is_some() && text::airship::ON_SCREEN.contains(&rule);
        shown.diagnostics = sink
            .diagnostics
            .iter()
            .filter(|found| !said(found.rule))
            .cloned()
            .collect();
        console.err(&diagnostics::full(
            &shown,
            sources,
            console.look_on_stderr(),
        ));
    }
    if invalid {
        return Ok(Exit::Fault);
    }
    let failed = strategy
        .as_ref()
        .is_some_and(|strategy| strategy.run.verdict == DeploymentVerdict::Failed);
    let unfinished =
        |run: &RolloutRun<'_>| !matches!(&run.run, Ok(run) if run.ending == Ending::Completed);
    match (&strategy, &rollouts) {
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

fn simulate<'a>(
    model: &airship::Model<'a>,
    site: &airship::model::Site<'a>,
    reader: &Reader<'_, '_>,
    args: &SimulateArgs,
) -> StrategyRun<'a> {
    let (plan, faults, reading) = (&model.deployment, &reader.faults, model.reading);
    let weakest = args.weakest.then(|| {
        let sets = weakest::weakest(site, plan, faults, reading, args.bound);
        (sets, weakest::taken_down(site, args.bound))
    });
    StrategyRun {
        run: run::run(site, plan, faults, reading),
        weakest,
    }
}

fn page(answer: &Simulation<'_, '_>, screen: &Screen) -> text::Page {
    let Some((model, strategy)) = answer.strategy else {
        return if answer.invalid {
            text::invalid(answer.sink, screen)
        } else {
            text::Page::new()
        };
    };
    let mut page = text::airship::run(model, &strategy.run, screen);
    if let (Some(site), Some((sets, taken_down))) = (&model.site, &strategy.weakest) {
        page.gap();
        page.append(text::airship::weakest(site, sets, taken_down, screen));
    }
    page
}
