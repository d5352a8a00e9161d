//! Findings about ApplicationSets.

mod failure;
mod made;
mod read;
mod shared;
mod steps;

use crate::delivery::application_set::about::About;
use crate::delivery::application_set::argo::set::{Decisions, Kind};
use crate::delivery::application_set::findings::failure::failure;
use crate::delivery::application_set::findings::made::{dropped, odd};
use crate::delivery::application_set::findings::read::read;
use crate::delivery::application_set::read::ApplicationSet;
use crate::delivery::consumer::Followed;
use crate::delivery::findings::say::say;
use crate::delivery::follow::Deliveries;
use crate::delivery::model::Model;
use crate::delivery::row::{Extra, Row};
use crate::delivery::rules::{DELIVERIES_ASSUME, OUTSIDE_ARGOCD, SYNC_POLICY};
use crate::diagnostic::Sink;
use crate::kit::plural::plural;
use crate::ocm::model::Model as Hub;

/// Names that a message gives before it counts.
const NAMED: usize = 5;

/// The objects that a finding about one ApplicationSet looks at.
#[derive(Clone, Copy)]
struct Seen<'m, 'a> {
    model: &'m Model<'a>,
    hub: &'m Hub<'a>,
    deliveries: &'m Deliveries<'a>,
    set: &'m ApplicationSet<'a>,
    row: &'m Row<'a>,
    about: &'m About,
}

/// Reports the faults of ApplicationSets that only a plan shows.
pub(super) fn planned(followed: Followed<'_, '_>, sink: &mut Sink) {
    let Followed {
        model,
        hub,
        deliveries,
        ..
    } = followed;
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

/// The effect on an ApplicationSet of being left without a cluster.
pub(super) fn loss(model: &Model<'_>, row: &Row<'_>) -> String {
    let name = row.id.name;
    let Extra::ApplicationSet(about) = &row.extra else {
        return String::new();
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

/// Reports what the policy of the set does to Applications.
fn policy(seen: Seen<'_, '_>, sink: &mut Sink) {
    let Some(policy) = seen.set.set.applications_sync else {
        return;
    };
    if matches!(policy.text, "create-only" | "create-update") {
        let message = format!(
            "with `{}`, clusters that are no longer selected keep their Application",
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
    if !here && !model.doubt.registers(id.namespace) {
        let message = format!(
            "no GitOpsCluster names `{}` as an Argo CD namespace: Argo CD ignores the \
             ApplicationSet, or reads namespace `{}`",
            id.namespace, first.argo.text
        );
        let help = format!("move it to `{}`", first.argo.text);
        sink.push(say(
            &OUTSIDE_ARGOCD,
            id,
            (id.place, "outside the Argo CD namespaces"),
            message,
            help,
        ));
    }
}

/// Reports the assumptions of this run.
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
        parts.push("every selected cluster is registered, as there is no GitOpsCluster".to_owned());
    }
    if rolling {
        parts.push("progressive syncs are enabled".to_owned());
    }
    if unknown {
        parts.push(
            "the output of git, SCM, pull request and plugin generators is \
                   unknown"
                .to_owned(),
        );
    }
    if nameless > 0 {
        parts.push(format!(
            "{} of Applications are unknown",
            plural(nameless, "name")
        ));
    }
    let message = format!("assumptions about ApplicationSets: {}", parts.join("; "));
    let help = "check the flags of your controllers";
    sink.push(say(
        &DELIVERIES_ASSUME,
        &first.id,
        (first.id.place, "the first one"),
        message,
        help,
    ));
}

fn readers<'m, 'a>(set: &'m ApplicationSet<'a>) -> impl Iterator<Item = &'m Decisions<'a>> {
    let kinds = set.set.all().flat_map(|generator| &generator.kinds);
    kinds.filter_map(|(kind, _)| match kind {
        Kind::Decisions(asks) => Some(asks),
        _ => None,
    })
}

/// The first names, and how many more there are.
fn some(names: &[&str]) -> String {
    match names.len() {
        few if few <= NAMED => names.join(", "),
        many => format!("{} and {} more", names[..NAMED].join(", "), many - NAMED),
    }
}
