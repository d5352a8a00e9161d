//! `planner simulate --result`: the result of an exported run, held against the plan.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;

use crate::airship::Strategy;
use crate::airship::engine::run::DeploymentVerdict;
use crate::airship::ran::{self, Ran};
use crate::diagnostic::Sink;
use crate::export::{Sheet, ansible};
use crate::kit::plural::{first_names, plural};
use crate::kit::safe::shell_word;
use crate::render::clean;
use crate::render::json::{self, EngineRun};
use crate::render::text::{Page, Screen};
use crate::systems::airship;

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::SimulateArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::SimulateFormat;
use super::session::Session;
use super::site::{Planned, Site};

/// Names of a changed site that are listed.
const NAMES: usize = 5;

/// The longest list of hosts that is put on a command line.
const LONGEST: usize = 100_000;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, a file that is no result of a run.
pub(super) fn run(args: &SimulateArgs, file: &Path, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?;
    let run = Run::new(&args.common, &args.input.paths, outputs, console).and([file]);
    run.answer(|| {
        let mut session = Session::new(&args.input.paths, &args.common, console)?;
        session.options.systems.clear();
        session.request.never.push(file.to_path_buf());
        let site = Site::read(session, &run)?.without(&args.without.without)?;
        let plan = site.plan(console);
        let found = site.report(&[&plan.findings]);
        let Some(strategy) = plan.strategy.as_ref().filter(|_| plan.complete) else {
            let outcome = if plan.refused() {
                Outcome::Fault
            } else {
                Outcome::nothing(
                    "there is no deployment strategy to compare the result \
                     with",
                )
            };
            return Ok(Answer::without_data(outcome).found(found, site.sources()));
        };
        let shown = file.display().to_string();
        let shown = clean(&shown);
        let text = fs::read(file)
            .map_err(|error| Failure::system(error, format!("cannot read {shown}")))?;
        let ran = ran::read(&text, strategy).map_err(|why| {
            Failure::new(Exit::Fault, clean(&why))
                .context(format!("{shown} is not the result of an exported run"))
        })?;
        let sheet = Sheet::of(strategy);
        let is_same = ran.plan == sheet.digest();
        if args.resume {
            let Some(line) = command(&ran, &sheet, file) else {
                return Ok(Answer::without_data(Outcome::nothing(
                    "nothing to resume: every group and every node has succeeded",
                )));
            };
            console.out(&format!("{line}\n"))?;
            return Ok(Answer::without_data(Outcome::Fine));
        }
        let failed = !ran.complete || ran.run.verdict == DeploymentVerdict::Failed;
        let outcome = if failed {
            Outcome::Unplaceable
        } else {
            Outcome::Fine
        };
        let changed = (!is_same || !ran.unknown.is_empty()).then(|| changed(&ran));
        let answer = Answer::new(
            Ended {
                plan,
                strategy,
                ran,
                is_same,
                found: found.clone(),
            },
            outcome,
        );
        let answer = answer.found(found, site.sources());
        Ok(match changed {
            Some(note) => answer.say(note),
            None => answer,
        })
    })
}

fn changed(ran: &Ran) -> String {
    let mut text = "the site has changed since it was exported".to_owned();
    if !ran.unknown.is_empty() {
        text.push_str(&format!(
            "; it no longer has {}",
            clean(&first_names(ran.unknown.iter(), NAMES))
        ));
    }
    text
}

/// The command that goes on with what is left; `None` if nothing is.
fn command(ran: &Ran, sheet: &Sheet<'_, '_>, file: &Path) -> Option<String> {
    if ran.rest.is_empty() {
        return None;
    }
    let name = ran.name.as_deref().unwrap_or("planner");
    let file = shell_word(&file.to_string_lossy());
    Some(match ran.engine {
        "ansible" => {
            let hosts = ansible::hosts_of(sheet);
            let nodes: BTreeSet<u32> = ran
                .rest
                .iter()
                .flat_map(|rest| rest.nodes.iter().copied())
                .collect();
            let hosts: Vec<&str> = nodes.iter().map(|node| &*hosts[*node as usize]).collect();
            let hosts = hosts.join(",");
            let limit = match hosts.len() {
                0 => String::new(),
                // All other nodes are deployed, so nothing happens to them either way.
                length if length > LONGEST => String::new(),
                _ => format!(" --limit {hosts}"),
            };
            format!("ansible-playbook -i inventory.yml site.yml -e planner_resume=true{limit}")
        }
        "airflow" => format!("airflow dags trigger {name} --conf \"$(cat {file})\""),
        _ => format!("argo submit --watch workflow.yaml -p resume=\"$(cat {file})\""),
    })
}

struct Ended {
    plan: Planned,
    strategy: &'static Strategy<'static, 'static>,
    ran: Ran,
    is_same: bool,
    found: Sink,
}

impl Ended {
    fn page(&self, screen: &Screen) -> Page {
        let mut page = airship::text::ran(self.strategy, &self.ran, screen);
        if !self.ran.rest.is_empty() {
            let groups = plural(self.ran.rest.len(), "group");
            page.gap();
            page.line(format!("{groups} to resume: --resume prints the command."));
        }
        page
    }
}

impl Data<SimulateFormat> for Ended {
    fn write(&self, format: SimulateFormat, out: &mut Out<'_>) -> io::Result<()> {
        let answer = || EngineRun {
            now: self.plan.now,
            counts: self.plan.counts,
            strategy: self.strategy,
            ran: &self.ran,
            is_same: self.is_same,
            sink: &self.found,
            sources: self.plan.site.documents.sources,
        };
        match format {
            SimulateFormat::Json => out.json(&json::engine_run(&answer())),
            SimulateFormat::Yaml => out.yaml(&json::engine_run(&answer())),
            SimulateFormat::Text => out.page(&self.page(&out.screen)),
        }
    }
}
