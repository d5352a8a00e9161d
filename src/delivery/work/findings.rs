//! Findings about replica sets of works.

use std::collections::BTreeMap;

use super::about::About;
use crate::delivery::consumer::Followed;
use crate::delivery::findings::elsewhere::is_elsewhere;
use crate::delivery::findings::placement::placement_of;
use crate::delivery::findings::say::{list, say};
use crate::delivery::follow::Deliveries;
use crate::delivery::model::Model;
use crate::delivery::policy::read::Selects;
use crate::delivery::row::{Extra, Row};
use crate::delivery::rules::{WORK_EVENTS, WORK_NAME, WORK_PLACEMENT, WORK_STAYS, WORK_TWICE};
use crate::diagnostic::{Diagnostic, Sink};
use crate::kit::vocabulary::is_slip;
use crate::ocm::model::{Model as Hub, ReplicaSet};

/// Reports the faults of replica sets of works that only a plan shows.
pub(super) fn planned<'a>(followed: Followed<'_, 'a>, sink: &mut Sink) {
    let Followed {
        model,
        hub,
        deliveries,
        ..
    } = followed;
    for row in &deliveries.rows {
        if let Extra::Works(about) = &row.extra {
            works((model, hub), deliveries, (row, about), sink);
        }
    }
}

fn works<'a>(
    (model, hub): (&Model<'a>, &Hub<'a>),
    deliveries: &Deliveries<'a>,
    (row, about): (&Row<'a>, &About<'a>),
    sink: &mut Sink,
) {
    let set = &hub.replica_sets[about.set];
    if about.bad_name {
        sink.push(name_too_long(set, row));
    } else if set.name.contains('.') {
        sink.push(name_with_a_dot(set, row));
    }
    if let Some(at) = about.missing
        && !is_elsewhere(
            model,
            hub,
            Selects::Placement,
            &row.id,
            set.placements[at].name.text,
        )
        && !is_told(hub, set.namespace, set.placements[at].name.text)
    {
        sink.push(stops_at(set, at, row));
    }
    twice(hub, deliveries, (row, about), sink);
    if !about.stays.is_empty() {
        sink.push(stays(set, (row, about)));
    }
}

fn name_too_long(set: &ReplicaSet<'_>, row: &Row<'_>) -> Diagnostic {
    let bytes = set.namespace.len() + 1 + set.name.len();
    let message = format!(
        "`{}.{}` ({bytes} bytes) is not a valid label value: nothing is delivered, and the object \
         cannot be deleted",
        set.namespace, set.name
    );
    let label = "with its namespace, too long or not allowed in a label";
    let help = "shorten the name: namespace, dot and name may have at most 63 bytes";
    say(&WORK_NAME, &row.id, (set.place, label), message, help)
}

fn name_with_a_dot(set: &ReplicaSet<'_>, row: &Row<'_>) -> Diagnostic {
    let message = format!(
        "the rollout of `{}/{}` stalls: its works never wake the hub, which looks again every 30 \
         minutes",
        set.namespace, set.name
    );
    let at = (set.place, "has a dot");
    say(
        &WORK_EVENTS,
        &row.id,
        at,
        message,
        "choose a name without dots",
    )
}

/// The set is served up to the placement at `at`, which is missing.
fn stops_at(set: &ReplicaSet<'_>, at: usize, row: &Row<'_>) -> Diagnostic {
    let reference = &set.placements[at];
    let after = match set.placements.len() - at - 1 {
        0 => String::new(),
        1 => "; 1 placement after it is not processed".to_owned(),
        rest => format!("; {rest} placements after it are not processed"),
    };
    let name = reference.name.text;
    let message = format!(
        "`{}/{}` stops at `{name}`: there is no Placement of that name in `{}`{after}",
        set.namespace, set.name, set.namespace
    );
    let found = say(
        &WORK_PLACEMENT,
        &row.id,
        (reference.name.place, "no such Placement"),
        message,
        "name a Placement that exists, or add it",
    );
    found.because(placement_of(set.namespace, name))
}

fn stays(set: &ReplicaSet<'_>, (row, about): (&Row<'_>, &About<'_>)) -> Diagnostic {
    let on: Vec<&str> = about.stays.iter().map(|work| work.namespace).collect();
    let (works, clusters) = match on.len() {
        1 => ("the ManifestWork", "the cluster"),
        _ => ("the ManifestWorks", "the clusters"),
    };
    let message = format!(
        "{works} of `{}/{}` on {} may stay forever: the template changed while {clusters} left",
        set.namespace,
        set.name,
        list(&on)
    );
    let mut found = say(
        &WORK_STAYS,
        &row.id,
        (set.place, "its template differs from the work"),
        message,
        "change the template and the placement in separate steps",
    );
    for work in &about.stays {
        found = found.related(work.place, "this work");
    }
    found
}

/// Whether a Placement that is missing is reported already: as a slip in its name, or as refused.
fn is_told(hub: &Hub<'_>, namespace: &str, name: &str) -> bool {
    let mut placements = hub.placements.iter();
    let mut refused = hub.refused_placements.iter();
    placements.any(|one| one.namespace == namespace && is_slip(name, one.name))
        || refused.any(|one| (one.namespace, one.name) == (namespace, name))
}

/// Clusters that two refs give.
fn twice(
    hub: &Hub<'_>,
    deliveries: &Deliveries<'_>,
    (row, about): (&Row<'_>, &About<'_>),
    sink: &mut Sink,
) {
    let set = &hub.replica_sets[about.set];
    let mut pairs: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
    // The hub processes no placement after a missing one.
    let processed = about.missing.unwrap_or(row.via.len());
    for (at, via) in row.via[..processed].iter().enumerate() {
        for (other, earlier) in row.via[..at].iter().enumerate() {
            let mut both = (*via.clusters).clone();
            both.intersect_with(&earlier.clusters);
            if via.placement != earlier.placement && !both.is_clear() {
                pairs.insert((other, at), deliveries.ground.names.of(&both));
            }
        }
    }
    for ((first, second), clusters) in pairs {
        let (first, second) = (&set.placements[first].name, &set.placements[second].name);
        let message = format!(
            "the hub creates ManifestWorks of `{}/{}` without end on {}: `{}` and `{}` both select \
             {}",
            set.namespace,
            set.name,
            list(&clusters),
            first.text,
            second.text,
            match clusters.len() {
                1 => "it",
                _ => "them",
            }
        );
        let found = say(
            &WORK_TWICE,
            &row.id,
            (second.place, "selects them again"),
            message,
            "refer to placements that have no cluster in common",
        );
        sink.push(found.related(first.place, "selects them first"));
    }
}
