//! `planner report`: the plan as one page to look at.

use std::io;
use std::path::Path;

use serde_json::Value;

use crate::airship::faults::Reader;
use crate::diagnostic::{Diagnostic, Sink};
use crate::diff::{self, Diff, FoundIn};
use crate::kit::join::join;
use crate::load::repository;
use crate::plan::{Quality, again, partial};
use crate::render::html::{Link, Moves, Planned as Shown, Report};
use crate::render::json::{DocumentCounts, PlanAnswer};
use crate::render::{Review, diagnostics, text};
use crate::risk::{self, AtATime, Risk};
use crate::source::Sources;
use crate::systems::airship::json::RunForm;
use crate::workspace::git;

use super::against;
use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::ReportArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::ReportFormat;
use super::output::Outputs;
use super::progress;
use super::revision::revision;
use super::risk::find;
use crate::saved::{SavedRow, rows};

use super::saved;
use super::session::Session;
use super::site::{Planned, Site};

/// Placements times clusters up to which every score is shown.
const SCORES: usize = 100_000;
/// Applications up to which the Clusters that each filter leaves are named.
const NAMED: usize = 2000;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, no such revision or saved plan, a page that cannot be
/// written.
pub(super) fn run(args: &ReportArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = Outputs::to_file(ReportFormat::Html, &args.output)?.absolute()?;
    if let Some(template) = &args.link {
        Link::check(template).map_err(|why| unfit(template, &why))?;
    }
    let paths = &args.input.paths;
    let run = Run::new(&args.common, paths, outputs, console)
        .and(&args.faults)
        .and(&args.against)
        .and(&args.plan);
    run.answer(|| match (&args.plan, &args.against) {
        (Some(file), _) => of_saved(args, file, &run),
        (None, Some(against)) => of_both(args, against, &run),
        (None, None) => of_site(args, &run),
    })
}

fn unfit(template: &str, why: &str) -> Failure {
    Failure::usage(why).context(format!("--link {template}"))
}

/// The page of a plan.
struct Page {
    title: String,
    revision: Option<(String, bool)>,
    link: Option<Link>,
    notes: Vec<String>,
    plan: Planned,
    nothing: bool,
    found: Sink,
    sources: &'static Sources,
    moves: Option<Moved>,
    risk: Option<Risk>,
    run: Option<Value>,
}

/// The line that says which snapshot of a hub a page was made with.
fn of_hub(site: Site) -> Option<String> {
    let now = site.checked.settings.now;
    let hub = site.checked.hub.as_ref()?;
    Some(text::hub(hub, site.sources(), now) + ".")
}

/// The line that says which sites a page is of, where there are several.
fn of_sites(names: &[String]) -> Option<String> {
    match names {
        [] => None,
        [name] => Some(format!("Site {name}.")),
        names => Some(format!("Sites {}.", names.join(", "))),
    }
}

/// The moves against another state.
struct Moved {
    title: String,
    command: &'static str,
    diff: Diff,
    review: Review,
}

impl Page {
    fn of(args: &ReportArgs, site: Site, plan: Planned) -> Result<Self, Failure> {
        let revision = commit(site);
        let link = link(args, site.session, revision.as_ref())?;
        let sites = match site.loaded.builds.sites.as_slice() {
            [] => of_sites(&args.common.site),
            names => of_sites(names),
        };
        Ok(Self {
            title: title(args),
            revision,
            link,
            notes: sites.into_iter().chain(of_hub(site)).collect(),
            plan,
            nothing: site.is_nothing(plan),
            found: site.report(&[&plan.findings]),
            sources: site.sources(),
            moves: None,
            risk: None,
            run: None,
        })
    }

    /// The answer: no error is left to be read in the page alone.
    fn answer(self, args: &ReportArgs) -> Answer<ReportFormat> {
        let outcome = if self.nothing {
            Outcome::Empty
        } else {
            let changes = args.detailed_exitcode && self.plan.recordable;
            Outcome::of(self.plan.verdict(), changes)
        };
        let (found, sources) = (self.found.clone(), self.sources);
        let is_nothing = self.nothing;
        let answer = Answer::new(self, outcome).errors(&found, sources);
        if is_nothing {
            answer.say(super::plan::NOTHING.to_owned())
        } else {
            answer
        }
    }
}

impl Data<ReportFormat> for Page {
    fn write(&self, format: ReportFormat, out: &mut Out<'_>) -> io::Result<()> {
        let ReportFormat::Html = format;
        let answer = PlanAnswer::new(self.plan, &self.found, self.sources);
        let moves = self.moves.as_ref().map(|moved| Moves {
            title: moved.title.clone(),
            command: moved.command,
            diff: &moved.diff,
            review: moved.review.clone(),
        });
        let report = Report {
            title: &self.title,
            now: self.plan.now.to_string(),
            revision: self.revision.clone(),
            link: self.link.as_ref(),
            result: self.plan.result(),
            nothing: self.nothing,
            documents: DocumentCounts::from(self.plan.counts).named(),
            notes: self.notes.clone(),
            planned: Shown::Now(self.plan, &answer),
            found: Some((&self.found, self.sources)),
            moves,
            risk: self.risk.as_ref(),
            run: self.run.as_ref(),
        };
        out.text(&report.page())
    }
}

