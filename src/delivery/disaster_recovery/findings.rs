//! Findings about DRPlacementControls.

use std::collections::BTreeMap;

use super::follow::Refused;
use super::read::{Control, DISABLE};
use crate::delivery::consumer::Followed;
use crate::delivery::findings::elsewhere::has_placements;
use crate::delivery::findings::placement::{Missing, missing};
use crate::delivery::findings::say::say;
use crate::delivery::follow::Deliveries;
use crate::delivery::model::Model;
use crate::delivery::policy::read::Selects;
use crate::delivery::rules::{DR_CLUSTER, NOT_DISABLED, OTHER_NAMESPACE, TWO_CONTROLS};
use crate::diagnostic::{Severity, Sink};
use crate::ocm::model::Model as Hub;
use crate::source::{Place, Text};

/// Reports the faults of DRPlacementControls that only a plan shows.
pub(super) fn planned<'a>(followed: Followed<'_, 'a>, sink: &mut Sink) {
    let Followed {
        model,
        hub,
        deliveries,
        ..
    } = followed;
    let mut owners: BTreeMap<(&str, &str), &Control<'_>> = BTreeMap::new();
    for (control, answer) in model.controls.iter().zip(&deliveries.controls) {
        let (id, reference) = (&control.id, &control.placement);
        let key = (id.namespace, reference.name.text);
        if let Some(first) = owners.get(&key) {
            let message = format!(
                "two DRPlacementControls refer to Placement `{}`: Ramen accepts only one",
                reference.name.text
            );
            let at = (reference.name.place, "the second one");
            let help = "give each workload a Placement of its own";
            let found = say(&TWO_CONTROLS, id, at, message, help);
            sink.push(found.related(first.id.place, "the first one"));
        } else {
            owners.insert(key, control);
        }
        match answer {
            Ok(target) => clusters(control, target, model, hub, sink),
            Err(why) => refused(control, *why, model, hub, deliveries, sink),
        }
    }
}

fn refused<'a>(
    control: &Control<'a>,
    why: Refused,
    model: &Model<'a>,
    hub: &Hub<'a>,
    deliveries: &Deliveries<'a>,
    sink: &mut Sink,
) {
    let (id, reference) = (&control.id, &control.placement);
    let name = reference.name;
    let message = format!("{}: Ramen moves nothing", why.message(control));
    match why {
        Refused::Missing => {
            let held = &deliveries.view.decided.held;
            let missed = Missing {
                id,
                what: Selects::Placement,
                name: name.text,
                place: name.place,
                outcome: format!("DRPlacementControl `{}` moves nothing", id.name),
                held: !held.of_placement(id.namespace, name.text).is_empty(),
            };
            missing(&missed, (model, hub), sink);
        }
        Refused::Namespace => {
            let place = reference
                .namespace
                .map_or(reference.place, |written| written.place);
            let help = "keep the DRPlacementControl in the namespace of its Placement";
            sink.push(say(
                &OTHER_NAMESPACE,
                id,
                (place, "another namespace"),
                message,
                help,
            ));
        }
        Refused::Scheduled => {
            let mark = model.marks.get(&(id.namespace, name.text));
            let help = format!("annotate the Placement with `{DISABLE}: \"true\"`");
            let found = say(
                &NOT_DISABLED,
                id,
                (name.place, "the hub schedules it"),
                message,
                help,
            );
            // Overlays of Kustomize put files together, and people annotate on the hub.
            let placed = hub.placements.iter().find(|one| one.name == name.text);
            let together = placed.is_none_or(|one| one.place.source == id.place.source);
            let level = if !together && model.open.is_unplaced(id) {
                Severity::Note
            } else {
                Severity::Error
            };
            let found = found.severity(level);
            sink.push(match mark {
                Some(mark) => found.related(mark.place, "says so"),
                None => found,
            });
        }
        Refused::Preferred | Refused::Failover | Refused::DryRun => {
            let help = match why {
                Refused::Preferred => "name the cluster that holds the workload",
                Refused::Failover => "name the cluster that takes over the workload",
                _ => "remove `dryRun`, or set `action: Failover`",
            };
            let place = match why {
                Refused::Preferred => id.place,
                _ => control.action.place,
            };
            sink.push(say(&DR_CLUSTER, id, (place, "here"), message, help));
        }
        Refused::Both => {
            let help = "keep the Placement";
            sink.push(say(
                &TWO_CONTROLS,
                id,
                (name.place, "names both"),
                message,
                help,
            ));
        }
        Refused::Decisions => {
            let help = "keep one PlacementDecision with one decision";
            sink.push(say(
                &DR_CLUSTER,
                id,
                (name.place, "decided twice"),
                message,
                help,
            ));
        }
    }
}

/// The oddities in the clusters of a control that works.
fn clusters(
    control: &Control<'_>,
    target: &str,
    model: &Model<'_>,
    hub: &Hub<'_>,
    sink: &mut Sink,
) {
    let id = &control.id;
    let mut warn = |place: Place, label: &'static str, message: String, help: &'static str| {
        let found = say(&DR_CLUSTER, id, (place, label), message, help);
        sink.push(found.severity(Severity::Warning));
    };
    let fails_over = control.action.text == "Failover";
    let written: Text<'_> = if fails_over {
        control.failover
    } else {
        control.preferred
    };
    let managed = hub
        .clusters
        .binary_search_by_key(&target, |cluster| cluster.name)
        .is_ok();
    if !managed && !hub.clusters.is_empty() {
        let message = format!("`{target}` is not a ManagedCluster");
        warn(
            written.place,
            "no such cluster",
            message,
            "name a ManagedCluster",
        );
    } else if let Some(policy) = model
        .dr_policies
        .iter()
        .find(|one| one.name == control.policy.text)
        && !policy.clusters.contains(&target)
    {
        let message = format!(
            "`{target}` is not among the `drClusters` of DRPolicy `{}`",
            policy.name
        );
        warn(
            written.place,
            "not in the DRPolicy",
            message,
            "name one of them, or add it",
        );
    }
    if !fails_over && !control.failover.text.is_empty() && control.action.text.is_empty() {
        let message = "`failoverCluster` has no effect without `action: Failover`".to_owned();
        warn(
            control.failover.place,
            "no effect",
            message,
            "remove it, or set `action: Failover`",
        );
    }
    placement(control, model, hub, sink);
}

/// The oddities in the Placement of a control.
fn placement(control: &Control<'_>, model: &Model<'_>, hub: &Hub<'_>, sink: &mut Sink) {
    let id = &control.id;
    let key = (id.namespace, control.placement.name.text);
    let mut placements = hub.placements.iter();
    let placement = placements.find(|one| (one.namespace, one.name) == key);
    let Some(placement) = placement else { return };
    if placement.number_of_clusters != Some(1) && has_placements(hub) {
        let message = format!(
            "Placement `{}` does not select exactly one cluster",
            placement.name
        );
        let at = (placement.number_place, "not 1");
        let found = say(&DR_CLUSTER, id, at, message, "write `numberOfClusters: 1`");
        sink.push(found.severity(Severity::Warning));
    }
    if let Some(mark) = model.marks.get(&key)
        && mark.text != "true"
    {
        let message = format!(
            "`{}` disables nothing: the hub still schedules Placement `{}`, and so does Ramen",
            mark.text, placement.name
        );
        let found = say(
            &NOT_DISABLED,
            id,
            (mark.place, "neither true nor false"),
            message,
            "write \"true\"",
        );
        sink.push(found.severity(Severity::Warning));
    }
}
