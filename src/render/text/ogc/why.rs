//! Why an Application goes where it goes: rules, filters, and the lines that decided.

use std::collections::BTreeMap;

use crate::kit::quantity::Quantity;
use crate::ogc::describe::{rule_text, superlative};
use crate::ogc::engine::{Filter, FilterRun};
use crate::ogc::judge::{Ruling, from};
use crate::ogc::labels::Integer;
use crate::ogc::model::{Model, Operator};
use crate::ogc::why::{Candidate, Why, hidden_text, rule_from};
use crate::render::text::layout::count;
use crate::render::text::{Page, Screen, Tone, columns, wrap};
use crate::source::{Place, Sources};

/// Clusters named together unless all are asked for.
const NAMED: usize = 10;
/// Reasons of one filter beyond which the first few are shown.
const REASONS: usize = 8;
const FIRST_REASONS: usize = 5;
/// Clusters beyond which the one that was chosen is compared with the nearest at once.
const MANY: usize = 20;
/// Least room for what is at a place, beside it.
const PLACED: usize = 20;
/// Where the second column of the rules begins.
const ORIGIN: usize = 28;

/// The explanation of an Application, or of one Cluster as its candidate.
#[must_use]
pub fn why<'a>(
    model: &Model<'a>,
    why: &Why<'_, 'a>,
    candidate: Option<&str>,
    sources: &Sources,
    screen: &Screen,
) -> Page {
    let mut page = Page::new();
    let item = why.item();
    let cluster = item.cluster.map(|at| model.clusters[at as usize].name);
    let title = format!("{} of Package {}", item.application, item.package);
    let asked = candidate.and_then(|name| why.candidates.iter().find(|c| c.name == name));
    if let Some(candidate) = asked {
        let chosen = if candidate.chosen {
            "chosen"
        } else {
            "not chosen"
        };
        let title = format!("{title} on {}", candidate.name);
        page.pieces(vec![
            (Tone::Strong, title),
            (Tone::Plain, format!(": {chosen}")),
        ]);
        page.gap();
        one(&mut page, candidate, sources, screen);
        page.gap();
        conclusion(&mut page, model, why, candidate, screen);
        return page;
    }
    let end = format!(": {}", cluster.unwrap_or("no Cluster"));
    page.pieces(vec![(Tone::Strong, title), (Tone::Plain, end)]);
    if why.candidates.len() > MANY
        && let Some(run) = why.run()
    {
        cut_off(&mut page, why, run, screen);
    }
    page.gap();
    rules(&mut page, why, screen);
    page.gap();
    if let Some(run) = why.run() {
        filters(&mut page, why, run, screen);
    }
    if let Some((cluster, figure)) = &why.kept_from {
        page.gap();
        let text = format!("Its volumes keep it here: {cluster} would have {figure}.");
        page.prose(screen, Tone::Plain, &text, 0);
    }
    further(&mut page, why, screen);
    lines(&mut page, why, sources, screen);
    page
}

/// The filter that left one Cluster of many, what it kept and what came nearest to that.
fn cut_off(page: &mut Page, why: &Why<'_, '_>, run: &FilterRun<'_>, screen: &Screen) {
    let mut before = run.all;
    for (filter, left) in run.filters() {
        if left <= 1 && left < before {
            let said = removals(why, filter, screen);
            let mut said = said.iter().map(|text| text.trim_start_matches("- "));
            let first: Vec<&str> = said.by_ref().take(2).collect();
            let text = format!(
                "{} leaves {left} of {}: {}.",
                filter.name(),
                count(before as usize, "Cluster"),
                first.join("; ")
            );
            return page.prose(screen, Tone::Plain, &text, 4);
        }
        before = left;
    }
}

