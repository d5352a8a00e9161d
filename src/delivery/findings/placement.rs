//! Findings about the Placements that consumers name: missing ones, ones in another namespace, ones
//! that leave a consumer without a cluster, and ones that nothing schedules.

use std::collections::BTreeMap;

use super::elsewhere::{is_elsewhere, is_here, selecting};
use super::say::object;
use crate::delivery::follow::Deliveries;
use crate::delivery::id::Id;
use crate::delivery::model::Model;
use crate::delivery::policy::read::Selects;
use crate::delivery::row::{Extra, Row};
use crate::delivery::rules::{EMPTIED, NOBODY_SCHEDULES, OTHER_NAMESPACE, UNKNOWN_PLACEMENT};
use crate::diagnostic::{Diagnostic, Object, Severity, Sink};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::kit::vocabulary::is_slip;
use crate::ocm::model::{Model as Hub, Skipped};
use crate::source::Place;

/// A Placement that a consumer names and that is not in its namespace.
pub(in crate::delivery) struct Missing<'m, 'a> {
    pub(in crate::delivery) id: &'m Id<'a>,
    /// Whether it is a Placement or a PlacementRule.
    pub(in crate::delivery) what: Selects,
    /// The name, and where it is asked for.
    pub(in crate::delivery) name: &'m str,
    pub(in crate::delivery) place: Place,
    /// The effect.
    pub(in crate::delivery) outcome: String,
    /// Whether decisions of it are held all the same.
    pub(in crate::delivery) held: bool,
}

/// The Placement or rule of a namespace that was probably meant, in brackets.
pub(in crate::delivery) fn guess(
    all: &[(&str, &str, Place)],
    namespace: &str,
    name: &str,
) -> String {
    let here = all.iter().filter(|(other, ..)| *other == namespace);
    let near = nearest(name, here.map(|(_, name, _)| *name));
    near.map_or(String::new(), |near| format!(" ({})", did_you_mean(near)))
}

/// Says that a Placement is missing, unless it was refused or may lie elsewhere.
pub(in crate::delivery) fn missing<'a>(
    missing: &Missing<'_, 'a>,
    (model, hub): (&Model<'a>, &Hub<'a>),
    sink: &mut Sink,
) {
    let Missing {
        id,
        what,
        name,
        place,
        ..
    } = missing;
    let (namespace, kind) = (id.namespace, what.kind());
    if is_here(model, hub, *what, namespace, name) || is_elsewhere(model, hub, *what, id, name) {
        return;
    }
    let all = selecting(model, hub, *what);
    let elsewhere = all.iter().find(|(_, other, _)| other == name);
    let found = match elsewhere {
        Some((other, _, at)) => {
            let message = format!(
                "{} `{namespace}/{}` reads namespace `{namespace}`; {kind} `{name}` is in \
                 `{other}`",
                id.kind, id.name
            );
            let help = match what {
                Selects::Placement => {
                    format!("move the Placement to `{namespace}` and bind its sets there")
                }
                Selects::Rule => format!("move the PlacementRule to `{namespace}`"),
            };
            Diagnostic::new(&OTHER_NAMESPACE, message)
                .at(*place, format!("`{name}` is not in `{namespace}`"))
                .related(*at, "it is here")
                .help(help)
        }
        None => {
            let guess = guess(&all, namespace, name);
            // Decisions of one that is gone are read as long as they are there.
            let outcome = if missing.held {
                "its last decisions are read as long as they are there"
            } else {
                &missing.outcome
            };
            let message =
                format!("no {kind} `{name}` in namespace `{namespace}`{guess}: {outcome}");
            let help = match other_kind(model, hub, *what, namespace, name) {
                Some(other) => format!("a {other} has that name: refer to its kind"),
                None => format!("name a {kind} in this namespace, or add it"),
            };
            Diagnostic::new(&UNKNOWN_PLACEMENT, message)
                .at(*place, "names it")
                .help(help)
                .severity(Severity::Error)
        }
    };
    let found = found.object(object(id)).not_refusing();
    sink.push(found.because(Object::new(kind, *name).in_namespace(namespace)));
}

/// The kind of what has a name that nothing of the other kind has, if there is something.
fn other_kind(
    model: &Model<'_>,
    hub: &Hub<'_>,
    what: Selects,
    namespace: &str,
    name: &str,
) -> Option<&'static str> {
    let other = match what {
        Selects::Placement => Selects::Rule,
        Selects::Rule => Selects::Placement,
    };
    is_here(model, hub, other, namespace, name).then_some(other.kind())
}

/// A Placement, whether it is there or not.
pub(in crate::delivery) fn placement_of(namespace: &str, name: &str) -> Object {
    Object::new("Placement", name).in_namespace(namespace)
}

/// The Placement that leaves a consumer without a cluster, if it alone does: it selects none.
pub(in crate::delivery) fn emptied_by(row: &Row<'_>) -> Option<Object> {
    match row.via.as_slice() {
        [way] if way.placement.0 == "Placement" && way.clusters.is_clear() => {
            Some(placement_of(way.placement.1, way.placement.2))
        }
        _ => None,
    }
}

