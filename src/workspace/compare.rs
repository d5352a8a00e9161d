//! Two states of a site: the moves between their plans, and the findings that are new.

use crate::diagnostic::Sink;
use crate::diff::{self, Diff, FoundIn, State};
use crate::options::Options;
use crate::plan::Plan;

use super::snapshot::Snapshot;

/// Two states of a site, compared.
#[derive(Debug)]
pub struct Comparison {
    /// The moves; none where documents were refused.
    pub diff: Option<Diff>,
    /// Findings that the earlier state does not have; their places are in the later one.
    pub new: Sink,
    /// Findings that the later state does not have; their places are in the earlier one.
    pub gone: Sink,
}

/// Compares two states that were planned ([`super::Purpose::Plan`]).
#[must_use]
pub fn compare(before: &Snapshot, after: &Snapshot) -> Comparison {
    let refused = before.plan().refused() || after.plan().refused();
    let diff = (!refused).then(|| moves(before.plan(), after.plan(), after.options()));
    let (new, gone) = diff::findings(found_in(before), found_in(after));
    Comparison { diff, new, gone }
}

fn found_in(snapshot: &Snapshot) -> FoundIn<'_, '_> {
    FoundIn {
        sink: &snapshot.findings,
        documents: &snapshot.checked().documents,
    }
}

/// The difference of two plans.
fn moves(before: &Plan<'_, '_>, after: &Plan<'_, '_>, options: &Options) -> Diff {
    let (old, new) = (State::of(before), State::of(after).keeping(before, after));
    let mut diff = diff::compare(&old, &new, options);
    diff.add_failures(after);
    diff
}