fn rules(page: &mut Page, why: &Why<'_, '_>, screen: &Screen) {
    page.toned(Tone::Strong, "Rules");
    if why.rules.is_empty() {
        page.line("    none");
    }
    for (rule, origin) in &why.rules {
        let text = format!("    {}", rule_text(rule));
        let origin = from(*origin);
        if columns(&text) < ORIGIN {
            page.line(format!("{text:ORIGIN$}{origin}"));
        } else {
            page.line(text);
            page.line(format!("{:ORIGIN$}{origin}", ""));
        }
    }
    for (rule, reason) in &why.hidden {
        page.prose(
            screen,
            Tone::Dim,
            &format!("    {}", hidden_text(rule, *reason)),
            4,
        );
    }
}

fn filters(page: &mut Page, why: &Why<'_, '_>, run: &FilterRun<'_>, screen: &Screen) {
    page.toned(Tone::Strong, "Filters (oldest first)");
    let digits = run.all.to_string().len();
    let all: Vec<&str> = why
        .candidates
        .iter()
        .map(|candidate| candidate.name)
        .collect();
    let project = why.item().project.unwrap_or_default();
    let all = if all.is_empty() {
        "no Clusters".to_owned()
    } else {
        names(&all, screen)
    };
    step(
        page,
        (run.all, digits),
        &format!("Project {project}"),
        &[all],
        screen,
    );
    for (filter, left) in run.filters() {
        let texts = removals(why, filter, screen);
        step(page, (left, digits), filter.name(), &texts, screen);
    }
}

fn step(
    page: &mut Page,
    (left, digits): (u32, usize),
    name: &str,
    texts: &[String],
    screen: &Screen,
) {
    let head = format!("    {left:>digits$}  {name:24}  ");
    let from = columns(&head);
    let room = screen.width.map(|width| width.saturating_sub(from).max(20));
    let mut wrapped = texts
        .iter()
        .flat_map(|text| wrap(text, room, if text.starts_with("- ") { 2 } else { 0 }));
    let first = wrapped.next().unwrap_or_default();
    page.line(head + &first);
    for line in wrapped {
        page.line(format!("{:from$}{line}", ""));
    }
}

/// Puts the figures that came nearest to the best one first.
fn nearest_first(groups: &mut [(&str, Vec<&str>)], why: &Why<'_, '_>) {
    let figures: BTreeMap<&str, Integer<'_>> = why
        .candidates
        .iter()
        .filter_map(|one| {
            let found = verdict(one, Filter::Extremum)?.found.as_deref()?;
            Some((one.name, Integer::parse(found)?))
        })
        .collect();
    let mut rules = why.rules.iter().map(|(rule, _)| rule.operator);
    let least = rules.any(|operator| operator == Operator::MinOf);
    groups.sort_by(|(_, one), (_, other)| {
        let figures = [one, other].map(|names| figures.get(names.first()?));
        match (figures[0], figures[1]) {
            (Some(one), Some(other)) if least => one.cmp(other),
            (Some(one), Some(other)) => other.cmp(one),
            (one, other) => other.is_some().cmp(&one.is_some()),
        }
    });
}

