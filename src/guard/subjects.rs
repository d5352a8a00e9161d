//! The subjects of a plan, and those of a hub.

use std::collections::{BTreeMap, BTreeSet};

use crate::delivery::follow::Deliveries;
use crate::delivery::names::Clusters;
use crate::delivery::row::Row as Delivery;
use crate::plan::kept::kept;
use crate::plan::section::Form;
use crate::plan::{Answer, Plan, Row, Section};
use crate::systems;

use super::subject::Subject;

/// A placement or rule that decides for consumers: kind, namespace and name.
type Decider<'p> = (&'p str, &'p str, &'p str);

/// The subjects of a plan: every consumer, what decides without a known consumer, Applications,
/// hybrid rules and region placements. What decides for consumers is there without clusters: it
/// can be deleted.
#[must_use]
pub fn of_plan(plan: &Plan<'_, '_>) -> Vec<Subject> {
    let mut found = Vec::new();
    if let Some(all) = &plan.deliveries {
        found.extend(all.rows.iter().map(|row| consumer(all, row, &row.clusters)));
    }
    let followed = followed(plan, |_| true);
    let deciders = deciders(plan).into_iter();
    found.extend(deciders.map(|one| unless_followed(one, &followed)));
    found.extend(placed(plan, &|row| {
        // A region that cannot be used keeps its nodes.
        let keeps = row.section.info().form == Form::Count;
        row.facts
            .now()
            .or_else(|| row.facts.was().filter(|_| keeps))
    }));
    found
}

/// Every Placement and every PlacementRule that Placements replaced, with its decisions.
#[must_use]
pub fn deciders(plan: &Plan<'_, '_>) -> Vec<Subject> {
    let rows = systems::rows(plan);
    let rows = rows.filter(|row| matches!(row.section, Section::Placements | Section::LegacyRules));
    let decider = |row: Row<'_>| {
        let clusters = match row.facts.now() {
            Some(now) => names(Some(now)),
            None => held(plan, row.name.namespace, row.name.name),
        };
        subject(&row, clusters)
    };
    rows.map(decider).collect()
}

/// The subjects as they are before a plan, without the consumers of which nothing is known. A
/// placement or rule is a subject of its own if no consumer follows it: none after the plan or, of
/// a `hub`, none before it.
#[must_use]
pub fn of_hub(plan: &Plan<'_, '_>, hub: bool) -> Vec<Subject> {
    let mut found = Vec::new();
    if let Some(all) = &plan.deliveries {
        let known = all
            .rows
            .iter()
            .filter_map(|row| Some((row, row.was.as_ref()?)));
        found.extend(known.map(|(row, was)| consumer(all, row, was)));
    }
    let followed = followed(plan, |row| !hub || row.was.is_some());
    for mut decider in deciders(plan) {
        decider.clusters = match decider.section {
            Section::Placements => held(plan, &decider.namespace, &decider.name),
            _ => {
                let rules = plan.deliveries.iter().flat_map(|all| &all.ground.rules);
                let mut own = rules.filter(|rule| {
                    (rule.id.namespace, rule.id.name) == (&decider.namespace, &decider.name)
                });
                let was = own.find_map(|rule| rule.was.as_ref());
                let was = was.into_iter().flatten();
                was.map(|name| (*name).to_owned()).collect()
            }
        };
        // On a hub, a placement without decisions can be deleted, too.
        let subject = unless_followed(decider, &followed);
        if hub || !subject.clusters.is_empty() {
            found.push(subject);
        }
    }
    if !hub {
        found.extend(placed(plan, &|row| row.facts.was()));
    }
    found
}

/// The placements and rules that the consumers follow for which `counts` holds.
fn followed<'p>(
    plan: &'p Plan<'_, '_>,
    counts: impl Fn(&Delivery<'_>) -> bool,
) -> BTreeSet<Decider<'p>> {
    let rows = plan.deliveries.iter().flat_map(|all| &all.rows);
    let rows = rows.filter(|row| counts(row));
    let via = rows.flat_map(|row| &row.via);
    via.map(|via| via.placement).collect()
}

