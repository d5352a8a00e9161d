//! The section of a kind of items: what changes first, then what stays.

use crate::plan::Mark;
use crate::systems::outcome::at;

use super::details;
use super::item::{Line, NAMES, ORDER, Section};
use super::matrix;
use super::page::{ALL, Page};

/// Items that can be opened, and items that are a line.
const OPENED: usize = 2000;
const LINES: usize = 30_000;
/// So many are shown at once where nothing changes.
const AT_ONCE: usize = 40;

/// The section, at most this many bytes of lists.
pub(super) fn write(page: &mut Page<'_>, section: &Section<'_>, room: usize) {
    let kind = section.kind;
    page.markup("<section class=\"full\"")
        .attribute("id", kind.key);
    page.attribute("data-system", kind.key)
        .markup("><h2>")
        .markup(kind.title)
        .markup(" <small data-of=\"\">");
    counts(page, section);
    page.markup("</small></h2><p>")
        .markup(kind.about)
        .markup("</p>\n");
    let order = section.order();
    matrix::write(page.allow(room / 4), section, &order);
    let (moving, still) = order.split_at(section.moving());
    page.allow(room / 2);
    let mut opened = 0;
    if !moving.is_empty() {
        page.markup("<div data-list=\"\">\n");
        let left = page.rows(moving.iter(), OPENED, |page, at| {
            item(page, section, *at);
            opened += 1;
        });
        page.markup("</div>\n");
        let rest = &moving[moving.len() - left..];
        if !rest.is_empty() {
            page.markup("<details data-list=\"\"><summary>")
                .number(rest.len());
            page.markup(" more change</summary><div class=\"in\">\n");
            let left = lines(page.allow(room / 2), section, rest);
            page.left_out(left, kind.noun, ALL);
            page.markup("</div></details>\n");
        }
    }
    page.allow(room / 2);
    stays(page, section, still, moving.is_empty(), OPENED - opened);
    page.markup("</section>\n");
}

/// `26: 2 new, 3 change`
fn counts(page: &mut Page<'_>, section: &Section<'_>) {
    page.number(section.rows.len());
    for (at, mark) in ORDER.iter().enumerate() {
        let number = section.count(*mark);
        if number > 0 {
            page.markup(if at == 0 { ": " } else { " · " })
                .number(number)
                .markup(" ");
            page.markup(match (mark, number) {
                (Mark::Failed, 1) => "fails",
                (Mark::Failed, _) => "fail",
                (Mark::Gone, 1) => "goes",
                (Mark::Gone, _) => "go",
                (Mark::Changed, 1) => "changes",
                (Mark::Changed, _) => "change",
                (Mark::New, _) => "new",
                (Mark::Same, 1) => "stays",
                (Mark::Same, _) => "stay",
            });
        }
    }
}

/// One that can be opened.
fn item(page: &mut Page<'_>, section: &Section<'_>, number: usize) {
    let (kind, mark) = (section.kind, section.rows[number].mark);
    let row = section.item(number);
    let line = section.line(number, &row);
    let id = page.anchor(kind.id, &line.name);
    page.markup("<details")
        .attribute("id", &id)
        .marked(mark)
        .markup("><summary>");
    page.mark(mark)
        .markup(" <span class=\"name\">")
        .text(&line.name)
        .markup("</span> ");
    answer(page, mark, &line);
    page.markup(" <span class=\"why\">")
        .prose(&line.why)
        .markup("</span></summary>");
    page.markup("<div class=\"in\">");
    details::write(page, &line.name, &(kind.details)(&row));
    page.markup("</div></details>\n");
}

/// The answer before and now.
pub(super) fn answer(page: &mut Page<'_>, mark: Mark, line: &Line) {
    page.markup("<span>");
    if !line.moved.is_empty() {
        moved(page, &line.moved);
        page.markup("</span>");
        return;
    }
    match (mark, line.was.as_str(), line.now.as_str()) {
        (Mark::Same, _, now) => page.text(now),
        (_, "", "") => page.markup("nowhere"),
        (_, "", now) => page.text(now),
        (_, was, now) => {
            page.markup("<span class=\"was\">")
                .text(was)
                .markup("</span> \u{2192} ");
            match now {
                "" => page.markup("nowhere"),
                now => page.text(now),
            }
        }
    };
    page.markup("</span>");
}

/// The places that go and come, each with its sign.
fn moved(page: &mut Page<'_>, moved: &[(Mark, String)]) {
    for (at, (mark, name)) in moved.iter().take(NAMES).enumerate() {
        page.markup(if at == 0 { "" } else { ", " });
        page.markup(match mark {
            Mark::Gone => "<span class=\"gone\">\u{2212}",
            _ => "<span class=\"new\">+",
        });
        page.text(name).markup("</span>");
    }
    if moved.len() > NAMES {
        page.markup(" and ").number(moved.len() - NAMES);
        page.markup(" more");
    }
}

fn stays(page: &mut Page<'_>, section: &Section<'_>, still: &[usize], alone: bool, opened: usize) {
    if still.is_empty() {
        return;
    }
    let kind = section.kind;
    let open = alone && still.len() <= AT_ONCE;
    page.markup(if open {
        "<details data-list=\"\" open=\"\">"
    } else {
        "<details data-list=\"\">"
    });
    page.markup("<summary>").number(still.len());
    page.markup(if still.len() == 1 {
        " stays as it is"
    } else {
        " stay as they are"
    });
    page.markup("</summary><div class=\"in\">\n");
    let left = if kind.opens {
        page.rows(still.iter(), opened, |page, at| item(page, section, *at))
    } else {
        still.len()
    };
    let rest = &still[still.len() - left..];
    let left = if rest.is_empty() {
        0
    } else {
        lines(page, section, rest)
    };
    page.left_out(left, kind.noun, ALL);
    page.markup("</div></details>\n");
}

/// Writes a line for each of these items. Returns how many are left out.
fn lines(page: &mut Page<'_>, section: &Section<'_>, rest: &[usize]) -> usize {
    let kind = section.kind;
    let mut left = 0;
    page.wide(kind.title, |page| {
        page.markup("<table><thead><tr><td></td><th scope=\"col\">")
            .markup(kind.noun);
        page.markup("</th><th scope=\"col\">").markup(kind.answer);
        page.markup("</th><th scope=\"col\">Decided by</th></tr></thead><tbody>\n");
        left = page.rows(rest.iter(), LINES, |page, number| {
            line(page, section, *number);
        });
        page.markup("</tbody></table>");
    });
    left
}

/// One that is a line.
fn line(page: &mut Page<'_>, section: &Section<'_>, number: usize) {
    let row = section.item(number);
    let line = section.line(number, &row);
    let id = page.anchor(section.kind.id, &line.name);
    let mark = section.rows[number].mark;
    page.markup("<tr")
        .attribute("id", &id)
        .marked(mark)
        .markup("><td class=\"m\">");
    match mark {
        Mark::Same => page.markup("="),
        mark => page.mark(mark),
    };
    page.markup("</td>").head(&line.name).markup("<td>");
    answer(page, mark, &line);
    page.markup("</td><td class=\"why\">").prose(&line.why);
    page.place(at(&row)).markup("</td></tr>\n");
}
