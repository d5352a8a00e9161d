//! Bindings that are missing by what the other documents say. Where the clusters of the hub are at
//! hand, the plan itself says which placements find none.

use std::collections::{BTreeMap, BTreeSet};

use super::{UNBOUND_NAMESPACE, object_of};
use crate::diagnostic::{Diagnostic, Sink};
use crate::ocm::model::{Binding, Model, Placement, Text};
use crate::source::Place;

/// Where a document names no namespace, whoever applies it does.
const UNNAMED: &str = "default";
/// A namespace that every hub of Advanced Cluster Management has, with a binding of its own.
const GLOBAL: &str = "open-cluster-management-global-set";
/// Where the product binds the set of all clusters for its backups.
const BACKUP: &str = "open-cluster-management-backup";

/// Other bindings that a finding points at.
const SHOWN: usize = 20;

/// Checks placements against bindings; without any binding there is nothing to compare.
pub(super) fn check(model: &Model<'_>, sink: &mut Sink) {
    let elsewhere = model.bindings.iter().any(|one| one.namespace == UNNAMED);
    if model.holds_clusters || model.bindings.is_empty() || elsewhere {
        return;
    }
    let mut namespaces: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for Binding {
        namespace, name, ..
    } in &model.bindings
    {
        namespaces.entry(namespace).or_default().insert(name);
    }
    let bound: BTreeSet<&str> = model.bindings.iter().map(|binding| binding.name).collect();
    let judged =
        |placement: &&Placement<'_>| ![UNNAMED, GLOBAL, BACKUP].contains(&placement.namespace);
    for placement in model.placements.iter().filter(judged) {
        let subject = placement.full_name().to_string();
        let here = namespaces.get(placement.namespace);
        let Some(here) = here else {
            let message = format!(
                "{subject} finds no cluster: its namespace has no ManagedClusterSetBinding"
            );
            let set = placement.cluster_sets.first().map(|set| set.text);
            missing(placement, (message, placement.place), set, model, sink);
            continue;
        };
        let sets = &placement.cluster_sets;
        let unbound = |set: &&Text<'_>| !bound.contains(set.text);
        let none = !sets.is_empty() && !sets.iter().any(|set| here.contains(set.text));
        let first = sets.first().filter(|_| none);
        for set in sets.iter().filter(unbound) {
            let message = format!(
                "{subject} names the cluster set `{}`, which no namespace binds",
                set.text
            );
            missing(placement, (message, set.place), Some(set.text), model, sink);
        }
        if let Some(first) = first.filter(|_| !sets.iter().any(|set| !bound.contains(set.text))) {
            let message = format!(
                "{subject} finds no cluster: its namespace binds none of the sets that it names"
            );
            missing(
                placement,
                (message, first.place),
                Some(first.text),
                model,
                sink,
            );
        }
    }
}

fn missing(
    placement: &Placement<'_>,
    (message, place): (String, Place),
    set: Option<&str>,
    model: &Model<'_>,
    sink: &mut Sink,
) {
    let set = set.map_or_else(String::new, |set| format!(" `{set}`"));
    let mut found = Diagnostic::new(&UNBOUND_NAMESPACE, message)
        .at(place, "no binding")
        .help(format!(
            "add a ManagedClusterSetBinding{set} to the namespace `{}`",
            placement.namespace
        ))
        .object(object_of(placement));
    for binding in model.bindings.iter().take(SHOWN) {
        found = found.related(binding.place, format!("binds in {}", binding.namespace));
    }
    sink.push(found);
}
