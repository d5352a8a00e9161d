//! `planner risk` as text: one row a loss, the worst first.

mod impact;
mod shown;

use std::collections::BTreeSet;

use crate::kit::plural::plural;
use crate::risk::{Class, Loss, Risk, Together};
use crate::site::Thing;
use crate::systems;
use crate::why::Change;

use impact::{GROUP, Impact, NAMES, NOTHING, cell};
pub use shown::rows;
use shown::{Shown, shown};

use super::{Page, Screen, Tone};
use crate::page::layout::Grid;

/// A row of equal losses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The mark of their class.
    pub mark: char,
    /// The texts of its columns, under [`headings`]: the losses, the subjects without a place, the
    /// deliveries lost, the volumes left behind, the moves.
    pub cells: Vec<String>,
    /// The remedy; `None` where none is needed, or none was looked for.
    pub remedy: Option<String>,
}

/// The headings of the rows; most sites deliver nothing.
#[must_use]
pub fn headings(risk: &Risk) -> Vec<&'static str> {
    let all = || risk.losses.iter().map(Impact::of);
    let fails = all().any(|impact| impact.fails || impact.has(GROUP));
    let displaced = all().any(|impact| impact.without.iter().any(|(noun, _)| *noun != GROUP));
    let without = match (fails, displaced) {
        (true, true) => "Fails or has no place",
        (true, false) => "What fails",
        (false, _) => "Without a place",
    };
    let delivered = delivers(risk).then_some("Deliveries lost");
    let first = ["Lost", without].into_iter();
    first
        .chain(delivered)
        .chain(["Volumes left", "Moves"])
        .collect()
}

fn delivers(risk: &Risk) -> bool {
    risk.losses.iter().any(|loss| !loss.deliveries.is_none())
}

/// The kinds of losses: one thing of a kind, or two or three things.
fn kinds() -> impl Iterator<Item = &'static str> {
    Thing::LOST.into_iter().chain(["pair", "triple"])
}

