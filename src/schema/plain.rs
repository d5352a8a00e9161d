//! Schemas without what only people read of them.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Number, Value};

/// Keywords whose texts and lists are left out; a property may have such a name, too, but has an
/// object below it.
const FOR_PEOPLE: [&str; 4] = ["description", "examples", "markdownDescription", "title"];

/// A schema from its text; `None` where that is no JSON.
pub(super) fn read(text: &str) -> Option<Value> {
    serde_json::from_str::<Plain>(text).ok()?.0
}

/// A value; texts and lists count as nothing where they are for people.
struct Plain(Option<Value>);

impl<'de> Deserialize<'de> for Plain {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Reader { for_people: false }.deserialize(from).map(Self)
    }
}

#[derive(Clone, Copy)]
struct Reader {
    for_people: bool,
}

impl Reader {
    fn unless_for_people(self, value: impl FnOnce() -> Value) -> Option<Value> {
        (!self.for_people).then(value)
    }
}

impl<'de> DeserializeSeed<'de> for Reader {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader {
    type Value = Option<Value>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Some(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Some(
            Number::from_f64(value).map_or(Value::Null, Value::Number),
        ))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(self.unless_for_people(|| value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        if self.for_people {
            while from.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(None);
        }
        let mut items = Vec::new();
        while let Some(item) = from.next_element::<Plain>()? {
            items.extend(item.0);
        }
        Ok(Some(Value::Array(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = from.next_key::<Cow<'de, str>>()? {
            let for_people = FOR_PEOPLE.contains(&&*key);
            if let Some(value) = from.next_value_seed(Self { for_people })? {
                map.insert(key.into_owned(), value);
            }
        }
        Ok(Some(Value::Object(map)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::files::FILES;

    /// What is read of a whole schema by another way.
    fn stripped(value: &Value) -> Value {
        let people = |key: &str, value: &Value| {
            FOR_PEOPLE.contains(&key) && (value.is_string() || value.is_array())
        };
        match value {
            Value::Object(map) => {
                let kept = map.iter().filter(|(key, value)| !people(key, value));
                kept.map(|(key, value)| (key.clone(), stripped(value)))
                    .collect()
            }
            Value::Array(items) => items.iter().map(stripped).collect(),
            other => other.clone(),
        }
    }

    #[test]
    fn nothing_else_is_left_out() {
        for (stem, text) in FILES {
            let whole: Value = serde_json::from_str(text).unwrap();
            assert_eq!(read(text), Some(stripped(&whole)), "{stem}");
        }
        let own =
            r#"{"properties": {"title": {"type": "string", "title": "T", "enum": ["a", 1.5]}}}"#;
        let read = read(own).unwrap();
        assert_eq!(
            read,
            json!({"properties": {"title": {"type": "string", "enum": ["a", 1.5]}}})
        );
    }
}
