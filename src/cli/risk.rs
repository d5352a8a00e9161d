//! `planner risk`: the plan without each thing in turn, ranked.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::changes;
use crate::diagnostic::{Severity, Sink};
use crate::options::Options;
use crate::plan::Quality;
use crate::remedies;
use crate::render::{Review, json, markdown, patch, text};
use crate::risk::{self, Class, Risk};
use crate::site::Checked;
use crate::why::Change;

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::{RemediesArg, RiskArgs, RiskFailOn};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::RiskFormat;
use super::progress;
use super::session::Session;
use super::site::{Planned, Site};

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &RiskArgs, console: &Console) -> Result<Exit, Failure> {
    let args = &with_paths(args);
    if args.diff && args.remedies != Some(RemediesArg::All) {
        return Err(Failure::usage("--diff needs --remedies all"));
    }
    let outputs = args.output.outputs()?;
    let run = Run::new(&args.common, &args.input.paths, outputs, console);
    run.answer(|| {
        let session = Session::new(&args.input.paths, &args.common, console)?;
        let site = Site::read(session, &run)?;
        let plan = site.plan(console);
        let found = site.report(&[&plan.findings]);
        let mut risk = assess(args, site, plan, console)?;
        if let Some(risk) = &mut risk {
            remedy(args, risk, site, plan, console);
        }
        let diff = risk.as_ref().filter(|_| args.diff);
        let diff = diff.map(|risk| diff_of(risk, site.checked, console));
        let outcome = match plan.result() {
            _ if site.is_nothing(plan) => {
                Outcome::nothing("nothing to lose: no recognised document was found")
            }
            Quality::Invalid => Outcome::Fault,
            _ if fails(args, risk.as_ref()) => Outcome::Unplaceable,
            _ => Outcome::Fine,
        };
        let answer = Assessed {
            risk,
            diff,
            plan,
            found: found.clone(),
        };
        Ok(Answer::new(answer, outcome)
            .errors(&found, site.sources())
            .of_hub(site.checked))
    })
}

fn assess(
    args: &RiskArgs,
    site: Site,
    plan: Planned,
    console: &Console,
) -> Result<Option<Risk>, Failure> {
    let things = risk::things(plan);
    if args.pairs && things.len() > risk::PAIRS {
        return Err(Failure::usage(format!(
            "--pairs takes at most {} things, and the site has {}",
            risk::PAIRS,
            things.len()
        )));
    }
    let done = AtomicUsize::new(0);
    let all = match args.pairs {
        true => things.len() * things.len().saturating_sub(1) / 2,
        false => things.len(),
    };
    let say = || {
        let done = done.load(Relaxed);
        format!("Losing each thing in turn: {done} of {all}")
    };
    let count = || {
        done.fetch_add(1, Relaxed);
    };
    let options = &site.session.options;
    let assess = || risk::assess(plan, &things, args.pairs, options, &count);
    let shown = plan.shown().is_some();
    Ok(shown.then(|| progress::watch(console, say, assess)))
}

/// The arguments with all PATHs in one place: `--remedies PATH` is what people type.
fn with_paths(args: &RiskArgs) -> RiskArgs {
    let mut args = args.clone();
    if let Some(RemediesArg::Of(path)) = &args.remedies {
        args.input.paths.insert(0, path.clone());
        args.remedies = Some(RemediesArg::Each);
    }
    args
}

/// Adds what can be done about losses, if that is asked.
fn remedy(args: &RiskArgs, risk: &mut Risk, site: Site, plan: Planned, console: &Console) {
    let Some(wanted) = &args.remedies else {
        return;
    };
    let options = &site.session.options;
    find(risk, plan, options, console);
    if *wanted == RemediesArg::All {
        let say = || "Searching for remedies for all losses…".to_owned();
        progress::watch(console, say, || remedies::together(plan, risk, options));
    }
}

/// Adds what can be done about each loss.
pub(super) fn find(risk: &mut Risk, plan: Planned, options: &Options, console: &Console) {
    let (all, done) = (remedies::hurting(risk).count(), AtomicUsize::new(0));
    let say = || {
        let done = done.load(Relaxed);
        format!("Searching for remedies: {done} of {all} losses")
    };
    let count = || {
        done.fetch_add(1, Relaxed);
    };
    progress::watch(console, say, || remedies::find(plan, risk, options, &count));
}

/// The edits for all losses as differences of the files; empty without any.
fn diff_of(risk: &Risk, checked: &Checked<'_>, console: &Console) -> String {
    let edits = risk.together.iter().flat_map(|found| &found.edits);
    let edits: Vec<Change> = edits.cloned().collect();
    let files = match changes::texts(checked, &edits) {
        _ if edits.is_empty() => None,
        None => {
            console.note("The edits cannot be written into these files as a patch.\n");
            return String::new();
        }
        some => some,
    };
    let Some(files) = files else {
        console.note("No edits to show.\n");
        return String::new();
    };
    let files = files.iter();
    let files = files.map(|(name, before, after)| (&**name, &**before, &**after));
    patch(files, console.stdout)
}

/// Whether something can be lost only with the impact that is made to fail.
fn fails(args: &RiskArgs, risk: Option<&Risk>) -> bool {
    let mut losses = risk.into_iter().flat_map(|risk| &risk.losses);
    losses.any(|loss| match args.fail_on {
        Some(RiskFailOn::Critical) => loss.class == Class::Fatal,
        Some(RiskFailOn::Unplaceable) => loss.class == Class::Fatal || loss.unplaced() > 0,
        Some(RiskFailOn::Volume) => loss.class <= Class::Volumes,
        None => false,
    })
}

struct Assessed {
    risk: Option<Risk>,
    /// The edits for all losses, shown instead of the answer.
    diff: Option<String>,
    plan: Planned,
    found: Sink,
}

impl Data<RiskFormat> for Assessed {
    fn write(&self, format: RiskFormat, out: &mut Out<'_>) -> io::Result<()> {
        if let Some(diff) = self.diff.as_ref().filter(|_| out.is_stdout) {
            return out.text(diff);
        }
        let (plan, found) = (self.plan, &self.found);
        let data = || {
            let sources = plan.site.documents.sources;
            json::RiskAnswer::new(self.risk.as_ref(), plan.now, plan.counts, found, sources)
        };
        match (format, &self.risk) {
            (RiskFormat::Json, _) => out.json(&data()),
            (RiskFormat::Yaml, _) => out.yaml(&data()),
            (RiskFormat::Markdown, Some(risk)) => out.text(&markdown::risk(risk)),
            (RiskFormat::Markdown, None) => {
                let errors = found.count(Severity::Error);
                out.text(&markdown::invalid("risk", errors, &Review::default()))
            }
            (RiskFormat::Text, Some(risk)) => out.page(&text::risk::risk(risk, &out.screen)),
            (RiskFormat::Text, None) => out.page(&text::invalid(found, &out.screen)),
        }
    }
}
