//! Parts of documents as JSON, for the programs that advise.

use serde_json::{Map, Number, Value};

use crate::yaml::{Dialect, Kind, Node, Scalar};

/// A node as JSON; the loader's limit on nesting bounds the depth.
pub(super) fn value(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Sequence => node.items().map(value).collect(),
        Kind::Mapping => {
            let mut map = Map::new();
            for (key, member) in node.entries() {
                map.insert(key.text().unwrap_or_default().to_owned(), value(member));
            }
            Value::Object(map)
        }
        Kind::Scalar => scalar(node),
    }
}

fn scalar(node: Node<'_>) -> Value {
    let text = || Value::from(node.text().unwrap_or_default());
    match node.scalar(Dialect::Kubernetes) {
        None | Some(Scalar::Null) => Value::Null,
        Some(Scalar::Bool(truth)) => truth.into(),
        Some(Scalar::Int(number)) => {
            let float = || Number::from_f64(number as f64);
            let whole = Number::from_i128(number);
            whole.or_else(float).map_or_else(text, Value::Number)
        }
        Some(Scalar::Float(number)) => Number::from_f64(number).map_or_else(text, Value::Number),
        Some(Scalar::BigInt(_) | Scalar::Time(_) | Scalar::Text(_)) => text(),
    }
}
