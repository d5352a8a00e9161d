//! Placements that find fewer clusters than they ask for, reported at the line that removed the
//! last one.

use std::collections::BTreeSet;

use super::{UNSATISFIED, object_of};
use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::document::{DocumentKind, Documents};
use crate::kit::plural::plural;
use crate::kit::safe::shell_word;
use crate::ocm::Outcome;
use crate::ocm::engine::place::{Placed, SATISFIED};
use crate::ocm::model::{Model, Observed, Placement};
use crate::source::Place;

/// Placements whose answers depend on documents that were refused or that are there twice.
#[derive(Debug, Default)]
pub struct Doubt {
    /// Whether all of them do.
    all: bool,
    /// The namespaces whose Placements all do.
    namespaces: BTreeSet<String>,
    /// The other Placements that do, by namespace and name.
    placements: BTreeSet<(String, String)>,
}

impl Doubt {
    /// The placements in doubt because of these findings, or of objects that several documents
    /// define.
    #[must_use]
    pub fn of(documents: &Documents<'_>, found: [&Sink; 2]) -> Self {
        let mut doubt = Self::default();
        let found = found.into_iter().flat_map(|sink| &sink.diagnostics);
        for found in found.filter(|found| found.refuses) {
            match &found.object {
                None => doubt.all = true,
                Some(object) => {
                    let namespace = object.namespace.as_deref().unwrap_or("default");
                    doubt.take(&object.kind, namespace, &object.name);
                }
            }
        }
        let mut seen = BTreeSet::new();
        for document in &documents.all {
            let kind = match document.kind {
                DocumentKind::ManagedCluster => "ManagedCluster",
                DocumentKind::ManagedClusterSet => "ManagedClusterSet",
                DocumentKind::ManagedClusterSetBinding => "ManagedClusterSetBinding",
                DocumentKind::Placement => "Placement",
                _ => continue,
            };
            let (namespace, name) = (document.namespace(), document.name());
            let (namespace, name) = (namespace.unwrap_or("default"), name.unwrap_or(""));
            if document.record().is_none() && !seen.insert((kind, namespace, name)) {
                doubt.take(kind, namespace, name);
            }
        }
        doubt
    }

    fn take(&mut self, kind: &str, namespace: &str, name: &str) {
        match kind {
            "ManagedCluster" | "ManagedClusterSet" => self.all = true,
            "ManagedClusterSetBinding" => drop(self.namespaces.insert(namespace.to_owned())),
            "Placement" => {
                let own = (namespace.to_owned(), name.to_owned());
                self.placements.insert(own);
            }
            _ => {}
        }
    }

    fn holds(&self, placement: &Placement<'_>) -> bool {
        let own = (placement.namespace.to_owned(), placement.name.to_owned());
        self.all || self.namespaces.contains(placement.namespace) || self.placements.contains(&own)
    }
}

/// Reports every placement that is not satisfied; misconfigured ones have errors of their own.
pub fn unsatisfied(model: &Model<'_>, outcome: &Outcome<'_>, doubt: &Doubt, sink: &mut Sink) {
    // Without any cluster the documents do not hold the hub.
    if !model.holds_clusters {
        return;
    }
    let observed = Observed::of(model);
    for placed in &outcome.placements.placed {
        let skipped = placed.skipped.is_some() || placed.misconfigured().is_some();
        let condition = placed.conditions.iter().find(|c| c.kind == SATISFIED);
        let Some(condition) = condition.filter(|condition| !condition.status && !skipped) else {
            continue;
        };
        let placement = &model.placements[placed.placement];
        if doubt.holds(placement) {
            continue;
        }
        let none = placed.filters.first();
        let none = none.is_some_and(|filter| filter.clusters.is_empty());
        if none && !placed.available.is_clear() && observed.leaves_open(placement) {
            continue;
        }
        let subject = placement.full_name().to_string();
        let (place, label) = place(placement, placed);
        let reason = condition.message.trim_end_matches('.');
        let mut message = format!("{subject} is not satisfied: {reason}");
        if model.is_sample {
            let all = plural(model.clusters.len(), "cluster");
            message.push_str(&format!(" (of the {all} in these documents)"));
        }
        let mut found = Diagnostic::new(&UNSATISFIED, message)
            .at(place, label)
            .upstream(condition.reason)
            .help(format!(
                "`planner why {}` gives every reason",
                shell_word(&subject)
            ))
            .object(object_of(placement));
        if placement
            .predicates
            .first()
            .is_some_and(|one| one.place == place)
        {
            for other in &placement.predicates[1..] {
                found = found.related(other.place, label);
            }
        }
        sink.push(if model.is_sample {
            found.severity(Severity::Note)
        } else {
            found
        });
    }
}

/// The line that removed the last cluster, or the number that is not reached.
fn place(placement: &Placement<'_>, placed: &Placed<'_>) -> (Place, &'static str) {
    if placed.available.is_clear() {
        let set = placement.cluster_sets.first().map(|set| set.place);
        return (
            set.unwrap_or(placement.place),
            "no cluster is available to it",
        );
    }
    let emptied = placed
        .filters
        .iter()
        .position(|filter| filter.clusters.is_empty());
    match emptied {
        Some(0) => {
            let predicate = placement
                .predicates
                .first()
                .map(|predicate| predicate.place);
            (predicate.unwrap_or(placement.place), "leaves no cluster")
        }
        Some(_) => {
            let toleration = placement.tolerations.first().map(|one| one.place);
            let place = toleration.unwrap_or(placement.place);
            (
                place,
                "taints that it does not tolerate exclude every cluster",
            )
        }
        None => (placement.number_place, "more than exist"),
    }
}
