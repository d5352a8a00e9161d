//! Findings about add-ons, works and pages of decisions.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::elsewhere::{is_elsewhere, selecting};
use super::placement::{emptied_by, guess, placement_of};
use super::say;
use crate::delivery::follow::addon::About as AddOnAbout;
use crate::delivery::follow::work::About as WorkAbout;
use crate::delivery::follow::{Deliveries, Extra, Row};
use crate::delivery::read::addon::{Config, Installed};
use crate::delivery::read::policy::Selects;
use crate::delivery::read::{Id, Model};
use crate::delivery::rules::{
    ADDON_BLOCKED, ADDON_BY_HAND, ADDON_CONFIG, ADDON_PLACEMENT, ADDON_SELF, ADDON_UNKNOWN,
    PAGE_GAP, WORK_EVENTS, WORK_NAME, WORK_PLACEMENT, WORK_STAYS, WORK_TWICE,
};
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::kit::named::Name;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::kit::plural::{first_names, plural};
use crate::kit::vocabulary::is_slip;
use crate::ocm::model::{Model as Hub, ReplicaSet};

/// Names that a message gives before it counts.
const NAMED: usize = 5;

/// Reports the faults that following add-ons, works and pages reveals.
pub(super) fn planned<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    deliveries: &Deliveries<'a>,
    sink: &mut Sink,
) {
    for row in &deliveries.rows {
        match &row.extra {
            Extra::AddOn(about) => addon(model, hub, deliveries, (row, about), sink),
            Extra::Works(about) => works((model, hub), deliveries, (row, about), sink),
            _ => {}
        }
    }
    unknown(model, sink);
    configurations(model, sink);
    gaps(deliveries, sink);
}

/// The first names, and how many more.
fn list(names: &[&str]) -> String {
    first_names(names.iter().map(|name| format!("`{name}`")), NAMED)
}

fn addon<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    deliveries: &Deliveries<'a>,
    (row, about): (&Row<'a>, &AddOnAbout<'a>),
    sink: &mut Sink,
) {
    let addon = &model.addons[about.addon];
    let name = addon.id.name;
    if let Some(place) = addon.own.filter(|_| addon.follows) {
        let message = format!("`{name}` installs itself: the hub does not read its placements");
        sink.push(say(
            &ADDON_SELF,
            &addon.id,
            (place, "not `addon-manager`"),
            message,
            "write `addon-manager`, or remove the placements",
        ));
    }
    for at in &about.missing {
        let install = &addon.installs[*at];
        let (namespace, placement) = (install.namespace, install.name.text);
        if is_elsewhere(model, hub, Selects::Placement, &addon.id, placement) {
            continue;
        }
        let all = selecting(model, hub, Selects::Placement);
        let guess = guess(&all, namespace, placement);
        let lost = row.moved().1.count_ones(..);
        let lost = match lost {
            0 => "no cluster gets".to_owned(),
            1 => "1 cluster loses".to_owned(),
            many => format!("{many} clusters lose"),
        };
        // What its other placements select keeps it.
        let others = addon.installs.len() - about.missing.len();
        let effect = match others {
            0 => format!("{lost} `{name}`"),
            1 => format!("`{name}` is installed through its other placement alone"),
            _ => format!("`{name}` is installed through its other placements alone"),
        };
        let message = format!(
            "no Placement `{namespace}/{placement}`{guess}: {effect}, and no configuration is \
             rolled out"
        );
        sink.push(
            say(
                &ADDON_PLACEMENT,
                &addon.id,
                (install.name.place, "no such Placement"),
                message,
                "name a Placement that exists, or add it",
            )
            .because(placement_of(namespace, placement)),
        );
    }
    for blocked in &about.blocked {
        let install = &addon.installs[blocked.install];
        let why = match blocked.taken_by.map(|at| &addon.installs[at]) {
            Some(by) => format!("which `{}/{}` selects as well", by.namespace, by.name.text),
            None => "where the add-on is not installed".to_owned(),
        };
        let message = format!(
            "{} of `{}/{}` never get their configuration: group {} waits for `{}`, {why}",
            plural(blocked.clusters.len(), "cluster"),
            install.namespace,
            install.name.text,
            blocked.group,
            blocked.waits_for
        );
        sink.push(say(
            &ADDON_BLOCKED,
            &addon.id,
            (install.place, "this rollout never completes"),
            message,
            "roll out with `type: All`, or keep the placements disjoint",
        ));
    }
    if addon.own.is_none() && addon.follows && about.missing.is_empty() && hub.holds_clusters {
        let deleted = |one: &&Installed<'a>| {
            let number = deliveries.ground.names.find(one.id.namespace);
            let selected = number.is_some_and(|number| row.clusters.contains(number as usize));
            one.id.name == name && !one.owned && !selected
        };
        let deleted: Vec<_> = model.installed.iter().filter(deleted).collect();
        by_hand(name, &deleted, row, sink);
    }
}

