//! `planner plan`: load, check, plan, print, ask, record.

use std::io;
use std::path::PathBuf;

use crate::changes;
use crate::diagnostic::Sink;
use crate::kit::nearest::{hint, nearest};
use crate::ocm::EXPORT;
use crate::page::layout::{LEGEND, count, legend};
use crate::plan::{Mark, Plan, Quality};
use crate::render::csv::{self, Form};
use crate::render::guard::Judged;
use crate::render::text::{Page, Screen, Tone};
use crate::render::{clean_lines, json, text};
use crate::source::Sources;
use crate::systems;
use crate::systems::ocm::text::{is_no_hub, not_planned};
use crate::why::Ways;

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::PlanArgs;
use super::begins;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::{GITHUB, PlanFormat, SARIF};
use super::guard::{self, Conditions};
use super::onward::{hub, inputs, site_options, within, word};
use super::output::Outputs;
use super::proceed::{Proceed, asks, record_name};
use super::saved::{self, Target};
use super::session::Session;
use super::site::{Planned, Site};
use super::sites;

/// The message when there is nothing to plan.
pub(super) const NOTHING: &str = "nothing to plan: no recognised document was found";

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output or record that cannot be written.
pub(super) fn run(args: &PlanArgs, console: &Console) -> Result<Exit, Failure> {
    let is_markdown = |word: &String| word.split('=').next() == Some("markdown");
    if args.output.words.iter().any(is_markdown) {
        return Err(Failure::usage(
            "-o markdown shows what moves: add --against DIR|REV or --without KIND/NAME (a plan \
             alone is text, json, yaml, csv, tsv, sarif or github)",
        ));
    }
    let outputs = args.output.outputs()?;
    check_section(args)?;
    let stdin = args
        .input
        .paths
        .first()
        .is_some_and(|first| first.as_os_str() == "-");
    if args.consent.yes && stdin && args.common.records.is_none() {
        return Err(Failure::usage(
            "standard input has no records directory; pass one with --records",
        ));
    }
    let target = args.out.as_deref().map(|file| Target::of(file, args));
    let target = target.transpose()?;
    let run = Run::new(&args.common, &args.input.paths, outputs, console).and(&args.out);
    let mut planned = None;
    let exit = run.answer(|| {
        let (site, plan, judged, conditions) = plan(args, target.as_ref(), &run)?;
        if sites::is_one_of_several(site) {
            return Ok(sites::answer(site, plan, &run)?.brief(listed_by(args, site.session)));
        }
        let quality = conditions.quality(plan.verdict());
        let refused = judged
            .as_ref()
            .is_some_and(|judged| !judged.guard.is_held());
        planned = Some((site, plan, refused));
        Ok(answer(
            args,
            target.is_some(),
            (site, plan, quality),
            judged,
            &run,
        ))
    })?;
    match (planned, target) {
        // What the guard refuses is neither saved nor asked about.
        (Some((_, _, true)), _) => Ok(exit),
        (Some((site, plan, _)), _) if site.plans_nothing(plan) => Ok(exit),
        (Some((site, plan, _)), Some(target)) => {
            let on_screen = run.outputs.for_people();
            saved::save(&target, plan, site, args, console, on_screen)?;
            Ok(exit)
        }
        (Some((site, plan, _)), None) => {
            let proceed = Proceed {
                consent: args.consent,
                plan,
                session: site.session,
                origin: origin(site.session),
            };
            proceed.confirm(&run, exit)
        }
        (None, _) => Ok(exit),
    }
}

fn plan(
    args: &PlanArgs,
    target: Option<&Target<'_>>,
    run: &Run<'_, PlanFormat>,
) -> Result<(Site, Planned, Option<Judged>, Conditions), Failure> {
    let mut session = Session::new(&args.input.paths, &args.common, run.console)?;
    if let Some(target) = target
        && target.there
    {
        session.request.never.extend(args.out.clone());
    }
    let from_stdin = session.request.hub.as_ref();
    if args.out.is_some() && from_stdin.is_some_and(|hub| hub.stdin.is_some()) {
        return Err(Failure::usage(
            "--out needs --hub FILE: `planner proceed` could not read standard input again",
        ));
    }
    let outputs = &run.outputs;
    session.options.trace = args.trace;
    session.options.screen = outputs.has(PlanFormat::Text);
    let as_data = outputs.has(PlanFormat::Json) || outputs.has(PlanFormat::Yaml);
    session.options.sequential = as_data || target.is_some();
    session.options.packages.clone_from(&args.package);
    session.options.partial = true;
    let conditions = Conditions::of(args, &session)?;
    session.request.first_site = sites::may_be_several(args) && conditions.is_empty();
    let site = Site::read(session, run)?;
    spare_inputs(outputs, target, site.session.inputs(site.loaded))?;
    site.check_packages(&args.package)?;
    let plan = site.plan(run.console);
    let judged = guard::of_plan(&conditions, site, plan)?;
    Ok((site, plan, judged, conditions))
}

