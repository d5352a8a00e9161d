//! The warnings of a plan: volumes left out of bounds, and Clusters without a Node for both CPU
//! and memory.

use rustc_hash::FxHashMap;

use crate::ogc::describe::rule_text;
use crate::ogc::engine::{Change, Filter, Item, Outcome, RemovedBy};
use crate::ogc::inheritance::effective_sorted;
use crate::ogc::judge::{from, judge, there_is};
use crate::ogc::labels::{complies, figure, labels_for};
use crate::ogc::model::{Application, Cluster, Model};
use crate::page::{Page, Screen, Tone, columns};

use crate::page::layout::fit;

/// The Clusters of a model, by name where a plan has volumes on them.
pub(super) struct Clusters<'m, 'a> {
    model: &'m Model<'a>,
    by_name: FxHashMap<&'a str, &'m Cluster<'a>>,
}

impl<'m, 'a> Clusters<'m, 'a> {
    pub(super) fn of(model: &'m Model<'a>, outcome: &Outcome<'a>) -> Self {
        let any = outcome
            .items
            .iter()
            .any(|item| !item.out_of_bounds.is_empty());
        let clusters = model.clusters.iter().filter(|_| any);
        Self {
            model,
            by_name: clusters.map(|cluster| (cluster.name, cluster)).collect(),
        }
    }
}

/// No Node has both the CPU and the memory of an Application.
pub(super) fn split_node(
    page: &mut Page,
    clusters: &Clusters<'_, '_>,
    item: &Item<'_>,
    screen: &Screen,
) {
    let (Some(application), Some(cluster)) = (item.of(clusters.model), item.cluster) else {
        return;
    };
    let text = format!(
        "Warning: no Node of {} has both the CPU and the memory of {} ({} and {}); see \
         --same-node.",
        clusters.model.clusters[cluster as usize].name,
        item.application,
        application.cpu.amount.decimal(),
        application.memory.amount.binary()
    );
    page.prose(screen, Tone::Change, &text, 0);
}

/// The volumes that an Application leaves on other Clusters.
pub(super) fn volumes<'a>(
    page: &mut Page,
    clusters: &Clusters<'_, 'a>,
    outcome: &Outcome<'a>,
    item: &Item<'a>,
    screen: &Screen,
) {
    let (Some(application), Some(cluster)) = (item.of(clusters.model), item.cluster) else {
        return;
    };
    let model = clusters.model;
    let cluster = &model.clusters[cluster as usize];
    let app = item.application;
    let text = if item.change == Change::Move {
        format!(
            "Warning: {app} leaves volumes behind. Nothing is deleted, nothing is copied: \
             {app} starts with new, empty volumes on {}.",
            cluster.name
        )
    } else {
        format!(
            "Warning: {app} left volumes behind in earlier Deployments. Nothing is deleted, \
             nothing is copied."
        )
    };
    page.prose(screen, Tone::Change, &text, 0);
    let width = item
        .out_of_bounds
        .iter()
        .map(|volume| columns(volume.cluster))
        .max();
    for volume in &item.out_of_bounds {
        let pad = " ".repeat(width.unwrap_or(0) - columns(volume.cluster));
        let line = format!(
            "    {}{pad}  {} {}",
            volume.cluster, volume.kind, volume.name
        );
        fit(page, screen, &line, 8);
    }
    let mut named: Option<&str> = None;
    for volume in &item.out_of_bounds {
        if named.replace(volume.cluster) == Some(volume.cluster) {
            continue;
        }
        let old = clusters.by_name.get(volume.cluster).copied();
        let (head, reasons) = match (volume.removed_by, old) {
            (RemovedBy::Filter(filter), Some(old)) => (
                format!("{} was removed by {}:", volume.cluster, filter.name()),
                reasons(
                    model,
                    application,
                    (old, cluster),
                    filter,
                    outcome.same_node,
                ),
            ),
            (RemovedBy::NotAssigned, _) => {
                let project = item.project.unwrap_or_default();
                let cluster = volume.cluster;
                (
                    format!("{cluster} is no longer assigned to Project {project}"),
                    Vec::new(),
                )
            }
            _ => (format!("{} is gone", volume.cluster), Vec::new()),
        };
        explain(page, &head, &reasons, screen);
    }
}

/// One line if it fits, else the reasons below the head.
fn explain(page: &mut Page, head: &str, reasons: &[String], screen: &Screen) {
    if let [reason] = reasons {
        let line = format!("    {head} {reason}");
        if screen.width.is_none_or(|width| columns(&line) <= width) {
            return page.line(line);
        }
    }
    page.prose(screen, Tone::Plain, &format!("    {head}"), 8);
    for reason in reasons {
        page.prose(screen, Tone::Plain, &format!("        {reason}"), 12);
    }
}

/// Why a filter removed the old Cluster and kept the planned one.
fn reasons<'a>(
    model: &Model<'a>,
    application: &Application<'a>,
    (old, planned): (&Cluster<'a>, &Cluster<'a>),
    filter: Filter,
    same_node: bool,
) -> Vec<String> {
    let rules = effective_sorted(model, application);
    match filter {
        Filter::Labels => rules
            .iter()
            .filter(|(rule, _)| !complies(rule, &labels_for(old, rule.key, rule.operator)))
            .map(|(rule, origin)| {
                format!(
                    "{} ({}): {}",
                    rule_text(rule),
                    from(*origin),
                    there_is(rule, old)
                )
            })
            .collect(),
        Filter::Extant => vec![format!("{} holds newer ones", planned.name)],
        Filter::Extremum => rules
            .iter()
            .filter(|(rule, _)| rule.operator.is_extremum())
            .map(|(rule, origin)| {
                let shown = |cluster: &Cluster<'a>| {
                    let found = figure(rule, &labels_for(cluster, rule.key, rule.operator));
                    found.map_or("none", |(_, label)| label.value)
                };
                let origin = from(*origin);
                let (old, planned) = (shown(old), shown(planned));
                format!("{} ({origin}): it is {old}, not {planned}", rule_text(rule))
            })
            .collect(),
        Filter::Tiebreaker => vec![format!("{} is older", planned.name)],
        _ => vec![judge(model, application, old, filter, same_node).reason],
    }
}
