//! `why`: the reasons for a decision, and the edits that would change it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::Value;

use crate::changes::{Base, CHANGES, Question, Today, nearest, runner_up, texts};
use crate::diagnostic::Sink;
use crate::document::System;
use crate::plan::Plan;
use crate::render::json;
use crate::repair::May;
use crate::systems::{self, Asked, Is, NoAnswer};
use crate::why::{RunnerUp, Why};
use crate::workspace::{Purpose, Snapshot, origins};

use super::super::answer::Answer;
use super::super::arguments::{Arguments, Mistake};
use super::super::edits::difference;
use super::super::sites::Sites;
use super::{errors, mistaken};

/// The tool `why`.
pub(in crate::mcp) fn why(sites: &mut Sites, arguments: Arguments<'_>) -> Result<Value, Mistake> {
    let (subject, candidate) = (arguments.text("subject")?, arguments.text("candidate")?);
    let page = arguments.count("page")?.unwrap_or(0);
    let job = sites.job(arguments)?;
    let snapshot = job.run(Purpose::Explain);
    let snapshot = snapshot.map_err(|fault| mistaken(sites, arguments, &fault))?;
    let plan = snapshot.plan();
    let none = || Answer::default().with("subject", Value::Null);
    let Some(subject) = subject else {
        let answer = none().list("errors", errors(&snapshot));
        let answer = answer.list("names", names(plan).into_iter().map(Value::from));
        return Ok(answer.list("candidates", std::iter::empty()).page(page));
    };
    if !plan.complete {
        let answer = none().list("errors", errors(&snapshot));
        let answer = answer.list("candidates", std::iter::empty());
        return Ok(answer.list("names", std::iter::empty()).page(page));
    }
    let (why, next) = explained(&snapshot, subject, candidate)?;
    let found = Sink::default();
    let form = json::WhyAnswer::new(Some(&why), plan.now, &found, snapshot.sources());
    let mut form = serde_json::to_value(form.then(next.as_ref())).unwrap_or_default();
    let mut candidates = match form["candidates"].take() {
        Value::Array(candidates) => candidates,
        _ => Vec::new(),
    };
    for (form, one) in candidates.iter_mut().zip(&why.candidates) {
        let sets = one.changes.iter().flat_map(|changes| &changes.sets);
        for (at, set) in sets.enumerate() {
            if let Some(edits) = texts(snapshot.checked(), set) {
                let edits = edits.iter();
                let edits =
                    edits.filter_map(|(name, before, after)| difference(name, before, after));
                form["changes"][at]["textEdits"] = edits.collect();
            }
        }
    }
    // What is chosen, then what could be, then the rest.
    candidates.sort_by_key(|one| (one["chosen"] != true, one["changes"].is_null()));
    let some = |key: &str| Some(form[key].clone()).filter(|value| !value.is_null());
    let answer = Answer::default()
        .with("subject", why.subject.as_str())
        .with("system", why.system.name())
        .with("placed", why.placed)
        .with("decidedBy", form["decidedBy"].clone())
        .with_some("runnerUp", some("runnerUp"))
        .with_some("steps", some("steps"))
        .list("candidates", candidates.into_iter())
        .list("names", std::iter::empty());
    Ok(answer.page(page))
}

/// The reasons, with changes where something could not be placed or a candidate is asked about.
fn explained(
    snapshot: &Snapshot,
    subject: &str,
    candidate: Option<&str>,
) -> Result<(Why, Option<RunnerUp>), Mistake> {
    let (plan, options) = (snapshot.plan(), snapshot.options());
    let asked = Asked {
        plan,
        options,
        candidate,
        said: RefCell::default(),
    };
    let (meant, mut why) = asked.answer(subject).map_err(|why| no_answer(&why))?;
    origins(&mut why, snapshot.checked());
    let base = Base {
        site: snapshot.checked(),
        options,
    };
    let wanted = match candidate {
        Some(_) => (0..why.candidates.len()).collect(),
        None if !why.placed => nearest(&why),
        None => Vec::new(),
    };
    let (system, today) = (why.system, Today::of(plan));
    for at in wanted {
        if why.candidates[at].chosen {
            continue;
        }
        let question = Question {
            system,
            subject: &why.subject,
            candidate: &why.candidates[at].name,
            edits: CHANGES,
            may: May::Both,
        };
        let found = base.calm_changes(&question, &today);
        why.candidates[at].changes = found;
    }
    let asks_next = candidate.is_none() && meant.is == Is::Subject;
    let next = asks_next.then(|| runner_up(&base, &why)).flatten();
    Ok((why, next))
}

/// The names that can be asked about; those that several systems have with theirs.
fn names(plan: &Plan<'_, '_>) -> Vec<String> {
    let mut names: BTreeMap<String, Vec<System>> = BTreeMap::new();
    for system in systems::all() {
        for name in system.subjects(plan) {
            names.entry(name).or_default().push(system.profile().system);
        }
    }
    let full = |(name, of): (String, Vec<System>)| match of.as_slice() {
        [_] => vec![name],
        of => of
            .iter()
            .map(|one| format!("{}:{name}", one.name()))
            .collect(),
    };
    names.into_iter().flat_map(full).collect()
}

fn no_answer(why: &NoAnswer) -> Mistake {
    Mistake::new(format!("{why}; `why` without subject lists all names"))
}