fn of_site(
    args: &ReportArgs,
    run: &Run<'_, ReportFormat>,
) -> Result<Answer<ReportFormat>, Failure> {
    let console = run.console;
    let mut session = Session::new(&args.input.paths, &args.common, console)?;
    session.request.beside.clone_from(&args.faults);
    session.options.packages.clone_from(&args.package);
    session.options.partial = true;
    let whole = Site::read(session, run)?;
    whole.check_packages(&args.package)?;
    let site = whole.without(&args.without)?;
    let plan = site.plan_traced(console, is_small(site));
    let mut page = Page::of(args, site, plan)?;
    page.notes.extend(text::left_out(plan));
    if !args.without.is_empty() {
        let before = whole.plan(console);
        let diff = diff::without(before, plan, &args.without, &whole.session.options);
        page.notes.extend(diff::remarks(before, plan, &diff));
        let (new, gone) = diff::findings(
            FoundIn {
                sink: &whole.report(&[&before.findings]),
                documents: &whole.checked.documents,
            },
            FoundIn {
                sink: &page.found.filtered(Diagnostic::is_error),
                documents: &site.checked.documents,
            },
        );
        drop(gone);
        page.moves = plan.shown().map(|_| Moved {
            title: format!("Moves without {}", args.without.join(", ")),
            command: "planner plan --without",
            diff,
            review: Review {
                new: lines(&new, site.sources()),
                ..Review::default()
            },
        });
    }
    add_risk(args, site, &mut page, console);
    page.run = faults(args, site, plan)?;
    Ok(page.answer(args))
}

fn of_both(
    args: &ReportArgs,
    against: &str,
    run: &Run<'_, ReportFormat>,
) -> Result<Answer<ReportFormat>, Failure> {
    if args.input.paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::usage(
            "--against needs PATHs: standard input has no earlier state",
        ));
    }
    let mut session = Session::new(&args.input.paths, &args.common, run.console)?;
    session.request.beside.clone_from(&args.faults);
    let sides = against::sides(session, &args.package, against, run)?;
    let (new, gone) = diff::findings(sides.old.findings(), sides.new.findings());
    let site = sides.new.site;
    let mut page = Page::of(args, site, sides.new.plan)?;
    page.nothing = sides.is_nothing();
    let missing = [
        (sides.new.plan, site.sources()),
        (sides.old.plan, sides.called),
    ];
    let missing = missing
        .into_iter()
        .flat_map(|(plan, sources)| text::missing(&partial::missing(plan.site), sources));
    let missing = missing.collect();
    match sides.diff {
        Some(diff) => {
            page.moves = Some(Moved {
                title: format!("Moves compared with {against}"),
                command: "planner plan --against",
                diff,
                review: Review {
                    new: lines(&new, site.sources()),
                    gone: lines(&gone, sides.called),
                    not_compared: missing,
                },
            });
        }
        None => page.notes.push(format!(
            "It cannot be compared with {against}: documents were refused."
        )),
    }
    add_risk(args, site, &mut page, run.console);
    page.run = faults(args, site, sides.new.plan)?;
    Ok(page.answer(args))
}

fn lines(sink: &Sink, sources: &Sources) -> Vec<String> {
    let text = diagnostics::concise(sink, sources);
    text.lines().map(str::to_owned).collect()
}

/// Whether there is room to show every score and every Cluster that a filter left.
fn is_small(site: Site) -> bool {
    let hub = &site.checked.ocm;
    let scores = hub.placements.len().saturating_mul(hub.clusters.len());
    scores <= SCORES && site.checked.ogc.applications.len() <= NAMED
}

fn add_risk(args: &ReportArgs, site: Site, page: &mut Page, console: &Console) {
    if !args.risk || page.plan.shown().is_none() {
        return;
    }
    let things = risk::things(page.plan);
    let all = things.len();
    let say = |done| format!("Losing each thing in turn: {done} of {all}");
    let options = &site.session.options;
    let mut risk = progress::counted(console, all, say, |count| {
        risk::assess(page.plan, &things, AtATime::One, options, count)
    });
    find(&mut risk, page.plan, options, console);
    page.risk = Some(risk);
}

