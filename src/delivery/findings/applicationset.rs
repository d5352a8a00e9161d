//! Findings about ApplicationSets.

mod shared;
mod steps;

use std::collections::BTreeMap;

use super::placement::{Missing, has_placements, missing};
use super::say;
use crate::delivery::argo::destination::Dropped;
use crate::delivery::argo::generate::Why;
use crate::delivery::argo::run::Odd;
use crate::delivery::argo::set::{Decisions, Kind};
use crate::delivery::follow::applicationset::About;
use crate::delivery::follow::decided::made_for;
use crate::delivery::follow::{Deliveries, Extra, Row};
use crate::delivery::read::Model;
use crate::delivery::read::applicationset::ApplicationSet;
use crate::delivery::rules::{
    APPLICATION_NAME, DECISION_SELECTOR, DECISION_SOURCE, DELIVERIES_ASSUME, DESTINATION,
    DUPLICATE_APPLICATION, GENERATOR, HUB_DESTINATION, MATCH_KEY, NOT_REGISTERED, OUTSIDE_ARGOCD,
    PULL, READS_MORE, READS_ONE_PAGE, ROLLING_STEPS, STATUS_LIST_KEY, SYNC_POLICY,
    TEMPLATE_LANGUAGE, TEMPLATE_PARAMETER, UNKNOWN_PLACEMENT,
};
use crate::diagnostic::{Severity, Sink};
use crate::kit::plural::plural;
use crate::ocm::model::{GROUP_INDEX_LABEL, GROUP_NAME_LABEL, Model as Hub, PLACEMENT_LABEL};
use crate::source::Place;

/// Names that a message gives before it counts.
const NAMED: usize = 5;

/// What a finding about one ApplicationSet looks at.
#[derive(Clone, Copy)]
struct Seen<'m, 'a> {
    model: &'m Model<'a>,
    hub: &'m Hub<'a>,
    deliveries: &'m Deliveries<'a>,
    set: &'m ApplicationSet<'a>,
    row: &'m Row<'a>,
    about: &'m About,
}

/// What following ApplicationSets brought to light.
pub(super) fn planned(
    model: &Model<'_>,
    hub: &Hub<'_>,
    deliveries: &Deliveries<'_>,
    sink: &mut Sink,
) {
    for row in &deliveries.rows {
        let Extra::ApplicationSet(about) = &row.extra else {
            continue;
        };
        let seen = Seen {
            model,
            hub,
            deliveries,
            set: &model.application_sets[about.set],
            row,
            about,
        };
        match about.failure {
            Some(_) => failure(seen, sink),
            None => {
                read(seen, sink);
                dropped(seen, sink);
                odd(seen, sink);
                steps::check(seen.set, about, deliveries, model, sink);
            }
        }
        policy(seen, sink);
        outside(seen, sink);
    }
    shared::check(model, deliveries, sink);
    assume(model, deliveries, sink);
}

/// What comes of an ApplicationSet that is left without a cluster; or of another consumer.
pub(super) fn loss(model: &Model<'_>, row: &Row<'_>) -> String {
    let (kind, name) = (row.id.kind, row.id.name);
    let Extra::ApplicationSet(about) = &row.extra else {
        return match kind {
            "GitOpsCluster" => {
                format!("the clusters of GitOpsCluster `{name}` are taken away from Argo CD")
            }
            "Subscription" => format!("Subscription `{name}` is withdrawn from every cluster"),
            _ => format!("{kind} `{name}` loses every cluster"),
        };
    };
    let set = &model.application_sets[about.set].set;
    let policy = set.applications_sync.map_or("sync", |policy| policy.text);
    let had = row.was.as_ref().map_or(0, |was| was.count_ones(..));
    let of = format!("the Applications of `{name}` on {}", plural(had, "cluster"));
    match policy {
        "create-only" | "create-update" => format!("{of} stay, and nothing removes them"),
        _ if set.preserves => format!("{of} are deleted; what they deployed stays"),
        _ => format!("{of} and what they deployed are deleted"),
    }
}

