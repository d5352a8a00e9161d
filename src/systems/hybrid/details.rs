//! The details of a PlacementRule.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::kit::plural::first_names;
use crate::plan::Section;
use crate::plan::detail::{Cell, Columns, Detail, Said};
use crate::systems::kind::{Kind, NAMES};
use crate::systems::outcome::{at, figure, list, spaced, text, texts};

/// Warnings of one rule.
const WARNINGS: usize = 100;

/// Rules of hybrid placement.
pub(super) const KINDS: &[Kind] = &[Kind {
    section: Section::Rules,
    id: "rule",
    key: "rules",
    title: "Placement rules",
    short: "Placement rules",
    noun: "PlacementRule",
    about: "Which candidates each PlacementRule chooses. Open one for its rounds.",
    answer: "Decisions",
    details,
    ..Kind::ROWS
}];

fn details(row: &Value) -> Vec<Detail<'_>> {
    let targets = |key| {
        let targets = list(row, key).iter().map(target);
        first_names(targets, 20).into()
    };
    let fields = vec![
        ("State", Said::at(text(row, "state"), at(row))),
        ("Candidates", targets("candidates")),
        ("Removed", targets("eliminators")),
    ];
    let votes = list(row, "rounds").iter().flat_map(|round| {
        let advice = round["recommendations"].as_object().into_iter().flatten();
        advice
            .enumerate()
            .map(move |(at, advice)| (round, at, advice))
    });
    let rounds = Columns::of("row", "Rounds of {}", votes)
        .with("#Round", |(round, ..)| {
            Cell::Figure(figure(round, "round").into())
        })
        .with("Advisor", |(.., (advisor, _))| advisor)
        .with("Recommends", |(.., (_, votes))| {
            let votes = votes.as_array().map_or(&[][..], Vec::as_slice);
            first_names(votes.iter().map(vote), NAMES)
        })
        .with("Removed in this round", |(round, at, _)| match at {
            0 => removed(round),
            _ => String::new(),
        });
    let warnings = texts(row, "warnings").into_iter().take(WARNINGS);
    let mut details = vec![Detail::Fields(fields)];
    details.extend(warnings.map(|warning| Detail::Note(warning.into())));
    details.push(rounds.end());
    details
}

/// The targets that a round removes.
fn removed(round: &Value) -> String {
    let keys = ["vetoed", "removed"].iter();
    let removed = keys.flat_map(|key| list(round, key)).map(target);
    first_names(removed.collect::<BTreeSet<String>>().iter(), NAMES)
}

/// A recommended target, with its score.
fn vote(vote: &Value) -> String {
    match vote.get("score") {
        Some(score) => format!("{} ({score})", target(&vote["target"])),
        None => target(&vote["target"]),
    }
}

/// A target, which is a text or an object.
fn target(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(_) => format!("{}/{}", text(value, "kind"), spaced(value)),
        _ => String::new(),
    }
}
