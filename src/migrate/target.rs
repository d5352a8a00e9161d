//! The Placement that decides as a rule does, and which rules have none.

use std::collections::BTreeMap;

use crate::delivery::placement_rule::read::{Hint, Resource, Rule};
use crate::kit::selector::LabelSelector;

/// The condition that says whether a cluster can be reached.
const AVAILABLE: &str = "ManagedClusterConditionAvailable";

/// The spec of a Placement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// Whether it tolerates every taint.
    pub(super) tolerates: bool,
    /// Which labels it asks for.
    pub(super) select: Select,
    /// The requirement on conditions.
    pub(super) cel: Option<String>,
    /// How many clusters it takes.
    pub(super) number: Option<i64>,
    /// Which clusters come first.
    pub(super) priority: Option<Priority>,
}

/// Which labels a Placement asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Select {
    /// None.
    All,
    /// The labels that the rule's own selector asks for.
    Own,
    /// One of these values of the label `name`.
    Names(Vec<String>),
}

/// Which clusters come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Priority {
    /// The clusters that it already has.
    Steady,
    /// All are equal.
    Equal,
    /// By CPU.
    Cpu {
        /// Whether the least comes first.
        ascending: bool,
    },
    /// By memory.
    Memory {
        /// Whether the least comes first.
        ascending: bool,
    },
}

/// Why a rule has no Placement that always decides as it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Limit {
    /// It takes some of the clusters.
    Replicas(i64),
    /// It takes those with the most, or least, of a resource.
    Resource(i64),
    /// Somebody else decides.
    Scheduler(String),
    /// Its author sees not all clusters.
    Author(String),
    /// Its selector cannot be read.
    Selector(String),
    /// It asks for conditions that no taint stands for.
    Conditions(String),
}

impl Limit {
    /// The word of the JSON form.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Replicas(_) => "replicas",
            Self::Resource(_) => "resourceHint",
            Self::Scheduler(_) => "scheduler",
            Self::Author(_) => "identity",
            Self::Selector(_) => "selector",
            Self::Conditions(_) => "conditions",
        }
    }

    /// Whether the rule can be migrated where both select the same clusters.
    #[must_use]
    pub const fn may_be_allowed(&self) -> bool {
        matches!(self, Self::Replicas(_) | Self::Resource(_))
    }
}

/// The content of the Placement, and why it is not always equivalent, if it is not.
pub(super) fn target(rule: &Rule<'_>, by_taints: bool) -> (Target, Option<Limit>) {
    let wanted: BTreeMap<&str, &str> = rule.conditions.iter().copied().collect();
    let only_available = wanted.len() == 1 && wanted.get(AVAILABLE) == Some(&"True");
    let number = rule.replicas.map(|number| number.max(0));
    let some = number.filter(|number| *number > 0);
    let target = Target {
        tolerates: !(by_taints && only_available),
        select: match (&*rule.clusters, &rule.selector) {
            ([], None) => Select::All,
            ([], Some(selector)) if is_nothing(selector) => Select::All,
            ([], Some(_)) => Select::Own,
            (names, _) => Select::Names(names.iter().map(|name| name.text.to_owned()).collect()),
        },
        cel: (!by_taints && !wanted.is_empty()).then(|| cel(&wanted)),
        number,
        priority: some.map(|_| priority(rule.hint)),
    };
    (target, limit(rule, by_taints, &wanted, only_available))
}

fn is_nothing(selector: &LabelSelector<'_>) -> bool {
    selector.match_labels.is_empty() && selector.match_expressions.is_empty()
}

fn limit(
    rule: &Rule<'_>,
    by_taints: bool,
    wanted: &BTreeMap<&str, &str>,
    only_available: bool,
) -> Option<Limit> {
    if rule.left_alone() {
        return Some(Limit::Scheduler(rule.scheduler.text.to_owned()));
    }
    // A rule that takes nothing looks at nothing else.
    if rule.replicas == Some(0) {
        return None;
    }
    if let Some(fault) = fault(rule) {
        return Some(Limit::Selector(fault));
    }
    if let Some(author) = rule.author.as_ref().filter(|author| !author.sees_all()) {
        return Some(Limit::Author(author.user.clone()));
    }
    match rule.replicas {
        Some(number @ 1..) => {
            return Some(match rule.hint {
                Some(_) => Limit::Resource(number),
                None => Limit::Replicas(number),
            });
        }
        Some(_) => return None,
        None => {}
    }
    if by_taints && !wanted.is_empty() && !only_available {
        let all = wanted
            .iter()
            .map(|(kind, status)| format!("{kind}: {status}"));
        return Some(Limit::Conditions(all.collect::<Vec<_>>().join(", ")));
    }
    None
}

/// The fault of the selector that counts.
fn fault(rule: &Rule<'_>) -> Option<String> {
    let named = names(rule);
    let selector = named.as_ref().or(rule.selector.as_ref())?;
    selector.compile().err().map(|error| error.to_string())
}

/// The selector that `clusters` stand for.
pub(super) fn names<'a>(rule: &Rule<'a>) -> Option<LabelSelector<'a>> {
    (!rule.clusters.is_empty()).then(|| LabelSelector {
        match_labels: Vec::new(),
        match_expressions: vec![crate::kit::selector::Expression {
            key: "name",
            operator: "In",
            values: rule.clusters.iter().map(|name| name.text).collect(),
        }],
    })
}

fn priority(hint: Option<Hint>) -> Priority {
    match hint {
        None => Priority::Steady,
        Some(Hint { resource: None, .. }) => Priority::Equal,
        Some(Hint {
            resource: Some(Resource::Cpu),
            ascending,
        }) => Priority::Cpu { ascending },
        Some(Hint {
            resource: Some(Resource::Memory),
            ascending,
        }) => Priority::Memory { ascending },
    }
}

/// The conditions in CEL. A cluster without conditions has a null list, over which `exists` fails;
/// a condition that was never reported does not count against a cluster.
fn cel(wanted: &BTreeMap<&str, &str>) -> String {
    let one = |(kind, status): (&&str, &&str)| {
        let (kind, status) = (literal(kind), literal(status));
        format!("(c.type == {kind} && c.status != {status})")
    };
    let all: Vec<String> = wanted.iter().map(one).collect();
    format!(
        "managedCluster.status.conditions == null || \
         !managedCluster.status.conditions.exists(c, {})",
        all.join(" || ")
    )
}

/// A text as CEL writes it.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
