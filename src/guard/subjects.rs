//! The subjects of a plan, and those of a hub.

use std::collections::BTreeSet;

use crate::delivery::{Clusters, Deliveries, Row};
use crate::plan::Plan;

use super::subject::Subject;

/// The subjects of a plan: every consumer, and every Placement without consumers.
#[must_use]
pub fn of_plan(plan: &Plan<'_, '_>) -> Vec<Subject> {
    let mut found = Vec::new();
    let mut followed = BTreeSet::new();
    if let Some(all) = &plan.deliveries {
        for row in &all.rows {
            let subject = subject(all, row, &row.clusters);
            followed.extend(subject.via.iter().cloned());
            found.push(subject);
        }
    }
    let unfollowed = placements(plan)
        .into_iter()
        .filter(|one| !followed.contains(&one.via[0]));
    found.extend(unfollowed);
    found
}

/// Every Placement of a plan.
#[must_use]
pub fn placements(plan: &Plan<'_, '_>) -> Vec<Subject> {
    let Some(outcome) = &plan.placements else {
        return Vec::new();
    };
    let placed = outcome.placements.placed.iter().map(|placed| {
        let placement = &plan.site.ocm.placements[placed.placement];
        let key = (placement.namespace.to_owned(), placement.name.to_owned());
        let clusters = match placed.skipped {
            Some(_) => held(plan, &key),
            None => {
                let planned = outcome.placements.decided(placed);
                planned.map(str::to_owned).collect()
            }
        };
        of_placement(key, clusters)
    });
    placed.collect()
}

/// What a plan says that there is: consumers that nothing is known of are not among them.
/// `after` is what there is once it is carried out: Placements that no consumer follows then are
/// subjects; without it, those that none follows now.
#[must_use]
pub fn of_hub(plan: &Plan<'_, '_>, after: Option<&[Subject]>) -> Vec<Subject> {
    let mut found = Vec::new();
    let mut followed = BTreeSet::new();
    if let Some(all) = &plan.deliveries {
        for row in &all.rows {
            if let Some(was) = &row.was {
                let subject = subject(all, row, was);
                followed.extend(subject.via.iter().cloned());
                found.push(subject);
            }
        }
    }
    let unfollowed: Option<BTreeSet<(&str, &str)>> = after.map(|after| {
        let own = after.iter().filter(|subject| subject.kind == "Placement");
        own.map(|subject| (subject.namespace.as_str(), subject.name.as_str()))
            .collect()
    });
    for placement in &plan.site.ocm.placements {
        let key = (placement.namespace.to_owned(), placement.name.to_owned());
        let is_subject = match &unfollowed {
            Some(wanted) => wanted.contains(&(placement.namespace, placement.name)),
            None => !followed.contains(&key),
        };
        if !is_subject {
            continue;
        }
        let clusters = held(plan, &key);
        if !clusters.is_empty() {
            found.push(of_placement(key, clusters));
        }
    }
    found
}

fn of_placement((namespace, name): (String, String), clusters: BTreeSet<String>) -> Subject {
    Subject {
        kind: "Placement".to_owned(),
        via: vec![(namespace.clone(), name.clone())],
        namespace,
        name,
        clusters,
    }
}

fn subject(all: &Deliveries<'_>, row: &Row<'_>, clusters: &Clusters) -> Subject {
    let names = all.ground.names.of(clusters);
    let via = row.via.iter().filter(|via| via.placement.0 == "Placement");
    let mut via: Vec<(String, String)> = via
        .map(|via| (via.placement.1.to_owned(), via.placement.2.to_owned()))
        .collect();
    via.dedup();
    Subject {
        kind: row.id.kind.to_owned(),
        namespace: row.id.namespace.to_owned(),
        name: row.id.name.to_owned(),
        clusters: names.into_iter().map(str::to_owned).collect(),
        via,
    }
}

/// The clusters that the documents hold as decided by a placement.
fn held(plan: &Plan<'_, '_>, (namespace, name): &(String, String)) -> BTreeSet<String> {
    let own = plan.site.ocm.decisions.iter();
    let own = own.filter(|one| one.namespace == namespace && one.placement == Some(name));
    own.flat_map(|one| one.clusters.iter().map(|cluster| (*cluster).to_owned()))
        .collect()
}
