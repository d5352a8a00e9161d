//! Findings about add-ons.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::about::About;
use super::read::{Config, Installed};
use crate::delivery::consumer::Followed;
use crate::delivery::findings::elsewhere::{is_elsewhere, selecting};
use crate::delivery::findings::placement::{emptied_by, guess, placement_of};
use crate::delivery::findings::say::{list, say};
use crate::delivery::follow::Deliveries;
use crate::delivery::id::Id;
use crate::delivery::model::Model;
use crate::delivery::policy::read::Selects;
use crate::delivery::row::{Extra, Row};
use crate::delivery::rules::{
    ADDON_BLOCKED, ADDON_BY_HAND, ADDON_CONFIG, ADDON_PLACEMENT, ADDON_SELF, ADDON_UNKNOWN,
};
use crate::diagnostic::Sink;
use crate::kit::named::Name;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::kit::plural::plural;
use crate::ocm::model::Model as Hub;

/// Reports the faults of add-ons that only a plan shows.
pub(super) fn planned<'a>(followed: Followed<'_, 'a>, sink: &mut Sink) {
    let Followed {
        model,
        hub,
        deliveries,
        ..
    } = followed;
    for row in &deliveries.rows {
        if let Extra::AddOn(about) = &row.extra {
            addon(model, hub, deliveries, (row, about), sink);
        }
    }
    unknown(model, sink);
    configurations(model, sink);
}

fn addon<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    deliveries: &Deliveries<'a>,
    (row, about): (&Row<'a>, &About<'a>),
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
        // It stays on the clusters of its other placements.
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
