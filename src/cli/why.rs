//! `planner why`: every reason for and against one subject.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::changes::{Base, CHANGES, Question, Today, nearest, runner_up, texts};
use crate::diagnostic::Sink;
use crate::document::System;
use crate::kit::plural::plural;
use crate::render::{clean, clean_lines, json, patch, text};
use crate::repair::May;
use crate::site::Checked;
use crate::systems::{self, Asked, Is, NoAnswer};
use crate::why::{RunnerUp, Why};
use crate::workspace::origins;

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::{MayArg, WhyArgs};
use super::begins;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::WhyFormat;
use super::progress::{self, Doing};
use super::session::Session;
use super::site::{Planned, Site};
use super::sites::{is_one_of_several, refuse_many};

/// An answer.
struct Explanation {
    why: Why,
    /// The candidate that came next, where nothing else was asked.
    next: Option<RunnerUp>,
}

/// Runs the command.
///
/// # Errors
/// Bad arguments (an unknown or ambiguous subject among them), a bad configuration.
pub(super) fn run(args: &WhyArgs, console: &Console) -> Result<Exit, Failure> {
    let args = &with_paths(args);
    let outputs = args.output.outputs()?;
    let path = maybe_path(args);
    let run = Run::new(&args.common, &args.paths, outputs, console).and(&path);
    let Some(subject) = &args.subject else {
        return subjects(args, &run);
    };
    run.answer(|| {
        let asked = ask(args, subject, &run);
        let Some(path) = path else {
            return asked.map(Asking::answer);
        };
        if let Ok(Asking { answered: true, .. }) = &asked {
            let path = path.display();
            let note = format!("{path} is a candidate; to read the path, use --in {path}\n");
            return asked.map(|asked| asked.answer().note(clean_lines(&note)));
        }
        let args = WhyArgs {
            candidate: None,
            paths: vec![path],
            ..args.clone()
        };
        match ask(&args, subject, &run) {
            Ok(there) if there.answered || asked.is_err() => Ok(there.answer()),
            _ => asked.map(Asking::answer),
        }
    })
}

/// The answer to a question, with its findings.
struct Asking {
    /// The command as far as it was typed before PATH.
    command: String,
    explained: Explained,
    site: Site,
    answered: bool,
}

impl Asking {
    fn new(args: &WhyArgs, subject: &str, explained: Explained, site: Site) -> Self {
        let words = std::iter::once(subject).chain(args.candidate.as_deref());
        let words = words.collect::<Vec<_>>().join(" ");
        Self {
            command: format!("why {words} --in"),
            answered: explained.explanation.is_some(),
            explained,
            site,
        }
    }

    fn answer(self) -> Answer<WhyFormat> {
        let (outcome, found) = (self.explained.outcome.clone(), self.explained.found.clone());
        Answer::new(self.explained, outcome)
            .note(clean_lines(&begins::above(
                self.site.session,
                &self.command,
                &found,
            )))
            .errors(&found, self.site.sources())
            .of_hub(self.site.checked)
    }
}

/// Reads the site and asks.
fn ask(args: &WhyArgs, subject: &str, run: &Run<'_, WhyFormat>) -> Result<Asking, Failure> {
    let mut session = Session::new(&args.paths, &args.common, run.console)?;
    session.options.systems.clear();
    session.options.partial = true;
    session.request.first_site = args.common.hub.is_none();
    let site = Site::read(session, run).map_err(|failure| meant_path(args, failure))?;
    if is_one_of_several(site) {
        return ask_each(args, subject, site, run.console);
    }
    let site = site.without(&args.without.without)?;
    let explained = explained(args, subject, site, run.console)?;
    Ok(Asking::new(args, subject, explained, site))
}

/// Asks every site: an answer that is the same wherever there is one needs no name of a site.
fn ask_each(
    args: &WhyArgs,
    subject: &str,
    first: Site,
    console: &Console,
) -> Result<Asking, Failure> {
    let names = first.loaded.builds.site_names();
    refuse_many(&names, false)?;
    let mut answers: Vec<(&str, Asking, Value)> = Vec::new();
    let mut fault = None;
    for name in &names {
        let site = if answers.is_empty() && fault.is_none() {
            first
        } else {
            first.other(name, console)?
        };
        let site = site.without(&args.without.without)?;
        match explained(args, subject, site, console) {
            Ok(explained) => {
                let data = explained.data();
                let asking = Asking::new(args, subject, explained, site);
                answers.push((name, asking, data));
            }
            Err(failure) => fault = fault.or(Some(failure)),
        }
    }
    let differs = answers.windows(2).any(|two| two[0].2 != two[1].2);
    if differs {
        let names: Vec<&str> = answers.iter().map(|(name, ..)| *name).collect();
        return Err(Failure::usage(format!(
            "the answer differs in {}; name one with --site ({})",
            plural(names.len(), "site"),
            names.join(", ")
        )));
    }
    match (answers.into_iter().next(), fault) {
        (Some((_, asking, _)), _) => Ok(asking),
        (None, Some(fault)) => Err(fault),
        (None, None) => Err(Failure::usage(super::plan::NOTHING)),
    }
}

