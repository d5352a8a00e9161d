//! How much can still be lost before something fails, computed without trying any loss.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::airship::engine::run::failed_criteria;
use crate::document::System;
use crate::hybrid;
use crate::ocm::engine::planned_groups;
use crate::ocm::engine::rollout::tolerated;
use crate::ogc::engine::Filter;
use crate::plan::Plan;

use super::senlin;

/// How much something can bear.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Margin {
    /// The system.
    pub system: Cow<'static, str>,
    /// The subject of the margin.
    pub subject: String,
    /// How many can be lost.
    pub margin: i128,
    /// The unit of the margin.
    pub unit: Cow<'static, str>,
}

/// The margins of a plan, by system and subject.
#[must_use]
pub fn margins(plan: &Plan<'_, '_>) -> Vec<Margin> {
    let mut all = Vec::new();
    groups(plan, &mut all);
    regions(plan, &mut all);
    placements(plan, &mut all);
    rules(plan, &mut all);
    applications(plan, &mut all);
    all.sort();
    all
}

/// How many nodes of a group can fail before its criteria do.
fn groups(plan: &Plan<'_, '_>, all: &mut Vec<Margin>) {
    let Some(strategy) = &plan.strategy else {
        return;
    };
    let members = &strategy.deployment.members;
    for (group, members) in strategy.site.groups.iter().zip(members) {
        let nodes = members.len();
        let holds = |lost: &usize| {
            let criteria = group.criteria.as_ref();
            criteria.is_none_or(|criteria| {
                failed_criteria(criteria, nodes, nodes - lost, strategy.reading).is_empty()
            })
        };
        // Fewer successes never help: -1 is a group that fails with nothing lost.
        let most = (0..=nodes).take_while(holds).count() as i128 - 1;
        let subject = group.name.text.to_owned();
        all.push(Margin {
            system: "airship".into(),
            subject,
            margin: most,
            unit: "nodes that fail".into(),
        });
    }
}

fn regions(plan: &Plan<'_, '_>, all: &mut Vec<Margin>) {
    all.extend(
        senlin::rooms(plan)
            .into_iter()
            .map(|(subject, margin)| Margin {
                system: System::Senlin.name().into(),
                subject,
                margin,
                unit: "nodes in the other regions".into(),
            }),
    );
}

/// How many clusters more than asked for a placement could have, and how many of a rollout may
/// fail.
fn placements(plan: &Plan<'_, '_>, all: &mut Vec<Margin>) {
    let Some(outcome) = &plan.placements else {
        return;
    };
    let model = &plan.site.ocm;
    let placed = outcome.placements.placed.iter();
    for placed in placed.filter(|one| one.skipped.is_none()) {
        let placement = &model.placements[placed.placement];
        if let (Some(wanted), Some(left)) = (placement.number_of_clusters, placed.filters.last()) {
            let left = left.clusters.count() as i128;
            all.push(Margin {
                system: "ocm".into(),
                subject: placement.full_name().to_string(),
                margin: left - i128::from(wanted),
                unit: "clusters".into(),
            });
        }
    }
    for set in &model.replica_sets {
        for reference in &set.placements {
            let name = reference.name.text;
            let groups = planned_groups(model, &outcome.placements, set.namespace, name);
            let most = groups.and_then(|groups| tolerated(&groups, &reference.strategy));
            if let Some(most) = most {
                all.push(Margin {
                    system: "ocm".into(),
                    subject: format!("{}/{} over {name}", set.namespace, set.name),
                    margin: most as i128,
                    unit: "clusters that fail".into(),
                });
            }
        }
    }
}

/// How many candidates a rule does not decide for.
fn rules(plan: &Plan<'_, '_>, all: &mut Vec<Margin>) {
    let Some(outcome) = &plan.placement_rules else {
        return;
    };
    for (rule, ended) in plan.site.hybrid.placement_rules.iter().zip(&outcome.ended) {
        let had = ended.candidates.len() + ended.eliminators.len();
        all.push(Margin {
            system: "hybrid".into(),
            subject: hybrid::subject(rule),
            margin: had as i128 - ended.decisions.len() as i128,
            unit: "candidates".into(),
        });
    }
}

/// How many Clusters more an Application could go to: those left before the filter that chose.
fn applications(plan: &Plan<'_, '_>, all: &mut Vec<Margin>) {
    let Some(outcome) = &plan.applications else {
        return;
    };
    for item in outcome.items.iter().filter(|item| item.cluster.is_some()) {
        let run = outcome.run_of(item);
        let left = run.and_then(|run| run.left(Filter::Labels));
        all.push(Margin {
            system: "ogc".into(),
            subject: item.full_name().to_string(),
            margin: i128::from(left.unwrap_or(1)) - 1,
            unit: "clusters".into(),
        });
    }
}
