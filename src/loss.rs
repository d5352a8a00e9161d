//! The effect of a loss, system by system, and its severity.

mod class;
mod deliveries;
mod effect;
mod remedy;

pub use class::Class;
pub use deliveries::{DeliveriesLost, Delivery};
pub use effect::Effect;
pub use remedy::{Remedies, Remedy, Together};

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::document::System;
use crate::hybrid::engine::State;
use crate::site::Thing;

/// An Application that goes elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MovedApplication {
    /// Its Package.
    pub package: String,
    /// Its name.
    pub application: String,
    /// Its Cluster before.
    pub from: Option<String>,
    /// Its Cluster after; none if there is no place left.
    pub to: Option<String>,
}

/// A volume that is left behind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Volume {
    /// The Cluster it is on.
    pub cluster: String,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// `PACKAGE/APPLICATION`.
    pub application: String,
}

/// A placement whose decisions change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacementLost {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Whether it is satisfied.
    pub satisfied: bool,
    /// Whether it had that before.
    pub was_satisfied: bool,
    /// Clusters it no longer decides for.
    pub removed: Vec<String>,
    /// Clusters it decides for instead.
    pub added: Vec<String>,
    /// Whether it had decisions and has none left.
    pub emptied: bool,
}

impl PlacementLost {
    /// The effect on a placement; `None` if it stays as it is.
    #[must_use]
    pub fn between(
        named: (&str, &str),
        (was, was_satisfied): (&[String], bool),
        (now, satisfied): (&[String], bool),
    ) -> Option<Self> {
        let difference = (only(was, now), only(now, was));
        let emptied = !was.is_empty() && now.is_empty();
        Self::of(named, difference, (was_satisfied, satisfied), emptied)
    }

    /// The same where it is known which clusters are removed and added, in order.
    #[must_use]
    pub fn of(
        (namespace, name): (&str, &str),
        (removed, added): (Vec<String>, Vec<String>),
        (was_satisfied, satisfied): (bool, bool),
        emptied: bool,
    ) -> Option<Self> {
        (satisfied != was_satisfied || !removed.is_empty() || !added.is_empty()).then(|| Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            satisfied,
            was_satisfied,
            removed,
            added,
            emptied,
        })
    }

    /// Whether it no longer has what it asks for, or nothing at all.
    #[must_use]
    pub fn is_unplaced(&self) -> bool {
        self.emptied || (self.was_satisfied && !self.satisfied)
    }
}

/// A placement rule whose decisions change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleLost {
    /// Its namespace, if it has one.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// How it ends, as JSON says it.
    pub state: Cow<'static, str>,
    /// Whether it decided before and decides nothing now.
    pub undecided: bool,
    /// Targets it no longer decides for.
    pub removed: Vec<String>,
    /// Targets it decides for instead.
    pub added: Vec<String>,
    /// Whether it had decisions and has none left.
    pub emptied: bool,
}

impl RuleLost {
    /// The effect on a rule; `None` if it stays as it is.
    #[must_use]
    pub fn between(
        (namespace, name): (&str, &str),
        (was, was_state): (&[String], State),
        (now, state): (&[String], State),
    ) -> Option<Self> {
        let difference = (only(was, now), only(now, was));
        let emptied = !was.is_empty() && now.is_empty();
        Self::of((namespace, name), difference, (was_state, state), emptied)
    }

    /// The same where it is known which decisions are removed and added, in order.
    #[must_use]
    pub fn of(
        (namespace, name): (&str, &str),
        (removed, added): (Vec<String>, Vec<String>),
        (was_state, state): (State, State),
        emptied: bool,
    ) -> Option<Self> {
        let undecided = state.is_unplaced() && !was_state.is_unplaced();
        (undecided || !removed.is_empty() || !added.is_empty()).then(|| Self {
            namespace: (!namespace.is_empty()).then(|| namespace.to_owned()),
            name: name.to_owned(),
            state: state.word().into(),
            undecided,
            removed,
            added,
            emptied,
        })
    }

    /// Whether it decides nothing any more.
    #[must_use]
    pub fn is_unplaced(&self) -> bool {
        self.emptied || self.undecided
    }
}

/// A region that gets another number of nodes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RegionLost {
    /// The file of its policy.
    pub path: String,
    /// Its name.
    pub name: String,
    /// Its nodes before; none where it was not asked.
    pub from: Option<i128>,
    /// Its nodes after.
    pub to: Option<i128>,
    /// Whether the policy had an answer and has none now.
    pub failed: bool,
}

/// Deployment groups that fail.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupsLost {
    /// Groups that fail for their own criteria.
    pub failed: Vec<String>,
    /// Groups that fail for a group they depend on.
    pub by_dependency: Vec<String>,
    /// Whether a critical one is among them.
    pub critical: bool,
}

impl GroupsLost {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// A subject that a loss leaves unplaced.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Harm {
    /// Its system.
    pub system: System,
    /// Its name.
    pub subject: String,
    /// The only place that will do, if it is not any.
    pub place: Option<String>,
}

