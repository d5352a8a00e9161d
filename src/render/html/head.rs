//! The first screen: what changes, whether it is safe, and why.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::diagnostic::{Severity, Sink};
use crate::kit::plural::{first_names, plural};
use crate::page::layout::Mark;
use crate::plan::changes::Changes;
use crate::plan::row::Rows;
use crate::plan::stake::Stake;
use crate::plan::{self, Quality};
use crate::render::phrase;
use crate::render::text::changes::said;
use crate::render::text::stake;
use crate::saved::{self, SavedRow};
use crate::source::Sources;
use crate::systems;
use crate::systems::outcome::{at, list, text};

use super::item::ORDER;
use super::live::Contents;
use super::page::{Page, anchor};
use super::section::answer;
use super::{Planned, Report, findings, sums, totals};

/// Rows of the table of changes.
const ROWS: usize = 300;
/// Causes of the changes that are named.
const CAUSES: usize = 50;
/// Kinds of findings that are named.
const KINDS: usize = 5;
/// Names of what is at stake, at most.
const NAMED: usize = 6;

const PASS: &str = "<span class=\"result ready\">\u{2713} Pass: ";
const WARN: &str = "<span class=\"result warn\">\u{26a0} Warn: ";
const FAIL: &str = "<span class=\"result failed\">! Fail: ";

/// The head of the page, up to what changes.
pub(super) fn write(page: &mut Page<'_>, report: &Report<'_>, contents: &Contents<'_>) {
    page.markup("<header>\n<p><span class=\"title\">")
        .text(report.title)
        .markup("</span>");
    result(page, report, contents);
    page.markup("</p>\n<h1>")
        .text(&headline(report, contents))
        .markup("</h1>\n");
    for note in &report.notes {
        page.markup("<p>").lines(note).markup("</p>\n");
    }
    page.markup("<p class=\"meta\"><span>Planned at ")
        .text(&report.now)
        .markup("</span>");
    if let Some((revision, exact)) = &report.revision {
        let short: String = revision.chars().take(12).collect();
        page.markup("<span>Commit <code")
            .attribute("title", revision)
            .markup(">")
            .text(&short);
        page.markup("</code>");
        page.markup(if *exact {
            "</span>"
        } else {
            " with uncommitted changes</span>"
        });
    }
    page.markup("<span>planner ")
        .markup(env!("CARGO_PKG_VERSION"))
        .markup("</span></p>\n");
    safety(page, report, contents);
    page.markup("</header>\n<main id=\"main\" tabindex=\"-1\">\n");
    cards(page, contents);
    filters(page, report, contents);
    changes(page, report, contents);
    page.markup("<p class=\"paper\">On paper this report is what changes and what is at stake. ");
    page.markup("Every decision, its reason and all findings are on the page itself.</p>\n");
}

/// Pass, warn or fail, and why.
fn result(page: &mut Page<'_>, report: &Report<'_>, contents: &Contents<'_>) {
    let still = match totals(&contents.sections) {
        (0, _) => "no changes",
        // Deliveries can change although no decision does.
        _ => "nothing to record",
    };
    let found = report.found.map_or(0, |(sink, _)| {
        sink.count(Severity::Error) + sink.count(Severity::Warning)
    });
    let (result, what) = match (report.nothing, report.result) {
        (true, _) => ("<span class=\"result unchanged\">", "Nothing to plan"),
        (_, Quality::Unchanged | Quality::Ready) if fails(report) => (FAIL, "the deployment fails"),
        (_, Quality::Unchanged) if found > 0 => (WARN, still),
        (_, Quality::Ready) if found > 0 => (WARN, "ready"),
        (_, Quality::Unchanged) => (PASS, still),
        (_, Quality::Ready) => (PASS, "ready"),
        (_, Quality::Unplaceable) => (FAIL, "cannot be applied"),
        (_, Quality::Partial) => (FAIL, "partial"),
        (_, Quality::Invalid) => (FAIL, "refused"),
    };
    page.markup(" ").markup(result).markup(what);
    if let (WARN, Some((sink, _))) = (result, report.found) {
        page.markup(", ").text(&findings::serious(sink));
    }
    page.markup("</span>");
}

/// Whether the deployment fails in the simulated run, or without any loss.
fn fails(report: &Report<'_>) -> bool {
    let run = report.run.is_some_and(|run| run["verdict"] == "failed");
    let mut today = report.risk.iter().flat_map(|risk| &risk.today);
    run || today.any(|one| one.system == "airship")
}

