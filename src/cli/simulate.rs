//! `planner simulate`: load, check, run the deployment strategy with faults, report.

use std::collections::BTreeSet;
use std::io;

use crate::airship::Strategy;
use crate::airship::engine::run::DeploymentVerdict;
use crate::airship::faults::Reader;
use crate::diagnostic::Sink;
use crate::document::System;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::ocm::engine::rollout::Ending;
use crate::ocm::simulate::{Faults, RolloutRun};
use crate::plan::again::{self, ApplicationRollout};
use crate::render::json::{Simulation, StrategyRun};
use crate::render::text::{self, Page, Screen};
use crate::systems::{airship, delivery, ocm};

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::SimulateArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::SimulateFormat;
use super::progress::{self, Doing};
use super::session::Session;
use super::site::{Planned, Site};

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &SimulateArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?;
    let run = Run::new(&args.common, &args.input.paths, outputs, console).and(&args.faults);
    run.answer(|| {
        let mut session = Session::new(&args.input.paths, &args.common, console)?;
        session.request.beside.clone_from(&args.faults);
        session.options.systems = vec![System::Ocm];
        let site = Site::read(session, &run)?.without(&args.without.without)?;
        let ended = simulated(args, site, console)?;
        let outcome = ended.outcome();
        let found = ended.found.clone();
        Ok(Answer::new(ended, outcome)
            .found(found, site.sources())
            .of_hub(site.checked))
    })
}

/// How the strategy and the rollouts of a site end.
struct Ended {
    plan: Planned,
    strategy: Option<(&'static Strategy<'static, 'static>, StrategyRun<'static>)>,
    rollouts: Option<Vec<RolloutRun<'static>>>,
    applications: Vec<ApplicationRollout<'static, 'static>>,
    invalid: bool,
    found: Sink,
    trace: bool,
}

fn simulated(args: &SimulateArgs, site: Site, console: &Console) -> Result<Ended, Failure> {
    let plan = site.plan(console);
    let mut faults = Sink::default();
    let rollouts = rollouts(plan, site, &args.fail, &mut faults);
    let strategy = plan.strategy.as_ref().filter(|_| plan.complete);
    let applications = if plan.complete {
        again::application_rollouts(plan, &args.fail.iter().map(String::as_str).collect())
    } else {
        Vec::new()
    };
    let mut taken = again::of_rollouts(plan, &applications);
    if rollouts.is_some() {
        taken.extend(plan.site.ocm.known_clusters().map(str::to_owned));
    }
    if strategy.is_none() && (rollouts.is_some() || !applications.is_empty()) {
        let mut fail = args.fail.iter();
        if let Some(unknown) = fail.find(|name| !taken.contains(name.as_str())) {
            return Err(unknown_name(unknown, &taken));
        }
    }
    let mut run = |strategy| simulate(strategy, site, (args, &taken), &mut faults, console);
    let run = strategy.map(|strategy| (strategy, run(strategy)));
    let mut found = faults.diagnostics.iter();
    if let Some(unknown) = found.find(|found| found.primary.is_none()) {
        // Said of --fail and --fail-rack: the call is at fault, not a document.
        let help = unknown.help.as_deref().unwrap_or_default();
        return Err(Failure::usage(format!("{} ({help})", unknown.message)));
    }
    let found = site.report(&[&plan.findings, &faults]);
    let invalid = found.refused();
    Ok(Ended {
        plan,
        strategy: run.filter(|_| !invalid || site.session.options.keep_going),
        rollouts,
        invalid,
        found,
        applications,
        trace: args.trace,
    })
}

fn unknown_name(name: &str, taken: &BTreeSet<String>) -> Failure {
    let near = nearest(name, taken.iter().map(String::as_str));
    let help = near.map_or(String::new(), |near| format!(" ({})", did_you_mean(near)));
    Failure::usage(format!(
        "no rollout has an Application or a cluster `{name}`{help}"
    ))
}

/// Runs the rollouts, if there are any, with the faults of the files beside the site and of the
/// command line.
fn rollouts(
    plan: Planned,
    site: Site,
    fail: &[String],
    sink: &mut Sink,
) -> Option<Vec<RolloutRun<'static>>> {
    if !plan.complete {
        return None;
    }
    let mut faults = Faults::default();
    let mut found = Sink::default();
    for document in site.loaded.beside_documents() {
        faults.read(document, &plan.site.ocm, &mut found);
    }
    let runs = again::rollouts(plan, &faults.failing(fail));
    if runs.is_empty() {
        return None;
    }
    sink.diagnostics.append(&mut found.diagnostics);
    Some(runs)
}

