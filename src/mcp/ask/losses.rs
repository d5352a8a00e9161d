//! `risk`: each thing lost in turn.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::diagnostic::Sink;
use crate::render::json::RiskAnswer;
use crate::risk::{self, AtATime};
use crate::site::Thing;
use crate::workspace::Purpose;

use super::super::answer::Answer;
use super::super::arguments::{Arguments, Mistake};
use super::super::sites::Sites;
use super::{errors, mistaken};

/// How many losses are listed unless a call says so.
const TOP: usize = 10;

/// The tool `risk`.
pub(in crate::mcp) fn risk(sites: &mut Sites, arguments: Arguments<'_>) -> Result<Value, Mistake> {
    let kind = arguments.word("kind", &Thing::LOST)?;
    let top = arguments.count("top")?.unwrap_or(TOP);
    let page = arguments.count("page")?.unwrap_or(0);
    let job = sites.job(arguments)?;
    let snapshot = job.run(Purpose::Plan);
    let snapshot = snapshot.map_err(|fault| mistaken(sites, arguments, &fault))?;
    let (plan, options) = (snapshot.plan(), snapshot.options());
    let empty = |result: &str| {
        let answer = Answer::default().with("result", result);
        answer.with("losses", 0).with("survived", 0)
    };
    if plan.shown().is_none() {
        let answer = empty("invalid").list("errors", errors(&snapshot));
        return Ok(answer.list("lost", std::iter::empty()).page(page));
    }
    let mut things = risk::things(plan);
    things.retain(|thing| kind.is_none_or(|kind| thing.kind() == kind));
    if things.is_empty() {
        return Ok(empty("nothing").list("lost", std::iter::empty()).page(page));
    }
    let risk = risk::assess(plan, &things, AtATime::One, options, &|| ());
    let mut classes: BTreeMap<String, usize> = BTreeMap::new();
    let survived = risk.losses.iter().filter(|loss| loss.is_survived());
    let names = survived.clone().flat_map(|loss| &loss.lost);
    let names: Vec<Value> = names.map(|thing| thing.to_string().into()).collect();
    let found = Sink::default();
    let form = RiskAnswer::new(
        Some(&risk),
        plan.now,
        plan.counts,
        &found,
        snapshot.sources(),
    );
    let mut form = serde_json::to_value(form).unwrap_or_default();
    let rows = |value: Value| match value {
        Value::Array(rows) => rows,
        _ => Vec::new(),
    };
    let losses = rows(form["losses"].take());
    for loss in &losses {
        let class = loss["class"].as_str().unwrap_or_default();
        *classes.entry(class.to_owned()).or_default() += 1;
    }
    let classes = classes
        .into_iter()
        .map(|(class, count)| (class, count.into()));
    let answer = Answer::default()
        .with("result", "assessed")
        .with("losses", losses.len())
        .with("survived", names.len())
        .with("classes", classes.collect::<serde_json::Map<_, _>>())
        .list("lost", losses.into_iter().take(top))
        .list("canBeLost", names.into_iter())
        .list("margins", rows(form["margins"].take()).into_iter());
    Ok(answer.page(page))
}
