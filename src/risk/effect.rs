//! What a loss does, system by system.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

use crate::airship::engine::run::{
    DeploymentRun, DeploymentVerdict, Faults, Reason, run as simulate,
};
use crate::diff::{Answer, Decisions, decisions};
use crate::document::System;
use crate::hybrid::engine::State;
use crate::ogc::engine::Item;
use crate::plan::Plan;
use crate::site::{Checked, Thing};

/// How bad a loss is, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Class {
    /// The deployment fails, or a critical group does.
    Fatal,
    /// Something is left without a place.
    Unplaceable,
    /// Volumes are left behind.
    Volumes,
    /// Something is decided for fewer clusters.
    Fewer,
    /// Something moves.
    Moves,
    /// Nothing.
    #[default]
    None,
}

impl Class {
    /// The word of the contract.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fatal => "fatal",
            Self::Unplaceable => "unplaceable",
            Self::Volumes => "volumes",
            Self::Fewer => "fewer",
            Self::Moves => "moves",
            Self::None => "none",
        }
    }
}

/// An Application that goes elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
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
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
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

/// A placement that decides otherwise.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlacementLost {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Whether it has what it asks for.
    pub satisfied: bool,
    /// Whether it had that before.
    pub was_satisfied: bool,
    /// Clusters it no longer decides for.
    pub removed: Vec<String>,
    /// Clusters it decides for instead.
    pub added: Vec<String>,
}

impl PlacementLost {
    /// What becomes of a placement; nothing if it stays as it is.
    pub(super) fn between(
        (namespace, name): (&str, &str),
        (was, was_satisfied): (&[String], bool),
        (now, satisfied): (&[String], bool),
    ) -> Option<Self> {
        let (removed, added) = difference(was, now);
        (satisfied != was_satisfied || !removed.is_empty() || !added.is_empty()).then(|| Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            satisfied,
            was_satisfied,
            removed,
            added,
        })
    }
}

/// A placement rule that decides otherwise.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleLost {
    /// `NAMESPACE/NAME`.
    pub name: String,
    /// Whether it still decides.
    pub decided: bool,
    /// Targets it no longer decides for.
    pub removed: Vec<String>,
    /// Targets it decides for instead.
    pub added: Vec<String>,
}

/// A region policy whose answer is another one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RegionLost {
    /// `PATH/REGION`.
    pub name: String,
    /// Its nodes before; none where it was not asked.
    pub from: Option<i128>,
    /// Its nodes after.
    pub to: Option<i128>,
    /// Whether the policy answers with an error.
    pub failed: bool,
}

/// Deployment groups that fail.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GroupsLost {
    /// For their own criteria.
    pub failed: Vec<String>,
    /// For a group they depend on.
    pub by_dependency: Vec<String>,
    /// Whether a critical one is among them.
    pub critical: bool,
}

/// One loss.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loss {
    /// `cluster`, `node`, `rack`, `region` or `pair`.
    pub kind: &'static str,
    /// Its name; of a pair `A + B`.
    pub name: String,
    /// How bad it is.
    pub class: Class,
    /// Applications that go elsewhere.
    pub applications: Vec<MovedApplication>,
    /// Volumes left behind.
    pub volumes: Vec<Volume>,
    /// Placements that decide otherwise.
    pub placements: Vec<PlacementLost>,
    /// Placement rules that decide otherwise.
    pub rules: Vec<RuleLost>,
    /// Regions with another number of nodes.
    pub regions: Vec<RegionLost>,
    /// Groups that fail.
    pub groups: GroupsLost,
    /// The verdict of the run, where it is another one than before.
    pub verdict: Option<&'static str>,
}

impl Loss {
    pub(super) fn of(lost: &[Thing]) -> Self {
        let name = |thing: &Thing| {
            let text = thing.to_string();
            text.split_once('/')
                .map_or(text.clone(), |(_, name)| name.to_owned())
        };
        let kind = match lost {
            [only] => only.kind(),
            _ => "pair",
        };
        Self {
            kind,
            name: lost.iter().map(name).collect::<Vec<_>>().join(" + "),
            ..Self::default()
        }
    }

    /// Things left without a place.
    #[must_use]
    pub fn unplaced(&self) -> usize {
        let applications = self.applications.iter().filter(|one| one.to.is_none());
        let placements = self
            .placements
            .iter()
            .filter(|one| one.was_satisfied && !one.satisfied);
        let rules = self.rules.iter().filter(|one| !one.decided);
        let regions: BTreeSet<&str> = self
            .regions
            .iter()
            .filter(|one| one.failed)
            .filter_map(|one| Some(one.name.rsplit_once('/')?.0))
            .collect();
        applications.count() + placements.count() + rules.count() + regions.len()
    }