/// The losses tried in turn: `8 clusters, 2 regions`.
#[must_use]
pub fn headline(risk: &Risk) -> String {
    let mut parts = Vec::new();
    for kind in kinds() {
        let count = risk.losses.iter().filter(|loss| loss.kind == kind).count();
        if count > 0 {
            parts.push(plural(count, kind));
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
    let already = match failed_already(risk).count() {
        0 => String::new(),
        _ => "; the deployment fails already".to_owned(),
    };
    format!("Losing {how} at a time: {}{already}", parts.join(", "))
}

/// The subjects without a place today: `3 Applications have no Cluster (a, b, c)`.
#[must_use]
pub fn today(risk: &Risk) -> Option<String> {
    let mut parts = Vec::new();
    for one in risk.today.iter().filter(|one| one.system != "airship") {
        let mut systems = systems::all().into_iter().map(|system| system.profile());
        let profile = systems.find(|profile| profile.system.name() == one.system);
        let (noun, what) = profile.map_or(("subject", ["has no place", "have no place"]), |own| {
            own.unplaced
        });
        let number = one.subjects.len();
        let names = cell(one.subjects.clone(), NAMES);
        let what = what[usize::from(number > 1)];
        parts.push(format!("{} {what} ({names})", plural(number, noun)));
    }
    let others = (!parts.is_empty()).then(|| format!("Before any loss: {}.", parts.join("; ")));
    let all: Vec<String> = fails_already(risk).into_iter().chain(others).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// The deployment groups that fail without any loss.
fn failed_already(risk: &Risk) -> impl Iterator<Item = &String> {
    let groups = risk.today.iter().filter(|one| one.system == "airship");
    groups.flat_map(|one| &one.subjects)
}

/// Says that the deployment fails without any loss, if it does.
fn fails_already(risk: &Risk) -> Option<String> {
    let groups: Vec<String> = failed_already(risk).cloned().collect();
    (!groups.is_empty()).then(|| {
        let number = plural(groups.len(), GROUP);
        format!(
            "Fails already: {number} ({}); these losses add what is listed.",
            cell(groups, NAMES)
        )
    })
}

/// The losses without an impact, by name.
#[must_use]
pub fn without_impact(risk: &Risk) -> Vec<String> {
    let with_kind = has_kinds(risk);
    let all = risk.losses.iter().filter(|loss| loss.class == Class::None);
    all.map(|loss| Impact::of(loss).lost(with_kind)).collect()
}

/// Whether things of several kinds are lost.
fn has_kinds(risk: &Risk) -> bool {
    let kinds: BTreeSet<&str> = risk.losses.iter().map(|loss| &*loss.kind).collect();
    kinds.len() > 1
}

/// The word for a remedy that changes what is asked for.
const REMEDY: &str = "remedy";

/// The first remedy of a loss, or why there is none.
fn remedy(loss: &Loss) -> Option<String> {
    let found = loss.remedies.as_ref()?;
    let Some(first) = found.sets.first() else {
        return Some(match found.none_up_to {
            _ if found.gone => "no remedy: its volumes are lost with it".to_owned(),
            None if found.plans == 0 && !found.stopped => {
                "no remedy: planner knows no edit for it".to_owned()
            }
            Some(most) => {
                let edits = plural(found.offered, "edit");
                format!("no remedy: not with up to {most} of the {edits} that planner knows")
            }
            None => format!("no remedy found in {}", plural(found.plans, "plan")),
        });
    };
    let lead = if !first.is_observed() {
        REMEDY
    } else if found.stopped {
        "no change of what is asked for was found to help; survived if it were so"
    } else {
        "no change of what is asked for helps; survived if it were so"
    };
    let moves = moves_today(first.moves_today);
    let left = match first.class {
        Class::Volumes => ", volumes are left behind",
        _ => "",
    };
    let edits: Vec<String> = first.edits.iter().map(ToString::to_string).collect();
    Some(format!("{lead} ({moves}{left}): {}", edits.join("; ")))
}

fn moves_today(moves: usize) -> String {
    match moves {
        0 => "moves nothing today".to_owned(),
        moves => format!("moves {moves} today"),
    }
}

/// An edit, or a fact that would have to be another.
fn said(change: &Change) -> String {
    let text = change.to_string();
    if change.observed {
        format!("if it were so: {text}")
    } else {
        text
    }
}

/// The result of the edits for all losses of a kind.
fn together(found: &Together) -> String {
    let noun = found.kind;
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
        text.push_str(&format!("; not {}", cell(found.left.clone(), NAMES)));
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
        let edits: Vec<String> = found.edits.iter().map(said).collect();
        lines.push(if edits.is_empty() {
            format!("{}.", together(found))
        } else {
            format!("{}: {}", together(found), edits.join("; "))
        });
    }
    lines
}

/// The closing lines: how many losses leave work unplaced, and what has only one Cluster.
#[must_use]
pub fn summary(risk: &Risk) -> Vec<String> {
    let all = risk.losses.len();
    let of = |is: fn(&&Loss) -> bool| risk.losses.iter().filter(is).count();
    let fatal = of(|loss| loss.class == Class::Fatal);
    let displaced = of(|loss| loss.class != Class::Fatal && !loss.is_survived());
    let today = risk.today.iter().map(|one| &one.system);
    let of_systems = risk.margins.iter().map(|one| &one.system).chain(today);
    let (groups, others): (Vec<_>, Vec<_>) = of_systems.partition(|system| *system == "airship");
    let deploys = fatal > 0 || !groups.is_empty();
    let places = displaced > 0 || !others.is_empty() || !deploys;
    let already = failed_already(risk).next().is_some();
    let mut text = match (fatal, displaced) {
        (0, 0) if already => {
            format!("The deployment fails already; no loss (of {all}) adds anything.")
        }
        (fatal, displaced) if already => format!(
            "The deployment fails already; {} (of {all}) {} to it.",
            plural(fatal + displaced, "loss"),
            if fatal + displaced == 1 {
                "adds"
            } else {
                "add"
            },
        ),
        (0, 0) => {
            let fails = deploys.then_some("fails the deployment");
            let leaves = places.then_some("leaves work unplaced");
            let parts: Vec<&str> = fails.into_iter().chain(leaves).collect();
            format!("No loss (of {all}) {}.", parts.join(" or "))
        }
        (1, 0) => format!("One loss (of {all}) fails the deployment."),
        (0, 1) => format!("One loss (of {all}) leaves work unplaced."),
        (fatal, 0) => format!("Losing any of {fatal} (of {all}) fails the deployment."),
        (0, number) => format!("Losing any of {number} (of {all}) leaves work unplaced."),
        (fatal, number) => format!(
            "{} (of {all}) {} the deployment, {number} more {} work unplaced.",
            plural(fatal, "loss"),
            if fatal == 1 { "fails" } else { "fail" },
            if number == 1 { "leaves" } else { "leave" },
        ),
    };
    let home = |subject: &str| {
        let mut lost = risk.losses.iter().flat_map(|loss| &loss.applications);
        let lost_at = |one: &&crate::risk::MovedApplication| {
            one.to.is_none() && subject.split_once('/') == Some((&*one.package, &*one.application))
        };
        let home = lost.find(lost_at)?.from.clone()?;
        Some(format!("{} ({home})", subject.split_once('/')?.1))
    };
    let margins = risk.margins.iter();
    let single = margins.filter(|one| one.system == "ogc" && one.margin == 0);
    let single: Vec<String> = single.filter_map(|one| home(&one.subject)).collect();
    if !single.is_empty() {
        text.push_str(&format!(" On one Cluster only: {}.", cell(single, NAMES)));
    }
    vec![text]
}

/// The losses of which nothing comes, counted by kind.
#[must_use]
pub fn idle(risk: &Risk) -> Option<String> {
    let mut parts = Vec::new();
    for kind in kinds() {
        let of_kind = risk.losses.iter().filter(|loss| loss.kind == kind);
        let count = of_kind.filter(|loss| loss.class == Class::None).count();
        if count > 0 {
            parts.push(plural(count, kind));
        }
    }
    (!parts.is_empty()).then(|| format!("No impact: {}.", parts.join(", ")))
}

/// The page.
#[must_use]
pub fn risk(risk: &Risk, screen: &Screen) -> Page {
    let mut page = Page::new();
    page.prose(screen, Tone::Strong, &headline(risk), 4);
    page.gap();
    if let Some(today) = today(risk) {
        page.prose(screen, Tone::Change, &today, 4);
        page.gap();
    }
    let (shown, cut) = shown(risk, screen);
    let with_kind = has_kinds(risk);
    let row = |row: &Shown<'_>| (row.mark(), row.row(with_kind, row.named()));
    let rows: Vec<(char, Vec<String>)> = shown.iter().map(row).collect();
    let notes = shown.iter().map(Shown::note).collect();
    let any = !rows.is_empty();
    if any {
        let sign = |mark: char| mark.to_string().trim().to_owned();
        let heads = headings(risk);
        let says = |at: &usize| *at == 0 || rows.iter().any(|(_, cells)| cells[*at] != NOTHING);
        let mut kept: Vec<usize> = (0..heads.len()).filter(says).collect();
        if kept.len() == 1 {
            kept.push(1);
        }
        let cells = |(mark, cells): (char, Vec<String>)| {
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
    if let Some(cut) = cut {
        page.prose(screen, Tone::Dim, &format!("  {cut}"), 2);
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
            page.prose(screen, Tone::Plain, &format!("  - {}", said(change)), 6);
            page.toned(Tone::Dim, format!("    {}:{}", change.path, change.line));
        }
    }
    page
}