fn headline(report: &Report<'_>, contents: &Contents<'_>) -> String {
    let (moving, failed) = totals(&contents.sections);
    let groups = contents
        .strategy
        .as_ref()
        .map_or(0, |strategy| list(strategy, "groups").len());
    match report.result {
        _ if report.nothing => "There is nothing to plan".to_owned(),
        Quality::Partial => "A partial plan: some of the documents are missing".to_owned(),
        Quality::Invalid if contents.sections.is_empty() => {
            "No plan: documents were refused".to_owned()
        }
        _ if failed > 0 => {
            let items = plural(failed, "item");
            format!("The plan fails: {items} cannot be placed")
        }
        _ if run_failed(report) => "The simulated deployment fails".to_owned(),
        _ if fails(report) => "The deployment fails before any loss".to_owned(),
        _ if moving > 0 => match moving {
            1 => "1 change, and everything can be placed".to_owned(),
            many => format!("{many} changes, and everything can be placed"),
        },
        _ if contents.sections.is_empty() && groups > 0 => {
            format!("{} to deploy", plural(groups, "group"))
        }
        _ => "Nothing changes".to_owned(),
    }
}

/// Whether the simulated run of the groups fails.
fn run_failed(report: &Report<'_>) -> bool {
    let verdict = report.run.and_then(|run| run.get("verdict"));
    verdict.and_then(Value::as_str) == Some("failed")
}

/// The warnings to read before the plan is applied.
fn safety(page: &mut Page<'_>, report: &Report<'_>, contents: &Contents<'_>) {
    if report.nothing {
        return;
    }
    page.markup("<ul class=\"safe\">\n");
    let start = page.len();
    for section in &contents.sections {
        let failed = section.failing();
        if failed > 0 {
            page.markup("<li>").mark(Mark::Failed).markup("<span><a");
            page.attribute("href", &format!("#{}", section.kind.key))
                .markup(">");
            page.text(&plural(failed, section.kind.noun))
                .markup("</a> cannot be placed</span></li>\n");
        }
    }
    let clusters = contents.sums.iter().map(|row| text(row, "name"));
    let stake = Stake::of(rows(report), clusters);
    for (mark, names, what) in stake::lines(&stake) {
        page.markup("<li>").mark(mark).markup("<span>").text(&what);
        page.markup(": ").text(&first_names(names.iter(), NAMED));
        page.markup("</span></li>\n");
    }
    let over = contents
        .sums
        .iter()
        .filter(|row| sums::is_over(row))
        .count();
    if over > 0 {
        page.markup("<li>")
            .mark(Mark::Changed)
            .markup("<span><a href=\"#clusters\">");
        page.text(&plural(over, "Cluster"));
        page.markup(if over == 1 { "</a> is" } else { "</a> are" });
        page.markup(" overcommitted</span></li>\n");
    }
    let fails = |run: &&Value| run["verdict"] == "failed";
    if report.run.filter(fails).is_some() {
        page.markup("<li>")
            .mark(Mark::Failed)
            .markup("<span>With these faults the ");
        page.markup("<a href=\"#groups\">deployment</a> fails</span></li>\n");
    }
    let (errors, warnings) = found(page, report);
    if page.len() == start && errors + warnings == 0 {
        page.markup("<li><b class=\"k new\">\u{2713}</b><span>");
        page.markup(match report.found {
            None => "A saved plan contains no findings; it could be applied when it was saved",
            Some(_) => "No errors, no warnings, and everything can be placed",
        });
        page.markup("</span></li>\n");
    }
    page.markup("</ul>\n");
}

/// Errors and warnings, by what they are; how many there are of each.
fn found(page: &mut Page<'_>, report: &Report<'_>) -> (usize, usize) {
    let Some((sink, _)) = report.found else {
        return (0, 0);
    };
    let mut kinds: BTreeMap<(u8, &str), (usize, &str)> = BTreeMap::new();
    for found in &sink.diagnostics {
        let rank = match found.severity {
            Severity::Error => 0,
            Severity::Warning => 1,
            Severity::Note => continue,
        };
        kinds
            .entry((rank, found.rule.code))
            .or_insert((0, &found.message))
            .0 += 1;
    }
    for ((rank, _), (number, message)) in kinds.iter().take(KINDS) {
        page.markup(match rank {
            0 => "<li><b class=\"k failed\">!</b><span>Error: ",
            _ => "<li><b class=\"k changed\">\u{26a0}</b><span>Warning: ",
        });
        page.prose(message);
        if *number > 1 {
            page.markup(", and ").number(number - 1).markup(" like it");
        }
        page.markup("</span></li>\n");
    }
    if kinds.len() > KINDS {
        page.markup("<li><b class=\"k same\">\u{2026}</b><span><a href=\"#findings\">");
        page.text(&findings::counts(sink))
            .markup("</a> in all</span></li>\n");
    }
    (sink.count(Severity::Error), sink.count(Severity::Warning))
}

