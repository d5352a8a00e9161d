//! Why a policy reaches a cluster or not: its bindings, sets and exclusions.

use super::follow::Bound;
use super::read::{Path, Policy};
use crate::delivery::consumer::Links;
use crate::delivery::row::{Extra, Row};
use crate::delivery::why::study::Study;
use crate::why::Verdict;

/// The verdicts of every path to a policy.
pub(super) fn links<'q, 'a>(study: &'q Study<'_, 'a>, row: &'q Row<'a>) -> Links<'q> {
    let Extra::Policy(about) = &row.extra else {
        return Box::new(|_, _| Vec::new());
    };
    let policy = &study.model.policies[about.policy];
    let bound = Bound::new(study.model);
    Box::new(move |number, chosen| verdicts(study, (policy, &bound), row, (number, chosen)))
}

fn verdicts<'a>(
    study: &Study<'_, 'a>,
    (policy, bound): (&Policy<'a>, &Bound<'_, 'a>),
    row: &Row<'a>,
    (number, chosen): (u32, bool),
) -> Vec<Verdict> {
    let cluster = study.deliveries.ground.names.name(number);
    if let Some(error) = &row.error {
        return vec![Verdict::new("policy", false, error).at(policy.id.place, "")];
    }
    let mut verdicts = Vec::new();
    if policy.disabled {
        verdicts.push(Verdict::new("policy", false, "is disabled").at(policy.id.place, ""));
    }
    let paths = bound.paths(policy);
    if paths.is_empty() {
        let reason = "no PlacementBinding names it or a PolicySet that lists it";
        verdicts.push(Verdict::new("binding", false, reason).at(policy.id.place, ""));
    }
    let any_open = paths.iter().any(|path| path.binding.restricted.is_none());
    for path in paths {
        let binding = path.binding;
        let what = binding.placement.kind();
        let placement = format!(
            "{what} {}/{}",
            binding.id.namespace, binding.placement_name.text
        );
        let place = binding.restricted.unwrap_or(binding.placement_name.place);
        let mut verdict = match path.chosen(&study.deliveries.ground) {
            _ if binding.restricted.is_some() => {
                let reason = "places nothing (`subFilter: restricted`)";
                Verdict::new(stage(path), false, reason)
            }
            None => Verdict::new(stage(path), false, format!("there is no {placement}")),
            Some(selected) if !selected.planned.contains(number as usize) => {
                let reason = format!("{placement} does not select the cluster");
                Verdict::new(stage(path), false, reason)
            }
            Some(_) if excludes(path, policy.id.name, cluster) => {
                let exclusion = path.exclusion(policy.id.name);
                let reason = match exclusion.map_or("", |exclusion| exclusion.reason) {
                    "" => "the set excludes the cluster".to_owned(),
                    reason => format!("the set excludes the cluster: {reason}"),
                };
                let written = exclusion.into_iter().flat_map(|one| &one.clusters);
                let mut written = written.filter(|one| one.text == cluster);
                let verdict = Verdict::new(stage(path), false, reason);
                match written.next() {
                    Some(written) => verdict.at(written.place, "excluded here"),
                    None => verdict,
                }
            }
            Some(_) => Verdict::new(
                stage(path),
                true,
                format!("{placement} selects the cluster"),
            ),
        };
        if verdict.at.is_empty() {
            verdict = verdict.at(place, "");
        }
        verdict.idle = !verdict.passes && (chosen || any_open && binding.restricted.is_some());
        verdicts.push(verdict);
    }
    verdicts
}

fn stage(path: &Path<'_, '_>) -> String {
    match path.set {
        Some(set) => format!("binding {}, set {}", path.binding.id.name, set.id.name),
        None => format!("binding {}", path.binding.id.name),
    }
}

fn excludes(path: &Path<'_, '_>, policy: &str, cluster: &str) -> bool {
    let exclusion = path.exclusion(policy).into_iter();
    let mut clusters = exclusion.flat_map(|exclusion| &exclusion.clusters);
    clusters.any(|one| one.text == cluster)
}
