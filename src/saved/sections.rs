//! The sections of a plan as data: kept as JSON, with list items parsed on demand. As values they
//! would take ten times the memory.

use indexmap::IndexMap;
use serde::Deserialize;
use serde::ser::{Error as _, Serialize, SerializeMap as _, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The section that holds the rows of the plan.
pub(super) const ROWS: &str = "rows";

/// The sections, in their order, each once.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Sections(IndexMap<String, Box<RawValue>>);

/// The fields at the head of a plan as data; the rest are its sections.
const HEAD: [&str; 7] = [
    "apiVersion",
    "kind",
    "formatVersion",
    "now",
    "documents",
    "result",
    "diagnostics",
];

impl Sections {
    /// The sections of a plan, of which this is the text as data.
    ///
    /// # Errors
    /// It is no JSON object.
    pub fn of_plan(answer: &[u8]) -> serde_json::Result<Self> {
        let mut all: Self = serde_json::from_slice(answer)?;
        all.0.retain(|name, _| !HEAD.contains(&name.as_str()));
        Ok(all)
    }

    /// A section as a whole.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        serde_json::from_str(self.0.get(name)?.get()).ok()
    }

    /// The items of a section, each made when it is asked for; none where it is no list.
    pub fn rows<'s>(&'s self, name: &str) -> impl Iterator<Item = Value> + use<'s> {
        self.items(name).into_iter().map(value)
    }

    /// The items of a section as they were written; none where it is no list.
    #[must_use]
    pub fn items(&self, name: &str) -> Vec<&RawValue> {
        let items = self.0.get(name).and_then(|section| items(section));
        items.unwrap_or_default()
    }

    /// All sections as values.
    fn values(&self) -> Map<String, Value> {
        let all = self.0.iter();
        all.map(|(name, section)| (name.clone(), value(section)))
            .collect()
    }

    /// Whether there is such a section.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The sections that a plan as data has, in their order.
    pub(super) fn shown(&self) -> IndexMap<&str, Written<'_>> {
        let all = self.0.iter().filter(|(name, _)| *name != ROWS);
        all.map(|(name, section)| (&**name, Written(section)))
            .collect()
    }

    /// The sections, by name.
    pub(super) fn by_name(&self) -> Vec<(&str, &RawValue)> {
        let all = self.0.iter();
        let mut all: Vec<(&str, &RawValue)> = all.map(|(name, raw)| (&**name, &**raw)).collect();
        all.sort_unstable_by_key(|(name, _)| *name);
        all
    }
}

/// The items of a list; none of anything else.
pub(super) fn items(section: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(section.get()).ok()
}

/// An item as data.
#[must_use]
pub fn value(item: &RawValue) -> Value {
    serde_json::from_str(item.get()).unwrap_or_default()
}

impl PartialEq for Sections {
    fn eq(&self, other: &Self) -> bool {
        self.values() == other.values()
    }
}

impl Serialize for Sections {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (name, section) in &self.0 {
            map.serialize_entry(name, &Written(section))?;
        }
        map.end()
    }
}

/// A section that is written, however it was laid out where it was read.
pub(super) struct Written<'s>(&'s RawValue);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match items(self.0) {
            Some(items) => to.collect_seq(items.into_iter().map(value)),
            None => serde_json::from_str::<Value>(self.0.get())
                .map_err(S::Error::custom)?
                .serialize(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sections_are_what_was_written_however_it_was_laid_out() {
        let text = "{\"now\": 1, \"b\": [\n {\"y\": 1,\n \"x\": [2]}, 3],\n \"a\": {\"k\": null}, \
                    \"b2\": [], \"a\": {\"k\": 1.50}, \"diagnostics\": []}";
        let all = Sections::of_plan(text.as_bytes()).unwrap();
        let names: Vec<&str> = all.by_name().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "b", "b2"]);
        let written = serde_json::to_string(&all).unwrap();
        assert_eq!(
            written,
            r#"{"b":[{"y":1,"x":[2]},3],"a":{"k":1.5},"b2":[]}"#
        );
        assert_eq!(all, serde_json::from_str(&written).unwrap());
        let rows: Vec<Value> = all.rows("b").collect();
        assert_eq!(rows, [json!({"x": [2], "y": 1}), json!(3)]);
        assert_eq!(all.rows("a").chain(all.rows("none")).count(), 0);
        assert_eq!(all.get("a"), Some(json!({"k": 1.5})));
        assert!(Sections::of_plan(b"[]").is_err());
    }
}
