//! The groups that fail where nodes are lost.

use std::collections::BTreeSet;

use crate::airship::engine::loss::{Lost, difference, failing as faults};
use crate::airship::engine::run::DeploymentVerdict;
use crate::airship::model::Group;
use crate::airship::node_declared;
use crate::document::{Document, DocumentKind};
use crate::loss::Loss;
use crate::plan::{Plan, again};

/// The nodes of the deployment among documents.
pub fn nodes<'d>(
    plan: &Plan<'_, '_>,
    touched: impl Iterator<Item = &'d Document<'d>>,
) -> BTreeSet<u32> {
    let site = plan.strategy.as_ref().map(|strategy| strategy.site);
    let ours = touched.filter(|document| document.kind == DocumentKind::Airship);
    let named = ours.filter_map(node_declared);
    named.filter_map(|name| site?.node(name)).collect()
}

/// The names of the groups that fail, and the verdict if it changes.
pub fn failing(lost: &Lost, groups: &[Group<'_>], loss: &mut Loss) {
    let all = lost.failed.iter().chain(&lost.by_dependency);
    let mut groups_lost = all.map(|group| &groups[*group as usize]);
    loss.groups.critical = groups_lost.any(|group| group.critical);
    let name = |group: &u32| groups[*group as usize].name.text.to_owned();
    loss.groups.failed = lost.failed.iter().map(name).collect();
    loss.groups.by_dependency = lost.by_dependency.iter().map(name).collect();
    loss.verdict = lost.verdict.map(|verdict| {
        let word = match verdict {
            DeploymentVerdict::Success => "success",
            DeploymentVerdict::Partial => "partial",
            DeploymentVerdict::Failed => "failed",
        };
        word.into()
    });
}

pub(super) fn compare(before: &Plan<'_, '_>, nodes: &BTreeSet<u32>, loss: &mut Loss) {
    if let Some(strategy) = &before.strategy {
        let losses = again::losses_of_groups(strategy);
        let run = again::run(strategy, &faults(strategy.site, nodes));
        failing(
            &difference(losses.base(), &run),
            &strategy.site.groups,
            loss,
        );
    }
}
