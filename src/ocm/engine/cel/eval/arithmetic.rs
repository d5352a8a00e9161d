//! Sums, products and remainders; a result out of range is an error.

use std::sync::Arc;

use jiff::SignedDuration;

use crate::ocm::engine::cel::value::{Failure, Outcome, Value, list, no_overload, text};

pub(super) fn overflow() -> Failure {
    "return error for overflow".to_owned()
}

pub(super) fn arithmetic(name: &str, a: &Value, b: &Value) -> Outcome {
    use Value as V;
    let nanos = |span: &i64| SignedDuration::from_nanos(*span);
    Ok(match (name, a, b) {
        ("_+_", V::Int(a), V::Int(b)) => V::Int(a.checked_add(*b).ok_or_else(overflow)?),
        ("_-_", V::Int(a), V::Int(b)) => V::Int(a.checked_sub(*b).ok_or_else(overflow)?),
        ("_*_", V::Int(a), V::Int(b)) => V::Int(a.checked_mul(*b).ok_or_else(overflow)?),
        ("_/_", V::Int(_), V::Int(0)) | ("_/_", V::Uint(_), V::Uint(0)) => {
            return Err("division by zero".to_owned());
        }
        ("_%_", V::Int(_), V::Int(0)) | ("_%_", V::Uint(_), V::Uint(0)) => {
            return Err("modulus by zero".to_owned());
        }
        ("_/_", V::Int(a), V::Int(b)) => V::Int(a.checked_div(*b).ok_or_else(overflow)?),
        ("_%_", V::Int(a), V::Int(b)) => V::Int(a.checked_rem(*b).ok_or_else(overflow)?),
        ("_+_", V::Uint(a), V::Uint(b)) => V::Uint(a.checked_add(*b).ok_or_else(overflow)?),
        ("_-_", V::Uint(a), V::Uint(b)) => V::Uint(a.checked_sub(*b).ok_or_else(overflow)?),
        ("_*_", V::Uint(a), V::Uint(b)) => V::Uint(a.checked_mul(*b).ok_or_else(overflow)?),
        ("_/_", V::Uint(a), V::Uint(b)) => V::Uint(a / b),
        ("_%_", V::Uint(a), V::Uint(b)) => V::Uint(a % b),
        ("_+_", V::Double(a), V::Double(b)) => V::Double(a + b),
        ("_-_", V::Double(a), V::Double(b)) => V::Double(a - b),
        ("_*_", V::Double(a), V::Double(b)) => V::Double(a * b),
        ("_/_", V::Double(a), V::Double(b)) => V::Double(a / b),
        ("_+_", V::Text(a), V::Text(b)) => text([&**a, &**b].concat()),
        ("_+_", V::Bytes(a), V::Bytes(b)) => V::Bytes(Arc::from([&**a, &**b].concat())),
        ("_+_", V::List(a), V::List(b)) => list(a.iter().chain(b.iter()).cloned().collect()),
        ("_+_", V::Time(at), V::Span(span)) | ("_+_", V::Span(span), V::Time(at)) => {
            V::Time(at.checked_add(nanos(span)).map_err(|_| overflow())?)
        }
        ("_-_", V::Time(at), V::Span(span)) => {
            V::Time(at.checked_sub(nanos(span)).map_err(|_| overflow())?)
        }
        ("_-_", V::Time(a), V::Time(b)) => {
            let span = a.as_nanosecond() - b.as_nanosecond();
            V::Span(i64::try_from(span).map_err(|_| overflow())?)
        }
        ("_+_", V::Span(a), V::Span(b)) => V::Span(a.checked_add(*b).ok_or_else(overflow)?),
        ("_-_", V::Span(a), V::Span(b)) => V::Span(a.checked_sub(*b).ok_or_else(overflow)?),
        _ => return Err(no_overload()),
    })
}
