//! `planner risk` as text: one row a loss, the worst first.

use std::collections::BTreeSet;

use crate::kit::plural::plural;
use crate::risk::{Class, Loss, Risk, Together};

use super::layout::Grid;
use super::why::sentence;
use super::{Page, Screen, Tone};

/// From how many losses on with the same impact they share a row.
const ALIKE: usize = 3;

/// Names in a cell, at most.
const NAMES: usize = 4;

/// A cell without names.
const NOTHING: &str = "-";

/// A row: the mark, what is lost, what has no place, how much is not delivered any more, what is
/// left behind, what moves.
pub type Row = (char, Vec<String>);

/// The headings of the rows; most sites deliver nothing.
#[must_use]
pub fn headings(risk: &Risk) -> Vec<&'static str> {
    let delivered = delivers(risk).then_some("Deliveries lost");
    let first = ["Lost", "Without a place"].into_iter();
    first
        .chain(delivered)
        .chain(["Volumes left", "Moves"])
        .collect()
}

fn delivers(risk: &Risk) -> bool {
    risk.losses.iter().any(|loss| !loss.deliveries.is_none())
}

/// The kinds of losses, and what screens call them.
const KINDS: [(&str, &str); 6] = [
    ("cluster", "Cluster"),
    ("node", "node"),
    ("rack", "rack"),
    ("region", "Region"),
    ("pair", "pair"),
    ("triple", "triple"),
];

/// What is lost in turn: `8 Clusters, 2 Regions`.
#[must_use]
pub fn headline(risk: &Risk) -> String {
    let mut parts = Vec::new();
    for (kind, noun) in KINDS {
        let count = risk.losses.iter().filter(|loss| loss.kind == kind).count();
        if count > 0 {
            parts.push(plural(count, noun));
        }
    }
    if parts.is_empty() {
        return "Losing one thing at a time: there is nothing to lose".to_owned();
    }
    let how = match risk.losses.first().map(|loss| &*loss.kind) {
        Some("pair") => "two things",
        Some("triple") => "three things",
        _ => "one thing",
    };
    format!("Losing {how} at a time: {}", parts.join(", "))
}

/// All rows, the worst first. The kind of what is lost is left out where there is only one.
#[must_use]
pub fn rows(risk: &Risk) -> Vec<Row> {
    let kinds: BTreeSet<&str> = risk.losses.iter().map(|loss| &*loss.kind).collect();
    let delivers = delivers(risk);
    let row = |loss| row(loss, kinds.len() > 1, delivers);
    risk.losses.iter().map(row).collect()
}

fn row(loss: &Loss, with_kind: bool, delivers: bool) -> Row {
    let mark = match loss.class {
        Class::Fatal | Class::Unplaceable => '!',
        Class::None => ' ',
        _ => '~',
    };
    let mut without: Vec<String> = Vec::new();
    let fails = loss.groups.critical || loss.verdict.as_deref() == Some("failed");
    let groups = loss.groups.failed.iter().chain(&loss.groups.by_dependency);
    without.extend(groups.map(|group| format!("group {group}")));
    let mut moves = Vec::new();
    for one in &loss.applications {
        match one.to {
            None => without.push(one.application.clone()),
            Some(_) => moves.push(one.application.clone()),
        }
    }
    for one in &loss.placements {
        let list = if one.was_satisfied && !one.satisfied {
            &mut without
        } else {
            &mut moves
        };
        list.push(format!("{}/{}", one.namespace, one.name));
    }
    for one in &loss.rules {
        let list = match one.undecided {
            true => &mut without,
            false => &mut moves,
        };
        list.push(match &one.namespace {
            Some(namespace) => format!("{namespace}/{}", one.name),
            None => one.name.clone(),
        });
    }
    let deliveries = &loss.deliveries;
    without.extend(deliveries.unreached.iter().map(|one| one.text().to_owned()));
    moves.extend(deliveries.moved.iter().map(|one| one.text().to_owned()));
    for one in &loss.regions {
        match (one.failed, one.to) {
            (true, _) => without.push(one.path.clone()),
            // What is lost does not move.
            (false, None) => {}
            (false, Some(_)) => moves.push(format!("Region {}", one.name)),
        }
    }
    let volumes = loss
        .volumes
        .iter()
        .map(|volume| volume.name.clone())
        .collect();
    let lost = match with_kind {
        true => format!("{} {}", loss.kind, loss.name),
        false => loss.name.clone(),
    };
    let without = match (fails, cell(without)) {
        (false, names) => names,
        (true, names) if names == NOTHING => "the deployment fails".to_owned(),
        (true, names) => format!("the deployment fails: {names}"),
    };
    let delivered = delivers.then(|| match deliveries.lost.len() {
        0 => NOTHING.to_owned(),
        number => number.to_string(),
    });
    let cells = [lost, without].into_iter().chain(delivered);
    (mark, cells.chain([cell(volumes), cell(moves)]).collect())
}

