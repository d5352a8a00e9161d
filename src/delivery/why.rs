//! Why something reaches a cluster or not: every link from a consumer down to its placements.

pub(super) mod study;

use fixedbitset::FixedBitSet;

use self::study::way;
use super::consumer::Links;
use super::id::Id;
use super::kinds::{self, KINDS};
use super::model::Model;
use super::row::Row;
use crate::document::System;
use crate::kit::named::Name;
use crate::kit::plural::plural;
use crate::ocm::model::Model as Hub;
use crate::why::{Candidate, DecidedBy, Verdict, Why};

pub use study::Study;

/// How a consumer is named: `KIND/NAMESPACE/NAME`, or `KIND/NAME` where it has no namespace.
#[must_use]
pub fn subject(id: &Id<'_>) -> String {
    format!("{}/{}", id.kind, id.full_name())
}

/// Every consumer that can be asked about.
fn all<'a>(model: &Model<'a>, hub: &Hub<'a>) -> impl Iterator<Item = Id<'a>> {
    KINDS
        .into_iter()
        .flat_map(|consumer| consumer.ids(model, hub))
}

/// Whether there is a consumer of that kind and name.
#[must_use]
pub fn is_known(model: &Model<'_>, hub: &Hub<'_>, written: &str) -> bool {
    let named = written.split_once('/');
    named.is_some_and(|(kind, rest)| {
        all(model, hub).any(|id| is_kind(&id, kind) && id.full_name().to_string() == rest)
    })
}

/// The consumers that are called so without their kind or their namespace.
#[must_use]
pub fn called(model: &Model<'_>, hub: &Hub<'_>, written: &str) -> Vec<String> {
    let is_called = |id: &Id<'_>| {
        let of_kind = written
            .split_once('/')
            .filter(|(kind, _)| is_kind(id, kind));
        let rest = of_kind.map_or(written, |(_, rest)| rest);
        rest == id.name || rest == id.full_name().to_string()
    };
    let ids = all(model, hub).filter(is_called);
    ids.map(|id| subject(&id)).collect()
}

pub(super) fn is_kind(id: &Id<'_>, written: &str) -> bool {
    id.kind.eq_ignore_ascii_case(written)
}

impl<'a> Study<'_, 'a> {
    /// Every reason for and against each cluster; nothing if there is no such consumer. With one
    /// cluster asked about, what its placements say of it as well.
    #[must_use]
    pub fn why(&self, written: &str, asked: Option<&str>) -> Option<Why> {
        let (kind, rest) = written.split_once('/')?;
        let mut rows = self.deliveries.rows.iter();
        let row =
            rows.find(|row| is_kind(&row.id, kind) && row.id.full_name().to_string() == rest)?;
        let names = &self.deliveries.ground.names;
        let mut all = self.deliveries.ground.hub.clone();
        all.union_with(&row.clusters);
        all.union_with(row.was.as_deref().unwrap_or(&FixedBitSet::new()));
        for via in &row.via {
            all.union_with(&via.clusters);
        }
        let last = |text: &str| text.rsplit('/').next().map(str::to_owned);
        let wanted = asked.and_then(last);
        let mut numbers: Vec<usize> = all.ones().collect();
        if let Some(wanted) = wanted.and_then(|name| names.find(&name)) {
            numbers.retain(|at| *at == wanted as usize);
        }
        let links = kinds::of(row.id.kind)?.links(self, row);
        let mut candidates: Vec<Candidate> = numbers
            .iter()
            .filter_map(|at| u32::try_from(*at).ok())
            .map(|number| self.candidate(row, &links, number, asked.is_some()))
            .collect();
        candidates.sort_by(|a, b| a.name.cmp(&b.name));
        let count = row.clusters.count_ones(..);
        let reason = match &row.error {
            Some(error) => error.clone(),
            None => format!("reaches {}", plural(count, "cluster")),
        };
        Some(Why {
            steps: self.steps(row),
            candidates,
            decided_by: Some(DecidedBy {
                stage: "delivery".to_owned(),
                reason,
            }),
            placed: count > 0,
            ..Why::new(System::Ocm, subject(&row.id))
        })
    }

    /// The clusters that each way gives, and what changes.
    fn steps(&self, row: &Row<'a>) -> Vec<String> {
        let names = &self.deliveries.ground.names;
        let mut steps: Vec<String> = row
            .via
            .iter()
            .map(|via| {
                let clusters = plural(via.clusters.count_ones(..), "cluster");
                let only = if via.restricted { " (restricted)" } else { "" };
                format!("{}{only}: {clusters}", way(via))
            })
            .collect();
        let Some(was) = &row.was else {
            return steps;
        };
        let (added, removed) = row.moved();
        let mut step = format!("before: {}", plural(was.count_ones(..), "cluster"));
        for (word, set) in [("added", &added), ("removed", &removed)] {
            if !set.is_clear() {
                step = format!("{step}; {word}: {}", names.of(set).join(", "));
            }
        }
        steps.push(step);
        steps
    }

    fn candidate(&self, row: &Row<'a>, links: &Links<'_>, number: u32, deep: bool) -> Candidate {
        let name = self.deliveries.ground.names.name(number);
        let chosen = row.clusters.contains(number as usize);
        let mut verdicts = links(number, chosen);
        if deep {
            for (namespace, placement) in self.deciding(row, number, chosen) {
                verdicts.extend(self.of_placement(namespace, placement, name));
            }
            verdicts.extend(self.of_rules(row, number, chosen));
        }
        Candidate::new(name, chosen, verdicts)
    }

    /// The verdicts of a Placement itself on a cluster.
    fn of_placement(&self, namespace: &str, placement: &str, cluster: &str) -> Vec<Verdict> {
        let subject = Name::new(namespace, placement).to_string();
        let why = (self.placement)(&subject, cluster);
        let candidates = why.into_iter().flat_map(|why| why.candidates);
        let own = candidates.filter(|one| one.name == cluster);
        own.flat_map(|one| one.verdicts)
            .map(|verdict| Verdict {
                stage: format!("Placement {subject}, {}", verdict.stage),
                ..verdict
            })
            .collect()
    }

    /// The Placements whose own answers are told: those that give what is asked about, each once,
    /// and those of what would register the cluster.
    fn deciding(&self, row: &Row<'a>, number: u32, chosen: bool) -> Vec<(&'a str, &'a str)> {
        let ways = row.via.iter();
        let ways = ways.filter(|via| !via.restricted && via.placement.0 == "Placement");
        let ways = ways.filter(|via| via.clusters.contains(number as usize) == chosen);
        let ways = ways.map(|via| (via.placement.1, via.placement.2));
        let mut all: Vec<(&str, &str)> = Vec::new();
        for one in ways.chain(self.registering(row, number)) {
            if !all.contains(&one) {
                all.push(one);
            }
        }
        all
    }
}
