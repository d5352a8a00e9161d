//! `planner why`: every reason for and against one subject.

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::changes::{Base, CHANGES, Question, nearest, texts};
use crate::diagnostic::Sink;
use crate::document::System;
use crate::kit::nearest::{hint, ranked};
use crate::ogc;
use crate::options::Options;
use crate::plan::{self, Plan, again};
use crate::render::text::{Page, Screen};
use crate::render::{clean, json, text};
use crate::repair::May;
use crate::site::Checked;
use crate::systems::{self, WhyQuestion};
use crate::why::Why;

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::{MayArg, WhyArgs};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::fixes::unified;
use super::formats::WhyFormat;
use super::progress;
use super::session::Session;
use super::site::{Planned, Site};
use super::subject::{Is, Meaning, meanings};

/// An answer: data, and the system's own screen where it has one.
pub(super) struct Explanation {
    why: Why,
    page: Option<Page>,
}

/// What an answer is made from.
struct Ask<'q, 's, 'a> {
    plan: &'q Plan<'s, 'a>,
    options: &'q Options,
    screen: Screen,
    candidate: Option<&'q str>,
    /// What went wrong with commands of advisors.
    said: RefCell<Sink>,
}

/// Runs the command.
///
/// # Errors
/// Bad arguments (an unknown or ambiguous subject among them), a bad configuration.
pub(super) fn run(args: &WhyArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?;
    let run = Run::new(&args.common, &args.paths, outputs, console);
    run.answer(|| {
        let mut session = Session::new(&args.paths, &args.common, console)?;
        session.options.systems.clear();
        let site = Site::read(session, &run).map_err(|failure| meant_path(args, failure))?;
        let site = site.without(&args.without.without)?;
        let explained = explained(args, site, console)?;
        let (outcome, found) = (explained.outcome.clone(), explained.found.clone());
        Ok(Answer::new(explained, outcome).errors(&found, site.sources()))
    })
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

fn explained(args: &WhyArgs, site: Site, console: &Console) -> Result<Explained, Failure> {
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
    let ask = Ask {
        plan,
        options: &site.session.options,
        screen: console.screen(),
        candidate: args.candidate.as_deref(),
        said: RefCell::default(),
    };
    if plan.complete {
        let mut answer = ask.answer(&args.subject)?;
        let base = Base {
            site: site.checked,
            options: &site.session.options,
        };
        changes(&mut answer, args, &base, console);
        explained.diff = args.diff.then(|| diff(&answer.why, site.checked, console));
        explained.outcome = match () {
            () if plan.refused() => Outcome::Fault,
            () if answer.why.placed || args.candidate.is_some() => Outcome::Fine,
            () => Outcome::Unplaceable,
        };
        explained.explanation = Some(answer);
    }
    explained.found = site.report(&[&plan.findings, &ask.said.borrow()]);
    Ok(explained)
}

impl Data<WhyFormat> for Explained {
    fn write(&self, format: WhyFormat, out: &mut Out<'_>) -> io::Result<()> {
        if let Some(diff) = self.diff.as_ref().filter(|_| out.is_stdout) {
            return out.text(diff);
        }
        let (plan, found) = (self.plan, &self.found);
        let sources = plan.site.documents.sources;
        let why = self.explanation.as_ref().map(|answer| &answer.why);
        let data = || json::WhyAnswer::new(why, plan.now, found, sources);
        match (format, &self.explanation) {
            (WhyFormat::Json, _) => out.json(&data()),
            (WhyFormat::Yaml, _) => out.yaml(&data()),
            (WhyFormat::Text, None) => out.page(&text::invalid(found, &out.screen)),
            (WhyFormat::Text, Some(Explanation { why, page })) => match page {
                Some(page) => out.page(page),
                None => out.page(&text::why(why, sources, &out.screen)),
            },
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
        console.note("No changes to show: none is known that selects a candidate.\n");
        return String::new();
    };
    console.note(&format!(
        "This selects {}; nothing was written.\n",
        clean(&candidate.name)
    ));
    let files = files.iter();
    unified(
        files.map(|(name, before, after)| (&**name, &**before, &**after)),
        console,
    )
}

/// Adds what would have to change: for the candidate asked about, or for the nearest ones where
/// nothing could be placed.
fn changes(answer: &mut Explanation, args: &WhyArgs, base: &Base<'_, '_>, console: &Console) {
    let Explanation { why, page } = answer;
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
    let say = || {
        let at = done.load(Ordering::Relaxed);
        format!("Searching for changes: candidate {at} of {all}…")
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
            candidate.changes = base.changes(&question);
        }
    });
    if let Some(page) = page {
        text::changes(page, why, &console.screen());
    }
}

