//! How filters narrowed the candidates down, as text: rules, a table of filters, and the lines that
//! decided.

use crate::diagnostic::Label;
use crate::kit::plural::plural;
use crate::source::Sources;
use crate::why::{Funnel, Passage, Said};

use super::{Page, Screen, Tone, columns, wrap};
use crate::page::layout::{Grid, list};

/// Reasons of one filter up to which all are shown; of more, the first ones.
const REASONS: usize = 8;
const FIRST_REASONS: usize = 5;
/// Further reasons that are shown.
const FURTHER: usize = 10;
/// Candidates beyond which the filter that decided is told first.
const MANY: usize = 20;
/// Least room for what is at a place, beside it.
const PLACED: usize = 20;

/// The filter that left one candidate of many, what it kept and what came nearest to that.
pub(super) fn cut_off(page: &mut Page, funnel: &Funnel, screen: &Screen) {
    let filters = funnel.filters.as_slice();
    if filters.first().is_none_or(|all| all.left <= MANY) {
        return;
    }
    let pairs = filters.windows(2);
    let mut last = pairs.filter(|pair| pair[1].left <= 1 && pair[1].left < pair[0].left);
    if let Some([before, filter]) = last.next() {
        let first: Vec<String> = said(filter, screen).take(2).collect();
        let of = plural(before.left, "Cluster");
        let (name, left) = (&filter.filter, filter.left);
        let text = format!("{name} leaves {left} of {of}: {}.", first.join("; "));
        page.prose(screen, Tone::Plain, &text, 4);
    }
}

/// The rules, the filters and the lines.
pub(super) fn funnel(page: &mut Page, funnel: &Funnel, sources: &Sources, screen: &Screen) {
    page.gap();
    rules(page, funnel, screen);
    if !funnel.filters.is_empty() {
        page.gap();
        page.toned(Tone::Strong, "Filters (oldest first)");
        filters(page, &funnel.filters, screen);
    }
    if !funnel.further.is_empty() {
        page.gap();
        further(page, &funnel.further, screen);
    }
    page.gap();
    page.toned(Tone::Strong, "Lines");
    places(page, &funnel.at, sources, screen);
}

fn rules(page: &mut Page, funnel: &Funnel, screen: &Screen) {
    page.toned(Tone::Strong, "Rules");
    if funnel.rules.is_empty() {
        page.line("    none");
    }
    let rules = funnel.rules.iter();
    let cells =
        |(rule, origin): &(String, &str)| vec![String::new(), rule.clone(), (*origin).into()];
    let grid = Grid {
        heads: vec![String::new(); 3],
        rows: rules.map(cells).collect(),
        indent: 2,
        ..Grid::default()
    };
    grid.write(page, screen);
    for hidden in &funnel.hidden {
        page.prose(screen, Tone::Dim, &format!("    {hidden}"), 4);
    }
}

fn filters(page: &mut Page, filters: &[Passage], screen: &Screen) {
    let all = filters.first().map_or(0, |all| all.left);
    let digits = all.to_string().len();
    for filter in filters {
        let head = format!("    {:>digits$}  {:24}  ", filter.left, filter.filter);
        let from = columns(&head);
        let room = screen.width.map(|width| width.saturating_sub(from).max(20));
        let removed = filter.said.iter().filter(|said| !said.names.is_empty());
        let reasons = removed.clone().count();
        let most = if screen.trace || reasons <= REASONS {
            reasons
        } else {
            FIRST_REASONS
        };
        let hidden: usize = removed.skip(most).map(|said| said.names.len()).sum();
        // A filter's remarks on itself stand before its reasons.
        let shown = filter.said.len() - reasons + most;
        let bullet = |(said, text): (&Said, String)| {
            if said.names.is_empty() || said.text.is_empty() {
                (text, 0)
            } else {
                (format!("- {text}"), 2)
            }
        };
        let texts = filter.said.iter().zip(said(filter, screen)).take(shown);
        let rest = (hidden > 0).then(|| (format!("- and {}", plural(hidden, "more Cluster")), 2));
        let lines = texts.map(bullet).chain(rest);
        let mut wrapped = lines.flat_map(|(text, indent)| wrap(&text, room, indent));
        page.line(head + &wrapped.next().unwrap_or_default());
        for line in wrapped {
            page.line(format!("{:from$}{line}", ""));
        }
    }
}

/// The remarks of a filter, one text each.
fn said(filter: &Passage, screen: &Screen) -> impl Iterator<Item = String> {
    filter.said.iter().map(|said| {
        let names = list(said.names.iter().map(String::as_str), screen);
        match (names.as_str(), said.text.as_str()) {
            ("", text) => text.to_owned(),
            (_, "") => names,
            (_, text) => format!("{names}: {text}"),
        }
    })
}

fn further(page: &mut Page, lines: &[String], screen: &Screen) {
    page.toned(Tone::Strong, "Would also fail");
    let shown = if screen.trace {
        lines.len()
    } else {
        lines.len().min(FURTHER)
    };
    for line in &lines[..shown] {
        page.prose(screen, Tone::Plain, &format!("    {line}"), 8);
    }
    if shown < lines.len() {
        page.line(format!("    and {} more", lines.len() - shown));
    }
}

/// Places and what is there; beneath each other where there is no room side by side.
fn places(page: &mut Page, at: &[Label], sources: &Sources, screen: &Screen) {
    let described: Vec<String> = at.iter().map(|one| sources.describe(one.place)).collect();
    let width = described.iter().map(|text| columns(text)).max();
    let width = width.unwrap_or(0);
    let from = 4 + width + 2;
    for (path, label) in described.iter().zip(at) {
        let text = &label.text;
        let room = screen.width.map(|columns| columns.saturating_sub(from));
        if room.is_some_and(|room| room < PLACED.min(columns(text))) {
            page.toned(Tone::Dim, format!("    {path}"));
            page.prose(screen, Tone::Plain, &format!("      {text}"), 8);
            continue;
        }
        let mut lines = wrap(text, room, 0).into_iter();
        let first = lines.next().unwrap_or_default();
        page.pieces(vec![
            (Tone::Dim, format!("    {path:width$}")),
            (Tone::Plain, format!("  {first}")),
        ]);
        for line in lines {
            page.line(format!("{:from$}{line}", ""));
        }
    }
}