/// Why a set is left as it is.
fn failure(seen: Seen<'_, '_>, sink: &mut Sink) {
    let (id, set) = (&seen.row.id, seen.set);
    let Some(failure) = &seen.about.failure else {
        return;
    };
    let rule = match failure.why {
        Why::NoDecision => return no_decision(seen, sink),
        // What is not among the documents may be elsewhere, as Placements then are.
        Why::Source
            if !has_placements(seen.hub)
                && !seen
                    .model
                    .foreign
                    .config_maps
                    .contains_key(&(id.namespace, config_of(seen))) =>
        {
            return;
        }
        Why::Source => &DECISION_SOURCE,
        Why::Selector => &DECISION_SELECTOR,
        Why::ListKey => &STATUS_LIST_KEY,
        Why::Generator => &GENERATOR,
        Why::Parameter => &TEMPLATE_PARAMETER,
        Why::Language => &TEMPLATE_LANGUAGE,
        Why::Steps => &ROLLING_STEPS,
    };
    let message = format!(
        "{}: the Applications of `{}` are left as they are",
        failure.message, set.id.name
    );
    let found = say(
        rule,
        id,
        (failure.place, "at fault"),
        message,
        failure.help.clone(),
    );
    sink.push(found.severity(Severity::Error).not_refusing());
}

/// The name of the ConfigMap of the first reader of decisions.
fn config_of<'m>(seen: Seen<'m, '_>) -> &'m str {
    readers(seen.set)
        .next()
        .map_or("", |asks| asks.config_map.text)
}

fn readers<'m, 'a>(set: &'m ApplicationSet<'a>) -> impl Iterator<Item = &'m Decisions<'a>> {
    let kinds = set.set.all().flat_map(|generator| &generator.kinds);
    kinds.filter_map(|(kind, _)| match kind {
        Kind::Decisions(asks) => Some(asks),
        _ => None,
    })
}

/// A selector that finds no decision.
fn no_decision(seen: Seen<'_, '_>, sink: &mut Sink) {
    let (id, failure) = (&seen.row.id, &seen.about.failure);
    let Some(failure) = failure else { return };
    let at_fault = |asks: &&Decisions<'_>| {
        asks.selector
            .as_ref()
            .map_or(asks.place, |(_, place)| *place)
            == failure.place
    };
    let mut readers = readers(seen.set);
    let labels = readers
        .find(at_fault)
        .and_then(|asks| asks.selector.as_ref());
    let mut labels = labels
        .into_iter()
        .flat_map(|(selector, _)| &selector.match_labels);
    let outcome = format!("the Applications of `{}` stay as they are", id.name);
    let placement = labels.find(|(key, _)| *key == PLACEMENT_LABEL);
    let here = |name: &str| {
        seen.hub
            .placements
            .iter()
            .any(|one| (one.namespace, one.name) == (id.namespace, name))
    };
    match placement {
        Some((_, name)) if !here(name) => {
            let missed = Missing {
                id,
                name,
                place: failure.place,
                outcome,
                held: false,
            };
            missing(&missed, seen.hub, sink);
        }
        _ if has_placements(seen.hub) => {
            let message = format!("{}: {outcome}", failure.message);
            let at = (failure.place, "finds nothing");
            sink.push(say(
                &UNKNOWN_PLACEMENT,
                id,
                at,
                message,
                failure.help.clone(),
            ));
        }
        _ => {}
    }
}