impl Ask<'_, '_, '_> {
    fn answer(&self, written: &str) -> Result<Explanation, Failure> {
        let (only, subject) = split_prefix(written);
        let systems = System::ALL
            .into_iter()
            .filter(|system| only.is_none_or(|only| only == *system));
        let mut answers: Vec<Explanation> = systems
            .clone()
            .filter_map(|system| self.by(system, subject))
            .collect();
        match answers.len() {
            1 => {
                let mut answer = answers.remove(0);
                self.narrow(&mut answer)?;
                Ok(answer)
            }
            0 => {
                let meant = systems.clone().flat_map(|system| {
                    let subjects = systems::of(system).subjects(self.plan);
                    meanings(self.plan, system, subjects, subject)
                });
                let meant: Vec<Meaning> = meant.collect();
                match meant.as_slice() {
                    [] => Err(self.unknown(subject, systems)),
                    [only] => {
                        let mut answer = self.about(only).ok_or_else(|| {
                            let name = only.written();
                            Failure::usage(format!("nothing is known about {name}"))
                        })?;
                        self.narrow(&mut answer)?;
                        Ok(answer)
                    }
                    several => {
                        let names: Vec<String> = several.iter().map(Meaning::written).collect();
                        let list = names.join(", ");
                        Err(Failure::usage(format!(
                            "\"{subject}\" is ambiguous: {list}"
                        )))
                    }
                }
            }
            _ => {
                let names: Vec<String> = answers
                    .iter()
                    .map(|answer| format!("{}:{subject}", answer.why.system.name()))
                    .collect();
                let list = names.join(", ");
                Err(Failure::usage(format!(
                    "\"{subject}\" is ambiguous: {list}"
                )))
            }
        }
    }

    /// The answer about what a name stands for.
    fn about(&self, meant: &Meaning) -> Option<Explanation> {
        let why = match meant.is {
            Is::Subject => return self.by(meant.system, &meant.name),
            Is::Withdrawn => systems::of(meant.system).why_withdrawn(self.plan, &meant.name)?,
            Is::Place => {
                let mut options = self.options.clone();
                options.systems = vec![meant.system];
                let plan = plan::make(self.plan.site, &options);
                let placed = systems::of(meant.system).placed_on(&plan, &meant.name)?;
                placed.why(meant.system, &meant.name)
            }
        };
        Some(Explanation { why, page: None })
    }

    /// Nothing is called so: the near names, or what to write if it is a path.
    fn unknown(&self, subject: &str, systems: impl Iterator<Item = System>) -> Failure {
        let known = |system| {
            let system = systems::of(system);
            let mut names = system.subjects(self.plan);
            names.extend(system.places(self.plan));
            names
        };
        let names: Vec<String> = systems.flat_map(known).collect();
        let mut near = ranked(subject, names.iter().map(String::as_str));
        near.dedup();
        let hint = or_path(subject).unwrap_or_else(|| hint(&near));
        Failure::usage(format!("nothing here is named \"{subject}\"{hint}"))
    }

    /// One system's answer, if the subject is its.
    fn by(&self, system: System, subject: &str) -> Option<Explanation> {
        if system == System::Ogc {
            return self.application(subject);
        }
        let why = systems::of(system).why(&WhyQuestion {
            plan: self.plan,
            options: self.options,
            subject,
            candidate: self.candidate,
            said: &self.said,
        });
        why.map(|why| Explanation { why, page: None })
    }

    fn application(&self, subject: &str) -> Option<Explanation> {
        let model = &self.plan.site.ogc;
        let (package, application) = subject.split_once('/')?;
        let same_node = self.options.same_node;
        let outcome = again::application(model, package, application, same_node)?;
        let found = ogc::why::why(model, package, application, outcome, self.candidate)?;
        let why = found.common(model);
        let known = |name: &&str| {
            why.candidates
                .iter()
                .any(|candidate| candidate.name == *name)
        };
        let candidate = self.candidate.filter(known);
        let sources = self.plan.site.documents.sources;
        let page = text::ogc::why(model, &found, candidate, sources, &self.screen);
        Some(Explanation {
            why,
            page: Some(page),
        })
    }

    /// Leaves only the candidate asked about.
    fn narrow(&self, answer: &mut Explanation) -> Result<(), Failure> {
        let Some(wanted) = self.candidate else {
            return Ok(());
        };
        let names: Vec<&str> = answer
            .why
            .candidates
            .iter()
            .map(|candidate| candidate.name.as_str())
            .collect();
        let mut wanted = wanted.to_owned();
        if !names.contains(&wanted.as_str()) {
            // `Kind/name` and `namespace/name` are understood by their last part.
            let short = |name: &&&str| {
                let last = |text: &'_ str| text.rsplit('/').next().map(str::to_owned);
                last(name) == last(&wanted)
            };
            let same: Vec<&str> = names.iter().filter(short).copied().collect();
            if let [only] = same.as_slice() {
                wanted = (*only).to_owned();
            }
        }
        if !names.contains(&wanted.as_str()) {
            let near = ranked(&wanted, names.iter().copied());
            let hint = or_path(&wanted).unwrap_or_else(|| hint(&near));
            return Err(Failure::usage(format!(
                "\"{wanted}\" is not a candidate of {}{hint}",
                answer.why.subject
            )));
        }
        answer
            .why
            .candidates
            .retain(|candidate| candidate.name == wanted);
        Ok(())
    }
}

/// Where no site can be read and a path was given as a name, that is the mistake.
fn meant_path(args: &WhyArgs, failure: Failure) -> Failure {
    let written = [args.candidate.as_deref(), Some(&*args.subject)];
    let hint = written.into_iter().flatten().find_map(or_path);
    match (hint, &failure.error) {
        (Some(hint), Some(error)) => Failure::new(failure.exit, format!("{error}{hint}")),
        _ => failure,
    }
}

/// What to write to have a path read, if that is what was given.
fn or_path(written: &str) -> Option<String> {
    let there = Path::new(written).exists();
    there.then(|| format!("; did you mean --in {written}?"))
}

/// `ogc:shop/web` as the system and the rest.
fn split_prefix(written: &str) -> (Option<System>, &str) {
    for system in System::ALL {
        let rest = written
            .strip_prefix(system.name())
            .and_then(|rest| rest.strip_prefix(':'));
        if let Some(rest) = rest {
            return (Some(system), rest);
        }
    }
    (None, written)
}
