//! Applications without a Cluster: how many each filter removed, and why.

use std::collections::BTreeMap;

use crate::kit::plural::{first_names, plural};
use crate::kit::quantity::Quantity;
use crate::ogc::describe::rule_text;
use crate::ogc::engine::{Failure, Filter, FilterRun, Item, Outcome};
use crate::ogc::inheritance::{Origin, effective_sorted};
use crate::ogc::judge::{from, removed_by, request_text};
use crate::ogc::model::{Application, Cluster, Model};
use crate::page::{Page, Screen, Tone, columns, wrap};

use super::is_wide;
use crate::page::layout::{fit, is_narrow, list};

/// Clusters named in one reason.
const NAMED: usize = 3;
/// Lines of a reason that stands beside its filter, at most.
const BESIDE: usize = 2;

/// The key of Applications that fail for the same reasons: the run, where the rules that failed
/// come from, and what reasons name of an Application itself.
pub(super) type Cause = (Option<u32>, Vec<Origin>, Vec<String>);

/// The cause of a failure.
pub(super) fn cause(model: &Model<'_>, outcome: &Outcome<'_>, item: &Item<'_>) -> Cause {
    let (Some(application), Some(run)) = (item.of(model), outcome.run_of(item)) else {
        return Cause::default();
    };
    let (mut origins, mut named) = (Vec::new(), Vec::new());
    let mut came = run.all;
    for (filter, left) in run.filters() {
        if left == std::mem::replace(&mut came, left) {
            continue;
        }
        let cpu = || application.cpu.amount.decimal();
        match filter {
            Filter::Compute => named.push(cpu()),
            Filter::Memory => {
                named.push(application.memory.amount.binary());
                named.extend(outcome.same_node.then(cpu));
            }
            Filter::Storage => named.push(volumes(model, application)),
            Filter::Labels => {
                let rules = effective_sorted(model, application);
                origins.extend(rules.iter().map(|(_, origin)| *origin));
            }
            // The volumes of one Application.
            Filter::Extant => named.push(item.application.to_owned()),
            Filter::Available | Filter::Extremum | Filter::Tiebreaker => {}
        }
    }
    (item.run, origins, named)
}

/// The answer of one filter.
enum Said {
    Reason(String),
    /// Rules and where they come from.
    Rules(Vec<(String, String)>),
}

/// Applications that have no Cluster for the same reasons.
pub(super) fn write<'a>(
    page: &mut Page,
    model: &Model<'a>,
    outcome: &Outcome<'a>,
    items: &[&Item<'a>],
    screen: &Screen,
) {
    let Some((item, run)) = items
        .first()
        .and_then(|item| Some((item, outcome.run_of(item)?)))
    else {
        return;
    };
    let (Some((last, failure)), Some(application)) = (run.failed(), item.of(model)) else {
        return;
    };
    let names = list(items.iter().map(|item| item.application), screen);
    let lead = (Tone::Failed, names.as_str());
    page.lead(lead, " cannot be placed:", 4, screen.prose());
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
    let mut all = Vec::new();
    for (filter, left) in run.filters() {
        let number = came - left;
        came = left;
        if number == 0 {
            continue;
        }
        let head = format!("    {number:>digits$} removed by {}", filter.name());
        let said = match failure {
            Failure::Labels(rules) if filter == last => {
                let origins = effective_sorted(model, application);
                let rules = rules.iter().filter(|(_, removed)| *removed > 0);
                let rules = rules.map(|(rule, n)| {
                    let origin = origins.iter().find(|(own, _)| {
                        (own.key, own.operator, &own.values)
                            == (rule.key, rule.operator, &rule.values)
                    });
                    let origin = origin.map_or("", |(_, origin)| from(*origin));
                    (format!("{n} by {}", rule_text(rule)), format!("({origin})"))
                });
                Said::Rules(rules.collect())
            }
            _ => {
                let clusters = removed.get(&filter).map_or(&[][..], Vec::as_slice);
                Said::Reason(reason(model, application, filter, clusters, run))
            }
        };
        all.push((head, said));
    }
    let from = 44 + digits;
    let room = screen.width.map(|width| width.saturating_sub(from));
    let is_long = |(_, said): &(String, Said)| match said {
        Said::Reason(text) => wrap(text, room, 0).len() > BESIDE,
        Said::Rules(_) => false,
    };
    let beneath = is_narrow(screen) || all.iter().any(is_long);
    let from = (!beneath).then_some(from);
    for (head, said) in all {
        match said {
            Said::Reason(text) => line(page, &head, &text, from, screen),
            Said::Rules(rules) => rules_lines(page, &head, &rules, from, screen),
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
            first_names(clusters.iter().map(verb), NAMED)
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
            format!("no VolumeProvider for {}", volumes(model, application))
        }
        _ => {
            let reasons = clusters.iter();
            let reasons = reasons.map(|(cluster, reason)| format!("{}: {reason}", cluster.name));
            first_names(reasons, NAMED)
        }
    }
}

/// The volumes that an Application asks for.
fn volumes(model: &Model<'_>, application: &Application<'_>) -> String {
    let asked = model.provided_mounts(application);
    let mut asked: Vec<String> = asked
        .map(|(request, mount)| format!("{} ({})", request.name, request_text(request, mount)))
        .collect();
    asked.dedup();
    asked.join(" and ")
}

/// A head and what belongs to it: in a column of its own, or beneath.
fn line(page: &mut Page, head: &str, text: &str, from: Option<usize>, screen: &Screen) {
    let Some(from) = from else {
        fit(page, screen, head, 8);
        for line in wrap(&format!("        {text}"), screen.width, 8) {
            page.line(line);
        }
        return;
    };
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
    rules: &[(String, String)],
    from: Option<usize>,
    screen: &Screen,
) {
    if is_wide(screen) && from.is_some() {
        let mut head = head;
        for (rule, origin) in rules {
            line(page, head, &format!("{rule} {origin}"), from, screen);
            head = "";
        }
        return;
    }
    fit(page, screen, head, 8);
    for (rule, origin) in rules {
        let rule = format!("        {rule}");
        let used = columns(&rule);
        let fits = |from: &usize| {
            let end = from + columns(origin);
            used + 2 <= *from && screen.width.is_none_or(|width| end <= width)
        };
        match from.filter(fits) {
            Some(from) => page.line(format!("{rule}{:1$}{origin}", "", from - used)),
            None => {
                for line in wrap(&format!("{rule} {origin}"), screen.width, 12) {
                    page.line(line);
                }
            }
        }
    }
}
