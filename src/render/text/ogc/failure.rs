//! An Application without a Cluster: how many each filter removed, and why.

use std::collections::BTreeMap;

use crate::kit::plural::plural;
use crate::kit::quantity::Quantity;
use crate::ogc::describe::rule_text;
use crate::ogc::engine::{Failure, Filter, FilterRun, Item, Outcome};
use crate::ogc::inheritance::effective_sorted;
use crate::ogc::judge::{from, removed_by, request_text};
use crate::ogc::model::{Application, Cluster, Model};
use crate::render::text::{Page, Screen, Tone, columns, wrap};

use super::is_wide;
use crate::render::text::layout::{fit, is_narrow};

/// Clusters named in one reason.
const NAMED: usize = 3;

pub(super) fn write<'a>(
    page: &mut Page,
    model: &Model<'a>,
    outcome: &Outcome<'a>,
    item: &Item<'a>,
    screen: &Screen,
) {
    let Some(run) = outcome.run_of(item) else {
        return;
    };
    let (Some((last, failure)), Some(application)) = (run.failed(), item.of(model)) else {
        return;
    };
    page.pieces(vec![
        (Tone::Failed, item.application.to_owned()),
        (Tone::Plain, " cannot be placed:".to_owned()),
    ]);
    let project = item.project.unwrap_or_default();
    if run.all == 0 {
        let text = format!("    Project {project} has no Clusters");
        return page.prose(screen, Tone::Plain, &text, 4);
    }
    page.line(format!(
        "    {} of Project {project}",
        plural(run.all as usize, "Cluster")
    ));
    let removed = removed(model, application, outcome.same_node);
    let digits = run.all.to_string().len();
    let mut came = run.all;
    for (filter, left) in run.filters() {
        let number = came - left;
        came = left;
        if number == 0 {
            continue;
        }
        let head = format!("    {number:>digits$} removed by {}", filter.name());
        let from = 44 + digits;
        match failure {
            Failure::Labels(rules) if filter == last => {
                let origins = effective_sorted(model, application);
                let lines = rules
                    .iter()
                    .filter(|(_, removed)| *removed > 0)
                    .map(|(rule, n)| {
                        let origin = origins.iter().find(|(own, _)| {
                            (own.key, own.operator, &own.values)
                                == (rule.key, rule.operator, &rule.values)
                        });
                        let origin = origin.map_or("", |(_, origin)| self::from(*origin));
                        (format!("{n} by {}", rule_text(rule)), format!("({origin})"))
                    });
                rules_lines(page, &head, lines, from, screen);
            }
            _ => {
                let clusters = removed.get(&filter).map_or(&[][..], Vec::as_slice);
                let reason = reason(model, application, filter, clusters, run);
                line(page, &head, &reason, from, screen);
            }
        }
    }
}

type Removed<'m, 'a> = BTreeMap<Filter, Vec<(&'m Cluster<'a>, String)>>;

/// Which Clusters of the Project each filter removes, with the reason.
fn removed<'m, 'a>(
    model: &'m Model<'a>,
    application: &Application<'a>,
    same_node: bool,
) -> Removed<'m, 'a> {
    let project = model.package_of(application).project;
    let mut removed = Removed::new();
    for cluster in model
        .clusters
        .iter()
        .filter(|cluster| cluster.is_assigned(project))
    {
        if let Some((filter, verdict)) = removed_by(model, application, cluster, same_node) {
            removed
                .entry(filter)
                .or_default()
                .push((cluster, verdict.reason));
        }
    }
    removed
}

fn reason(
    model: &Model<'_>,
    application: &Application<'_>,
    filter: Filter,
    clusters: &[(&Cluster<'_>, String)],
    run: &FilterRun<'_>,
) -> String {
    let nodes = || clusters.iter().flat_map(|(cluster, _)| &cluster.nodes);
    let needs = |asked: String, largest: Option<Quantity>, write: fn(Quantity) -> String| {
        let found = match largest {
            Some(largest) => format!("the largest there has {}", write(largest)),
            None => "there is no Node".to_owned(),
        };
        format!("needs {asked} on one Node; {found}")
    };
    match filter {
        Filter::Available => {
            let verb = |(cluster, reason): &(&Cluster<'_>, String)| match cluster.status {
                Some(_) => format!("{} is {reason}", cluster.name),
                None => format!("{} has {reason}", cluster.name),
            };
            named(clusters.iter().map(verb))
        }
        Filter::Compute => {
            let largest = nodes().map(|node| node.cpu).max();
            needs(application.cpu.amount.decimal(), largest, Quantity::decimal)
        }
        Filter::Memory => {
            // With --same-node the failure knows which Nodes count.
            let largest = match run.failed() {
                Some((Filter::Memory, Failure::Memory(largest))) => *largest,
                _ => nodes().map(|node| node.memory).max(),
            };
            needs(
                application.memory.amount.binary(),
                largest,
                Quantity::binary,
            )
        }
        Filter::Storage => {
            let mut asked: Vec<String> = model
                .provided_mounts(application)
                .map(|(request, mount)| {
                    format!("{} ({})", request.name, request_text(request, mount))
                })
                .collect();
            asked.dedup();
            format!("no VolumeProvider for {}", asked.join(" and "))
        }
        _ => named(
            clusters
                .iter()
                .map(|(cluster, reason)| format!("{}: {reason}", cluster.name)),
        ),
    }
}

fn named(reasons: impl ExactSizeIterator<Item = String>) -> String {
    let more = reasons.len().saturating_sub(NAMED);
    let mut text = reasons.take(NAMED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// A head and, in a column of its own, what belongs to it.
fn line(page: &mut Page, head: &str, text: &str, from: usize, screen: &Screen) {
    if is_narrow(screen) {
        fit(page, screen, head, 8);
        for line in wrap(&format!("        {text}"), screen.width, 8) {
            page.line(line);
        }
        return;
    }
    let room = screen.width.map(|width| width.saturating_sub(from));
    let mut wrapped = wrap(text, room, 0).into_iter();
    let first = wrapped.next().unwrap_or_default();
    page.line(format!("{head:from$}{first}"));
    for more in wrapped {
        page.line(format!("{:from$}{more}", ""));
    }
}

/// The rules that removed Clusters; one Cluster may fail several.
fn rules_lines(
    page: &mut Page,
    head: &str,
    lines: impl Iterator<Item = (String, String)>,
    from: usize,
    screen: &Screen,
) {
    let mut head = head.to_owned();
    if is_wide(screen) {
        for (rule, origin) in lines {
            line(page, &head, &format!("{rule} {origin}"), from, screen);
            head.clear();
        }
        return;
    }
    fit(page, screen, &head, 8);
    for (rule, origin) in lines {
        let rule = format!("        {rule}");
        let room = screen
            .width
            .is_none_or(|width| from + columns(&origin) <= width);
        if columns(&rule) + 2 > from || !room {
            for line in wrap(&format!("{rule} {origin}"), screen.width, 12) {
                page.line(line);
            }
        } else {
            page.line(format!("{rule:from$}{origin}"));
        }
    }
}