/// A card for each kind of items, with a bar of what happens to them.
fn cards(page: &mut Page<'_>, contents: &Contents<'_>) {
    if contents.sections.is_empty() {
        return;
    }
    page.markup("<ul class=\"cards\" data-all=\"\">\n");
    for section in &contents.sections {
        let all = section.rows.len();
        page.markup("<li><a")
            .attribute("href", &format!("#{}", section.kind.key))
            .markup(">");
        page.markup(section.kind.short)
            .markup("</a><span class=\"of\">")
            .number(section.moving());
        page.markup(" <small>of ")
            .number(all)
            .markup(" change</small></span>");
        page.markup("<svg class=\"bar\" aria-hidden=\"true\">");
        let mut before = 0;
        for mark in ORDER {
            let number = section.count(mark);
            // Every part stays visible, however small it is.
            let width = (number * 1000 / all).max(if number > 0 { 12 } else { 0 });
            if width > 0 {
                page.markup(match mark {
                    Mark::Failed => "<rect class=\"f-failed\" height=\"8\"",
                    Mark::Gone => "<rect class=\"f-gone\" height=\"8\"",
                    Mark::Changed => "<rect class=\"f-changed\" height=\"8\"",
                    Mark::New => "<rect class=\"f-new\" height=\"8\"",
                    Mark::Same => "<rect class=\"f-same\" height=\"8\"",
                });
                let percent = |share: usize| format!("{}.{}%", share / 10, share % 10);
                page.attribute("x", &percent(before))
                    .attribute("width", &percent(width));
                page.markup("/>");
                before += width;
            }
        }
        page.markup("</svg><span class=\"counts\">");
        for mark in ORDER {
            let number = section.count(mark);
            if number > 0 {
                page.markup("<span>")
                    .mark(mark)
                    .markup(" ")
                    .number(number)
                    .markup("</span>");
            }
        }
        page.markup("</span></li>\n");
    }
    page.markup("</ul>\n");
}

/// Where to go, and what to look for.
fn filters(page: &mut Page<'_>, report: &Report<'_>, contents: &Contents<'_>) {
    let kinds = contents
        .sections
        .iter()
        .map(|section| (section.kind.key, section.kind.short));
    let mut all: Vec<(&'static str, &'static str)> = kinds.collect();
    if contents.strategy.is_some() {
        all.push(("groups", "Deployment groups"));
    }
    let mut links = all.clone();
    if !contents.rollouts.is_empty() || !contents.waves.is_empty() {
        links.push(("waves", "Rollouts"));
    }
    if !contents.sums.is_empty() {
        links.push(("clusters", "Clusters"));
    }
    if !contents.boxes.is_empty() {
        links.push(("map", "Map"));
    }
    if report.risk.is_some() {
        links.push(("risk", "Risk"));
    }
    if report
        .found
        .is_some_and(|(sink, _)| !sink.diagnostics.is_empty())
    {
        links.push(("findings", "Findings"));
        all.push(("findings", "Findings"));
    }
    if links.is_empty() {
        return;
    }
    page.markup("<nav aria-label=\"Sections\"><ul>");
    for (key, title) in links {
        page.markup("<li><a")
            .attribute("href", &format!("#{key}"))
            .markup(">")
            .markup(title);
        page.markup("</a></li>");
    }
    page.markup("</ul></nav>\n<search hidden=\"\"><div>");
    page.markup("<label for=\"filter-text\">Filter <kbd>/</kbd></label>");
    page.markup("<input type=\"search\" id=\"filter-text\" autocomplete=\"off\"");
    page.markup(" aria-keyshortcuts=\"/\"/>");
    page.markup("<label for=\"filter-system\" class=\"say\">Section</label>");
    page.markup("<select id=\"filter-system\"><option value=\"\">All sections</option>");
    for (key, title) in all {
        page.markup("<option")
            .attribute("value", key)
            .markup(">")
            .markup(title)
            .markup("</option>");
    }
    page.markup(
        "</select><label><input type=\"checkbox\" id=\"filter-only\"/> Only what changes</label>",
    );
    if let Some((sink, _)) = report.found {
        chips(page, sink);
    }
    page.markup("<output id=\"filter-count\" for=\"filter-text\" aria-live=\"polite\"></output>");
    page.markup("</div></search>\n");
}

/// A button for each severity, which leaves the findings of it.
fn chips(page: &mut Page<'_>, sink: &Sink) {
    for (severity, noun, start) in [
        (Severity::Error, "error", "<b class=\"failed\">!</b> "),
        (
            Severity::Warning,
            "warning",
            "<b class=\"changed\">\u{26a0}</b> ",
        ),
        (Severity::Note, "note", ""),
    ] {
        let number = sink.count(severity);
        if number > 0 {
            page.markup("<button type=\"button\" class=\"chip\" aria-pressed=\"false\"");
            page.attribute("data-chip", findings::mark(severity))
                .markup(">")
                .markup(start);
            page.text(&plural(number, noun)).markup("</button>");
        }
    }
}

