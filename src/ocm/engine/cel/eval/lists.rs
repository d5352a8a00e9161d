//! The functions of lists.

use std::cmp::Ordering;

use super::arithmetic::arithmetic;
use crate::ocm::engine::cel::strings;
use crate::ocm::engine::cel::value::{Outcome, Value, no_overload};

pub(super) fn of_list(name: &str, items: &[Value], rest: &[Value]) -> Outcome {
    let place =
        |at: Option<usize>| Value::Int(at.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1));
    match (name, rest) {
        ("join", []) => strings::join(items, ""),
        ("join", [Value::Text(separator)]) => strings::join(items, separator),
        ("indexOf", [wanted]) => Ok(place(items.iter().position(|item| item.equals(wanted)))),
        ("lastIndexOf", [wanted]) => Ok(place(items.iter().rposition(|item| item.equals(wanted)))),
        ("isSorted", []) => {
            for pair in items.windows(2) {
                if pair[0].compare(&pair[1])? == Some(Ordering::Greater) {
                    return Ok(Value::Bool(false));
                }
            }
            Ok(Value::Bool(true))
        }
        ("sum", []) => {
            let Some((first, rest)) = items.split_first() else {
                return Ok(Value::Int(0));
            };
            if !matches!(
                first,
                Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::Span(_)
            ) {
                return Err(no_overload());
            }
            rest.iter()
                .try_fold(first.clone(), |sum, item| arithmetic("_+_", &sum, item))
        }
        ("min" | "max", []) => {
            let wanted = if name == "min" {
                Ordering::Greater
            } else {
                Ordering::Less
            };
            let (first, rest) = items
                .split_first()
                .ok_or_else(|| format!("{name} called on empty list"))?;
            let mut best = first;
            for item in rest {
                if best.compare(item)? == Some(wanted) {
                    best = item;
                }
            }
            Ok(best.clone())
        }
        _ => Err(no_overload()),
    }
}
