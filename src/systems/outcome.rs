//! The sections of a plan as data, as a saved plan has them.

use serde_json::Value;

use crate::kit::named::Name;

/// The sections by name.
pub trait Outcome {
    /// A section as a whole, if it is there.
    fn section(&self, name: &str) -> Option<Value>;

    /// The items of a section that is a list, each made when it is asked for.
    fn items(&self, section: &str) -> Box<dyn Iterator<Item = Value> + '_>;
}

/// The text of a field; empty if it has none.
#[must_use]
pub fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The list in a field.
#[must_use]
pub fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    let items = value.get(key).and_then(Value::as_array);
    items.map_or(&[], Vec::as_slice)
}

/// The texts in a field, in order.
#[must_use]
pub fn names(value: &Value, key: &str) -> Vec<String> {
    let named = items(value, key).iter().filter_map(Value::as_str);
    let mut names: Vec<String> = named.map(str::to_owned).collect();
    names.sort();
    names
}

/// `namespace/name`, or the name alone.
#[must_use]
pub fn spaced(value: &Value) -> String {
    Name::new(text(value, "namespace"), text(value, "name")).to_string()
}
