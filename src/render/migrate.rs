//! `planner migrate` in words, which its screen and its data share.

use crate::kit::plural::plural;
use crate::migrate::{Cluster, Example, Limit, Migration, Reason, Verdict};

/// Clusters that a sentence names.
const NAMED: usize = 4;

/// Why a rule stays.
#[must_use]
pub fn reason(reason: &Reason) -> String {
    match reason {
        Reason::Limit(limit) => limited(limit),
        Reason::Refused => "the document is refused; `planner validate` shows why".to_owned(),
        Reason::GlobalSet => {
            "a document sets a selector for ManagedClusterSet `global`, which may exclude clusters"
                .to_owned()
        }
        Reason::Text(why) => why.why().to_owned(),
        Reason::Binding => "its namespace needs a ManagedClusterSetBinding `global`, but a JSON \
                            file cannot have a second document; add the binding"
            .to_owned(),
        Reason::Widens(other) => format!(
            "its namespace needs a ManagedClusterSetBinding `global`, which would widen Placement \
             `{other}`; set `clusterSets` in that Placement first"
        ),
        Reason::Apart => "a Placement would select other clusters".to_owned(),
        Reason::Unplanned => "the Placement cannot be planned".to_owned(),
        Reason::Terms => {
            "its selector and conditions have more terms than generated clusters can cover; split \
             the rule"
                .to_owned()
        }
        Reason::Here(added, removed) => {
            let moves = super::drift::moves(added, removed);
            format!("the Placement would select other clusters: {moves}")
        }
        Reason::NoClusters => "there is no cluster to compare them on; pass --hub".to_owned(),
    }
}

/// Why a Placement does not always decide as a rule does.
#[must_use]
pub fn limited(limit: &Limit) -> String {
    match limit {
        Limit::Replicas(number) => format!(
            "it takes {}: a rule keeps the clusters that it has, but a new Placement has none to \
             keep",
            plural(*number, "cluster")
        ),
        Limit::Resource(number) => format!(
            "it takes {} by a resource, but a Placement rounds resources to scores from -100 to \
             100",
            plural(*number, "cluster")
        ),
        Limit::Scheduler(name) => format!("`{name}` decides for it, not the hub"),
        Limit::Author(user) => {
            format!(
                "it is limited to what user `{user}` may see, but a Placement has no such \
                 limit"
            )
        }
        Limit::Selector(why) => {
            format!("its selector cannot be read, so the hub keeps its current clusters ({why})")
        }
        Limit::Conditions(what) => {
            format!("no taint corresponds to {what}; leave out --by-taints")
        }
    }
}

/// Clusters over which a rule and its Placement come apart.
#[must_use]
pub fn example(example: &Example) -> String {
    let mut text = match example.clusters.as_slice() {
        [] => String::new(),
        many if many.len() > NAMED => format!("With {}", plural(many.len(), "cluster")),
        few => {
            let all: Vec<String> = few.iter().map(cluster).collect();
            format!("With {}", all.join(" and "))
        }
    };
    if !example.held.is_empty() {
        text.push_str(&format!(", {} decided already", names(&example.held)));
    }
    let (rule, placement) = (names(&example.rule), names(&example.placement));
    format!("{text}: the rule takes {rule}, the Placement {placement}.")
}

fn names(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        many if many.len() > NAMED => {
            let first = &many[..NAMED - 1];
            format!("{} and {} more", first.join(", "), many.len() - first.len())
        }
        few => few.join(" and "),
    }
}

/// A cluster, and what matters of it.
fn cluster(cluster: &Cluster) -> String {
    let labels = cluster.labels.iter();
    let mut parts: Vec<String> = labels
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    match &cluster.conditions {
        None => parts.push("no conditions".to_owned()),
        Some(all) => parts.extend(all.iter().map(|(kind, status)| format!("{kind} {status}"))),
    }
    if let Some((key, effect)) = &cluster.taint {
        parts.push(format!("taint {key}:{effect}"));
    }
    if cluster.terminating {
        parts.push("being deleted".to_owned());
    }
    if let Some((resource, amount)) = &cluster.allocatable {
        parts.push(format!("{amount} of {resource}"));
    }
    if parts.is_empty() {
        cluster.name.clone()
    } else {
        format!("{} ({})", cluster.name, parts.join(", "))
    }
}

/// The result of the migration: `PlacementRules: 54 of 56 become Placements`.
#[must_use]
pub fn headline(migration: &Migration) -> String {
    let moves = |verdict: &Verdict| matches!(verdict, Verdict::Moves(_));
    let moved = migration.rules.iter();
    let moved = moved.filter(|rule| moves(&rule.verdict)).count();
    let all = migration.rules.len();
    let mut text = format!("PlacementRules: {moved} of {all} become Placements");
    let counts = [
        (migration.rewritten().count(), "reference"),
        (migration.bindings().count(), "ManagedClusterSetBinding"),
        (migration.texts().len(), "file"),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, noun)| plural(count, noun)).collect();
    if !counts.is_empty() {
        text.push_str("; ");
        text.push_str(&counts.join(", "));
    }
    text
}