/// What was read on the way, and what of it was left out.
fn read(seen: Seen<'_, '_>, sink: &mut Sink) {
    let (id, notes) = (&seen.row.id, &seen.about.notes);
    for (place, key) in &notes.match_keys {
        let (message, help) = match key.as_str() {
            "" => (
                format!(
                    "without `matchKey` ApplicationSet `{}` generates nothing and deletes its \
                     Applications",
                    id.name
                ),
                "add `matchKey: clusterName`",
            ),
            key => (
                format!(
                    "decisions have no `{key}`: ApplicationSet `{}` generates nothing and deletes \
                     its Applications",
                    id.name
                ),
                "write `matchKey: clusterName`",
            ),
        };
        sink.push(say(
            &MATCH_KEY,
            id,
            (*place, "this ConfigMap"),
            message,
            help,
        ));
    }
    let objects = &seen.deliveries.view.decided.planned;
    for (place, taken) in &notes.taken {
        let mut placements: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for at in taken {
            if let Some((kind, name)) = made_for(objects.get(*at)) {
                *placements.entry((kind, name)).or_default() += 1;
            }
        }
        let asks = readers(seen.set).find(|asks| {
            asks.selector
                .as_ref()
                .map_or(asks.place, |(_, place)| *place)
                == *place
        });
        let named = asks.is_some_and(|asks| !asks.name.text.is_empty());
        if placements.len() > 1 {
            let names: Vec<&str> = placements.keys().map(|(_, name)| *name).collect();
            let message = format!(
                "the selector reads the decisions of {} Placements: {}",
                names.len(),
                some(&names)
            );
            let help = format!(
                "PlacementDecisions do not carry the labels of clusters: select `{PLACEMENT_LABEL}`"
            );
            sink.push(say(
                &READS_MORE,
                id,
                (*place, "reads them all"),
                message,
                help,
            ));
            continue;
        }
        let Some(((_, name), count)) = placements.into_iter().next() else {
            continue;
        };
        let all = objects.of_placement(id.namespace, name).len();
        if count < all {
            let keys = asks.and_then(|asks| asks.selector.as_ref());
            let on_purpose = keys.is_some_and(|(selector, _)| {
                let expressions = selector.match_expressions.iter().map(|one| one.key);
                let labels = selector.match_labels.iter().map(|(key, _)| *key);
                labels
                    .chain(expressions)
                    .any(|key| key == GROUP_NAME_LABEL || key == GROUP_INDEX_LABEL)
            });
            let what = match named {
                true => "the named one is".to_owned(),
                false => format!("the selector takes {count}"),
            };
            let what = if named { format!("{what} 1") } else { what };
            let message = format!("{what} of {all} PlacementDecisions of Placement `{name}`");
            let help = format!("select `{PLACEMENT_LABEL}: {name}` to read them all");
            let found = say(&READS_ONE_PAGE, id, (*place, "reads a part"), message, help);
            sink.push(match on_purpose {
                true => found.severity(Severity::Note),
                false => found,
            });
        }
    }
    let unregistered = &notes.unregistered;
    if !unregistered.is_empty() {
        let names = &seen.deliveries.ground.names;
        let mut left: Vec<&str> = unregistered.iter().map(|at| names.name(*at)).collect();
        left.sort_unstable();
        let ways = seen.row.via.iter().map(|way| way.clusters.count_ones(..));
        let message = format!(
            "{} of {} decided clusters are not in Argo CD: {}",
            left.len(),
            ways.sum::<usize>().max(left.len()),
            some(&left)
        );
        let mut registers = seen.model.gitops.iter();
        let registers = registers.find(|one| one.argo.text == id.namespace);
        let help = match registers {
            Some(one) => format!("widen the Placement of GitOpsCluster `{}`", one.id.name),
            None => "register them".to_owned(),
        };
        sink.push(say(
            &NOT_REGISTERED,
            id,
            (id.place, "leaves them out"),
            message,
            help,
        ));
    }
}

/// The first names, and how many more there are.
fn some(names: &[&str]) -> String {
    match names.len() {
        few if few <= NAMED => names.join(", "),
        many => format!("{} and {} more", names[..NAMED].join(", "), many - NAMED),
    }
}