/// Add-ons on clusters that the hub deletes, because no placement of theirs selects the clusters.
fn by_hand(name: &str, deleted: &[&Installed<'_>], row: &Row<'_>, sink: &mut Sink) {
    let [first, others @ ..] = deleted else {
        return;
    };
    let on: Vec<&str> = deleted.iter().map(|one| one.id.namespace).collect();
    let mut found = say(
        &ADDON_BY_HAND,
        &first.id,
        (
            first.id.place,
            "no placement of the add-on selects this cluster",
        ),
        format!(
            "the hub deletes ManagedClusterAddOn `{name}` of {}",
            list(&on)
        ),
        "have a placement select the cluster, or install with `type: Manual`",
    );
    for other in others {
        found = found.related(other.id.place, "nor this one");
    }
    let cause = emptied_by(row).filter(|_| row.is_emptied());
    sink.push(match cause {
        Some(cause) => found.because(cause),
        None => found,
    });
}

/// Add-ons on clusters that no ClusterManagementAddOn names.
fn unknown(model: &Model<'_>, sink: &mut Sink) {
    if model.addons.is_empty() {
        return;
    }
    let known: FxHashSet<&str> = model.addons.iter().map(|addon| addon.id.name).collect();
    for one in model
        .installed
        .iter()
        .filter(|one| !known.contains(one.id.name))
    {
        let name = one.id.name;
        let near = nearest(name, known.iter().copied());
        // The add-ons of a product have no document here.
        let Some(near) = near else {
            continue;
        };
        let message = format!("there is no add-on `{name}`; {}", did_you_mean(near));
        sink.push(say(
            &ADDON_UNKNOWN,
            &one.id,
            (one.id.place, "no ClusterManagementAddOn of that name"),
            message,
            format!("write `{near}`"),
        ));
    }
}

/// Configurations that no document has, once each, where the documents hold some of their kind.
fn configurations<'a>(model: &Model<'a>, sink: &mut Sink) {
    let of_addons = model.addons.iter().flat_map(|addon| {
        let installs = addon.installs.iter().flat_map(|install| &install.configs);
        addon
            .defaults
            .iter()
            .chain(installs)
            .map(|config| (&addon.id, config))
    });
    let of_clusters = model
        .installed
        .iter()
        .flat_map(|one| one.configs.iter().map(|config| (&one.id, config)));
    let known = &model.configurations;
    let mut missing: BTreeMap<_, Vec<(&Id<'a>, &Config<'a>)>> = BTreeMap::new();
    for (id, config) in of_addons.chain(of_clusters) {
        let Some(object) = config.read().filter(|object| !known.contains(object)) else {
            continue;
        };
        let (kind, _, name) = object;
        let is_kind = known.iter().any(|(other, ..)| *other == kind);
        let elsewhere = known
            .iter()
            .any(|(other, _, one)| (*other, *one) == (kind, name));
        if is_kind && !name.is_empty() && !model.open.may_hold(id, kind, name, elsewhere) {
            missing.entry(object).or_default().push((id, config));
        }
    }
    for ((kind, namespace, name), asked) in missing {
        let here = |(other, place, _): &&(&str, &str, &str)| (*other, *place) == (kind, namespace);
        let near = nearest(name, known.iter().filter(here).map(|(.., name)| *name));
        let guess = near.map_or(String::new(), |near| format!(" ({})", did_you_mean(near)));
        let full = Name::new(namespace, name).to_string();
        let elsewhere = known
            .iter()
            .find(|(other, _, one)| (*other, *one) == (kind, name));
        let help = match (near, elsewhere) {
            (Some(near), _) => format!("write `{near}`"),
            (None, Some((_, other, _))) => format!("there is one in `{other}`"),
            (None, None) => "add it, or correct the name".to_owned(),
        };
        let [(id, first), others @ ..] = asked.as_slice() else {
            continue;
        };
        let mut found = say(
            &ADDON_CONFIG,
            id,
            (first.place, "no such object"),
            format!("no {kind} `{full}`{guess}"),
            help,
        );
        for (_, other) in others {
            found = found.related(other.place, "also refers to it");
        }
        sink.push(found);
    }
}

fn works<'a>(
    (model, hub): (&Model<'a>, &Hub<'a>),
    deliveries: &Deliveries<'a>,
    (row, about): (&Row<'a>, &WorkAbout<'a>),
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

fn stays(set: &ReplicaSet<'_>, (row, about): (&Row<'_>, &WorkAbout<'_>)) -> Diagnostic {
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
    (row, about): (&Row<'_>, &WorkAbout<'_>),
    sink: &mut Sink,
) {
    let set = &hub.replica_sets[about.set];
    let mut pairs: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
    // What comes after a missing placement is not processed.
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

/// Placements some of whose clusters are in no page for a moment.
fn gaps(deliveries: &Deliveries<'_>, sink: &mut Sink) {
    for gap in &deliveries.gaps {
        let first = &gap.moves[0];
        let redone = match gap.deliveries.len() {
            0 => String::new(),
            1 => "; 1 delivery removes and recreates what it has there".to_owned(),
            many => format!("; {many} deliveries remove and recreate what they have there"),
        };
        let are = match gap.moves.len() {
            1 => "is",
            _ => "are",
        };
        let message = format!(
            "{} of `{}/{}` {are} briefly in no PlacementDecision: `{}` moves from `{}` to \
             `{}`{redone}",
            plural(gap.moves.len(), "cluster"),
            gap.namespace,
            gap.placement,
            first.cluster,
            first.from,
            first.to
        );
        sink.push(
            Diagnostic::new(&PAGE_GAP, message)
                .at(gap.place, "its decisions move to a later page")
                .help(
                    "use decision groups of at most 100 clusters, so that clusters move only \
                     within a page; a new cluster whose name sorts last moves none",
                )
                .object(Object::new("Placement", gap.placement).in_namespace(gap.namespace))
                .not_refusing(),
        );
    }
}
