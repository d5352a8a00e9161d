//! One Cluster and one filter: the specification taken literally, without an index. Explanations
//! come from here, and tests compare the engine with it.

use super::describe::{demand_text, rule_text};
use super::engine::{Demand, Filter};
use super::inheritance::{Origin, effective_sorted};
use super::labels::{complies, labels_for};
use super::model::{
    Application, Cluster, Label, Model, Mount, Node, Operator, Rule, StorageRequest,
};
use crate::kit::quantity::Quantity;
use crate::source::Place;

/// The verdict of a filter on a Cluster.
#[derive(Debug, Clone, Default)]
pub struct Ruling {
    /// Whether the Cluster stays.
    pub passes: bool,
    /// Why, in a few words that fit after the Cluster's name and a colon.
    pub reason: String,
    /// The requirement, as a value.
    pub asked: Option<String>,
    /// The value on the Cluster.
    pub found: Option<String>,
    /// The lines that decided, with their content.
    pub at: Vec<(Place, String)>,
    /// Whether this reason would be gone with the others.
    pub idle: bool,
}

/// The filters that judge each Cluster by itself.
pub const SINGLE: [Filter; 5] = [
    Filter::Available,
    Filter::Compute,
    Filter::Memory,
    Filter::Storage,
    Filter::Labels,
];

/// The verdict of one of the first five filters on a Cluster.
#[must_use]
pub fn judge<'a>(
    model: &Model<'a>,
    application: &Application<'a>,
    cluster: &Cluster<'a>,
    filter: Filter,
    same_node: bool,
) -> Ruling {
    match filter {
        Filter::Available => available(cluster),
        Filter::Compute => compute(application, cluster),
        Filter::Memory => memory(application, cluster, same_node),
        Filter::Storage => storage(model, application, cluster),
        // The last three compare Clusters with each other; they never judge one alone.
        Filter::Labels | Filter::Extant | Filter::Extremum | Filter::Tiebreaker => {
            labels(model, application, cluster)
        }
    }
}

/// The first of the five filters that removes a Cluster.
#[must_use]
pub fn removed_by<'a>(
    model: &Model<'a>,
    application: &Application<'a>,
    cluster: &Cluster<'a>,
    same_node: bool,
) -> Option<(Filter, Ruling)> {
    SINGLE.into_iter().find_map(|filter| {
        let ruling = judge(model, application, cluster, filter, same_node);
        (!ruling.passes).then_some((filter, ruling))
    })
}

fn available(cluster: &Cluster<'_>) -> Ruling {
    let found = cluster.status.map(|(word, _)| word.to_owned());
    let reason = match cluster.status {
        None => "no status".to_owned(),
        Some(("", _)) => "an empty status".to_owned(),
        Some((word, _)) => word.to_owned(),
    };
    let place = cluster.status.map_or(cluster.place, |(_, place)| place);
    Ruling {
        passes: cluster.is_up(),
        at: vec![(place, reason.clone())],
        reason,
        asked: Some("Up".to_owned()),
        found,
        idle: false,
    }
}

fn compute(application: &Application<'_>, cluster: &Cluster<'_>) -> Ruling {
    let asked = application.cpu;
    // Of equals the first: `max_by_key` takes the last.
    let largest = cluster.nodes.iter().rev().max_by_key(|node| node.cpu);
    let has = largest.map(|node| (node, node.cpu));
    sufficient(asked.amount, asked.place, has, Quantity::decimal)
}

fn memory(application: &Application<'_>, cluster: &Cluster<'_>, same_node: bool) -> Ruling {
    let asked = application.memory;
    let enough = |node: &&Node<'_>| !same_node || node.cpu >= application.cpu.amount;
    let largest = cluster
        .nodes
        .iter()
        .rev()
        .filter(enough)
        .max_by_key(|node| node.memory);
    let has = largest.map(|node| (node, node.memory));
    let mut ruling = sufficient(asked.amount, asked.place, has, Quantity::binary);
    if same_node && !ruling.passes && !cluster.nodes.is_empty() {
        ruling.reason.push_str(" among those with the CPU");
    }
    ruling
}