/// Takes out of an answer which kustomizations its lines are in.
fn without_roots(data: &mut Value) {
    match data {
        Value::Object(fields) => {
            fields.remove("origin");
            fields.values_mut().for_each(without_roots);
        }
        Value::Array(items) => items.iter_mut().for_each(without_roots),
        _ => {}
    }
}

/// The candidate as the path that it may be: what is there, has no slash and stands where no
/// other PATH is given. Only the site tells whether it is a candidate.
fn maybe_path(args: &WhyArgs) -> Option<PathBuf> {
    let path = PathBuf::from(args.candidate.as_ref()?);
    (args.paths.is_empty() && path.exists()).then_some(path)
}

/// The arguments with all PATHs in one place: a candidate that is written as a path, and is one, is
/// what people type who leave the candidate out.
fn with_paths(args: &WhyArgs) -> WhyArgs {
    let mut args = args.clone();
    let is_path = |written: &String| {
        let named = written.contains('/') || [".", ".."].contains(&written.as_str());
        named && Path::new(written).exists()
    };
    let path = args.candidate.take_if(|candidate| is_path(candidate));
    args.paths.extend(path.map(PathBuf::from));
    args.paths.append(&mut args.more);
    args
}

/// Prints what can be asked about, a name a line; those that several systems have with theirs.
fn subjects(args: &WhyArgs, run: &Run<'_, WhyFormat>) -> Result<Exit, Failure> {
    if !run.outputs.for_people() {
        return Err(Failure::usage(
            "without a SUBJECT, `why` lists names as text: leave out -o, or add a SUBJECT",
        ));
    }
    let mut session = Session::new(&args.paths, &args.common, run.console)?;
    session.options.systems.clear();
    let site = Site::read(session, run)?.without(&args.without.without)?;
    let plan = site.plan(run.console);
    let mut names: BTreeMap<String, Vec<System>> = BTreeMap::new();
    for system in systems::all() {
        for name in system.subjects(plan) {
            names.entry(name).or_default().push(system.profile().system);
        }
    }
    let mut text = String::new();
    for (name, of) in names {
        match of.as_slice() {
            [_] => text.push_str(&format!("{}\n", clean(&name))),
            of => of.iter().for_each(|system| {
                text.push_str(&format!("{}:{}\n", system.name(), clean(&name)));
            }),
        }
    }
    if text.is_empty() {
        return Err(if plan.refused() {
            Failure::new(
                Exit::Fault,
                "documents were refused; `planner validate` lists their errors",
            )
        } else {
            Failure::new(
                Exit::NoInput,
                "nothing to explain: no document is placed or delivered",
            )
        });
    }
    run.console.out(&text)?;
    Ok(Exit::Success)
}

/// The answer to a question, or why there is none.
struct Explained {
    explanation: Option<Explanation>,
    /// The first set of changes, shown instead of the answer.
    diff: Option<String>,
    plan: Planned,
    found: Sink,
    outcome: Outcome,
}

fn explained(
    args: &WhyArgs,
    subject: &str,
    site: Site,
    console: &Console,
) -> Result<Explained, Failure> {
    let plan = site.plan(console);
    let mut explained = Explained {
        explanation: None,
        diff: None,
        plan,
        found: Sink::default(),
        outcome: Outcome::Fault,
    };
    if site.is_nothing(plan) {
        explained.found = site.report(&[&plan.findings]);
        let nothing = "nothing to explain: no recognised document was found";
        explained.outcome = Outcome::nothing(nothing);
        return Ok(explained);
    }
    let asked = Asked {
        plan,
        options: &site.session.options,
        candidate: args.candidate.as_deref(),
        said: RefCell::default(),
    };
    if plan.complete {
        let (meant, why) = asked.answer(subject).map_err(no_answer)?;
        let mut answer = Explanation { why, next: None };
        origins(&mut answer.why, site.checked);
        let base = Base {
            site: site.checked,
            options: &site.session.options,
        };
        changes(&mut answer, args, &base, plan, console);
        if args.candidate.is_none() && args.changes.is_none() && meant.is == Is::Subject {
            answer.next = runner_up(&base, &answer.why);
        }
        explained.diff = args.diff.then(|| diff(&answer.why, site.checked, console));
        explained.outcome = match () {
            () if plan.refused() => Outcome::Fault,
            () if answer.why.placed || args.candidate.is_some() => Outcome::Fine,
            () => Outcome::Unplaceable,
        };
        explained.explanation = Some(answer);
    }
    explained.found = site.report(&[&plan.findings, &asked.said.borrow()]);
    Ok(explained)
}

