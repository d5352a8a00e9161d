//! Cluster sets: references to them, and sets without members.

use std::collections::BTreeMap;

use super::{EMPTY_SET, IGNORED_SELECTOR, NO_HUB, SET_SELECTOR, UNKNOWN_SET, object_of};
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::ocm::model::{
    CLUSTER_SET_LABEL, DEFAULT_SET, ManagedClusterSet, Model, SetSelector, is_built_in,
};
use crate::source::Place;

/// Checks all sets and what names them.
pub(super) fn check(model: &Model<'_>, sink: &mut Sink) {
    let names = Names::of(model);
    match no_hub(model, &names) {
        Some(found) => sink.push(found),
        None => references(model, &names, sink),
    }
    members(model, &names, sink);
}

/// The names of sets that exist.
struct Names<'a> {
    /// The sets with a document, refused ones too, by name.
    documents: Vec<&'a str>,
}

impl<'a> Names<'a> {
    fn of(model: &Model<'a>) -> Self {
        let sets = model.sets.iter().map(|set| set.name);
        let mut documents: Vec<&str> = sets.chain(model.refused_sets.iter().copied()).collect();
        documents.sort_unstable();
        Self { documents }
    }

    fn has(&self, name: &str) -> bool {
        is_built_in(name) || self.documents.binary_search(&name).is_ok()
    }

    fn help(&self, name: &str) -> String {
        match nearest(name, self.documents.iter().copied()) {
            Some(near) => did_you_mean(near),
            None => "add the ManagedClusterSet or correct the name".to_owned(),
        }
    }
}

/// A reference to a set: its name, where it is, and whose it is.
type Reference<'a> = (&'a str, Place, Object);

/// The references of bindings and placements to sets that do not exist.
fn unknown<'m, 'a>(
    model: &'m Model<'a>,
    names: &'m Names<'a>,
) -> impl Iterator<Item = Reference<'a>> + 'm {
    let bindings = model.bindings.iter().map(|binding| {
        let object = Object::new("ManagedClusterSetBinding", binding.name);
        let object = object.in_namespace(binding.namespace);
        (binding.name, binding.place, object)
    });
    let placements = model.placements.iter().flat_map(|placement| {
        let sets = placement.cluster_sets.iter();
        sets.map(|set| (set.text, set.place, object_of(placement)))
    });
    bindings
        .chain(placements)
        .filter(|(set, ..)| !names.has(set))
}

/// Documents without the clusters or the sets of their hub: one note instead of a finding for
/// every reference to them.
fn no_hub(model: &Model<'_>, names: &Names<'_>) -> Option<Diagnostic> {
    let unknown = || unknown(model, names).next();
    let (what, (_, place, object)) = if !model.holds_clusters {
        let placement = model.placements.first();
        let placement = placement.map(|p| (p.name, p.place, object_of(p)));
        ("clusters", placement.or_else(unknown)?)
    } else if names.documents.is_empty() {
        ("cluster sets", unknown()?)
    } else {
        return None;
    };
    let message = format!("the hub's {what} are not in these documents");
    let found = Diagnostic::new(&NO_HUB, message)
        .at(place, "needs them")
        .help(
            "export the hub (`planner explain ocm::no_hub` has the command), then plan with \
             `--hub hub.yaml`",
        )
        .object(object);
    Some(found)
}

fn references(model: &Model<'_>, names: &Names<'_>, sink: &mut Sink) {
    for (set, place, object) in unknown(model, names) {
        let message = if object.kind == "Placement" {
            format!("the cluster set `{set}` does not exist")
        } else {
            format!("the binding `{set}` names a set that does not exist")
        };
        sink.push(
            Diagnostic::new(&UNKNOWN_SET, message)
                .at(place, "no such ManagedClusterSet")
                .help(names.help(set))
                .object(object),
        );
    }
}

/// Sets that clusters name, and sets without members.
fn members(model: &Model<'_>, names: &Names<'_>, sink: &mut Sink) {
    let mut members: BTreeMap<&str, usize> = BTreeMap::new();
    for cluster in &model.clusters {
        let mut labels = cluster.labels.iter();
        let Some((_, set)) = labels.find(|(key, _)| *key == CLUSTER_SET_LABEL) else {
            continue;
        };
        *members.entry(set).or_default() += 1;
        if !set.is_empty() && !names.documents.is_empty() && !names.has(set) {
            let message = format!(
                "{} belongs to the set `{set}`, which does not exist",
                cluster.name
            );
            sink.push(
                Diagnostic::new(&UNKNOWN_SET, message)
                    .at(cluster.place, "this cluster")
                    .help(names.help(set))
                    .object(Object::new("ManagedCluster", cluster.name)),
            );
        }
    }
    for set in &model.sets {
        of_set(
            set,
            model.holds_clusters,
            members.contains_key(set.name),
            sink,
        );
    }
}

/// Reports what is suspicious about a set; the flags say whether the site has clusters, and whether
/// any of them names the set.
fn of_set(set: &ManagedClusterSet<'_>, holds_clusters: bool, has_members: bool, sink: &mut Sink) {
    let object = Object::new("ManagedClusterSet", set.name);
    if let Some(ignored) = set.ignored {
        let message = format!(
            "labelSelector is ignored: the selectorType of the set `{}` is not LabelSelector",
            set.name
        );
        let help = format!(
            "add `selectorType: LabelSelector`; until then its clusters are those with the \
             label {CLUSTER_SET_LABEL}: {}",
            set.name
        );
        sink.push(
            Diagnostic::new(&IGNORED_SELECTOR, message)
                .at(ignored, "ignored")
                .help(help)
                .object(object.clone()),
        );
    }
    match &set.selector {
        SetSelector::Exclusive if set.name != DEFAULT_SET && holds_clusters && !has_members => {
            sink.push(
                Diagnostic::new(
                    &EMPTY_SET,
                    format!("no cluster belongs to the set `{}`", set.name),
                )
                .at(set.place, "this set")
                .help(format!(
                    "label its clusters {CLUSTER_SET_LABEL}: {}",
                    set.name
                ))
                .object(object),
            );
        }
        SetSelector::Labels(None, place) => sink.push(
            Diagnostic::new(
                &EMPTY_SET,
                format!(
                    "the set `{}` selects by labels but has no selector",
                    set.name
                ),
            )
            .at(*place, "this set")
            .help("without a selector it has no members; `labelSelector: {}` selects all")
            .object(object),
        ),
        SetSelector::Labels(Some(selector), place) => {
            if let Err(error) = selector.compile() {
                let message = format!(
                    "the selector of the set `{}` cannot be parsed: {}",
                    set.name, error.message
                );
                sink.push(
                    Diagnostic::new(&SET_SELECTOR, message)
                        .at(*place, "this selector")
                        .help("until then, the hub processes no placement that may use this set")
                        .object(object)
                        .not_refusing(),
                );
            }
        }
        SetSelector::Exclusive => {}
    }
}