fn cell(mut names: Vec<String>) -> String {
    names.sort();
    names.dedup();
    let rest = names.len().saturating_sub(NAMES);
    names.truncate(NAMES);
    if names.is_empty() {
        return NOTHING.to_owned();
    }
    let names = names.join(", ");
    if rest > 0 {
        format!("{names} and {rest} more")
    } else {
        names
    }
}

/// What can be done about each loss, in the order of the rows: nothing where no remedy is needed,
/// or none was looked for.
#[must_use]
pub fn remedies(risk: &Risk) -> Vec<Option<String>> {
    risk.losses.iter().map(remedy).collect()
}

/// The first remedy of a loss, or why there is none.
fn remedy(loss: &Loss) -> Option<String> {
    let found = loss.remedies.as_ref()?;
    let Some(first) = found.sets.first() else {
        return Some(match found.none_up_to {
            _ if found.gone => "no remedy: its volumes are lost with it".to_owned(),
            Some(_) if found.offered == 0 => "no remedy: planner knows no edit for it".to_owned(),
            Some(most) => {
                let edits = plural(found.offered, "edit");
                format!("no remedy: not with up to {most} of the {edits} that planner knows")
            }
            None => format!("no remedy found in {}", plural(found.plans, "plan")),
        });
    };
    let lead = match first.edits.iter().any(|change| change.observed) {
        true => "survived if it were so",
        false => "remedy",
    };
    let moves = moves_today(first.moves_today);
    let left = match first.class {
        Class::Volumes => ", volumes are left behind",
        _ => "",
    };
    let edits: Vec<String> = first.edits.iter().map(sentence).collect();
    Some(format!("{lead} ({moves}{left}): {}", edits.join("; ")))
}

fn moves_today(moves: usize) -> String {
    match moves {
        0 => "moves nothing today".to_owned(),
        moves => format!("moves {moves} today"),
    }
}

/// What the edits for all losses of a kind come to.
fn together(found: &Together) -> String {
    let noun = KINDS.iter().find(|(kind, _)| *kind == found.kind);
    let noun = noun.map_or(found.kind, |(_, noun)| noun);
    let edits = found.edits.len();
    let verb = if edits == 1 { "makes" } else { "make" };
    let survived = found.all - found.left.len();
    let mut text = match (edits, found.left.is_empty()) {
        (0, true) => format!("With these every {noun} is survivable, too"),
        (0, false) => format!("planner knows no edits that make another {noun} survivable"),
        (_, true) => format!("{} {verb} every {noun} survivable", plural(edits, "edit")),
        (_, false) => {
            let now = found.all - found.before;
            let edits = plural(edits, "edit");
            let all = plural(found.all, noun);
            format!("{edits} {verb} {survived} of {all} survivable, now {now}")
        }
    };
    if edits > 0 {
        let plans = plural(found.plans, "plan");
        let moves = moves_today(found.moves_today);
        text.push_str(&format!(" (proven, {plans}; {moves})"));
    }
    if !found.left.is_empty() {
        text.push_str(&format!("; not {}", cell(found.left.clone())));
    }
    if found.stopped {
        text.push_str("; the search stopped there");
    }
    text
}

/// The same as lines, for each kind.
#[must_use]
pub fn all_together(risk: &Risk) -> Vec<String> {
    let mut lines = Vec::new();
    for found in &risk.together {
        let edits: Vec<String> = found.edits.iter().map(sentence).collect();
        lines.push(match edits.is_empty() {
            true => format!("{}.", together(found)),
            false => format!("{}: {}", together(found), edits.join("; ")),
        });
    }
    lines
}

