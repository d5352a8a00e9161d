//! Saved plans as text: what one decides, and how planning now differs from it.

use serde_json::Value;

use crate::document::System;
use crate::plan::{Assignment, record_number};
use crate::render::phrase::{self, Piece};
use crate::saved::{Reason, SavedPlan, Stale, decisions};

use super::{Page, Screen, Tone, columns};

/// What a saved plan decides, one line each; Applications that stay where they are only as a count.
#[must_use]
pub fn saved(plan: &SavedPlan, name: &str) -> Page {
    let mut page = Page::new();
    page.toned(
        Tone::Strong,
        format!("Saved plan {name} of {}", plan.paths.join(" ")),
    );
    let revision = plan.revision.as_deref();
    let revision = revision.map_or(String::new(), |commit| format!(", commit {commit}"));
    page.line(format!(
        "made by planner {} at {}{revision}",
        plan.planner, plan.now
    ));
    page.line(format!("digest {}", plan.digest));
    for (key, value) in &plan.options {
        page.line(format!("option {key}: {}", plain(value)));
    }
    page.gap();
    let (rows, unchanged) = rows(plan);
    let width = |at: usize| {
        rows.iter()
            .map(|(_, row)| columns(&row[at]))
            .max()
            .unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2)];
    for (mark, row) in &rows {
        let mut line = vec![(tone(*mark), format!("{mark} "))];
        for (cell, width) in row.iter().zip(widths) {
            let pad = " ".repeat(width - columns(cell) + 2);
            line.push((Tone::Plain, format!("{cell}{pad}")));
        }
        line.push((Tone::Dim, row[3].clone()));
        page.pieces(line);
    }
    page.gap();
    if plan.result == "unchanged" {
        page.line("Nothing changes: there is nothing to apply.");
    } else if unchanged > 0 {
        let (s, stay) = if unchanged == 1 {
            ("", "stays")
        } else {
            ("s", "stay")
        };
        page.line(format!(
            "{unchanged} Application{s} more {stay} where they are."
        ));
    }
    page
}

fn tone(mark: char) -> Tone {
    match mark {
        '+' => Tone::Good,
        '-' => Tone::Bad,
        '~' => Tone::Change,
        _ => Tone::Plain,
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The lines of a saved plan, and how many Applications stay as they are.
fn rows(plan: &SavedPlan) -> (Vec<(char, [String; 4])>, usize) {
    let mut rows = Vec::new();
    for (subject, answer) in decisions(&plan.outcome) {
        if subject.system != System::Ogc {
            let text = match &answer {
                Assignment::Group { position, nodes } => {
                    let s = if nodes.len() == 1 { "" } else { "s" };
                    format!("position {position}, {} node{s}", nodes.len())
                }
                answer => words(phrase::answer(Some(answer), None)),
            };
            let system = subject.system.name().to_owned();
            rows.push((' ', [system, subject.name, text, String::new()]));
        }
    }
    let mut unchanged = 0;
    let applications = plan.outcome.get("applications").and_then(Value::as_array);
    for application in applications.into_iter().flatten() {
        let text = |key: &str| application.get(key).and_then(Value::as_str);
        let mark = match text("change") {
            Some("unchanged") => {
                unchanged += 1;
                continue;
            }
            Some("place") => '+',
            Some("withdraw") => '-',
            _ => '~',
        };
        let name = format!(
            "{}/{}",
            text("package").unwrap_or_default(),
            text("application").unwrap_or_default()
        );
        let change = format!(
            "{} -> {}",
            text("was").unwrap_or("-"),
            text("cluster").unwrap_or("-")
        );
        let left = application.get("outOfBounds").and_then(Value::as_array);
        let left = left.into_iter().flatten().filter_map(|volume| {
            Some(format!(
                "{}/{}",
                volume.get("cluster")?.as_str()?,
                volume.get("name")?.as_str()?
            ))
        });
        let left: Vec<String> = left.collect();
        let note = if left.is_empty() {
            String::new()
        } else {
            format!("leaves {}", left.join(", "))
        };
        rows.push((mark, ["ogc".to_owned(), name, change, note]));
    }
    (rows, unchanged)
}

fn words(pieces: Vec<Piece>) -> String {
    let text = |piece: Piece| match piece {
        Piece::Word(word) => word.to_owned(),
        Piece::Count(text) | Piece::Text(text) => text,
    };
    pieces.into_iter().map(text).collect()
}

/// Why a saved plan cannot be carried out any more, and what has changed.
#[must_use]
pub fn stale(stale: &Stale, name: &str, screen: &Screen) -> Page {
    let mut page = Page::new();
    page.toned(Tone::Failed, format!("Saved plan {name} is stale:"));
    for reason in reasons(stale) {
        page.line(format!("    {reason}"));
    }
    if !stale.diff.moves.is_empty() {
        page.gap();
        page.append(super::diff(&stale.diff, name, screen));
    }
    if !stale.others.is_empty() {
        page.gap();
        page.line("Different, though nothing moves:");
        for (what, name) in &stale.others {
            page.line(format!("    {}", format!("{what} {name}").trim_end()));
        }
    }
    page
}

/// The reasons in words.
#[must_use]
pub fn reasons(stale: &Stale) -> Vec<String> {
    let reason = |reason: &Reason| match reason {
        Reason::Used(number) => format!("used already: record {}", record_number(*number)),
        Reason::Record(number) => format!("record {} came between", record_number(*number)),
        Reason::RecordGone(0) => "the records it was made from are gone".to_owned(),
        Reason::RecordGone(number) => {
            let newest = record_number(*number);
            format!("records it was made from are gone; the newest is {newest}")
        }
        Reason::Deployment { package, was, now } => match (was, now) {
            (_, Some(now)) => format!("Deployment {now} of Package {package} came between"),
            (Some(was), None) => format!("Deployment {was} of Package {package} is gone"),
            (None, None) => format!("the Deployments of Package {package} are others"),
        },
        Reason::Outcome => "planning decides otherwise now".to_owned(),
        Reason::Planner(version) => format!(
            "it was saved by planner {version}, this is planner {}",
            env!("CARGO_PKG_VERSION")
        ),
    };
    stale.reasons.iter().map(reason).collect()
}