/// The run of the deployment groups with the faults that are asked for.
fn faults(args: &ReportArgs, site: Site, plan: Planned) -> Result<Option<Value>, Failure> {
    if args.fail.is_empty() && args.fail_rack.is_empty() && args.faults.is_empty() {
        return Ok(None);
    }
    let Some(strategy) = plan.strategy.as_ref().filter(|_| plan.complete) else {
        return if plan.complete {
            Err(Failure::usage("there are no deployment groups to simulate"))
        } else {
            Ok(None)
        };
    };
    let mut said = Sink::default();
    let mut reader = Reader::new(strategy.site);
    for document in site.loaded.beside_documents() {
        reader.document(document, &mut said);
    }
    args.fail
        .iter()
        .for_each(|node| reader.fail_node(node, &mut said));
    args.fail_rack
        .iter()
        .for_each(|rack| reader.fail_rack(rack, &mut said));
    if let Some(fault) = said.diagnostics.iter().find(|found| found.is_error()) {
        let help = fault.help.as_deref().unwrap_or_default();
        return Err(Failure::usage(format!("{} ({help})", fault.message)));
    }
    let run = again::run(strategy, &reader.faults);
    Ok(serde_json::to_value(RunForm::new(strategy.site, &run)).ok())
}

fn of_saved(
    args: &ReportArgs,
    file: &Path,
    run: &Run<'_, ReportFormat>,
) -> Result<Answer<ReportFormat>, Failure> {
    let shown = saved::open(file, &args.input.paths, &args.package, run)?;
    let link = link_of(args, shown.saved.revision.as_deref(), "")?;
    let page = SavedPage {
        title: args
            .title
            .clone()
            .unwrap_or_else(|| shown.saved.paths.join(" ")),
        link,
        shown,
    };
    Ok(Answer::new(page, Outcome::Fine))
}

/// The page of a saved plan.
struct SavedPage {
    title: String,
    link: Option<Link>,
    shown: saved::Shown,
}

impl Data<ReportFormat> for SavedPage {
    fn write(&self, format: ReportFormat, out: &mut Out<'_>) -> io::Result<()> {
        let ReportFormat::Html = format;
        let saved = &self.shown.saved;
        let mut notes = vec![format!(
            "The saved plan {}, made by planner {}. Its digest is {}.",
            self.shown.name, saved.planner, saved.digest
        )];
        notes.extend(of_sites(&saved.options.site));
        notes.extend(self.shown.note());
        let rows: Vec<SavedRow> = rows(&saved.outcome).collect();
        let report = Report {
            title: &self.title,
            now: saved.now.clone(),
            revision: saved.revision.clone().map(|revision| (revision, true)),
            link: self.link.as_ref(),
            result: match saved.result.as_str() {
                "unchanged" => Quality::Unchanged,
                _ => Quality::Ready,
            },
            nothing: false,
            documents: vec![
                ("documents read", saved.counts.read),
                ("planned", saved.counts.planned),
            ],
            notes,
            planned: Shown::Saved(&saved.outcome, &rows),
            found: None,
            moves: None,
            risk: None,
            run: None,
        };
        out.text(&report.page())
    }
}

/// The PATHs, without the directories that lead to the working directory.
fn title(args: &ReportArgs) -> String {
    if let Some(title) = &args.title {
        return title.clone();
    }
    let name = |path: &Path| match path.to_str() {
        Some("-") => "standard input".to_owned(),
        _ if path.is_absolute() || path == Path::new(".") || path.ends_with("..") => {
            let real = path.canonicalize();
            let name = real
                .ok()
                .and_then(|real| Some(real.file_name()?.to_owned()));
            name.map_or_else(
                || ".".to_owned(),
                |name| name.to_string_lossy().into_owned(),
            )
        }
        _ => path.to_string_lossy().into_owned(),
    };
    match args.input.paths.as_slice() {
        [] => name(Path::new(".")),
        paths => {
            let names: Vec<String> = paths.iter().map(|path| name(path)).collect();
            names.join(" ")
        }
    }
}

/// The commit that is checked out, and whether the documents are exactly those of it.
fn commit(site: Site) -> Option<(String, bool)> {
    let request = &site.session.request;
    let head = || git().head(&request.paths, &request.directory);
    let same = || revision(site.session, site.loaded);
    let (head, same) = join(site.session.options.jobs, head, same);
    match same {
        Some(same) => Some((same, true)),
        None => Some((head?, false)),
    }
}

fn link(
    args: &ReportArgs,
    session: &Session,
    revision: Option<&(String, bool)>,
) -> Result<Option<Link>, Failure> {
    let here = &session.request.directory;
    let prefix = repository(here).and_then(|root| here.strip_prefix(root).ok());
    let prefix = prefix.map_or(String::new(), |prefix| {
        prefix.to_string_lossy().into_owned()
    });
    link_of(
        args,
        revision.map(|(revision, _)| revision.as_str()),
        &prefix,
    )
}

fn link_of(
    args: &ReportArgs,
    revision: Option<&str>,
    prefix: &str,
) -> Result<Option<Link>, Failure> {
    let Some(template) = &args.link else {
        return Ok(None);
    };
    let link = Link::new(template, revision, prefix);
    link.map(Some).map_err(|why| unfit(template, &why))
}
