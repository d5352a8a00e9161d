//! What the row of a policy says.

use crate::delivery::Row;
use crate::delivery::follow::policy::About;

use super::ways;

/// Whether it is bound and reaches no cluster.
pub(super) fn is_stuck(row: &Row<'_>, about: &About<'_>) -> bool {
    !about.disabled && row.clusters.is_clear() && !row.via.is_empty()
}

/// The bindings and sets that lead to placements.
pub(super) fn by(row: &Row<'_>, about: &About<'_>) -> String {
    if about.disabled {
        return "disabled".to_owned();
    }
    if row.via.is_empty() {
        return "not bound".to_owned();
    }
    ways(row, |via| {
        let binding = via.binding.map_or("", |binding| binding.name);
        let (kind, _, name) = via.placement;
        match via.set {
            Some(set) => format!("set {set} (binding {binding}), {kind} {name}"),
            None => format!("PlacementBinding {binding}, {kind} {name}"),
        }
    })
}

/// On how many clusters what is done, where that differs.
pub(super) fn more(about: &About<'_>) -> String {
    let Some(remediation) = &about.remediation else {
        return String::new();
    };
    let unset = remediation.unset.as_ref();
    let parts = [
        (remediation.enforce.count_ones(..), "enforce"),
        (remediation.inform.count_ones(..), "inform"),
        (
            unset.map_or(0, |set| set.count_ones(..)),
            "as the templates say",
        ),
    ];
    let parts = parts.into_iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> = parts
        .map(|(number, action)| format!("{number} {action}"))
        .collect();
    match parts.len() {
        0 | 1 => String::new(),
        _ => format!("; {}", parts.join(", ")),
    }
}
