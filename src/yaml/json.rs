//! Nodes as JSON values.

use serde_json::{Map, Number, Value};

use super::node::{Kind, Node};
use super::scalar::{Dialect, Scalar};

/// A node as JSON, its scalars as the dialect reads them; numbers that JSON readers cannot hold
/// and times stay text.
#[must_use]
pub fn json(node: Node<'_>, dialect: Dialect) -> Value {
    match node.kind() {
        Kind::Sequence => node.items().map(|item| json(item, dialect)).collect(),
        Kind::Mapping => {
            let mut map = Map::new();
            for (key, value) in node.entries() {
                map.insert(
                    key.text().unwrap_or_default().to_owned(),
                    json(value, dialect),
                );
            }
            Value::Object(map)
        }
        Kind::Scalar => {
            let text = || Value::from(node.text().unwrap_or_default());
            match node.scalar(dialect) {
                None | Some(Scalar::Null) => Value::Null,
                Some(Scalar::Bool(truth)) => truth.into(),
                Some(Scalar::Int(number)) => {
                    i64::try_from(number).map_or_else(|_| text(), Value::from)
                }
                Some(Scalar::Float(number)) => {
                    Number::from_f64(number).map_or_else(text, Value::Number)
                }
                Some(Scalar::BigInt(_) | Scalar::Time(_) | Scalar::Text(_)) => text(),
            }
        }
    }
}
