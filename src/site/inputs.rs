//! Inputs of Kustomize: it completes their names, so nothing is said of those.

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Sink};
use crate::source::SourceId;

/// Codes about names: those of objects that exist twice, and those of others that are missing.
const NAMES: [&str; 14] = [
    "planner::airship::duplicate_document",
    "planner::hybrid::duplicate_identity",
    "planner::hybrid::unknown_target",
    "planner::ocm::binding_name",
    "planner::ocm::duplicate",
    "planner::ocm::empty_set",
    "planner::ocm::unbound_set",
    "planner::ocm::policy_unbound",
    "planner::ocm::unknown_placement",
    "planner::ocm::unknown_policy",
    "planner::ocm::unknown_policy_set",
    "planner::ocm::unknown_set",
    "planner::ogc::duplicate_identity",
    "planner::ogc::unknown_reference",
];

/// Leaves out what is said of the names in files that Kustomize completes.
pub(super) fn leave_out_names(inputs: &BTreeSet<SourceId>, sink: &mut Sink) {
    if inputs.is_empty() {
        return;
    }
    let input = |found: &Diagnostic| {
        let labels = found.primary.iter().chain(&found.related);
        labels
            .into_iter()
            .any(|label| inputs.contains(&label.place.source))
    };
    let name = |found: &Diagnostic| {
        let pointer = found.pointer.as_deref();
        NAMES.contains(&found.rule.code)
            || found.rule.code == "planner::schema::required"
                && matches!(
                    pointer,
                    Some("/metadata" | "/metadata/name" | "/metadata/namespace")
                )
    };
    sink.diagnostics
        .retain(|found| !(name(found) && input(found)));
}
