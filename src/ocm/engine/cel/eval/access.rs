//! Fields, keys and indexes: what is in a value, and whether it does.

use std::sync::Arc;

use crate::ocm::engine::cel::value::{Failure, Outcome, Value, no_overload};

pub(super) fn select(operand: &Value, field: &Value) -> Outcome {
    match operand {
        Value::Map(_) => operand
            .find(field)
            .cloned()
            .ok_or_else(|| format!("no such key: {}", field.to_text().unwrap_or_default())),
        Value::Optional(None) => Ok(Value::Optional(None)),
        Value::Optional(Some(inner)) => {
            Ok(Value::Optional(inner.find(field).cloned().map(Arc::new)))
        }
        _ => Err(no_overload()),
    }
}

pub(super) fn has(operand: &Value, field: &Value) -> Outcome {
    match operand {
        Value::Map(_) => Ok(Value::Bool(operand.find(field).is_some())),
        Value::Optional(None) => Ok(Value::Bool(false)),
        Value::Optional(Some(inner)) => has(inner, field),
        _ => Err(no_overload()),
    }
}

/// The value at an index or a key; `Ok(None)` where there is none.
fn lookup(container: &Value, key: &Value) -> Result<Option<Value>, Failure> {
    match container {
        Value::List(items) => {
            let at = match key {
                Value::Int(at) => *at,
                Value::Uint(at) => i64::try_from(*at).unwrap_or(i64::MAX),
                Value::Double(at) if at.fract() == 0.0 => *at as i64,
                _ => return Err(no_overload()),
            };
            Ok(usize::try_from(at)
                .ok()
                .and_then(|at| items.get(at))
                .cloned())
        }
        Value::Map(_) => Ok(container.find(key).cloned()),
        _ => Err(no_overload()),
    }
}

pub(super) fn index(container: &Value, key: &Value, optional: bool) -> Outcome {
    match container {
        Value::Optional(None) => Ok(Value::Optional(None)),
        Value::Optional(Some(inner)) => Ok(Value::Optional(lookup(inner, key)?.map(Arc::new))),
        _ if optional => Ok(Value::Optional(lookup(container, key)?.map(Arc::new))),
        _ => lookup(container, key)?.ok_or_else(|| match container {
            Value::List(_) => "index out of bounds".to_owned(),
            _ => format!("no such key: {}", key.to_text().unwrap_or_default()),
        }),
    }
}

pub(super) fn optional_field(operand: &Value, field: &Value) -> Outcome {
    match operand {
        Value::Map(_) => Ok(Value::Optional(operand.find(field).cloned().map(Arc::new))),
        _ => Err(no_overload()),
    }
}
