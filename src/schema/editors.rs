//! The schemas as editors show them: with an address, and the description of each field as
//! Markdown.

use serde_json::{Map, Value};

use super::bundle::bundled;

/// Where the schema files are published.
const HOME: &str = concat!(
    "https://docs.rs/crate/",
    env!("CARGO_PKG_NAME"),
    "/",
    env!("CARGO_PKG_VERSION"),
    "/source/schemas/"
);

/// The schema of a stem in one piece, for editors; `None` for an unknown stem.
#[must_use]
pub fn for_editors(stem: &str) -> Option<Value> {
    let mut schema = bundled(stem)?;
    describe(&mut schema);
    let Value::Object(schema) = schema else {
        return None;
    };
    let mut whole = Map::new();
    for (key, value) in schema {
        let first = key == "$schema";
        whole.insert(key, value);
        if first {
            let address = format!("{HOME}{stem}.schema.json");
            whole.insert("$id".into(), address.into());
        }
    }
    Some(Value::Object(whole))
}

/// Adds `markdownDescription` wherever there is a description.
fn describe(schema: &mut Value) {
    match schema {
        Value::Object(schema) => {
            let described = schema.get("description").and_then(Value::as_str);
            if let Some(text) = described.map(|text| markdown(text, schema)) {
                schema.insert("markdownDescription".into(), text.into());
            }
            for (key, value) in schema.iter_mut() {
                if !matches!(key.as_str(), "const" | "default" | "enum" | "examples") {
                    describe(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(describe),
        _ => {}
    }
}

fn markdown(description: &str, schema: &Map<String, Value>) -> String {
    let mut text = description.to_owned();
    let code = |values: &[Value]| {
        let values = values.iter().map(|value| format!("`{value}`"));
        values.collect::<Vec<_>>().join(", ")
    };
    for (key, title) in [
        ("enum", "One of"),
        ("default", "Default"),
        ("examples", "Example"),
    ] {
        match schema.get(key) {
            None => {}
            Some(Value::Array(values)) if key != "default" => {
                text.push_str(&format!("\n\n{title}: {}", code(values)));
            }
            Some(value) => text.push_str(&format!("\n\n{title}: `{value}`")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::for_editors;
    use crate::schema::FILES;

    /// The fields of a schema that say nothing about themselves.
    fn silent(schema: &Value, path: &str, found: &mut Vec<String>) {
        let Value::Object(schema) = schema else {
            return;
        };
        if let Some(Value::Object(fields)) = schema.get("properties") {
            for (name, field) in fields {
                if field.is_object() && field.get("markdownDescription").is_none() {
                    found.push(format!("{path}.{name}"));
                }
                silent(field, &format!("{path}.{name}"), found);
            }
        }
        for (key, part) in schema {
            match part {
                Value::Array(parts) => parts.iter().for_each(|part| silent(part, path, found)),
                part if !matches!(key.as_str(), "properties" | "if" | "not") => {
                    silent(part, path, found);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn every_field_says_what_it_is() {
        let mut found = Vec::new();
        for (stem, _) in FILES {
            let schema = for_editors(stem).unwrap();
            let address = schema["$id"].as_str().unwrap();
            assert!(address.ends_with(&format!("/schemas/{stem}.schema.json")));
            silent(&schema, stem, &mut found);
        }
        assert_eq!(found, Vec::<String>::new());
    }

    /// Every part of a schema with a pointer to it; values that only look like schemas are not
    /// among them.
    fn parts<'s>(schema: &'s Value, pointer: &str, found: &mut Vec<(String, &'s Value)>) {
        found.push((pointer.to_owned(), schema));
        let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
        match schema {
            Value::Object(fields) => {
                for (key, part) in fields {
                    if !matches!(key.as_str(), "const" | "default" | "enum" | "examples") {
                        parts(part, &format!("{pointer}/{}", escaped(key)), found);
                    }
                }
            }
            Value::Array(items) => {
                for (item, index) in items.iter().zip(0..) {
                    parts(item, &format!("{pointer}/{index}"), found);
                }
            }
            _ => {}
        }
    }

    /// Shows every part of every schema: its file's stem, the schema, where the part is, the part.
    fn each_part(mut see: impl FnMut(&str, &Value, &str, &Value)) {
        for (stem, _) in FILES {
            let schema = for_editors(stem).unwrap();
            let mut all = Vec::new();
            parts(&schema, "", &mut all);
            for (pointer, part) in all {
                see(stem, &schema, &pointer, part);
            }
        }
    }

    #[test]
    fn every_field_shows_a_value() {
        let shows = ["examples", "default", "enum", "const", "properties", "$ref"];
        let mut found = Vec::new();
        each_part(|stem, _, pointer, part| {
            let Some(Value::Object(fields)) = part.get("properties") else {
                return;
            };
            // A field of this name.
            if fields.get("type").is_some_and(|kind| !kind.is_object()) {
                return;
            }
            for (name, field) in fields {
                let asked = field.is_object() && !pointer.contains("/if");
                if asked && !shows.iter().any(|key| field.get(key).is_some()) {
                    found.push(format!("{stem}{pointer}/properties/{name}"));
                }
            }
        });
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn examples_and_defaults_fit_their_fields() {
        let mut wrong = Vec::new();
        each_part(|stem, schema, pointer, part| {
            let examples = part.get("examples").and_then(Value::as_array);
            let values: Vec<&Value> = examples
                .into_iter()
                .flatten()
                .chain(part.get("default"))
                .collect();
            if values.is_empty() || pointer.ends_with("/properties") {
                return;
            }
            let mut asked = schema.clone();
            let whole = asked.as_object_mut().unwrap();
            whole.retain(|key, _| matches!(key.as_str(), "$schema" | "$defs"));
            let defs = whole
                .entry("$defs")
                .or_insert_with(|| serde_json::json!({}));
            let defs = defs.as_object_mut().unwrap();
            defs.insert("field".into(), part.clone());
            whole.insert("$ref".into(), "#/$defs/field".into());
            let validator = jsonschema::options().build(&asked).unwrap();
            for value in values {
                if let Err(error) = validator.validate(value) {
                    wrong.push(format!("{stem}{pointer}: {value}: {error}"));
                }
            }
        });
        assert_eq!(wrong, Vec::<String>::new());
    }
}