/// Applications that are not made.
fn dropped(seen: Seen<'_, '_>, sink: &mut Sink) {
    let id = &seen.row.id;
    let names = &seen.deliveries.ground.names;
    let cluster = |own: Option<u32>| own.map_or("a set of parameters", |at| names.name(at));
    let mut twice: BTreeMap<&str, (Place, Vec<&str>)> = BTreeMap::new();
    let mut bad: BTreeMap<Place, Vec<&str>> = BTreeMap::new();
    let mut refused: BTreeMap<(Place, String, &str), usize> = BTreeMap::new();
    for left in &seen.about.left {
        match &left.why {
            Dropped::Twice(name) => {
                let entry = twice.entry(name).or_insert((left.place, Vec::new()));
                entry.1.push(cluster(left.own));
            }
            Dropped::Name(name) => bad.entry(left.place).or_default().push(name),
            why => {
                let (message, help) = destination(why);
                *refused.entry((left.place, message, help)).or_default() += 1;
            }
        }
    }
    let several = twice.len();
    if let Some((name, (place, clusters))) = twice.into_iter().next() {
        let more = match several - 1 {
            0 => String::new(),
            more => format!(" (and {} like it)", plural(more, "name")),
        };
        let message = format!(
            "{} all give Application `{name}`: none is created{more}",
            some(&clusters)
        );
        let help = "put `{{name}}` into the name";
        sink.push(say(
            &DUPLICATE_APPLICATION,
            id,
            (place, "gives one name twice"),
            message,
            help,
        ));
    }
    for (place, names) in bad {
        let first = names[0];
        let dotted = first.contains("{{.");
        let message = match names.len() {
            1 => format!("`{first}` is no name of an Application: it is not created"),
            many => format!("`{first}` is no name of an Application: {many} are not created"),
        };
        let found = if dotted {
            let help = "write `{{name}}` without a dot, or set `goTemplate: true`";
            say(
                &TEMPLATE_LANGUAGE,
                id,
                (place, "a Go template"),
                message,
                help,
            )
        } else {
            let help = match () {
                () if first.contains("nameNormalized") => {
                    "clusterDecisionResource gives no `nameNormalized`; write `name`"
                }
                () if first.contains("{{") || first.contains("<no value>") => {
                    "name a parameter that the generator gives, as `name` or `clusterName`"
                }
                () => "use small letters, digits, `-` and `.`, at most 253 of them",
            };
            say(
                &APPLICATION_NAME,
                id,
                (place, "gives the name"),
                message,
                help,
            )
        };
        sink.push(found);
    }
    for ((place, message, help), count) in refused {
        let what = match count {
            1 => "no Application is created".to_owned(),
            many => format!("{many} Applications are not created"),
        };
        let message = format!("{message}: {what}");
        sink.push(say(
            &DESTINATION,
            id,
            (place, "this destination"),
            message,
            help,
        ));
    }
}

/// Why a destination is refused, and what to do.
fn destination(why: &Dropped) -> (String, &'static str) {
    match why {
        Dropped::Both => (
            "`destination` has both `name` and `server`".to_owned(),
            "keep one of them",
        ),
        Dropped::Neither => (
            "`destination` has neither `name` nor `server`".to_owned(),
            "write `name: '{{name}}'`",
        ),
        Dropped::Address(text) if text.contains("{{") => (
            format!("`destination.server` is `{text}`, which nothing fills in"),
            "write `name: '{{name}}'`",
        ),
        Dropped::Address(text) => (
            format!("`destination.server` is `{text}`, a name"),
            "write `name: '{{name}}'`",
        ),
        Dropped::Unregistered(name) | Dropped::Name(name) | Dropped::Twice(name) => (
            format!("Argo CD knows no cluster `{name}`"),
            "write `name: '{{name}}'`, or register the cluster",
        ),
    }
}

