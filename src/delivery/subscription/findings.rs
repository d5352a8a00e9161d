//! Findings about Subscriptions.

use std::collections::BTreeSet;

use super::follow::Why;
use super::read::Subscription;
use crate::delivery::consumer::Followed;
use crate::delivery::findings::elsewhere::is_here;
use crate::delivery::findings::placement::{Missing, missing};
use crate::delivery::findings::say::say;
use crate::delivery::follow::Deliveries;
use crate::delivery::model::{Channel, Model};
use crate::delivery::policy::read::Selects;
use crate::delivery::rules::{
    CLUSTER_NAME_LABEL, DECISION_SELECTOR, LOCAL_AND_REMOTE, PLACEMENT_REFERENCE,
    SUBSCRIPTION_EVERYWHERE, UNKNOWN_CHANNEL,
};
use crate::diagnostic::{Severity, Sink};
use crate::document::DocumentKind;
use crate::kit::named::Name;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::ocm::model::Model as Hub;
use crate::source::Place;

/// Reports the faults of Subscriptions that only a plan shows.
pub(super) fn planned<'a>(followed: Followed<'_, 'a>, sink: &mut Sink) {
    let Followed {
        model,
        hub,
        deliveries,
        ..
    } = followed;
    for (subscription, refused) in model.subscriptions.iter().zip(&deliveries.subscriptions) {
        let id = &subscription.id;
        if let Some(refused) = refused {
            let channel = subscription.channel.text.split_once('/');
            let may_be_there = |(namespace, name): (&str, &str)| {
                let refused = (DocumentKind::Channel, namespace, name);
                model.refused.contains_key(&refused)
                    || model.open.may_hold(id, "Channel", name, false)
            };
            if refused.why == Why::Channel && channel.is_some_and(may_be_there) {
                continue;
            }
            let (rule, help) = match refused.why {
                Why::Placement => (&LOCAL_AND_REMOTE, "give one kind of placement"),
                Why::Reference => (
                    &PLACEMENT_REFERENCE,
                    "write `kind: Placement` and \
                     `apiVersion: cluster.open-cluster-management.io/v1beta1`",
                ),
                Why::Selector => (&DECISION_SELECTOR, "correct the selector"),
                Why::Channel => (&UNKNOWN_CHANNEL, "name a Channel as NAMESPACE/NAME"),
            };
            let near = match refused.why {
                Why::Channel => near_channel(subscription, model),
                _ => None,
            };
            let message = format!("{}: the Subscription stays as it is", refused.message);
            let found = say(rule, id, (refused.place, "refused"), message, help);
            sink.push(match near {
                Some((help, there)) => found.help(help).related(there, "a Channel that is there"),
                None => found,
            });
            continue;
        }
        reference(subscription, model, hub, deliveries, sink);
        names(subscription, hub, sink);
        let placement = subscription.placement.as_ref();
        everywhere(subscription, hub, sink);
        if let Some(placement) = placement
            && !placement.local
            && placement.reference.is_none()
            && placement.selector.is_none()
            && placement.clusters.is_none()
        {
            let message = "the placement names nothing: the Subscription reaches no cluster";
            let help = "add a `placementRef`, or remove the Subscription";
            let found = say(
                &LOCAL_AND_REMOTE,
                id,
                (placement.place, "names nothing"),
                message,
                help,
            );
            sink.push(found.severity(Severity::Note));
        }
    }
}

/// The Channel that may be meant: one of the same name, one with a name like it, or the only one.
/// With the help text, and the place of the name or namespace of that Channel.
fn near_channel(subscription: &Subscription<'_>, model: &Model<'_>) -> Option<(String, Place)> {
    let written = subscription.channel.text;
    let name = written.rsplit('/').next().unwrap_or(written);
    let whole =
        |channel: &Channel<'_>| Name::new(channel.namespace.text, channel.name.text).to_string();
    let mut same = model.channels.iter().filter(|one| one.name.text == name);
    if let (Some(channel), None) = (same.next(), same.next()) {
        let help = format!("write `{}`", whole(channel));
        return Some((help, channel.namespace.place));
    }
    let names: Vec<String> = model.channels.iter().map(whole).collect();
    let near = nearest(written, names.iter().map(String::as_str));
    let all = model.channels.iter().zip(&names);
    let found = near.and_then(|near| all.into_iter().find(|(_, name)| *name == near));
    match (found, &*model.channels) {
        (Some((channel, name)), _) => Some((did_you_mean(name), channel.name.place)),
        (None, [only]) => {
            let help = format!("the only Channel here is `{}`", whole(only));
            Some((help, only.name.place))
        }
        (None, _) => None,
    }
}

