//! Why a plan takes something away, in a line for each loss, and where it is written.

use std::collections::{BTreeMap, BTreeSet};

use crate::ocm::engine::place::Placed;
use crate::ocm::lost::loss;
use crate::plan::row::At;
use crate::plan::{Answer, Plan, Row, Section};
use crate::source::Place;
use crate::systems;

use super::subject::Loss;

/// The cause of a loss.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cause {
    /// In words.
    pub text: String,
    /// The line in the documents, where there is one.
    pub place: Option<Place>,
}

/// The causes of losses, one each: the reasons that the plan's placements give for the clusters.
#[must_use]
pub fn causes(losses: &[Loss], plan: &Plan<'_, '_>) -> Vec<Cause> {
    let model = &plan.site.ocm;
    let outcome = plan.placements.as_ref();
    let mut placed: BTreeMap<(&str, &str), &Placed<'_>> = BTreeMap::new();
    for one in outcome
        .into_iter()
        .flat_map(|outcome| &outcome.placements.placed)
    {
        let placement = &model.placements[one.placement];
        placed.insert((placement.namespace, placement.name), one);
    }
    let names = outcome.map_or(&[][..], |outcome| outcome.placements.names.as_slice());
    let hub = plan.site.hub.as_ref().map(|hub| hub.source);
    let is_own = |lost: &&Loss| lost.before.via.is_empty() && !lost.gone;
    let own: BTreeSet<(Section, String)> = losses.iter().filter(is_own).map(key).collect();
    let mut placed_itself: BTreeMap<(Section, String), Cause> = BTreeMap::new();
    for row in systems::rows(plan).filter(|_| !own.is_empty()) {
        let key = match row.section {
            Section::Deliveries => continue,
            section if section.info().decides_together => (section, row.asked()),
            section => (section, row.called()),
        };
        if own.contains(&key) {
            placed_itself.entry(key).or_insert_with(|| of_row(&row));
        }
    }
    let of_loss = |lost: &Loss| {
        if let Some(cause) = placed_itself.get(&key(lost)) {
            return cause.clone();
        }
        for (namespace, name) in lost.before.via.iter().filter(|_| !lost.gone) {
            let Some(placed) = placed.get(&(namespace.as_str(), name.as_str())) else {
                return Cause {
                    text: format!("there is no Placement {namespace}/{name}"),
                    place: None,
                };
            };
            let id = |name: &String| names.iter().position(|one| *one == name.as_str());
            let lacks = |id: &usize| {
                let id = u32::try_from(*id).unwrap_or(u32::MAX);
                !placed.pages.iter().any(|page| page.clusters.contains(&id))
            };
            let cluster = lost.removed.iter().filter_map(id).find(lacks);
            let mut place = model.placements[placed.placement].place;
            let why = match (placed.misconfigured(), cluster) {
                (Some(why), _) => why.to_owned(),
                (None, Some(id)) => {
                    let number = u32::try_from(id).unwrap_or(u32::MAX);
                    let why = loss(model, placed, number, plan.now);
                    place = why.place.unwrap_or(place);
                    format!("{}: {}", names[id], why.reason)
                }
                (None, None) => match placed.failure() {
                    Some(why) => why,
                    None => continue,
                },
            };
            return Cause {
                text: format!("Placement {namespace}/{name}: {why}"),
                place: Some(place).filter(|place| Some(place.source) != hub),
            };
        }
        let missing = lost.removed.iter();
        let mut missing = missing.filter(|name| !names.contains(&name.as_str()));
        let (text, place) = match (lost.gone, missing.next()) {
            (true, _) => ("it is no longer in these documents".to_owned(), None),
            (false, Some(name)) => (format!("{name}: the cluster no longer exists"), None),
            (false, None) => of_itself(lost, plan),
        };
        Cause {
            text,
            place: place.filter(|place| Some(place.source) != hub),
        }
    };
    losses.iter().map(of_loss).collect()
}

fn key(lost: &Loss) -> (Section, String) {
    (lost.before.section, lost.before.called())
}

/// The reason for the place of a subject that is placed itself, or why it has none.
fn of_row(row: &Row<'_>) -> Cause {
    let because = row.facts.because();
    let text = match (row.facts.failure(), row.facts.now()) {
        (Some(failure), _) => failure,
        (None, Some(Answer::Cluster(Some(cluster)))) => {
            format!("it is planned on {cluster}: {because}")
        }
        (None, Some(Answer::Count(_))) => "its action takes the last nodes away".to_owned(),
        (None, _) if because.is_empty() => "it decides otherwise".to_owned(),
        (None, _) => because,
    };
    Cause {
        text,
        place: match row.at {
            At::Place(place) => Some(place),
            At::Line(..) | At::Nowhere => None,
        },
    }
}

/// The cause of a loss that no placement explains: a change of the consumer itself.
fn of_itself(lost: &Loss, plan: &Plan<'_, '_>) -> (String, Option<Place>) {
    let mut rows = plan.deliveries.iter().flat_map(|all| &all.rows);
    let row = rows.find(|row| lost.before.key() == (row.id.kind, row.id.namespace, row.id.name));
    let follows = |namespace: &str, name: &str| {
        let mut via = row.iter().flat_map(|row| &row.via);
        via.any(|via| (via.placement.1, via.placement.2) == (namespace, name))
    };
    let mut before = lost.before.via.iter();
    let text = match before.find(|(namespace, name)| !follows(namespace, name)) {
        Some((namespace, name)) => format!("it no longer follows Placement {namespace}/{name}"),
        None => "it no longer reaches them".to_owned(),
    };
    (text, row.map(|row| row.id.place))
}
