//! How rules, amounts and decisions are put into words; the one place for it.

use super::engine::{Decision, Demand, Failure, Filter, FilterRun, Item, Outcome};
use super::inheritance::effective;
use super::labels::{figure, labels_for};
use super::model::{Model, Operator, Rule};
use crate::kit::plural::plural;

/// A rule as the screens write it: `region In [eu-west, eu-north]`, `cost MinOf`.
#[must_use]
pub fn rule_text(rule: &Rule<'_>) -> String {
    let mut text = format!("{} {}", rule.key, rule.operator.word());
    if !rule.values.is_empty() {
        text.push_str(&format!(" [{}]", rule.values.join(", ")));
    }
    text
}

/// The filter and the figure that decided for an Application's Cluster: `lowest cost (5)`.
#[must_use]
pub fn decision(model: &Model<'_>, item: &Item<'_>, run: &FilterRun<'_>) -> Option<String> {
    let (filter, of) = match run.decision? {
        Decision::OnlyCluster => {
            let project = item.project.unwrap_or_default();
            return Some(format!("only Cluster of Project {project}"));
        }
        Decision::Filter { filter, of } => (filter, of),
    };
    Some(match filter {
        Filter::Extant => "its volumes keep it here".to_owned(),
        Filter::Tiebreaker => format!("oldest of {of}"),
        Filter::Extremum => extremum(model, item).unwrap_or_else(|| filter.name().to_owned()),
        Filter::Available => "only Cluster that is Up".to_owned(),
        Filter::Compute => "only Cluster with enough CPU".to_owned(),
        Filter::Memory => "only Cluster with enough memory".to_owned(),
        Filter::Storage => "only Cluster with the storage".to_owned(),
        Filter::Labels => "only Cluster that matches the label rules".to_owned(),
    })
}

/// `lowest cost (5)`: the figure of the chosen Cluster, as its label has it.
fn extremum(model: &Model<'_>, item: &Item<'_>) -> Option<String> {
    let application = item.of(model)?;
    let cluster = &model.clusters[item.cluster? as usize];
    let (rule, _) = effective(model, application).find(|(rule, _)| rule.operator.is_extremum())?;
    let (_, label) = figure(rule, &labels_for(cluster, rule.key, rule.operator))?;
    Some(format!(
        "{} {} ({})",
        superlative(rule.operator),
        rule.key,
        label.value
    ))
}

/// The word for the figure that an operator looks for.
#[must_use]
pub fn superlative(operator: Operator) -> &'static str {
    if operator == Operator::MaxOf {
        "highest"
    } else {
        "lowest"
    }
}

/// The storage that a VolumeProvider would have to serve: `StandardSSD, File, ReadWriteOnce`.
#[must_use]
pub fn demand_text(demand: &Demand) -> String {
    let mut text = format!("{} in mode {}", demand.storage.word(), demand.mode.word());
    if let Some(access) = demand.access_mode {
        text.push_str(&format!(" with {}", access.word()));
    }
    text
}

/// Why no Cluster is left, in one sentence.
#[must_use]
pub fn failure(model: &Model<'_>, item: &Item<'_>, run: &FilterRun<'_>) -> Option<String> {
    let application = item.of(model)?;
    let project = item.project.unwrap_or_default();
    let (_, failure) = run.failed()?;
    Some(match failure {
        Failure::Available if run.all == 0 => format!("Project {project} has no Clusters"),
        Failure::Available => not_up(model, application.package, project),
        Failure::Compute(largest) => {
            let asked = application.cpu.amount.decimal();
            let largest = largest.map(|largest| largest.decimal());
            too_small(&format!("{asked} CPU"), largest)
        }
        Failure::Memory(largest) => {
            let asked = application.memory.amount.binary();
            let largest = largest.map(|largest| largest.binary());
            too_small(&format!("{asked} of memory"), largest)
        }
        Failure::Storage(demand) => match demand {
            Some(demand) => {
                let mounts = model
                    .provided_mounts(application)
                    .filter(|(request, mount)| {
                        (request.storage, request.mode, mount.access_mode)
                            == (demand.storage, demand.mode, demand.access_mode)
                    });
                let request = mounts
                    .map(|(request, _)| request)
                    .max_by_key(|r| r.capacity);
                let (name, size) = request
                    .map(|request| (request.name, request.capacity.binary()))
                    .unwrap_or_default();
                format!(
                    "no VolumeProvider for {name}: {size} of {}",
                    demand_text(demand)
                )
            }
            None => "no Cluster has VolumeProviders for all its StorageRequests".to_owned(),
        },
        Failure::Labels(removed) => {
            let removed = removed.iter().filter(|(_, removed)| *removed > 0);
            let rules: Vec<String> = removed
                .map(|(rule, removed)| format!("{} removed {removed}", rule_text(rule)))
                .collect();
            format!("no Cluster satisfies every rule: {}", rules.join(", "))
        }
    })
}

fn too_small(asked: &str, largest: Option<String>) -> String {
    match largest {
        Some(largest) => format!("needs {asked} on one Node; the largest has {largest}"),
        None => format!("needs {asked} on one Node; there is no Node"),
    }
}

/// Names the Clusters that are not Up, with their status; at most ten.
fn not_up(model: &Model<'_>, package: u32, project: &str) -> String {
    const NAMED: usize = 10;
    let assigned = model.packages[package as usize].project;
    let clusters = model
        .clusters
        .iter()
        .filter(|cluster| cluster.is_assigned(assigned));
    let mut text = format!("no Cluster of Project {project} is Up: ");
    let mut more = 0;
    for (cluster, at) in clusters.zip(0..) {
        if at >= NAMED {
            more += 1;
            continue;
        }
        let separator = if at == 0 { "" } else { ", " };
        text.push_str(&format!(
            "{separator}{} is {}",
            cluster.name,
            status(cluster.status)
        ));
    }
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// The status of a Cluster in words.
#[must_use]
pub fn status<P>(status: Option<(&str, P)>) -> String {
    match status {
        Some(("", _)) => "without a status".to_owned(),
        Some((word, _)) => word.to_owned(),
        None => "without a status".to_owned(),
    }
}

/// One line of counts over the items of an outcome, as the plan screen ends.
#[must_use]
pub fn counts(outcome: &Outcome<'_>) -> String {
    let counts = super::engine::Counts::of(&outcome.items);
    let mut text = format!(
        "{} to place, {} to move, {} to withdraw, {} unchanged",
        counts.place, counts.moved, counts.withdraw, counts.unchanged
    );
    if counts.unplaceable > 0 {
        text.push_str(&format!(", {} without a Cluster", counts.unplaceable));
    }
    text.push('.');
    if counts.out_of_bounds > 0 {
        let volumes = plural(counts.out_of_bounds, "volume");
        text.push_str(&format!(" {volumes} left behind."));
    }
    text
}
