//! Inputs of Kustomize: it completes their names, so names are not checked.

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Sink};
use crate::source::SourceId;

use super::alternatives::is_duplicate;

/// Codes about the names of objects that are missing.
const NAMES: [&str; 14] = [
    "planner::hybrid::unknown_target",
    "planner::ocm::binding_name",
    "planner::ocm::empty_set",
    "planner::ocm::long_name",
    "planner::ocm::orphan_decision",
    "planner::ocm::unbound_namespace",
    "planner::ocm::unbound_set",
    "planner::ocm::policy_unbound",
    "planner::ocm::unknown_placement",
    "planner::ocm::unknown_policy",
    "planner::ocm::unknown_policy_set",
    "planner::ocm::unknown_name",
    "planner::ocm::unknown_set",
    "planner::ogc::unknown_reference",
];

/// Where a document says what it is called.
const POINTERS: [&str; 3] = ["/metadata", "/metadata/name", "/metadata/namespace"];

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
        // That a plan finds two objects of one name is reported all the same.
        NAMES.contains(&found.rule.code)
            || pointer.is_some_and(|pointer| POINTERS.contains(&pointer)) && !is_duplicate(found)
    };
    sink.diagnostics
        .retain(|found| !(name(found) && input(found)));
}
