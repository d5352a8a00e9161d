//! The guard: how much a plan may take away before it is refused.
//!
//! A subject reaches clusters: a consumer of placements, or a Placement or PlacementRule without
//! known consumers. An Application, a hybrid rule and a region placement with their places are
//! subjects, too. A loss is a subject and a cluster that it had and has no more.

mod causes;
mod condition;
mod subject;
mod subjects;

pub use causes::{Cause, causes};
pub use condition::{Condition, Limit, Share, parse, parse_all};
pub use subject::{Loss, Subject};
pub use subjects::{deciders, keeping, of_hub, of_plan};

use std::collections::{BTreeMap, BTreeSet};

use crate::plan::{Plan, Section, partial};

/// The result of one condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The condition.
    pub condition: Condition,
    /// Whether it holds: it is not reached.
    pub held: bool,
    /// How many of the counted places are lost.
    pub removed: usize,
    /// How many there were before.
    pub of: usize,
    /// The losses that reach it, by number.
    pub subjects: Vec<usize>,
    /// The clusters that reach it.
    pub clusters: Vec<String>,
    /// The subjects without a place.
    pub unplaced: Vec<String>,
}

/// The losses of a plan, and the verdicts of its conditions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Guard {
    /// The losses, by kind, namespace and name of the subject.
    pub losses: Vec<Loss>,
    /// The conditions, in their order.
    pub verdicts: Vec<Verdict>,
    /// The parts that are not built before or after: their removals are unknown.
    pub unknown: Vec<String>,
    /// The noun for what is counted: a delivery to a cluster, an Application, or any place.
    pub noun: &'static str,
}

impl Guard {
    /// Whether no condition is reached, and all is known.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.unknown.is_empty() && self.verdicts.iter().all(|verdict| verdict.held)
    }
}

/// Judges a plan: `before` are the subjects as they were, `after` as they will be, `gaps` the
/// clusters that are in no page for a moment, `unplaced` the subjects without a place.
#[must_use]
pub fn judge(
    conditions: &[Condition],
    before: &[Subject],
    after: &[Subject],
    gaps: &[String],
    unplaced: &[String],
) -> Guard {
    let key = |subject: &Subject| (subject.section, subject.called());
    let now: BTreeMap<(Section, String), &Subject> = after
        .iter()
        .map(|subject| (key(subject), subject))
        .collect();
    let mut losses = Vec::new();
    for subject in before {
        let has = now.get(&key(subject));
        let none = BTreeSet::new();
        let clusters = has.map_or(&none, |has| &has.clusters);
        let removed: BTreeSet<String> = subject.clusters.difference(clusters).cloned().collect();
        if !removed.is_empty() || has.is_none() {
            losses.push(Loss {
                before: subject.clone(),
                removed,
                left: clusters.len(),
                gone: has.is_none(),
            });
        }
    }
    losses.sort_by(|a, b| a.before.key().cmp(&b.before.key()));
    let total: usize = before.iter().map(|subject| subject.clusters.len()).sum();
    let mut by_cluster: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for cluster in before.iter().flat_map(|subject| &subject.clusters) {
        by_cluster.entry(cluster).or_default().1 += 1;
    }
    for cluster in losses.iter().flat_map(|loss| &loss.removed) {
        by_cluster.entry(cluster).or_default().0 += 1;
    }
    let verdict = |condition: &Condition| {
        let which = |wanted: &dyn Fn(&Loss) -> bool| -> Vec<usize> {
            let all = losses.iter().enumerate();
            all.filter(|(_, loss)| wanted(loss))
                .map(|(at, _)| at)
                .collect()
        };
        let is_emptied = |loss: &Loss| !loss.before.clusters.is_empty() && loss.left == 0;
        let mut verdict = Verdict {
            condition: *condition,
            held: true,
            removed: losses.iter().map(|loss| loss.removed.len()).sum(),
            of: total,
            subjects: Vec::new(),
            clusters: Vec::new(),
            unplaced: Vec::new(),
        };
        match condition {
            Condition::Emptied => verdict.subjects = which(&is_emptied),
            Condition::Deleted => verdict.subjects = which(&|loss| loss.gone),
            Condition::Pages => verdict.clusters = gaps.to_vec(),
            Condition::Unplaceable => verdict.unplaced = unplaced.to_vec(),
            Condition::Removed(limit) => {
                if limit.is_reached(verdict.removed, total) {
                    verdict.subjects = which(&|loss| !loss.removed.is_empty());
                }
            }
            Condition::RemovedEach(limit) => {
                let reaches =
                    |loss: &Loss| limit.is_reached(loss.removed.len(), loss.before.clusters.len());
                verdict.subjects = which(&reaches);
            }
            Condition::RemovedCluster(limit) => {
                let reached = by_cluster.iter();
                let reached = reached.filter(|(_, (lost, had))| limit.is_reached(*lost, *had));
                verdict.clusters = reached.map(|(cluster, _)| (*cluster).to_owned()).collect();
            }
        }
        verdict.held = verdict.subjects.is_empty()
            && verdict.clusters.is_empty()
            && verdict.unplaced.is_empty();
        verdict
    };
    let is_reader = |section| {
        matches!(
            section,
            Section::Deliveries | Section::Placements | Section::LegacyRules
        )
    };
    let counted = before.iter().filter(|subject| !subject.clusters.is_empty());
    let sections: BTreeSet<Section> = counted.map(|subject| subject.section).collect();
    let noun = match () {
        () if sections.iter().all(|section| is_reader(*section)) => "delivery",
        () if sections
            .iter()
            .all(|section| *section == Section::Applications) =>
        {
            "Application"
        }
        () => "place",
    };
    Guard {
        verdicts: conditions.iter().map(verdict).collect(),
        losses,
        unknown: Vec::new(),
        noun,
    }
}

/// The parts of a plan that are not built, each with its kustomization.
pub fn unknown<'p>(plan: &'p Plan<'_, '_>) -> impl Iterator<Item = String> + 'p {
    let missing = partial::missing(plan.site).into_iter();
    missing.map(|one| {
        let title = one.title();
        match one.root {
            Some(root) if one.what != partial::What::Kustomization => format!("{title} in {root}"),
            _ => title,
        }
    })
}