/// What is odd about Applications that are made.
fn odd(seen: Seen<'_, '_>, sink: &mut Sink) {
    let id = &seen.row.id;
    for (what, place) in &seen.about.odd {
        let (rule, message, help) = match what {
            Odd::Tag(name) => (
                &TEMPLATE_PARAMETER,
                format!("nothing gives the parameter `{name}`: the tag stays as it is"),
                "correct the name, or add it to the `values` of the generator",
            ),
            Odd::Dotted(name) => (
                &TEMPLATE_LANGUAGE,
                format!("`{{{{{name}}}}}` is a Go template, and `goTemplate` is not set"),
                "write it without the dot, or set `goTemplate: true`",
            ),
            Odd::HalfPulled => (
                &PULL,
                "an Application is pulled where both the label and the annotation with the \
                 cluster are there"
                    .to_owned(),
                "add the other one, or remove this one",
            ),
            Odd::NotTrue(text) => (
                &PULL,
                format!("the pull label is `{text}`, which is not true: nobody pulls"),
                "write \"true\"",
            ),
            Odd::NotSkipped => (
                &PULL,
                "the cluster pulls the Application, and Argo CD of the hub deploys it as well"
                    .to_owned(),
                "add the annotation `argocd.argoproj.io/skip-reconcile: \"true\"`",
            ),
            Odd::PulledByHub => (
                &PULL,
                "the hub is to pull an Application from itself, which is skipped".to_owned(),
                "leave the hub out of the Placement",
            ),
            Odd::PulledByNobody(name) => (
                &PULL,
                format!("`{name}` is to pull an Application, and is no ManagedCluster"),
                "write the name of a ManagedCluster",
            ),
        };
        sink.push(say(rule, id, (*place, "here"), message, help));
    }
    if seen.about.here > 1 {
        let template = seen.set.set.templates.first();
        let place = template.map_or(id.place, |template| template.destination);
        let message = format!("{} Applications go to the hub itself", seen.about.here);
        let help = "write `server: '{{server}}'`, or set up pulling";
        sink.push(say(
            &HUB_DESTINATION,
            id,
            (place, "is the hub"),
            message,
            help,
        ));
    }
}

/// What may happen to Applications.
fn policy(seen: Seen<'_, '_>, sink: &mut Sink) {
    let Some(policy) = seen.set.set.applications_sync else {
        return;
    };
    if matches!(policy.text, "create-only" | "create-update") {
        let message = format!(
            "with `{}` clusters that leave keep their Application",
            policy.text
        );
        let help = "write `sync` or `create-delete` to have them deleted";
        sink.push(say(
            &SYNC_POLICY,
            &seen.row.id,
            (policy.place, "deletes nothing"),
            message,
            help,
        ));
    }
}

/// A set that lies where no Argo CD is.
fn outside(seen: Seen<'_, '_>, sink: &mut Sink) {
    let (id, model) = (&seen.row.id, seen.model);
    let mut gitops = model.gitops.iter();
    let Some(first) = gitops.next() else { return };
    let here = model.gitops.iter().any(|one| one.argo.text == id.namespace);
    if !here {
        let message = format!(
            "no GitOpsCluster names namespace `{}` as that of an Argo CD: the ApplicationSet is \
             ignored, or reads namespace `{}`",
            id.namespace, first.argo.text
        );
        let help = format!("move it to `{}`", first.argo.text);
        sink.push(say(
            &OUTSIDE_ARGOCD,
            id,
            (id.place, "outside of Argo CD"),
            message,
            help,
        ));
    }
}

/// What was assumed in this run.
fn assume(model: &Model<'_>, deliveries: &Deliveries<'_>, sink: &mut Sink) {
    let abouts = deliveries.rows.iter().filter_map(|row| match &row.extra {
        Extra::ApplicationSet(about) => Some((row, about)),
        _ => None,
    });
    let mut first = None;
    let (mut nameless, mut unknown, mut rolling, mut unregistered) = (0, false, false, false);
    for (row, about) in abouts {
        first.get_or_insert(row);
        nameless += about.nameless;
        unknown |= about.notes.unknown;
        rolling |= model.application_sets[about.set].set.is_rolling();
        unregistered |= !deliveries.view.registered.contains_key(row.id.namespace);
    }
    let Some(first) = first else { return };
    let mut parts =
        vec!["Argo CD 3 runs in their namespace, and its projects allow them".to_owned()];
    if unregistered {
        parts.push("without a GitOpsCluster every decided cluster is registered".to_owned());
    }
    if rolling {
        parts.push("progressive syncs are switched on".to_owned());
    }
    if unknown {
        parts
            .push("what git, SCM, pull request and plugin generators give is not known".to_owned());
    }
    if nameless > 0 {
        parts.push(format!(
            "{} of Applications are not known",
            plural(nameless, "name")
        ));
    }
    let message = format!("of ApplicationSets it is assumed: {}", parts.join("; "));
    let help = "compare with the flags of your controllers where that is not so";
    sink.push(say(
        &DELIVERIES_ASSUME,
        &first.id,
        (first.id.place, "the first one"),
        message,
        help,
    ));
}