/// What a filter asked, and the Clusters it removed, those with one reason together.
fn removals(why: &Why<'_, '_>, filter: Filter, screen: &Screen) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let removed = why
        .candidates
        .iter()
        .filter(|c| c.removed_by == Some(filter));
    for candidate in removed {
        let reason = verdict(candidate, filter).map_or("", |verdict| &verdict.reason);
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(candidate.name),
            None => groups.push((reason, vec![candidate.name])),
        }
    }
    if filter == Filter::Extremum {
        nearest_first(&mut groups, why);
    }
    let application = why.application;
    let chosen = why.candidates.iter().find(|candidate| candidate.chosen);
    let asks = |amount: Quantity, text: String| (amount > Quantity::ZERO).then_some(text);
    let head = match filter {
        Filter::Compute if groups.is_empty() => {
            let amount = application.cpu.amount;
            asks(amount, format!("needs {}", amount.decimal()))
        }
        Filter::Memory if groups.is_empty() => {
            let amount = application.memory.amount;
            asks(amount, format!("needs {}", amount.binary()))
        }
        Filter::Storage if groups.is_empty() => why
            .candidates
            .first()
            .and_then(|c| verdict(c, filter)?.asked.clone()),
        Filter::Extant => match (&why.holder, chosen) {
            (Some(holder), Some(chosen)) if holder.cluster == chosen.name => {
                return vec![format!("{} holds {}", holder.cluster, holder.holds)];
            }
            (Some(holder), Some(_)) => Some(holder.removed()),
            _ => None,
        },
        Filter::Extremum => {
            let rule = why.rules.iter().map(|(rule, _)| rule);
            let rule = rule.into_iter().find(|rule| rule.operator.is_extremum());
            let found = chosen.and_then(|c| verdict(c, filter)?.found.clone());
            rule.zip(found).map(|(rule, found)| {
                format!("{} {}: {found}", superlative(rule.operator), rule.key)
            })
        }
        Filter::Tiebreaker if !groups.is_empty() => {
            let oldest = chosen.map_or("", |chosen| chosen.name);
            return vec![format!("{oldest} is the oldest")];
        }
        _ => None,
    };
    let shown = match screen.trace {
        false if groups.len() > REASONS => FIRST_REASONS,
        _ => groups.len(),
    };
    let rest: usize = groups.iter().skip(shown).map(|group| group.1.len()).sum();
    let rest = (rest > 0).then(|| format!("- and {}", count(rest, "more Cluster")));
    let groups = groups
        .iter()
        .take(shown)
        .map(|(reason, clusters)| format!("- {}: {reason}", names(clusters, screen)));
    head.into_iter().chain(groups).chain(rest).collect()
}

fn verdict<'w>(candidate: &'w Candidate<'_>, filter: Filter) -> Option<&'w Ruling> {
    let found = candidate
        .verdicts
        .iter()
        .find(|(judged, _)| *judged == filter);
    found.map(|(_, verdict)| verdict)
}

fn names(names: &[&str], screen: &Screen) -> String {
    if screen.trace || names.len() <= NAMED {
        return names.join(", ");
    }
    format!(
        "{} and {} more",
        names[..NAMED].join(", "),
        names.len() - NAMED
    )
}

/// Reasons beyond the first, which would keep a Cluster out as well.
fn further(page: &mut Page, why: &Why<'_, '_>, screen: &Screen) {
    let mut lines = Vec::new();
    for candidate in &why.candidates {
        let Some(first) = candidate.removed_by else {
            continue;
        };
        let also = candidate.verdicts.iter().filter(|(filter, verdict)| {
            *filter > first && *filter <= Filter::Labels && !verdict.passes
        });
        for (filter, verdict) in also {
            lines.push(format!(
                "    {}: {}: {}",
                candidate.name,
                filter.name(),
                verdict.reason
            ));
        }
    }
    if lines.is_empty() {
        return;
    }
    page.gap();
    page.toned(Tone::Strong, "Would also fail");
    let shown = if screen.trace {
        lines.len()
    } else {
        lines.len().min(NAMED)
    };
    for line in &lines[..shown] {
        page.prose(screen, Tone::Plain, line, 8);
    }
    if shown < lines.len() {
        page.line(format!("    and {} more", lines.len() - shown));
    }
}

/// The lines that ask, and the records that hold.
fn lines(page: &mut Page, why: &Why<'_, '_>, sources: &Sources, screen: &Screen) {
    let application = why.application;
    let mut at: Vec<(Place, String)> = vec![(application.place, "the Application".to_owned())];
    let asked = [
        (
            application.cpu,
            format!("needs {} CPU", application.cpu.amount.decimal()),
        ),
        (
            application.memory,
            format!("needs {} of memory", application.memory.amount.binary()),
        ),
    ];
    let asked = asked
        .into_iter()
        .filter_map(|(asked, text)| Some((asked.place?, text)));
    at.extend(asked);
    at.extend(
        why.rules
            .iter()
            .map(|(rule, origin)| (rule.place, rule_from(rule, *origin))),
    );
    at.extend(
        why.hidden
            .iter()
            .map(|(rule, _)| (rule.place, format!("{}, hidden", rule_text(rule)))),
    );
    let chosen = why.candidates.iter().find(|candidate| candidate.chosen);
    let decided = chosen.into_iter().flat_map(|chosen| &chosen.verdicts);
    let decided = decided.filter(|(filter, _)| matches!(filter, Filter::Extant | Filter::Extremum));
    for place in decided.flat_map(|(_, verdict)| &verdict.at) {
        if !at.iter().any(|(known, _)| *known == place.0) {
            at.push(place.clone());
        }
    }
    page.gap();
    page.toned(Tone::Strong, "Lines");
    places(page, &at, sources, 4, screen);
}