/// The Placement or rule that a reference leads to.
fn reference<'a>(
    subscription: &Subscription<'a>,
    model: &Model<'a>,
    hub: &Hub<'a>,
    deliveries: &Deliveries<'a>,
    sink: &mut Sink,
) {
    let id = &subscription.id;
    let placement = subscription.placement.as_ref();
    let Some(reference) = placement.and_then(|placement| placement.reference.as_ref()) else {
        return;
    };
    let name = reference.name;
    let what = reference.selects();
    let here = |what| is_here(model, hub, what, id.namespace, name.text);
    if reference.kind.is_none() && here(Selects::Placement) && !here(Selects::Rule) {
        let message = format!(
            "without `kind` the hub looks for a PlacementRule `{}`, but a Placement has that name",
            name.text
        );
        let help = "write `kind: Placement`";
        let at = (reference.place, "has no `kind`");
        let found = say(&PLACEMENT_REFERENCE, id, at, message, help);
        sink.push(found.severity(Severity::Warning));
        return;
    }
    let held = &deliveries.view.decided.held;
    let held = match what {
        Selects::Placement => held.of_placement(id.namespace, name.text),
        Selects::Rule => held.of_rule(id.namespace, name.text),
    };
    let missed = Missing {
        id,
        what,
        name: name.text,
        place: name.place,
        outcome: format!("Subscription `{}` is withdrawn from every cluster", id.name),
        held: !held.is_empty(),
    };
    missing(&missed, (model, hub), sink);
}

/// A list without clusters, which selects all of them.
fn everywhere(subscription: &Subscription<'_>, hub: &Hub<'_>, sink: &mut Sink) {
    let Some(placement) = &subscription.placement else {
        return;
    };
    let empty = placement.clusters.as_ref().is_some_and(Vec::is_empty);
    if !empty || placement.reference.is_some() || placement.selector.is_some() {
        return;
    }
    let all = hub.clusters.iter().filter(|cluster| !cluster.terminating);
    let all = match all.count() {
        0 => "every cluster".to_owned(),
        1 => "the only cluster".to_owned(),
        many => format!("all {many} clusters"),
    };
    let message = format!(
        "`clusters: []` selects {all}, not none: Subscription `{}` goes there",
        subscription.id.name
    );
    let help = "name the clusters, write a `clusterSelector`, or remove `placement`";
    let at = (placement.place, "asks for no cluster in particular");
    sink.push(say(
        &SUBSCRIPTION_EVERYWHERE,
        &subscription.id,
        at,
        message,
        help,
    ));
}

/// Clusters that are named, and lack the label by which they are found.
fn names(subscription: &Subscription<'_>, hub: &Hub<'_>, sink: &mut Sink) {
    let placement = subscription.placement.as_ref();
    let wanted = placement.and_then(|placement| placement.clusters.as_ref());
    let Some(wanted) = wanted.filter(|wanted| !wanted.is_empty()) else {
        return;
    };
    if placement.is_some_and(|placement| placement.reference.is_some()) {
        return;
    }
    let mut labelled = BTreeSet::new();
    for cluster in &hub.clusters {
        labelled.extend(
            cluster
                .labels
                .iter()
                .filter(|(key, _)| *key == "name")
                .map(|(_, value)| *value),
        );
    }
    for wanted in wanted
        .iter()
        .filter(|wanted| !labelled.contains(wanted.text))
    {
        let name = wanted.text;
        let exists = hub
            .clusters
            .binary_search_by_key(&name, |cluster| cluster.name)
            .is_ok();
        if exists {
            let message = format!(
                "ManagedCluster `{name}` has no label `name: {name}`, so `clusters` does not find \
                 it"
            );
            let help = "label the cluster, or use a Placement";
            let at = (wanted.place, "not found");
            sink.push(say(
                &CLUSTER_NAME_LABEL,
                &subscription.id,
                at,
                message,
                help,
            ));
        }
    }
}
