//! Code lenses: what is decided about each thing, above it, and how that differs from the last
//! revision.

use std::collections::{BTreeMap, BTreeSet};

use gen_lsp_types::{CodeLens, Command, Range};
use serde_json::json;

use crate::diff::Subject;
use crate::kit::plural::plural;
use crate::kit::safe::clean;
use crate::plan::row::At;
use crate::plan::{Answer, Assignment, Row, Section};
use crate::risk::margins;
use crate::source::{Place, SourceId, Span};
use crate::systems;
use crate::workspace::{self, Snapshot};

use super::client::{PLAN, WHY};
use super::kustomizations;
use super::labels::Inventory;
use super::markdown::block;
use super::view::View;

/// Names of a hover at most.
const NAMES: usize = 20;

/// The lenses of a file.
pub(super) fn answer(view: &View, uri: &str) -> Option<Vec<CodeLens>> {
    let source = view.file(uri)?;
    let lines = view.lines(source);
    if let Some(role) = kustomizations::role(view, source) {
        let command = Command {
            title: clean(&role).into_owned(),
            tooltip: None,
            command: PLAN.to_owned(),
            arguments: Some(vec![json!(uri)]),
        };
        return Some(vec![CodeLens {
            range: Range::default(),
            command: Some(command),
            data: None,
        }]);
    }
    let planned = view.decided()?;
    let clusters = Inventory::new(planned.checked(), "Placement").len();
    let margins = margins(planned.plan());
    let head = view.head();
    let rows = rows_in(planned, view, source);
    let mut shared: BTreeMap<Place, usize> = BTreeMap::new();
    for row in &rows {
        if let At::Place(place) = row.at {
            *shared.entry(place).or_default() += 1;
        }
    }
    let lens = |row: &Row<'_>| {
        let At::Place(place) = row.at else {
            return None;
        };
        let mut title = title(row, clusters)?;
        // A document that several builds share is decided in each of them.
        if shared.get(&place).is_some_and(|count| *count > 1) {
            title = format!("{}: {title}", row.name);
        }
        if row.section == Section::Groups {
            let nodes = row.facts.now().map_or(0, |now| now.names().len());
            let margin = margins
                .iter()
                .find(|margin| margin.unit == "nodes that fail" && margin.subject == row.subject());
            title = match margin.map(|margin| margin.margin) {
                Some(most) if most < 0 => format!("{title}, fails with all of its nodes"),
                Some(most) if (most as usize) < nodes => {
                    let nodes = plural(nodes, "node");
                    format!("{title}, fails with {} of {nodes}", most + 1)
                }
                _ => title,
            };
        }
        if let Some(head) = &head {
            let before = head.decisions.get(&Subject::of(row));
            title.push_str(&since(before, row));
        }
        let subject = format!("{}:{}", row.section.system().name(), row.asked());
        Some(CodeLens {
            range: lines.range(place.span),
            command: Some(Command {
                title: clean(&title).into_owned(),
                tooltip: None,
                command: WHY.to_owned(),
                arguments: Some(vec![json!(uri), json!(subject)]),
            }),
            data: None,
        })
    };
    let mut lenses: Vec<CodeLens> = rows.iter().filter_map(lens).collect();
    lenses.sort_by_key(|lens| (lens.range.start.line, lens.range.start.character));
    Some(lenses)
}

/// The rows that are declared in a file.
pub(super) fn rows_in<'p>(planned: &'p Snapshot, view: &View, source: SourceId) -> Vec<Row<'p>> {
    let path = view.path(source);
    let same = path.and_then(|path| planned.source_of(path));
    let inside = |row: &Row<'_>| matches!(row.at, At::Place(place) if Some(place.source) == same);
    let Some(plan) = planned.plan().shown() else {
        return Vec::new();
    };
    systems::rows(plan).filter(inside).collect()
}

/// The row that some bytes are about: the last that begins before their end, in their document.
pub(super) fn nearest<'r, 'p>(
    rows: &'r [Row<'p>],
    view: &View,
    source: SourceId,
    span: Span,
) -> Option<&'r Row<'p>> {
    let documents = &view.snapshot.checked().documents;
    let document = |start: u32| {
        let span = Span { start, end: start };
        documents.holding(Place { source, span })
    };
    let wanted = document(span.start);
    let start = |row: &Row<'_>| match row.at {
        At::Place(place) => Some(place.span.start),
        _ => None,
    };
    let same = |row: &&Row<'_>| start(row).is_some_and(|start| document(start) == wanted);
    let before = |row: &&Row<'_>| start(row).is_some_and(|start| start <= span.end);
    let last = rows
        .iter()
        .filter(same)
        .filter(before)
        .max_by_key(|row| start(row));
    last.or_else(|| rows.iter().find(same))
}