impl Explained {
    /// The answer as data, without findings.
    fn data(&self) -> Value {
        let (none, sources) = (Sink::default(), self.plan.site.documents.sources);
        let why = self.explanation.as_ref().map(|answer| &answer.why);
        let data = json::WhyAnswer::new(why, self.plan.now, &none, sources);
        let mut data = serde_json::to_value(data).unwrap_or_default();
        without_roots(&mut data);
        data
    }
}

impl Data<WhyFormat> for Explained {
    fn write(&self, format: WhyFormat, out: &mut Out<'_>) -> io::Result<()> {
        if let Some(diff) = self.diff.as_ref().filter(|_| out.is_stdout) {
            return out.text(diff);
        }
        let (plan, found) = (self.plan, &self.found);
        let sources = plan.site.documents.sources;
        let why = self.explanation.as_ref().map(|answer| &answer.why);
        let next = self.explanation.as_ref().and_then(|one| one.next.as_ref());
        let data = || json::WhyAnswer::new(why, plan.now, found, sources).then(next);
        match (format, &self.explanation) {
            (WhyFormat::Json, _) => out.json(&data()),
            (WhyFormat::Yaml, _) => out.yaml(&data()),
            (WhyFormat::Text, None) => out.page(&text::invalid(found, &out.screen)),
            (WhyFormat::Text, Some(Explanation { why, next })) => {
                let mut page = text::why(why, sources, &out.screen);
                if let Some(next) = next {
                    text::runner_up(&mut page, next, &out.screen);
                }
                out.page(&page)
            }
        }
    }
}

/// The first set of changes as differences of the files; empty without one.
fn diff(why: &Why, checked: &Checked<'_>, console: &Console) -> String {
    let mut sets = why.candidates.iter().filter_map(|candidate| {
        let set = candidate.changes.as_ref()?.sets.first()?;
        Some((candidate, texts(checked, set)?))
    });
    let Some((candidate, files)) = sets.next() else {
        console.note("No changes to show: planner knows none that selects a candidate.\n");
        return String::new();
    };
    console.note(&format!(
        "This selects {}; nothing was written.\n",
        clean(&candidate.name)
    ));
    let files = files.iter();
    let files = files.map(|(name, before, after)| (&**name, &**before, &**after));
    patch(files, console.terminal().as_ref())
}

/// Adds what would have to change: for the candidate asked about, or for the nearest ones where
/// nothing could be placed.
fn changes(
    answer: &mut Explanation,
    args: &WhyArgs,
    base: &Base<'_, '_>,
    plan: Planned,
    console: &Console,
) {
    let why = &mut answer.why;
    let one = args.candidate.is_some();
    let edits = match args.changes {
        Some(edits) => edits,
        None if one || !why.placed => CHANGES,
        None => 0,
    };
    if edits == 0 {
        return;
    }
    let (subject, system) = (why.subject.clone(), why.system);
    let wanted = match args.changes {
        None if !one => nearest(why),
        _ => (0..why.candidates.len())
            .filter(|at| !why.candidates[*at].chosen)
            .collect(),
    };
    let (all, done) = (wanted.len(), AtomicUsize::new(0));
    let today = Today::of(plan);
    let say = || {
        let at = done.load(Ordering::Relaxed);
        let text = format!("Searching for changes: candidate {at} of {all}");
        Doing::new(text, (at.saturating_sub(1), all))
    };
    progress::watch(console, say, || {
        for at in wanted {
            done.fetch_add(1, Ordering::Relaxed);
            let candidate = &mut why.candidates[at];
            let question = Question {
                system,
                subject: &subject,
                candidate: &candidate.name,
                edits,
                may: match args.may {
                    MayArg::Candidate => May::Candidate,
                    MayArg::Subject => May::Subject,
                    MayArg::Both => May::Both,
                },
            };
            candidate.changes = base.calm_changes(&question, &today);
        }
    });
}

/// The message when there is no answer; a path on the disk is not a subject.
fn no_answer(why: NoAnswer) -> Failure {
    let path = why.unknown().and_then(or_path);
    let why = match (path, &why) {
        (Some(path), _) => why.hinting(path),
        (None, NoAnswer::Unknown { hint, .. }) if hint.is_empty() => {
            why.hinting("; without a name, `planner why` lists all names".to_owned())
        }
        (None, _) => why,
    };
    Failure::usage(why.to_string())
}

/// Where no site can be read and a path was given as a name, that is the mistake.
fn meant_path(args: &WhyArgs, failure: Failure) -> Failure {
    let written = [args.candidate.as_deref(), args.subject.as_deref()];
    let hint = written.into_iter().flatten().find_map(or_path);
    match (hint, &failure.error) {
        (Some(hint), Some(error)) => Failure::new(failure.exit, format!("{error:#}{hint}")),
        _ => failure,
    }
}

/// The way to have a path read, if the subject is one.
fn or_path(written: &str) -> Option<String> {
    let there = Path::new(written).exists();
    there.then(|| format!("; did you mean --in {written}?"))
}