/// Runs the strategy with the faults of the files beside the site and of the command line.
fn simulate(
    strategy: &'static Strategy<'static, 'static>,
    site: Site,
    (args, taken): (&SimulateArgs, &BTreeSet<String>),
    sink: &mut Sink,
    console: &Console,
) -> StrategyRun<'static> {
    let mut reader = Reader::new(strategy.site);
    for document in site.loaded.beside_documents() {
        reader.document(document, sink);
    }
    let (nodes, racks) = (args.fail.iter(), args.fail_rack.iter());
    let nodes = nodes.filter(|name| !taken.contains(name.as_str()));
    nodes.for_each(|node| reader.fail_node(node, sink));
    racks.for_each(|rack| reader.fail_rack(rack, sink));
    let faults = &reader.faults;
    let progress = &site.session.options.progress;
    let say = || Doing::of("Searching for the smallest sets of failures", progress);
    let weakest = || again::weakest(strategy, faults, args.bound, progress);
    StrategyRun {
        run: again::run(strategy, faults),
        weakest: args.weakest.then(|| progress::watch(console, say, weakest)),
    }
}

impl Ended {
    fn outcome(&self) -> Outcome {
        let failed = |(_, run): &(_, StrategyRun<'_>)| run.run.verdict == DeploymentVerdict::Failed;
        let unfinished =
            |run: &RolloutRun<'_>| !matches!(&run.run, Ok(run) if run.ending == Ending::Completed);
        let stuck = self.applications.iter().any(|rollout| !rollout.is_whole());
        match (&self.strategy, &self.rollouts) {
            _ if self.invalid => Outcome::Fault,
            (None, None) if self.applications.is_empty() => {
                Outcome::nothing("nothing to simulate: there is no strategy and no rollout")
            }
            (run, rollouts)
                if stuck || run.iter().any(failed) || rollouts.iter().flatten().any(unfinished) =>
            {
                Outcome::Unplaceable
            }
            _ => Outcome::Fine,
        }
    }

    fn page(&self, screen: &Screen) -> Page {
        let mut page = match &self.strategy {
            Some((strategy, simulated)) => {
                // What is asked comes first.
                let mut page = match &simulated.weakest {
                    Some((sets, taken_down)) => {
                        let page = airship::text::weakest(strategy.site, sets, taken_down, screen);
                        // Nothing else was asked.
                        if simulated.run.verdict == DeploymentVerdict::Success {
                            return page;
                        }
                        page
                    }
                    None => Page::new(),
                };
                page.gap();
                page.append(airship::text::run(strategy, &simulated.run, screen));
                page
            }
            None if self.invalid => text::invalid(&self.found, screen),
            None => Page::new(),
        };
        for run in self.rollouts.iter().flatten().filter(|_| !self.invalid) {
            page.gap();
            page.append(ocm::text::run(run, screen));
        }
        for rollout in self.applications.iter().filter(|_| !self.invalid) {
            page.gap();
            page.append(delivery::text::rollout(rollout, screen));
        }
        page
    }
}

impl Data<SimulateFormat> for Ended {
    fn write(&self, format: SimulateFormat, out: &mut Out<'_>) -> io::Result<()> {
        let answer = || Simulation {
            now: self.plan.now,
            counts: self.plan.counts,
            strategy: self
                .strategy
                .as_ref()
                .map(|(strategy, run)| (*strategy, run)),
            rollout_runs: self.rollouts.as_deref().map(ocm::json::rollout_runs),
            application_rollouts: delivery::json::rollouts(
                &self.applications,
                self.plan.site.documents.sources,
            ),
            invalid: self.invalid,
            sink: &self.found,
            sources: self.plan.site.documents.sources,
        };
        match format {
            SimulateFormat::Json => out.json(&answer()),
            SimulateFormat::Yaml => out.yaml(&answer()),
            SimulateFormat::Text => {
                out.screen.trace = self.trace;
                out.page(&self.page(&out.screen))
            }
        }
    }
}
