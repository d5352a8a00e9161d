//! The rules that decide otherwise where objects are lost.

use std::collections::BTreeMap;

use crate::hybrid::engine::State;
use crate::kit::named::Name;
use crate::loss::{Loss, RuleLost};
use crate::plan::Plan;

/// The decisions of each rule, and how it ends.
fn decided<'p>(plan: &'p Plan<'_, '_>) -> BTreeMap<Name<'p>, (Vec<String>, State)> {
    let states = super::ended(plan).map(|(_, ended)| ended.state);
    let rows = super::rows::rows(plan).zip(states);
    let decided = rows.map(|(row, state)| (row.name, (row.places(), state)));
    decided.collect()
}

pub(super) fn compare(before: &Plan<'_, '_>, after: &Plan<'_, '_>, loss: &mut Loss) {
    let before = decided(before);
    for (name, (now, state)) in decided(after) {
        if let Some((was, was_state)) = before.get(&name) {
            loss.rules.extend(RuleLost::between(
                (name.namespace, name.name),
                (was, *was_state),
                (&now, state),
            ));
        }
    }
}
