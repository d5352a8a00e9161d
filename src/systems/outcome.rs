//! The sections of a plan as data, as a saved plan has them.

use serde_json::Value;

use crate::kit::named::Name;
use crate::kit::plural::first_names;
use crate::plan::detail::Place;

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
pub fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    let items = value.get(key).and_then(Value::as_array);
    items.map_or(&[], Vec::as_slice)
}

/// The texts in a field.
#[must_use]
pub fn texts<'v>(value: &'v Value, key: &str) -> Vec<&'v str> {
    list(value, key).iter().filter_map(Value::as_str).collect()
}

/// The first texts in a field, and how many more there are.
#[must_use]
pub fn first(value: &Value, key: &str, most: usize) -> String {
    first_names(texts(value, key).iter(), most)
}

/// The number in a field as text.
#[must_use]
pub fn figure(value: &Value, key: &str) -> String {
    match value.get(key) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// The number in a field.
#[must_use]
pub fn number(value: &Value, key: &str) -> u64 {
    match value.get(key) {
        Some(Value::Number(number)) => number.as_u64().unwrap_or_default(),
        Some(Value::String(text)) => text.parse().unwrap_or_default(),
        _ => 0,
    }
}

/// The file and line of an item, where they are known.
#[must_use]
pub fn at(value: &Value) -> Option<Place<'_>> {
    let line = usize::try_from(value.get("line")?.as_u64()?).ok()?;
    Some((value.get("path")?.as_str()?, Some(line)))
}

/// Adds the file and line of an item.
pub fn declare(value: &mut Value, at: Option<(&str, usize)>) {
    if let Some((path, line)) = at {
        value["path"] = path.into();
        value["line"] = line.into();
    }
}

/// The texts in a field, in order.
#[must_use]
pub fn names(value: &Value, key: &str) -> Vec<String> {
    let mut names: Vec<String> = texts(value, key).into_iter().map(str::to_owned).collect();
    names.sort();
    names
}

/// `namespace/name`, or the name alone.
#[must_use]
pub fn spaced(value: &Value) -> String {
    Name::new(text(value, "namespace"), text(value, "name")).to_string()
}
