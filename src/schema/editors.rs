//! The schemas as editors show them: with an address, and what is known of a field as Markdown.

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
}