/// The closing lines: how many losses leave work unplaced, and what has only one Cluster.
#[must_use]
pub fn summary(risk: &Risk) -> Vec<String> {
    let bad = risk
        .losses
        .iter()
        .filter(|loss| loss.class <= Class::Unplaceable)
        .count();
    let all = risk.losses.len();
    let mut text = match bad {
        0 => format!("No loss (of {all}) leaves work unplaced."),
        1 => format!("One loss (of {all}) leaves work unplaced."),
        _ => format!("Losing any of {bad} (of {all}) leaves work unplaced."),
    };
    let of = |subject: &str| {
        let mut lost = risk.losses.iter().flat_map(|loss| &loss.applications);
        let home = |one: &&crate::risk::MovedApplication| {
            one.to.is_none() && subject.split_once('/') == Some((&*one.package, &*one.application))
        };
        let home = lost.find(home)?.from.clone()?;
        Some(format!("{} ({home})", subject.split_once('/')?.1))
    };
    let margins = risk.margins.iter();
    let single = margins.filter(|one| one.system == "ogc" && one.margin == 0);
    let single: Vec<String> = single.filter_map(|one| of(&one.subject)).collect();
    if !single.is_empty() {
        text.push_str(&format!(" On one Cluster only: {}.", cell(single)));
    }
    vec![text]
}

/// The losses of which nothing comes, counted by kind.
fn idle(risk: &Risk) -> Option<String> {
    let mut parts = Vec::new();
    for (kind, noun) in KINDS {
        let of_kind = risk.losses.iter().filter(|loss| loss.kind == kind);
        let count = of_kind.filter(|loss| loss.class == Class::None).count();
        if count > 0 {
            parts.push(plural(count, noun));
        }
    }
    (!parts.is_empty()).then(|| format!("No impact: {}.", parts.join(", ")))
}

/// The rows of losses that have an impact, with what can be done about each. Those that follow one
/// another and differ in nothing but their name share a row.
fn together_if_alike(risk: &Risk) -> (Vec<Row>, Vec<Option<String>>) {
    let all = rows(risk).into_iter().zip(remedies(risk)).zip(&risk.losses);
    let with_impact = all.filter(|(_, loss)| loss.class != Class::None);
    let all: Vec<((Row, Option<String>), &Loss)> = with_impact.collect();
    let alike = all.chunk_by(|((one, first), of), ((other, second), next)| {
        let same = one.0 == other.0 && one.1[1..] == other.1[1..];
        same && first == second && of.kind == next.kind
    });
    let mut shown = Vec::new();
    for losses in alike {
        match losses {
            [(((mark, cells), note), _), rest @ ..] if losses.len() >= ALIKE => {
                let mut cells = cells.clone();
                cells[0].push_str(&format!(" and {} more", rest.len()));
                shown.push(((*mark, cells), note.clone()));
            }
            each => shown.extend(each.iter().map(|(row, _)| row.clone())),
        }
    }
    shown.into_iter().unzip()
}

/// The page.
#[must_use]
pub fn risk(risk: &Risk, screen: &Screen) -> Page {
    let mut page = Page::new();
    page.prose(screen, Tone::Strong, &headline(risk), 4);
    page.gap();
    let (rows, notes) = together_if_alike(risk);
    let any = !rows.is_empty();
    if any {
        let sign = |mark: char| mark.to_string().trim().to_owned();
        let heads = headings(risk);
        let says = |at: &usize| *at < 2 || rows.iter().any(|(_, cells)| cells[*at] != NOTHING);
        let kept: Vec<usize> = (0..heads.len()).filter(says).collect();
        let cells = |(mark, cells): Row| {
            let cells = kept.iter().map(|at| cells[*at].clone());
            [sign(mark)].into_iter().chain(cells).collect()
        };
        let heads = [""].into_iter().chain(kept.iter().map(|at| heads[*at]));
        let heads: Vec<String> = heads.map(str::to_owned).collect();
        let grid = Grid {
            // All but the sign, what is lost, and one that always wraps.
            wraps: heads.len() - 3,
            heads,
            rows: rows.into_iter().map(cells).collect(),
            notes,
            ..Grid::default()
        };
        grid.write(&mut page, screen);
    }
    if let Some(idle) = idle(risk) {
        if any {
            page.gap();
        }
        page.prose(screen, Tone::Plain, &idle, 4);
    }
    page.gap();
    for line in summary(risk) {
        page.prose(screen, Tone::Plain, &line, 0);
    }
    for found in &risk.together {
        page.gap();
        let end = if found.edits.is_empty() { "." } else { ":" };
        page.prose(
            screen,
            Tone::Strong,
            &format!("{}{end}", together(found)),
            4,
        );
        for change in &found.edits {
            page.prose(screen, Tone::Plain, &format!("  - {}", sentence(change)), 6);
            page.toned(Tone::Dim, format!("    {}:{}", change.path, change.line));
        }
    }
    page
}
