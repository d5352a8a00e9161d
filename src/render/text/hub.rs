//! The head of every screen that was made with a snapshot of a hub.

use jiff::Timestamp;

use crate::hub::{Merged, age_text, called};
use crate::kit::plural::{first_names, plural};
use crate::render::clean;
use crate::source::Sources;

/// Objects to be deleted that are named; more are counted.
const NAMED: usize = 5;

/// Which snapshot, how old, and what it and the documents have in common.
#[must_use]
pub fn hub(merged: &Merged, sources: &Sources, now: Timestamp) -> String {
    let clusters = merged.objects.get("ManagedCluster").copied().unwrap_or(0);
    let mut line = format!(
        "{}, {}",
        taken(merged, sources, now),
        plural(clusters, "cluster")
    );
    let (both, fresh) = (merged.both, merged.fresh.len());
    let unknown = merged.unknown.len();
    match both + fresh + unknown {
        0 => line.push_str("; no objects in Git"),
        1 if both == 1 => line.push_str("; the Git object is on the hub"),
        all if both == all => line.push_str(&format!("; all {all} Git objects are on the hub")),
        all => line.push_str(&format!(
            "; {both} of {} on the hub",
            plural(all, "Git object")
        )),
    }
    if fresh > 0 {
        line.push_str(&format!(", {fresh} new"));
    }
    if unknown > 0 {
        let kinds = merged.left_out().into_keys().collect::<Vec<_>>().join(", ");
        line.push_str(&format!(
            ", {unknown} of kinds that the export lacks ({kinds})"
        ));
    }
    if both == 0 && fresh + unknown > 0 {
        line.push_str(", none in common: it may be another hub");
    }
    if !merged.gone.is_empty() {
        let names = merged.gone.iter().map(|gone| called(&gone.object));
        line.push_str(&format!(
            "; {} to be deleted ({})",
            merged.gone.len(),
            clean(&first_names(names, NAMED))
        ));
    }
    line
}

/// Which snapshot, and how old.
fn taken(merged: &Merged, sources: &Sources, now: Timestamp) -> String {
    let file = clean(&sources.get(merged.source).name).into_owned();
    let minute = |time: Timestamp| time.strftime("%Y-%m-%d %H:%M UTC").to_string();
    let age = |time: Timestamp| match now.as_second() - time.as_second() {
        seconds @ 0.. => format!("{} before now", age_text(seconds)),
        seconds => format!("{} after now", age_text(-seconds)),
    };
    match (merged.taken, merged.newest) {
        (Some(taken), _) => format!("Hub: {file}, taken {} ({})", minute(taken), age(taken)),
        (None, Some(newest)) => {
            format!(
                "Hub: {file}, taken after {} ({})",
                minute(newest),
                age(newest)
            )
        }
        (None, None) => format!("Hub: {file}, of unknown age"),
    }
}
