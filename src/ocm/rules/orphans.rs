//! Decisions that belong to no placement: nothing keeps them up to date, and they count.

use std::collections::{BTreeMap, BTreeSet};

use super::ORPHAN_DECISION;
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::ocm::model::{Model, PLACEMENT_LABEL};

/// Checks the decisions of a site; without any placement there is nothing to compare.
pub(super) fn check(model: &Model<'_>, sink: &mut Sink) {
    let all = model.placements.iter().chain(&model.refused_placements);
    let mut namespaces: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for placement in all {
        let names = namespaces.entry(placement.namespace).or_default();
        names.insert(placement.name);
    }
    if namespaces.is_empty() {
        return;
    }
    for decision in &model.decisions {
        let here = namespaces.get(decision.namespace);
        let has = |name: &str| here.is_some_and(|names| names.contains(name));
        let (label, help) = match decision.placement {
            Some(name) if has(name) => continue,
            Some(name) => {
                let elsewhere = namespaces.iter().find(|(_, names)| names.contains(name));
                let near = here.and_then(|names| nearest(name, names.iter().copied()));
                let help = match (elsewhere, near) {
                    (Some((namespace, _)), _) => {
                        format!("the Placement `{name}` is in the namespace `{namespace}`")
                    }
                    (None, Some(near)) => did_you_mean(near),
                    (None, None) => "delete it, or add its Placement".to_owned(),
                };
                let namespace = decision.namespace;
                (format!("no Placement `{name}` is in `{namespace}`"), help)
            }
            None => (
                format!("it has no label {PLACEMENT_LABEL}"),
                "label it with the name of its Placement, or delete it".to_owned(),
            ),
        };
        let message = format!(
            "the decision `{}` belongs to no Placement of these documents",
            decision.name
        );
        let object = Object::new("PlacementDecision", decision.name);
        let mut found = Diagnostic::new(&ORPHAN_DECISION, message)
            .at(decision.place, label)
            .help(format!(
                "{help}; its clusters count for the Balance of other placements"
            ))
            .object(object.in_namespace(decision.namespace));
        if let Some(name) = decision.placement {
            let missing = Object::new("Placement", name);
            found = found.because(missing.in_namespace(decision.namespace));
        }
        sink.push(found);
    }
}