/// The decision, in a line.
fn title(row: &Row<'_>, clusters: usize) -> Option<String> {
    let now = row.facts.now();
    let failure = || row.facts.failure().map(|why| format!("→ nowhere: {why}"));
    Some(match (row.section, now) {
        (Section::LegacyRules, _) | (_, None) => return failure(),
        (_, Some(Answer::Cluster(Some(cluster)))) => {
            format!("→ {cluster} ({})", row.facts.because())
        }
        (_, Some(Answer::Cluster(None))) => failure().unwrap_or_else(|| "→ nowhere".to_owned()),
        (_, Some(Answer::Decisions(names))) => {
            format!("→ {} of {}", names.len(), plural(clusters, "cluster"))
        }
        (
            _,
            Some(Answer::Group {
                position, nodes, ..
            }),
        ) => {
            format!("{position}. in order, {}", plural(nodes.len(), "node"))
        }
        (_, Some(Answer::Count(nodes))) => {
            format!("→ {nodes} {}", if nodes == 1 { "node" } else { "nodes" })
        }
    })
}

/// How an answer differs from that of the last revision.
fn since(before: Option<&Assignment>, row: &Row<'_>) -> String {
    let Some(now) = row.facts.now() else {
        return String::new();
    };
    let Some(before) = before else {
        return " (new since HEAD)".to_owned();
    };
    match (before, &now) {
        (Answer::Count(was), Answer::Count(is)) if was != is => format!(" (HEAD: {was})"),
        (Answer::Count(_), _) => String::new(),
        (Answer::Cluster(was), Answer::Cluster(is)) if was == is => String::new(),
        (Answer::Cluster(was), _) => {
            format!(" (HEAD: {})", was.as_deref().unwrap_or("nowhere"))
        }
        _ => {
            let (added, removed) = both(before, &now);
            match (added.len(), removed.len()) {
                (0, 0) => String::new(),
                (added, 0) => format!(" (+{added} since HEAD)"),
                (0, removed) => format!(" (−{removed} since HEAD)"),
                (added, removed) => format!(" (+{added} −{removed} since HEAD)"),
            }
        }
    }
}

/// The names that come and those that go.
fn both<'n>(was: &'n Answer<'_>, now: &'n Answer<'_>) -> (Vec<&'n str>, Vec<&'n str>) {
    let set = |answer: &'n Answer<'_>| -> BTreeSet<&'n str> {
        answer.names().iter().map(AsRef::as_ref).collect()
    };
    let (was, now) = (set(was), set(now));
    let added = now.difference(&was).copied().collect();
    (added, was.difference(&now).copied().collect())
}

/// The moves since the last revision and their causes, as Markdown; nothing where there are none.
pub(super) fn change_of(view: &View, row: &Row<'_>) -> Option<String> {
    let head = view.head()?;
    let planned = view.planned()?;
    let subject = Subject::of(row);
    let now = row.facts.now()?;
    let before = head.decisions.get(&subject)?;
    if *before == now {
        return None;
    }
    let diff = workspace::compare(&head.snapshot, planned).diff?;
    let moved = diff.moves.iter().find(|moved| moved.subject == subject)?;
    let (added, removed) = both(before, &now);
    let list = |sign: &str, names: &[&str]| {
        let shown = names.iter().take(NAMES).map(|name| clean(name));
        let shown = shown.collect::<Vec<_>>().join(", ");
        match names.len() {
            0 => None,
            count if count > NAMES => Some(format!("{sign} {shown}, and {} more", count - NAMES)),
            _ => Some(format!("{sign} {shown}")),
        }
    };
    let mut lines = vec!["since HEAD:".to_owned()];
    lines.extend(list("+", &added));
    lines.extend(list("−", &removed));
    for cause in moved.because.iter().filter_map(|at| diff.causes.get(*at)) {
        let value = |value: &Option<serde_json::Value>| match value {
            None => "none".to_owned(),
            Some(value) => clean(&value.to_string()).into_owned(),
        };
        let object = &cause.object;
        let place = cause
            .at
            .as_ref()
            .map(|(file, line)| format!(" ({file}:{line})"));
        lines.push(format!(
            "because {} {} {}: {} → {}{}",
            clean(&object.kind),
            clean(&object.name),
            clean(&cause.path),
            value(&cause.before),
            value(&cause.after),
            place.unwrap_or_default()
        ));
    }
    Some(block(&lines.join("\n")))
}
