//! The action's data after the check, in the form of the specification.

use serde_json::{Map, Value};

use super::allot::Direction;
use super::resize::Resize;
use super::{Basis, Check, CheckStatus, Outcome};

/// The answer's `data`: the document's keys in their order, what the check decided, then `status`
/// and, for an error, `reason`.
#[must_use]
pub fn data(check: Check<'_, '_>, outcome: &Outcome) -> Map<String, Value> {
    let mut data = check.action.data.clone();
    // Earlier words never count, and the new ones stand last.
    data.shift_remove("status");
    data.shift_remove("reason");
    if let Basis::Resize(Resize {
        change: Ok(change), ..
    }) = &outcome.basis
    {
        // The parser replaces the entry, and writes `creation` for "nothing to do" as well.
        let mut entry = Map::new();
        entry.insert("count".into(), integer(change.abs()));
        data.insert(Direction::of(*change).entry().into(), Value::Object(entry));
    }
    match &outcome.answer {
        CheckStatus::Error(reason) => {
            data.insert("status".into(), "ERROR".into());
            data.insert("reason".into(), reason.as_str().into());
        }
        CheckStatus::Done => {
            if outcome.distribution.is_some() {
                write(check, outcome, &mut data);
            }
            data.insert("status".into(), "OK".into());
        }
    }
    data
}

fn write(check: Check<'_, '_>, outcome: &Outcome, data: &mut Map<String, Value>) {
    let mut regions = Map::new();
    for (at, region) in outcome.usable.iter().enumerate() {
        let change = outcome.change(at);
        if change != 0 {
            let name = &check.policy.regions[*region as usize].name;
            regions.insert(name.to_string(), integer(change.abs()));
        }
    }
    let key = Direction::of(outcome.number).entry();
    if !data.get(key).is_some_and(Value::is_object) {
        data.insert(key.into(), Value::Object(Map::new()));
    }
    if let Some(Value::Object(entry)) = data.get_mut(key) {
        entry.insert("count".into(), integer(outcome.number.abs()));
        entry.insert("regions".into(), Value::Object(regions));
    }
}

/// An integer as a JSON number; beyond 64 bits as the nearest double.
#[must_use]
pub fn integer(number: i128) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "no cluster has so many nodes")]
    let nearest = || Value::from(number as f64);
    serde_json::Number::from_i128(number).map_or_else(nearest, Value::Number)
}