/// One loss.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Loss {
    /// The lost things; empty in parts of a sweep.
    #[serde(skip)]
    pub lost: Vec<Thing>,
    /// `cluster`, `node`, `rack`, `region`, `pair` or `triple`.
    pub kind: Cow<'static, str>,
    /// Its name; of several `A + B`.
    pub name: String,
    /// The things of a loss of several, each as `KIND/NAME`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub things: Vec<String>,
    /// How bad it is.
    pub class: Class,
    /// Applications that go elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub applications: Vec<MovedApplication>,
    /// Volumes left behind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub volumes: Vec<Volume>,
    /// Placements whose decisions change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub placements: Vec<PlacementLost>,
    /// The deliveries that change.
    #[serde(skip_serializing_if = "DeliveriesLost::is_none")]
    pub deliveries: DeliveriesLost,
    /// Placement rules whose decisions change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RuleLost>,
    /// Regions with another number of nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub regions: Vec<RegionLost>,
    /// Groups that fail.
    #[serde(skip_serializing_if = "GroupsLost::is_none")]
    pub groups: GroupsLost,
    /// The verdict of the run, if it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Cow<'static, str>>,
    /// The remedies, if they were requested.
    #[serde(skip)]
    pub remedies: Option<Remedies>,
}

impl Loss {
    /// A loss of these things, before anything is known of it.
    #[must_use]
    pub fn of(lost: &[Thing]) -> Self {
        let name = |thing: &Thing| {
            let text = thing.to_string();
            text.split_once('/')
                .map_or(text.clone(), |(_, name)| name.to_owned())
        };
        let kind = match lost {
            [only] => only.kind(),
            [_, _] => "pair",
            _ => "triple",
        };
        Self {
            lost: lost.to_vec(),
            kind: kind.into(),
            name: lost.iter().map(name).collect::<Vec<_>>().join(" + "),
            things: match lost {
                [_] => Vec::new(),
                several => several.iter().map(Thing::to_string).collect(),
            },
            ..Self::default()
        }
    }

    /// Whether everything that it touches is still placed; volumes may be left behind.
    #[must_use]
    pub fn is_survived(&self) -> bool {
        self.class > Class::Unplaceable
    }

    /// Whether it takes a place or volumes from something, so that remedies are looked for.
    #[must_use]
    pub fn hurts(&self) -> bool {
        !self.is_survived() || self.class == Class::Volumes
    }

    /// Things left unplaced.
    #[must_use]
    pub fn unplaced(&self) -> usize {
        let applications = self.applications.iter().filter(|one| one.to.is_none());
        let placements = self.placements.iter().filter(|one| one.is_unplaced());
        let rules = self.rules.iter().filter(|one| one.is_unplaced());
        let regions: BTreeSet<&str> = self
            .regions
            .iter()
            .filter(|one| one.failed)
            .map(|one| one.path.as_str())
            .collect();
        let unreached = self.deliveries.unreached.len();
        applications.count() + placements.count() + unreached + rules.count() + regions.len()
    }

    /// Everything that moves and is still placed.
    #[must_use]
    pub fn moves(&self) -> usize {
        let applications = self.applications.iter().filter(|one| one.to.is_some());
        let own = self.placements.len() + self.deliveries.moved.len();
        applications.count() + own + self.rules.len() + self.regions.len()
    }

    /// How much of the plan it touches.
    #[must_use]
    pub fn touched(&self) -> usize {
        let groups = self.groups.failed.len() + self.groups.by_dependency.len();
        self.moves() + self.unplaced() + self.volumes.len() + groups
    }

    fn fewer(&self) -> usize {
        let placements = self
            .placements
            .iter()
            .map(|one| (one.removed.len(), one.added.len()));
        let rules = self
            .rules
            .iter()
            .map(|one| (one.removed.len(), one.added.len()));
        placements
            .chain(rules)
            .filter(|(removed, added)| removed > added)
            .count()
    }

    /// Sorts its parts and says how bad it is.
    pub fn classify(&mut self) {
        self.applications.sort();
        self.volumes.sort();
        self.volumes.dedup();
        self.placements.sort();
        self.deliveries.sort();
        self.rules.sort();
        self.regions.sort();
        self.class = if self.groups.critical || self.verdict.as_deref() == Some("failed") {
            Class::Fatal
        } else if self.unplaced() > 0 {
            Class::Unplaceable
        } else if !self.volumes.is_empty() {
            Class::Volumes
        } else if self.fewer() > 0 || !self.deliveries.lost.is_empty() {
            Class::Fewer
        } else if self.moves() > 0
            || !self.groups.failed.is_empty()
            || !self.groups.by_dependency.is_empty()
        {
            Class::Moves
        } else {
            Class::None
        };
    }

    fn weight(&self) -> usize {
        match self.class {
            Class::Fatal => self.groups.failed.len() + self.groups.by_dependency.len(),
            Class::Unplaceable => self.unplaced(),
            Class::Volumes => self.volumes.len(),
            Class::Fewer => self.fewer(),
            Class::Moves | Class::None => self.moves(),
        }
    }

    /// The worst first.
    #[must_use]
    pub fn by_weight(&self, other: &Self) -> Ordering {
        let key = |loss: &Self| (loss.class, Reverse(loss.weight()));
        key(self)
            .cmp(&key(other))
            .then_with(|| (&self.name, &self.kind).cmp(&(&other.name, &other.kind)))
    }
}

/// The names that only the first of two lists has, in order.
fn only(all: &[String], others: &[String]) -> Vec<String> {
    let in_order = |list| {
        let mut list: Vec<&String> = Vec::from_iter(list);
        list.sort_unstable();
        list.dedup();
        list
    };
    let (all, others) = (in_order(all), in_order(others));
    let missed = all.into_iter();
    let missed = missed.filter(|one| others.binary_search(one).is_err());
    missed.cloned().collect()
}
