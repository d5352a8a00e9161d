//! The budget of an expression: the bytes it may read and build, as Kubernetes' cost limits count
//! them.

use crate::ocm::engine::cel::value::Value;

/// Most bytes that one evaluation may read in calls and build; about what upstream's limit of
/// cost allows for texts.
pub(super) const BYTES: usize = 10_000_000;

/// The size of a value without its text.
const VALUE: usize = 32;

/// The cost of a call, computed before it is made: possibly too high, never too low. It stops
/// counting beyond `limit`.
pub(super) fn cost(name: &str, args: &[Value], limit: usize) -> usize {
    match (name, args) {
        // A list is copied, and grows by the other one.
        ("_+_", [Value::List(a), Value::List(b)]) => a.len() / 8 + VALUE * b.len(),
        ("_[_]" | "_[?_]" | "_?._" | "size" | "type" | "dyn", _) => 1,
        ("optional.of" | "optional.ofNonZeroValue" | "orValue" | "or" | "hasValue", _) => 1,
        ("replace", [Value::Text(source), Value::Text(old), Value::Text(new), ..]) => {
            let times = if old.is_empty() {
                source.len() + 1
            } else {
                source.len() / old.len()
            };
            source.len().saturating_add(times.saturating_mul(new.len()))
        }
        ("split", [Value::Text(source), ..]) => source.len().saturating_mul(2 * VALUE),
        ("join", [Value::List(items), Value::Text(separator)]) => {
            let between = items.len().saturating_mul(separator.len());
            between.saturating_add(size(&args[0], limit))
        }
        ("parseJSON", [Value::Text(source)]) => source.len().saturating_mul(VALUE),
        _ => {
            let mut sum = 0;
            for value in args {
                sum += size(value, limit - limit.min(sum));
                if sum > limit {
                    break;
                }
            }
            sum
        }
    }
}

/// The bytes of a value with all it holds, counted as often as it is held; somewhat more than
/// `limit` if there are more than that.
pub(super) fn size(value: &Value, limit: usize) -> usize {
    let mut sum = VALUE;
    match value {
        Value::Text(text) => sum += text.len(),
        Value::Bytes(bytes) => sum += bytes.len(),
        Value::List(items) => {
            for item in items.iter() {
                if sum > limit {
                    break;
                }
                sum += size(item, limit - sum.min(limit));
            }
        }
        Value::Map(entries) => {
            for (key, value) in entries.iter() {
                if sum > limit {
                    break;
                }
                sum += size(key, limit - sum.min(limit));
                sum += size(value, limit - sum.min(limit));
            }
        }
        Value::Optional(Some(inner)) => sum += size(inner, limit - sum.min(limit)),
        _ => {}
    }
    sum
}
