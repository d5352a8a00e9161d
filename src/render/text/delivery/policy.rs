//! The row of a policy.

use crate::delivery::policy::about::About;

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
