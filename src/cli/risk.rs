//! `planner risk`: the plan without each thing in turn, ranked.

use std::io;

use crate::changes;
use crate::diagnostic::{Severity, Sink};
use crate::options::Options;
use crate::plan::Quality;
use crate::remedies;
use crate::render::csv::{self, Form};
use crate::render::{Review, json, markdown, patch, text};
use crate::risk::part::Part;
use crate::risk::{self, Class, Risk, Sets, Shard};
use crate::site::{Checked, Thing};
use crate::why::Change;

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::{RemediesArg, RiskArgs, RiskFailOn};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::RiskFormat;
use super::progress::{self, Doing};
use super::session::Session;
use super::site::{Planned, Site};
use super::sweep;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &RiskArgs, console: &Console) -> Result<Exit, Failure> {
    let args = &with_paths(args);
    if args.diff && args.remedies != Some(RemediesArg::All) {
        return Err(Failure::usage("--diff needs --remedies all"));
    }
    if !args.merge.is_empty() {
        return sweep::merge(args, console, |risk| fails(args, Some(risk)));
    }
    let shard = sweep::shard(args)?;
    let outputs = sweep::outputs(args)?;
    if shard.is_some() {
        sweep::check_place(&outputs, args)?;
    }
    let run = Run::new(&args.common, &args.input.paths, outputs, console);
    run.answer(|| {
        let session = Session::new(&args.input.paths, &args.common, console)?;
        let site = Site::read(session, &run)?;
        let plan = site.plan(console);
        let found = site.report(&[&plan.findings]);
        let mut risk = assess(args, shard, site, plan, console)?;
        if let Some(risk) = &mut risk {
            remedy(args, risk, site, plan, console);
        }
        let diff = risk.as_ref().filter(|_| args.diff);
        let diff = diff.map(|risk| diff_of(risk, site.checked, console));
        let outcome = match plan.verdict() {
            _ if site.is_nothing(plan) => {
                Outcome::nothing("nothing to lose: no recognised document was found")
            }
            Quality::Invalid | Quality::Partial => Outcome::Fault,
            _ if fails(args, risk.as_ref()) => Outcome::Unplaceable,
            _ => Outcome::Fine,
        };
        let answer = Assessed {
            risk,
            diff,
            plan,
            found: found.clone(),
            trace: args.trace,
        };
        let answer = match shard {
            Some(shard) if answer.risk.is_some() => {
                Answer::new(answer.into_part(args, shard, site), outcome)
            }
            _ => Answer::new(answer, outcome),
        };
        Ok(answer.errors(&found, site.sources()).of_hub(site.checked))
    })
}

fn assess(
    args: &RiskArgs,
    shard: Option<Shard>,
    site: Site,
    plan: Planned,
    console: &Console,
) -> Result<Option<Risk>, Failure> {
    if plan.shown().is_none() {
        return Ok(None);
    }
    let things = risk::things(plan);
    let options = &site.session.options;
    let sets = sets(args, shard, &things, plan, options)?;
    let (all, noun) = (sets.len(), sweep::at_a_time(args).noun());
    let say = |done| format!("Losing each {noun} in turn: {done} of {all}");
    Ok(Some(progress::counted(console, all, say, |count| {
        risk::sweep(plan, &things, &sets, options, count)
    })))
}

/// The sets that are lost together, in this part.
///
/// # Errors
/// More than `--limit` (64).
fn sets(
    args: &RiskArgs,
    shard: Option<Shard>,
    things: &[Thing],
    plan: Planned,
    options: &Options,
) -> Result<Sets, Failure> {
    let (at_a_time, limit) = (sweep::at_a_time(args), args.limit);
    let few = |count: u128| count <= limit as u128;
    let (sets, all) = match shard {
        Some(shard) => {
            let costs = risk::costs(plan, things, options);
            let (sets, all) = shard.sets(at_a_time, &costs, limit);
            (Some(sets), all)
        }
        None => {
            let all = at_a_time.losses(things.len());
            (few(all).then(|| at_a_time.sets(things.len())), all)
        }
    };
    sets.filter(|_| few(all)).ok_or_else(|| {
        let noun = at_a_time.noun();
        let (place, help) = match shard {
            Some(_) => (" in this part", "use more parts"),
            None => ("", "compute them in parts with --shard"),
        };
        Failure::usage(format!(
            "{all} {noun}s{place} exceed --limit {limit}: raise it, or {help}"
        ))
    })
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
        let say = || Doing::from("Searching for remedies for all losses…");
        progress::watch(console, say, || remedies::together(plan, risk, options));
    }
}

/// Adds what can be done about each loss.
pub(super) fn find(risk: &mut Risk, plan: Planned, options: &Options, console: &Console) {
    let all = remedies::hurting(risk).count();
    let say = |done| format!("Searching for remedies: {done} of {all} losses");
    progress::counted(console, all, say, |count| {
        remedies::find(plan, risk, options, count);
    });
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
    patch(files, console.terminal().as_ref())
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
    trace: bool,
}

impl Assessed {
    fn data(&self) -> json::RiskAnswer<'_> {
        let (plan, found) = (self.plan, &self.found);
        let sources = plan.site.documents.sources;
        json::RiskAnswer::new(self.risk.as_ref(), plan.now, plan.counts, found, sources)
    }

    /// As the part of a sweep that was asked for.
    fn into_part(mut self, args: &RiskArgs, shard: Shard, site: Site) -> InPart {
        let risk = self.risk.take().unwrap_or_default();
        let sweep = sweep::sweep(args, shard, site, (risk.margins, risk.today), self.data());
        let things = risk::things(self.plan).len();
        InPart {
            shard,
            all: sweep.at_a_time.losses(things),
            part: Part::of(sweep, shard, risk.losses),
        }
    }
}

impl Data<RiskFormat> for Assessed {
    fn write(&self, format: RiskFormat, out: &mut Out<'_>) -> io::Result<()> {
        if let Some(diff) = self.diff.as_ref().filter(|_| out.is_stdout) {
            return out.text(diff);
        }
        match (format, &self.risk) {
            (RiskFormat::Json, _) => out.json(&self.data()),
            (RiskFormat::Yaml, _) => out.yaml(&self.data()),
            (RiskFormat::Csv, risk) => csv::risk(risk.as_ref(), Form::Csv, out.bare()),
            (RiskFormat::Tsv, risk) => csv::risk(risk.as_ref(), Form::Tsv, out.bare()),
            (RiskFormat::Markdown, Some(risk)) => out.text(&markdown::risk(risk)),
            (RiskFormat::Markdown, None) => {
                let errors = self.found.count(Severity::Error);
                out.text(&markdown::invalid("risk", errors, &Review::default()))
            }
            (RiskFormat::Text, Some(risk)) => {
                out.screen.trace = self.trace;
                out.page(&text::risk::risk(risk, &out.screen))
            }
            (RiskFormat::Text, None) => out.page(&text::invalid(&self.found, &out.screen)),
        }
    }
}

/// A part of a sweep.
struct InPart {
    shard: Shard,
    /// How many losses all parts have.
    all: u128,
    part: Part,
}

impl Data<RiskFormat> for InPart {
    fn write(&self, format: RiskFormat, out: &mut Out<'_>) -> io::Result<()> {
        if format == RiskFormat::Json {
            return json::write_json(&self.part, out.stream());
        }
        let Shard { number, of } = self.shard;
        let (own, all) = (self.part.losses.len(), self.all);
        let noun = self.part.sweep.at_a_time.noun();
        out.text(&format!("Part {number} of {of}: {own} of {all} {noun}s\n"))
    }
}