fn sufficient(
    asked: Quantity,
    asking: Option<Place>,
    largest: Option<(&Node<'_>, Quantity)>,
    write: impl Fn(Quantity) -> String,
) -> Ruling {
    let wanted = write(asked);
    let mut at: Vec<_> = asking
        .into_iter()
        .map(|place| (place, format!("needs {wanted}")))
        .collect();
    let passes = largest.is_some_and(|(_, has)| has >= asked);
    let reason = match largest {
        Some((node, has)) => {
            let has = write(has);
            at.push((node.allocatable, format!("Node {} has {has}", node.name)));
            if passes {
                format!("Node {} has {has}, needs {wanted}", node.name)
            } else {
                format!("needs {wanted}, largest Node {has}")
            }
        }
        None => format!("needs {wanted}, no Node"),
    };
    Ruling {
        passes,
        reason,
        asked: Some(wanted),
        found: largest.map(|(_, has)| write(has)),
        at,
        idle: false,
    }
}

fn storage<'a>(model: &Model<'a>, application: &Application<'a>, cluster: &Cluster<'a>) -> Ruling {
    let mut asked: Vec<String> = Vec::new();
    let mut missing: Vec<String> = Vec::new();
    let mut at = Vec::new();
    for (request, mount) in model.provided_mounts(application) {
        let wanted = format!("{} for {}", request.storage.word(), request.name);
        if !asked.contains(&wanted) {
            asked.push(wanted);
        }
        let provider = cluster
            .providers
            .iter()
            .find(|provider| provider.serves(request, mount.access_mode));
        if let Some(provider) = provider {
            at.push((
                provider.place,
                format!("{} serves {}", provider.name, request.name),
            ));
            continue;
        }
        at.push((mount.place, format!("mounts {}", request.name)));
        at.push((request.place, request_text(request, mount)));
        let text = format!(
            "serves no {}: {}",
            request.name,
            request_text(request, mount)
        );
        if !missing.contains(&text) {
            missing.push(text);
        }
    }
    let passes = missing.is_empty();
    let reason = match (passes, asked.is_empty()) {
        (false, _) => missing.join("; "),
        (true, true) => "no storage needed".to_owned(),
        (true, false) => format!("serves {}", asked.join(", ")),
    };
    Ruling {
        passes,
        reason,
        asked: (!asked.is_empty()).then(|| asked.join(", ")),
        found: None,
        at,
        idle: false,
    }
}

/// `20Gi of StandardSSD in mode File with ReadWriteOnce`.
#[must_use]
pub fn request_text(request: &StorageRequest<'_>, mount: &Mount) -> String {
    let demand = Demand {
        storage: request.storage,
        mode: request.mode,
        access_mode: mount.access_mode,
    };
    format!("{} of {}", request.capacity.binary(), demand_text(&demand))
}

fn labels<'a>(model: &Model<'a>, application: &Application<'a>, cluster: &Cluster<'a>) -> Ruling {
    let rules = effective_sorted(model, application);
    let mut ruling = Ruling {
        passes: true,
        ..Ruling::default()
    };
    let mut reasons: Vec<String> = Vec::new();
    for (rule, origin) in &rules {
        let labels = labels_for(cluster, rule.key, rule.operator);
        if complies(rule, &labels) {
            continue;
        }
        ruling.passes = false;
        reasons.push(noncompliance(rule, cluster));
        ruling.at.push((
            rule.place,
            format!("{} ({})", rule_text(rule), from(*origin)),
        ));
        let there = raw(cluster, rule.key).into_iter();
        ruling
            .at
            .extend(there.map(|label| (label.place, format!("\"{}\"", label.value))));
    }
    ruling.reason = match (ruling.passes, rules.is_empty()) {
        (true, true) => "no rules".to_owned(),
        (true, false) => "every rule holds".to_owned(),
        (false, _) => reasons.join("; "),
    };
    ruling
}

/// `from the Application`, `from the Package`.
#[must_use]
pub fn from(origin: Origin) -> &'static str {
    match origin {
        Origin::Application => "from the Application",
        Origin::Package => "from the Package",
    }
}

/// The labels that stand for a key whatever the operator.
fn raw<'m, 'a>(cluster: &'m Cluster<'a>, key: &str) -> Vec<&'m Label<'a>> {
    labels_for(cluster, key, Operator::Exists)
}

/// Why a Cluster does not comply with a rule: `disk is not "nvme"`, `no disk label`.
#[must_use]
pub fn noncompliance(rule: &Rule<'_>, cluster: &Cluster<'_>) -> String {
    let values = distinct(&raw(cluster, rule.key));
    let key = rule.key;
    if values.is_empty() {
        return format!("no {key} label");
    }
    match (rule.operator, &*rule.values) {
        (Operator::NotExists, _) => format!("has a {key} label"),
        (Operator::MinOf | Operator::MaxOf, _) => format!("{key} is not an integer"),
        (Operator::Equals | Operator::In, [value]) => format!("{key} is not \"{value}\""),
        (Operator::Equals | Operator::In, several) => {
            format!("{key} is not one of {}", quoted(several))
        }
        _ => {
            let excluded: Vec<&str> = values
                .into_iter()
                .filter(|value| rule.values.contains(value))
                .collect();
            format!("{key} is {}", quoted(&excluded))
        }
    }
}

/// The values for a rule's key, in words: `it is "eu-west"`, `there is none`.
#[must_use]
pub fn there_is(rule: &Rule<'_>, cluster: &Cluster<'_>) -> String {
    let values = distinct(&raw(cluster, rule.key));
    if values.is_empty() {
        "there is none".to_owned()
    } else {
        format!("it is {}", quoted(&values))
    }
}

fn distinct<'a>(labels: &[&Label<'a>]) -> Vec<&'a str> {
    let mut values: Vec<&str> = labels.iter().map(|label| label.value).collect();
    values.sort_unstable();
    values.dedup();
    values
}

fn quoted(values: &[&str]) -> String {
    const NAMED: usize = 5;
    let mut text = String::new();
    for (value, at) in values.iter().take(NAMED).zip(0..) {
        let separator = if at == 0 { "" } else { ", " };
        text.push_str(&format!("{separator}\"{value}\""));
    }
    if values.len() > NAMED {
        text.push_str(&format!(" and {} more", values.len() - NAMED));
    }
    text
}