/// The subjects of a plan, with the clusters they keep from an earlier one because they fail now.
#[must_use]
pub fn keeping(
    mut subjects: Vec<Subject>,
    earlier: &Plan<'_, '_>,
    plan: &Plan<'_, '_>,
) -> Vec<Subject> {
    let followed = followed(plan, |_| true);
    for kept in kept(|| systems::rows(earlier), systems::rows(plan)) {
        let own = (&*kept.kind, &*kept.namespace, &*kept.name);
        let of_consumers = followed.contains(&own);
        let is_it = |one: &&mut Subject| one.key() == own;
        if let Some(subject) = subjects.iter_mut().find(is_it).filter(|_| !of_consumers) {
            subject.clusters = kept.places.into_iter().collect();
        }
    }
    subjects
}

fn unless_followed(mut decider: Subject, followed: &BTreeSet<Decider<'_>>) -> Subject {
    if followed.contains(&decider.key()) {
        decider.clusters.clear();
    }
    decider
}

/// Applications, hybrid rules and region placements with their places; those without an answer
/// are not there.
fn placed(
    plan: &Plan<'_, '_>,
    answer: &dyn for<'r> Fn(&Row<'r>) -> Option<Answer<'r>>,
) -> Vec<Subject> {
    let mut found = Vec::new();
    let mut files: BTreeMap<String, Subject> = BTreeMap::new();
    for row in systems::rows(plan) {
        // The decisions of Open Cluster Management count with what follows them.
        match (row.section.info().form, answer(&row)) {
            (Form::Place | Form::Places, Some(answer))
                if row.section.system() != Section::Placements.system() =>
            {
                found.push(subject(&row, names(Some(answer))));
            }
            (Form::Count, Some(Answer::Count(nodes))) => {
                let path = row.name.namespace.to_owned();
                let file = files.entry(path.clone()).or_insert_with(|| Subject {
                    kind: "RegionPlacement".to_owned(),
                    namespace: String::new(),
                    name: path,
                    ..subject(&row, BTreeSet::new())
                });
                if nodes > 0 {
                    file.clusters.insert(row.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    found.extend(files.into_values());
    found
}

fn names(answer: Option<Answer<'_>>) -> BTreeSet<String> {
    let names = answer.iter().flat_map(Answer::names);
    names.map(ToString::to_string).collect()
}

fn subject(row: &Row<'_>, clusters: BTreeSet<String>) -> Subject {
    let (namespace, name) = (row.name.namespace.to_owned(), row.name.name.to_owned());
    Subject {
        section: row.section,
        kind: row.kind.to_owned(),
        via: match row.section {
            Section::Placements => vec![(namespace.clone(), name.clone())],
            _ => Vec::new(),
        },
        namespace,
        name,
        clusters,
    }
}

fn consumer(all: &Deliveries<'_>, row: &Delivery<'_>, clusters: &Clusters) -> Subject {
    let names = all.ground.names.of(clusters);
    let via = row.via.iter().filter(|via| via.placement.0 == "Placement");
    let mut via: Vec<(String, String)> = via
        .map(|via| (via.placement.1.to_owned(), via.placement.2.to_owned()))
        .collect();
    via.dedup();
    Subject {
        section: Section::Deliveries,
        kind: row.id.kind.to_owned(),
        namespace: row.id.namespace.to_owned(),
        name: row.id.name.to_owned(),
        clusters: names.into_iter().map(str::to_owned).collect(),
        via,
    }
}

/// The clusters that the documents hold as decided by a placement.
fn held(plan: &Plan<'_, '_>, namespace: &str, name: &str) -> BTreeSet<String> {
    let own = plan.site.ocm.decisions.iter();
    let own = own.filter(|one| one.namespace == namespace && one.placement == Some(name));
    own.flat_map(|one| one.clusters.iter().map(|cluster| (*cluster).to_owned()))
        .collect()
}