fn answer(
    args: &PlanArgs,
    is_saved: bool,
    (site, plan, quality): (Site, Planned, Quality),
    judged: Option<Judged>,
    run: &Run<'_, PlanFormat>,
) -> Answer<PlanFormat> {
    let refusals = judged.as_ref().map(Judged::findings).unwrap_or_default();
    let found = site.report(&[&plan.findings, &refusals]);
    let refused = judged
        .as_ref()
        .is_some_and(|judged| !judged.guard.is_held());
    let outcome = match site.plans_nothing(plan) {
        _ if refused => Outcome::Unplaceable,
        true => Outcome::nothing(nothing(plan)),
        false => Outcome::of(quality, args.detailed_exitcode && plan.recordable),
    };
    // A section alone does not say why another one fails.
    let told = match &args.section {
        Some(_) => site.report(&[&plan.findings, &refusals, &systems::unplaceable(plan)]),
        None => found.clone(),
    };
    // What is said instead of a plan says the same.
    let told = if !plan.without_hub.is_empty() && outcome.is_nothing() {
        told.filtered(|one| !is_no_hub(one))
    } else {
        told
    };
    let shown = Shown {
        site,
        section: args.section.clone(),
        trace: args.trace,
        changes_only: args.changes_only,
        plan,
        found,
        jobs: site.session.options.jobs,
        record: record_name(plan, site.session).filter(|_| !is_saved && !refused),
        asks: asks(args.consent, plan, run, site.session),
        judged,
        ways: if args.trace && site.session.options.screen {
            changes::ways(plan, &site.session.options)
        } else {
            Ways::new()
        },
    };
    let above = begins::above(site.session, "plan", &told);
    Answer::new(shown, outcome)
        .found(told, site.sources())
        .brief(listed_by(args, site.session))
        .note(clean_lines(&above))
        .of_hub(site.checked)
}

/// The command that lists all findings of a plan; `None` where `validate` would not tell them all.
fn listed_by(args: &PlanArgs, session: &Session) -> Option<String> {
    // An advisor that is a program runs here alone, and a section tells what it does not show.
    if args.section.is_some() || args.common.allow_commands {
        return None;
    }
    let paths: String = args.input.paths.iter().map(|path| word(path)).collect();
    let (hub, sites) = (hub(session), site_options(&args.common.site));
    Some(format!("planner validate{paths}{hub}{sites}"))
}

const LISTS: &str = "; `planner validate` lists the documents";

/// Why there is nothing to plan.
fn nothing(plan: &Plan<'_, '_>) -> String {
    let read = plan.counts.read;
    let held = plan
        .clusters()
        .into_iter()
        .filter(|(number, _)| *number > 0);
    let held: Vec<String> = held.map(|(number, noun)| count(number, noun)).collect();
    if !plan.without_hub.is_empty() {
        return format!("{}\n\n    {EXPORT}", not_planned(&plan.without_hub));
    }
    match (held.is_empty(), read) {
        (false, _) => format!(
            "nothing to plan: these documents contain {} and nothing to place",
            held.join(" and ")
        ),
        (true, 0) => "nothing to plan: no document was found".to_owned(),
        (true, 1) => format!("nothing to plan: the document is not recognised{LISTS}"),
        (true, read) => {
            format!("nothing to plan: none of the {read} documents is recognised{LISTS}")
        }
    }
}

/// Refuses to write over what was read; a plan saved earlier may be replaced.
fn spare_inputs(
    outputs: &Outputs<PlanFormat>,
    target: Option<&Target<'_>>,
    mut inputs: Vec<PathBuf>,
) -> Result<(), Failure> {
    let own = target.map(|target| target.path);
    if target.is_some_and(|target| target.there) {
        inputs.retain(|input| Some(input.as_path()) != own);
    }
    outputs.guard_with(own, &inputs)
}

