//! The row of an ApplicationSet.

use crate::delivery::application_set::about::About;
use crate::kit::plural::plural;

/// How many Applications it makes, drops, and leaves without a cluster that Argo CD knows.
pub(super) fn more(about: &About) -> String {
    let mut parts = vec![plural(about.applications, "Application")];
    if about.nameless > 0 {
        parts.push(format!("{} of unknown name", about.nameless));
    }
    if !about.left.is_empty() {
        parts.push(format!("{} dropped", about.left.len()));
    }
    let unregistered = about.notes.unregistered.len();
    if unregistered > 0 {
        let clusters = plural(unregistered, "cluster");
        parts.push(format!("{clusters} not in Argo CD"));
    }
    format!("; {}", parts.join(", "))
}
