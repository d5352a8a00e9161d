//! What can still be lost before something gives way: no loss needs to be tried for it.

use crate::airship::engine::run::failed_criteria;
use crate::hybrid;
use crate::ogc::engine::Filter;
use crate::plan::Plan;

/// How much something can bear.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Margin {
    /// The system.
    pub system: &'static str,
    /// What it is about.
    pub subject: String,
    /// How many can be lost.
    pub margin: i128,
    /// Of what.
    pub unit: &'static str,
}

/// The margins of a plan.
#[must_use]
pub fn margins(plan: &Plan<'_, '_>) -> Vec<Margin> {
    let mut all = Vec::new();
    let margin = |system, subject, margin, unit| Margin {
        system,
        subject,
        margin,
        unit,
    };
    if let Some(strategy) = &plan.strategy {
        let groups = strategy
            .site
            .groups
            .iter()
            .zip(&strategy.deployment.members);
        for (group, members) in groups {
            let nodes = members.len();
            let holds = |lost: &usize| {
                let criteria = group.criteria.as_ref();
                criteria.is_none_or(|criteria| {
                    failed_criteria(criteria, nodes, nodes - lost, strategy.reading).is_empty()
                })
            };
            let most = (0..=nodes).take_while(holds).count();
            let most = most as i128 - 1;
            all.push(margin(
                "airship",
                group.name.text.to_owned(),
                most,
                "nodes that fail",
            ));
        }
    }
    if let Some(outcome) = &plan.placements {
        for placed in outcome
            .placements
            .placed
            .iter()
            .filter(|one| one.skipped.is_none())
        {
            let placement = &plan.site.ocm.placements[placed.placement];
            if let (Some(wanted), Some(left)) =
                (placement.number_of_clusters, placed.filters.last())
            {
                let left = left.clusters.count_ones(..) as i128;
                let subject = format!("{}/{}", placement.namespace, placement.name);
                all.push(margin("ocm", subject, left - wanted as i128, "clusters"));
            }
        }
    }
    if let Some(outcome) = &plan.rules {
        for (rule, ended) in plan.site.hybrid.rules.iter().zip(&outcome.rules) {
            let had = ended.candidates.len() + ended.eliminators.len();
            let spare = had as i128 - ended.decisions.len() as i128;
            all.push(margin("hybrid", hybrid::subject(rule), spare, "candidates"));
        }
    }
    if let Some(outcome) = &plan.applications {
        for item in outcome.items.iter().filter(|item| item.cluster.is_some()) {
            let left = outcome
                .run_of(item)
                .and_then(|run| run.left(Filter::Labels));
            let left = i128::from(left.unwrap_or(1));
            let subject = format!("{}/{}", item.package, item.application);
            all.push(margin("ogc", subject, left - 1, "clusters"));
        }
    }
    all.sort();
    all
}