/// The GitOpsCluster that fails, or the Placement that leaves one without clusters, where Argo CD
/// of a namespace therefore knows none.
pub(in crate::delivery) fn unregistered_by<'a>(
    model: &Model<'a>,
    deliveries: &Deliveries<'a>,
    namespace: &str,
) -> Option<Object> {
    let registers = |row: &&Row<'_>| {
        let mut own = model.gitops.iter().filter(|one| one.argo.text == namespace);
        row.id.kind == "GitOpsCluster" && own.any(|one| one.id == row.id)
    };
    let rows: Vec<&Row<'_>> = deliveries.rows.iter().filter(registers).collect();
    if rows.iter().any(|row| !row.clusters.is_clear()) {
        return None;
    }
    let first = rows.first()?;
    match first.error {
        Some(_) => Some(object(&first.id)),
        None => emptied_by(first),
    }
}

/// Placements whose plan takes every cluster away from a consumer: one finding per consumer.
pub(in crate::delivery) fn emptied<'a>(
    model: &Model<'a>,
    deliveries: &Deliveries<'a>,
    hub: &Hub<'_>,
    words: &dyn Fn(&Row<'_>) -> String,
    sink: &mut Sink,
) {
    let mut readers: BTreeMap<(&str, &str), Vec<&Row<'_>>> = BTreeMap::new();
    let mut others = Vec::new();
    for row in &deliveries.rows {
        // Placements that lack the clusters of their hub select nothing here.
        if row.error.is_some()
            || !row.is_emptied()
            || row.id.kind == "Policy"
            || !hub.holds_clusters
            || (row.id.kind == "ApplicationSet" && model.doubt.registers(row.id.namespace))
        {
            continue;
        }
        match row.via.as_slice() {
            [way] if emptied_by(row).is_some() => {
                let (_, namespace, name) = way.placement;
                readers.entry((namespace, name)).or_default().push(row);
            }
            _ => others.push(row),
        }
    }
    for ((namespace, name), rows) in readers {
        let mut placements = hub.placements.iter();
        let placement = placements.find(|one| (one.namespace, one.name) == (namespace, name));
        let Some(placement) = placement else {
            others.extend(rows);
            continue;
        };
        let first = rows[0];
        let more = match rows.len() - 1 {
            0 => String::new(),
            1 => "; 1 other loses its clusters, too".to_owned(),
            more => format!("; {more} others lose theirs, too"),
        };
        let message = format!(
            "Placement `{name}` selects no cluster: {}{more}",
            words(first)
        );
        let mut found = Diagnostic::new(&EMPTIED, message)
            .at(placement.place, "no longer selects a cluster")
            .help("widen the Placement, or remove its consumers on purpose")
            .object(Object::new("Placement", name).in_namespace(namespace));
        let worst = rows.iter().map(|row| row.describe().emptied()).max();
        for row in rows {
            found = found.related(row.id.place, "reads it");
        }
        let found = found.severity(worst.unwrap_or(Severity::Error));
        sink.push(found.not_refusing());
    }
    for row in others {
        let message = format!("no cluster is left: {}", words(row));
        let mut found = Diagnostic::new(&EMPTIED, message)
            .at(row.id.place, "no longer reaches a cluster")
            .help("correct its references, or remove it on purpose")
            .object(object(&row.id))
            .severity(row.describe().emptied())
            .not_refusing();
        if let Extra::ApplicationSet(_) = row.extra
            && let Some(cause) = unregistered_by(model, deliveries, row.id.namespace)
        {
            found = found.because(cause);
        }
        sink.push(found);
    }
}

/// Placements whose scheduling is switched off while nothing else decides for them.
pub(in crate::delivery) fn nobody_schedules(
    model: &Model<'_>,
    deliveries: &Deliveries<'_>,
    hub: &Hub<'_>,
    sink: &mut Sink,
) {
    let disabled =
        |one: &&crate::ocm::model::Placement<'_>| one.skipped == Some(Skipped::SchedulingDisabled);
    for placement in hub.placements.iter().filter(disabled) {
        let key = (placement.namespace, placement.name);
        // One that misspells the name is told of that.
        let controlled = model.controls.iter().any(|control| {
            let name = control.placement.name.text;
            let missing =
                || !is_here(model, hub, Selects::Placement, key.0, name) && is_slip(name, key.1);
            control.id.namespace == key.0 && (name == key.1 || missing())
        });
        let reads = |row: &&Row<'_>| {
            let mut ways = row.via.iter();
            ways.any(|way| way.placement == ("Placement", key.0, key.1))
        };
        let readers: Vec<&Row<'_>> = deliveries.rows.iter().filter(reads).collect();
        if controlled || readers.is_empty() {
            continue;
        }
        let message = format!(
            "nothing schedules Placement `{}`: its decisions stay as they are",
            placement.name
        );
        let mut found = Diagnostic::new(&NOBODY_SCHEDULES, message)
            .at(placement.place, "scheduling is disabled")
            .help("remove the annotation, or add a DRPlacementControl")
            .object(Object::new("Placement", key.1).in_namespace(key.0));
        for row in readers {
            found = found.related(row.id.place, "reads them");
        }
        sink.push(found);
    }
}