    /// Everything that moves and still has a place.
    #[must_use]
    pub fn moves(&self) -> usize {
        let applications = self.applications.iter().filter(|one| one.to.is_some());
        applications.count() + self.placements.len() + self.rules.len() + self.regions.len()
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
    pub(super) fn classify(&mut self) {
        self.applications.sort();
        self.volumes.sort();
        self.volumes.dedup();
        self.placements.sort();
        self.rules.sort();
        self.regions.sort();
        self.class = if self.groups.critical || self.verdict == Some("failed") {
            Class::Fatal
        } else if self.unplaced() > 0 {
            Class::Unplaceable
        } else if !self.volumes.is_empty() {
            Class::Volumes
        } else if self.fewer() > 0 {
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
    pub(super) fn by_weight(&self, other: &Self) -> Ordering {
        let key = |loss: &Self| (loss.class, Reverse(loss.weight()));
        key(self)
            .cmp(&key(other))
            .then_with(|| (&self.name, self.kind).cmp(&(&other.name, other.kind)))
    }
}

/// What is only in the first, and what is only in the second.
fn difference(was: &[String], now: &[String]) -> (Vec<String>, Vec<String>) {
    let (old, new): (BTreeSet<&String>, BTreeSet<&String>) =
        (was.iter().collect(), now.iter().collect());
    let removed = old.difference(&new).map(|name| (*name).clone()).collect();
    (
        removed,
        new.difference(&old).map(|name| (*name).clone()).collect(),
    )
}

/// The deployment run without a fault.
pub(super) fn run(plan: &Plan<'_, '_>) -> Option<DeploymentRun> {
    let strategy = plan.strategy.as_ref()?;
    let none = Faults::default();
    Some(simulate(
        strategy.site,
        &strategy.deployment,
        &none,
        strategy.reading,
    ))
}

/// The volumes on lost Clusters of Applications that still have a place.
pub(super) fn volumes_lost(
    site: &Checked<'_>,
    placed: &[(&Item<'_>, bool)],
    lost: &[&str],
    volumes: &mut Vec<Volume>,
) {
    let there: BTreeSet<(&str, &str)> = placed
        .iter()
        .filter(|(_, there)| *there)
        .map(|(item, _)| (item.package, item.application))
        .collect();
    for deployment in &site.ogc.deployments {
        if deployment.phase == crate::ogc::model::DeploymentPhase::Planned {
            continue;
        }
        for workload in &deployment.workloads {
            if !lost.contains(&workload.cluster)
                || !there.contains(&(deployment.package, workload.application))
            {
                continue;
            }
            volumes.extend(workload.resources.iter().map(|resource| Volume {
                cluster: workload.cluster.to_owned(),
                kind: resource.kind.to_owned(),
                name: resource.name.to_owned(),
                application: format!("{}/{}", deployment.package, workload.application),
            }));
        }
    }
}

/// Volumes out of bounds and why, by what they are.
fn volumes_of(plan: &Plan<'_, '_>) -> BTreeMap<Volume, &'static str> {
    let items = plan.applications.iter().flat_map(|outcome| &outcome.items);
    let mut all = BTreeMap::new();
    for item in items {
        for volume in &item.out_of_bounds {
            let key = Volume {
                cluster: volume.cluster.to_owned(),
                kind: volume.kind.to_owned(),
                name: volume.name.to_owned(),
                application: format!("{}/{}", item.package, item.application),
            };
            all.insert(key, volume.removed_by.word());
        }
    }
    all
}

/// Takes down what two plans decide differently.
pub(super) fn compare(
    before: &Plan<'_, '_>,
    base_run: Option<&DeploymentRun>,
    after: &Plan<'_, '_>,
    systems: &[System],
    loss: &mut Loss,
) {
    let (old, new) = (decisions(before), decisions(after));
    if systems.contains(&System::Ogc) {
        applications(&old, &new, loss);
        let known = volumes_of(before);
        for (volume, why) in volumes_of(after) {
            let had = known.get(&volume);
            if had.is_none() || why == "gone" && had != Some(&why) {
                loss.volumes.push(volume);
            }
        }
    }
    if systems.contains(&System::Ocm) {
        placements(before, after, &old, &new, loss);
    }
    if systems.contains(&System::Hybrid) {
        rules(before, after, &old, &new, loss);
    }
    if systems.contains(&System::Senlin) {
        regions(after, &old, &new, loss);
    }
    if systems.contains(&System::Airship) {
        groups(before, base_run, after, loss);
    }
}

fn applications(old: &Decisions, new: &Decisions, loss: &mut Loss) {
    for (subject, answer) in old {
        let (Answer::Cluster(from), Some(Answer::Cluster(to))) = (answer, new.get(subject)) else {
            continue;
        };
        if from == to {
            continue;
        }
        let (package, application) = subject.name.split_once('/').unwrap_or(("", &subject.name));
        loss.applications.push(MovedApplication {
            package: package.to_owned(),
            application: application.to_owned(),
            from: from.clone(),
            to: to.clone(),
        });
    }
}

fn placements(
    before: &Plan<'_, '_>,
    after: &Plan<'_, '_>,
    old: &Decisions,
    new: &Decisions,
    loss: &mut Loss,
) {
    let satisfied = |plan: &Plan<'_, '_>| -> BTreeMap<(String, String), bool> {
        let placed = plan
            .placements
            .iter()
            .flat_map(|outcome| &outcome.placements.placed);
        placed
            .map(|placed| {
                let placement = &plan.site.ocm.placements[placed.placement];
                let key = (placement.namespace.to_owned(), placement.name.to_owned());
                (key, placed.is_satisfied())
            })
            .collect()
    };
    let was = satisfied(before);
    for ((namespace, name), now) in satisfied(after) {
        let subject = crate::diff::Subject::new(System::Ocm, format!("{namespace}/{name}"));
        let names = |all: &Decisions| match all.get(&subject) {
            Some(Answer::Decisions(names)) => names.clone(),
            _ => Vec::new(),
        };
        let was = was
            .get(&(namespace.clone(), name.clone()))
            .copied()
            .unwrap_or_default();
        loss.placements.extend(PlacementLost::between(
            (&namespace, &name),
            (&names(old), was),
            (&names(new), now),
        ));
    }
}

fn rules(
    before: &Plan<'_, '_>,
    after: &Plan<'_, '_>,
    old: &Decisions,
    new: &Decisions,
    loss: &mut Loss,
) {
    let decided = |plan: &Plan<'_, '_>| -> BTreeMap<String, bool> {
        let ended = plan.rules.iter().flat_map(|outcome| &outcome.rules);
        let lost = |state| {
            matches!(
                state,
                State::NoPlacement | State::NoCandidates | State::Waiting
            )
        };
        let names = plan.site.hybrid.rules.iter().map(crate::hybrid::subject);
        names.zip(ended.map(|rule| !lost(rule.state))).collect()
    };
    let was = decided(before);
    for (name, now) in decided(after) {
        let subject = crate::diff::Subject::new(System::Hybrid, name.clone());
        let names = |all: &Decisions| match all.get(&subject) {
            Some(Answer::Decisions(names)) => names.clone(),
            _ => Vec::new(),
        };
        let (removed, added) = difference(&names(old), &names(new));
        let still = now || was.get(&name) == Some(&false);
        if !removed.is_empty() || !added.is_empty() || !still {
            loss.rules.push(RuleLost {
                name,
                decided: still,
                removed,
                added,
            });
        }
    }
}

fn regions(after: &Plan<'_, '_>, old: &Decisions, new: &Decisions, loss: &mut Loss) {
    let failed: BTreeSet<&str> = after
        .regions
        .planned
        .iter()
        .filter(|set| set.fails())
        .map(|set| set.set.path)
        .collect();
    let subjects: BTreeSet<_> = old.keys().chain(new.keys()).collect();
    for subject in subjects
        .into_iter()
        .filter(|subject| subject.system == System::Senlin)
    {
        let count = |all: &Decisions| match all.get(subject) {
            Some(Answer::Count(count)) => Some(*count),
            _ => None,
        };
        let (from, to) = (count(old), count(new));
        if from != to {
            let path = subject.name.rsplit_once('/').map_or("", |(path, _)| path);
            loss.regions.push(RegionLost {
                name: subject.name.clone(),
                from,
                to,
                failed: failed.contains(path),
            });
        }
    }
}

fn groups(
    before: &Plan<'_, '_>,
    base: Option<&DeploymentRun>,
    after: &Plan<'_, '_>,
    loss: &mut Loss,
) {
    let (Some(was), Some(base)) = (&before.strategy, base) else {
        return;
    };
    let (Some(strategy), Some(run)) = (&after.strategy, run(after)) else {
        return;
    };
    let fine: BTreeSet<&str> = was
        .site
        .groups
        .iter()
        .zip(&base.succeeded)
        .filter(|(_, succeeded)| **succeeded)
        .map(|(group, _)| group.name.text)
        .collect();
    let by_dependency = |at: u32| {
        let mut steps = run.steps.iter().filter(|step| step.group == at);
        steps.any(|step| step.reason == Some(Reason::Dependency))
    };
    for ((group, succeeded), at) in strategy.site.groups.iter().zip(&run.succeeded).zip(0..) {
        if *succeeded || !fine.contains(group.name.text) {
            continue;
        }
        loss.groups.critical |= group.critical;
        let name = group.name.text.to_owned();
        match by_dependency(at) {
            true => loss.groups.by_dependency.push(name),
            false => loss.groups.failed.push(name),
        }
    }
    if run.verdict != base.verdict {
        loss.verdict = Some(match run.verdict {
            DeploymentVerdict::Success => "success",
            DeploymentVerdict::Partial => "partial",
            DeploymentVerdict::Failed => "failed",
        });
    }
}