/// Places and what is there; beneath each other where there is no room side by side.
fn places(
    page: &mut Page,
    at: &[(Place, String)],
    sources: &Sources,
    indent: usize,
    screen: &Screen,
) {
    let described: Vec<String> = at
        .iter()
        .map(|(place, _)| sources.describe(*place))
        .collect();
    let width = described
        .iter()
        .map(|text| columns(text))
        .max()
        .unwrap_or(0);
    let pad = " ".repeat(indent);
    let from = indent + width + 2;
    for (path, (_, text)) in described.iter().zip(at) {
        let room = screen.width.map(|columns| columns.saturating_sub(from));
        if room.is_some_and(|room| room < PLACED.min(columns(text))) {
            page.toned(Tone::Dim, format!("{pad}{path}"));
            page.prose(screen, Tone::Plain, &format!("{pad}  {text}"), indent + 4);
            continue;
        }
        let mut lines = wrap(text, room, 0).into_iter();
        let first = lines.next().unwrap_or_default();
        page.pieces(vec![
            (Tone::Dim, format!("{pad}{path:width$}")),
            (Tone::Plain, format!("  {first}")),
        ]);
        for line in lines {
            page.line(format!("{:from$}{line}", ""));
        }
    }
}

/// Every filter's word on one Cluster, with the lines that decided.
fn one(page: &mut Page, candidate: &Candidate<'_>, sources: &Sources, screen: &Screen) {
    for (filter, verdict) in &candidate.verdicts {
        let (word, tone) = if verdict.passes {
            ("yes", Tone::Plain)
        } else {
            ("no ", Tone::Bad)
        };
        let head = format!("    {:24}  {word}  ", filter.name());
        let room = screen
            .width
            .map(|width| width.saturating_sub(columns(&head)).max(20));
        let mut wrapped = wrap(&verdict.reason, room, 0).into_iter();
        let first = wrapped.next().unwrap_or_default();
        page.pieces(vec![(tone, head.clone()), (Tone::Plain, first)]);
        for more in wrapped {
            page.line(format!("{:from$}{more}", "", from = columns(&head)));
        }
        places(page, &verdict.at, sources, 8, screen);
    }
}

fn conclusion<'a>(
    page: &mut Page,
    model: &Model<'a>,
    why: &Why<'_, 'a>,
    candidate: &Candidate<'a>,
    screen: &Screen,
) {
    let chosen = why.candidates.iter().find(|candidate| candidate.chosen);
    let decided = why
        .decided_by(model)
        .map(|(_, reason)| reason)
        .unwrap_or_default();
    let text = match (candidate.removed_by, chosen) {
        _ if candidate.outside.is_some() => {
            let reason = candidate.outside.as_deref().unwrap_or_default();
            format!(
                "{} is {reason}, so no filter was run for it.",
                candidate.name
            )
        }
        (None, Some(_)) => format!("Decided by: {decided}."),
        (Some(filter), Some(chosen)) => format!(
            "Removed by {}. {} was chosen: {decided}.",
            filter.name(),
            chosen.name
        ),
        (Some(filter), None) => format!("Removed by {}. No Cluster is left.", filter.name()),
        (None, None) => "No Cluster is left.".to_owned(),
    };
    page.prose(screen, Tone::Plain, &text, 0);
}