/// The causes of the changes, where they are fewer than the rows; whether they are.
fn by_cause(page: &mut Page<'_>, report: &Report<'_>) -> bool {
    let read: Vec<Value>;
    let empty = Sources::default();
    let (changes, sources) = match report.planned {
        Planned::Now(plan, _) => {
            let changes = Changes::of(|| systems::rows(plan));
            (changes, plan.site.documents.sources)
        }
        Planned::Saved(outcome, rows) => {
            read = outcome.rows("changes").collect();
            let changing = rows.iter().filter(|row| row.row().mark != Mark::Same);
            (saved::changes(&read, changing.count()), &empty)
        }
    };
    if !changes.are_fewer() {
        return false;
    }
    page.markup("<ul class=\"safe\" id=\"causes\" data-all=\"\">\n");
    for change in changes.all.iter().take(CAUSES) {
        let said = said(change, sources);
        page.markup("<li>").mark(change.mark).markup("<span><b>");
        page.text(&said.names).markup("</b> ").text(&said.effect);
        if !said.cause.is_empty() {
            page.markup(": ").text(&said.cause);
        }
        page.markup("</span></li>\n");
    }
    page.markup("</ul>\n");
    let left = changes.all.len().saturating_sub(CAUSES);
    page.left_out(left, "cause", "planner plan --trace");
    true
}

/// The rows of the plan.
fn rows<'r>(report: &Report<'r>) -> Rows<'r> {
    match report.planned {
        Planned::Now(plan, _) => systems::rows(plan),
        Planned::Saved(_, rows) => Box::new(rows.iter().map(SavedRow::row)),
    }
}

/// The changes of documents that move each subject, by section and name.
fn changed_by(report: &Report<'_>) -> BTreeMap<(plan::Section, String), String> {
    let diff = report.moves.as_ref().map(|moves| moves.diff);
    let moves = diff.iter().flat_map(|diff| {
        diff.moves.iter().map(|one| {
            let subject = (one.subject.section, one.subject.name.clone());
            (subject, phrase::plain(phrase::because(diff, one)))
        })
    });
    moves.filter(|(_, because)| !because.is_empty()).collect()
}

/// The changes, in one table.
fn changes(page: &mut Page<'_>, report: &Report<'_>, contents: &Contents<'_>) {
    let mut all: Vec<(usize, usize, usize)> = Vec::new();
    for (number, section) in contents.sections.iter().enumerate() {
        let marks = section.rows.iter().map(|row| row.mark).enumerate();
        for (at, mark) in marks.filter(|(_, mark)| *mark != Mark::Same) {
            let rank = ORDER
                .iter()
                .position(|one| *one == mark)
                .unwrap_or_default();
            all.push((rank, number, at));
        }
    }
    if all.is_empty() {
        return;
    }
    all.sort_unstable();
    page.markup("<section id=\"changes\" class=\"full\"><h2>What changes <small>")
        .number(all.len());
    page.markup("</small></h2>\n");
    let are_grouped = by_cause(page, report);
    if are_grouped {
        page.markup("<details data-list=\"\"><summary>Each change</summary>\n");
    }
    let changed_by = changed_by(report);
    let heads = ["@Change", "What", "Kind", "Before and after", "Why"];
    let mut left = 0;
    page.table("What changes", &heads, |page| {
        left = page.rows(all.iter(), ROWS, |page, (_, number, index)| {
            let section = &contents.sections[*number];
            let (kind, mark) = (section.kind, section.rows[*index].mark);
            let row = section.item(*index);
            let line = section.line(*index, &row);
            page.markup("<tr")
                .attribute("data-system", kind.key)
                .marked(mark);
            page.markup("><td class=\"m\">")
                .mark(mark)
                .markup("</td><th scope=\"row\"><a");
            page.attribute("href", &format!("#{}", anchor(kind.id, &line.name)))
                .markup(">");
            page.text(&line.name)
                .markup("</a></th>")
                .cell(kind.noun)
                .markup("<td>");
            answer(page, mark, &line);
            page.markup("</td><td>").prose(&line.why).place(at(&row));
            let own = &section.rows[*index];
            if let Some(by) = changed_by.get(&(own.section, own.name.to_string())) {
                page.markup("<br/><b>Changed by</b> ").text(by);
            }
            page.markup("</td></tr>\n");
        });
    });
    if left > 0 {
        page.markup("<p class=\"more\">").number(left);
        page.markup(" more are in the sections below.</p>\n");
    }
    if are_grouped {
        page.markup("</details>\n");
    }
    if report.moves.is_some() {
        page.markup("<p>Compared with the recorded decisions.</p>\n");
    }
    page.markup("</section>\n");
}