/// The PATHs as a record names them.
fn origin(session: &Session) -> String {
    let paths = session.request.paths.iter();
    paths
        .map(|path| path.display().to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

fn check_section(args: &PlanArgs) -> Result<(), Failure> {
    let Some(section) = &args.section else {
        return Ok(());
    };
    let parts = json::parts();
    if parts.contains(&section.as_str()) {
        return Ok(());
    }
    let near = nearest(section, parts.iter().copied());
    let hint = hint(near.as_slice());
    let list = parts.join(", ");
    Err(Failure::usage(format!(
        "there is no section \"{section}\" (there are {list}){hint}"
    )))
}

/// A plan as it is shown.
pub(super) struct Shown {
    pub(super) site: Site,
    /// The only section shown.
    pub(super) section: Option<String>,
    /// With full lists of candidates.
    pub(super) trace: bool,
    /// Without what does not change.
    pub(super) changes_only: bool,
    pub(super) plan: Planned,
    pub(super) found: Sink,
    pub(super) jobs: usize,
    /// The file that Proceed writes.
    pub(super) record: Option<String>,
    /// A question follows, with what is at stake above it.
    pub(super) asks: bool,
    /// The verdict of the guard.
    pub(super) judged: Option<Judged>,
    /// The changes that would make failed subjects placeable.
    pub(super) ways: Ways,
}

impl Shown {
    fn sources(&self) -> &'static Sources {
        self.plan.site.documents.sources
    }

    fn page(&self, screen: &Screen, is_stdout: bool) -> Page {
        let refusal = self.judged.as_ref().map(|judged| judged.refusal(screen));
        let mut page = refusal.unwrap_or_default();
        page.append(match self.plan.shown() {
            Some(plan) => {
                let (section, within) = (self.section.as_deref(), within(self.site.session));
                text::plan(plan, &self.ways, screen, section, &within)
            }
            None => text::unplanned(self.plan, &self.found, screen),
        });
        if let Some(judged) = &self.judged {
            page.append(judged.page(screen));
        }
        if let Some(next) = self.onward().filter(|next| screen.fits(next)) {
            page.gap();
            page.toned(Tone::Dim, next);
        }
        if let Some(record) = &self.record {
            let ending = text::proceed(&systems::stake(self.plan), record, screen);
            let is_last = !self.asks || !is_stdout;
            if page.is_longer(screen) {
                // What matters first, however long the rest is.
                let rest = std::mem::take(&mut page);
                page.append(text::stake(&systems::stake(self.plan), screen));
                if !page.is_empty() {
                    page.line("");
                }
                page.append(rest);
            }
            if is_last {
                page.append(ending);
            }
        } else if !self.asks {
            legend(&mut page, LEGEND, screen);
        }
        page
    }
}

impl Shown {
    /// The one thing to do next, chosen by what the plan does; a plan that fails says it itself.
    fn onward(&self) -> Option<String> {
        let plan = self
            .plan
            .shown()
            .filter(|plan| plan.quality <= Quality::Ready)?;
        let session = self.site.session;
        let at = inputs(session) + &site_options(&session.request.site);
        let within = within(session);
        // A row that loses places is asked about before one that only gains some.
        let changing =
            || systems::rows(plan).filter(|row| matches!(row.mark, Mark::Changed | Mark::Gone));
        let losing = changing().find(|row| row.moved.removed > 0);
        let moved = losing.or_else(|| changing().next());
        let is_plain = |name: &String| {
            name.chars()
                .all(|c| c.is_alphanumeric() || "._-/:".contains(c))
        };
        match moved.map(|row| row.asked()).filter(is_plain) {
            Some(name) => Some(format!("Why it moves: planner why {name}{within}")),
            None if plan.quality == Quality::Unchanged => {
                Some(format!("What a loss would do: planner risk{at}"))
            }
            None if self.asks || self.record.is_none() => Some(format!(
                "To show it to others: planner report{at} -o plan.html"
            )),
            None => Some(format!(
                "To approve it later: planner plan{at} --out site.plan"
            )),
        }
    }
}

impl Data<PlanFormat> for Shown {
    fn write(&self, format: PlanFormat, out: &mut Out<'_>) -> io::Result<()> {
        let judged = self.judged.as_ref().map(Judged::data);
        let answer = || {
            json::PlanAnswer::new(self.plan, &self.found, self.sources()).guarded(judged.clone())
        };
        match (format, self.section.as_deref()) {
            (PlanFormat::Text, _) => {
                out.screen.trace = self.trace;
                out.screen.changes_only = self.changes_only;
                // A question is asked below the plan.
                out.is_paged &= !self.asks;
                out.page(&self.page(&out.screen, out.is_stdout))
            }
            (PlanFormat::Csv, section) => {
                csv::plan(self.plan, section, self.changes_only, Form::Csv, out.bare())
            }
            (PlanFormat::Tsv, section) => {
                csv::plan(self.plan, section, self.changes_only, Form::Tsv, out.bare())
            }
            (PlanFormat::Sarif, _) => {
                (self.site).annotate(self.plan, self.judged.as_ref(), SARIF, out)
            }
            (PlanFormat::Github, _) => {
                (self.site).annotate(self.plan, self.judged.as_ref(), GITHUB, out)
            }
            (PlanFormat::Json, None) => answer().write_json(self.jobs, out.stream()),
            (PlanFormat::Yaml, None) => answer().write_yaml(out.stream()),
            (PlanFormat::Json, Some(name)) => json::write_json(&answer().section(name), out.bare()),
            (PlanFormat::Yaml, Some("placements")) => json::write_decisions(self.plan, out.bare()),
            (PlanFormat::Yaml, Some(name)) => json::write_yaml(&answer().section(name), out.bare()),
        }
    }
}
