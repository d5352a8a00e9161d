//! The decisions that a rule has already.

use fixedbitset::FixedBitSet;

use super::super::model::{CLUSTER_KIND, HUB, Model, ObjectId, PlacementRule, Reference};
use super::Decision;

/// The existing decisions: each the candidate it fits, else an object it fits. The candidates are
/// in ascending order.
pub(super) fn existing(
    model: &Model<'_>,
    rule: &PlacementRule<'_>,
    candidates: &[ObjectId],
    lost: &FixedBitSet,
) -> Vec<Decision> {
    let resolve = |(index, reference): (usize, &Reference<'_>)| {
        let fitting = model.inventory.fitting(reference);
        let mut fitting = fitting.filter(|&id| !lost.contains(id as usize)).peekable();
        let first = fitting.peek().copied();
        let candidate = fitting.find(|id| candidates.binary_search(id).is_ok());
        match candidate.or(first) {
            Some(id) => Decision::Object(id),
            None if candidates.is_empty() && is_hub(reference) => Decision::Hub,
            None => Decision::Unknown(index),
        }
    };
    rule.decisions.iter().enumerate().map(resolve).collect()
}

/// Whether an earlier decision is the hub's own cluster.
fn is_hub(reference: &Reference<'_>) -> bool {
    reference.name == HUB
        && (reference.kind.is_empty() || reference.kind == CLUSTER_KIND)
        && (reference.namespace.is_empty() || reference.namespace == HUB)
}

/// Whether two lists of decisions are the same set.
pub(super) fn same_set(a: &[Decision], b: &[Decision]) -> bool {
    let sorted = |list: &[Decision]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list.dedup();
        list
    };
    sorted(a) == sorted(b)
}
