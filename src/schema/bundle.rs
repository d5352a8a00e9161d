//! One self-contained schema of a kind, and the dispatching schema of a mixed file.

use serde_json::{Map, Value, json};

use crate::document::KINDS;

use super::files::{BY_SCHEMA, BY_TYPE, FILES, OUTPUTS};

const SUFFIX: &str = ".schema.json";

fn file(stem: &str) -> Option<Value> {
    let (_, text) = FILES
        .iter()
        .chain(OUTPUTS)
        .find(|(name, _)| *name == stem)?;
    serde_json::from_str(text).ok()
}

/// The schema of a stem with every file it refers to under `$defs`; `None` for an unknown stem.
///
/// # Panics
/// Never: the embedded files are JSON objects (a test reads them all).
#[must_use]
pub fn bundled(stem: &str) -> Option<Value> {
    if stem == "site" {
        return Some(bundle("site", site_schema()));
    }
    Some(bundle(stem, file(stem)?))
}

/// Rewrites references between files to references into `$defs`, and brings the files.
fn bundle(main: &str, mut schema: Value) -> Value {
    let mut wanted: Vec<String> = Vec::new();
    rewrite(&mut schema, main, main, &mut wanted);
    let mut brought: Map<String, Value> = Map::new();
    while let Some(stem) = wanted.pop() {
        if brought.contains_key(&stem) || stem == main {
            continue;
        }
        let mut other = file(&stem).unwrap_or_else(|| json!({}));
        if let Some(other) = other.as_object_mut() {
            other.remove("$schema");
        }
        rewrite(&mut other, &stem, main, &mut wanted);
        brought.insert(stem, other);
    }
    brought.sort_keys();
    if let Some(object) = schema.as_object_mut()
        && !brought.is_empty()
    {
        let definitions = object.entry("$defs").or_insert_with(|| json!({}));
        if let Some(definitions) = definitions.as_object_mut() {
            definitions.extend(brought);
        }
    }
    schema
}

fn rewrite(value: &mut Value, inside: &str, main: &str, wanted: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                if key == "$ref"
                    && let Value::String(reference) = value
                {
                    let (name, rest) = reference.split_once('#').unwrap_or((reference, ""));
                    let stem = name.strip_suffix(SUFFIX).unwrap_or(name);
                    let stem = if stem.is_empty() { inside } else { stem };
                    let target = if stem == main {
                        String::new()
                    } else {
                        format!("/$defs/{stem}")
                    };
                    if stem != main {
                        wanted.push(stem.to_owned());
                    }
                    *reference = format!("#{target}{rest}");
                } else {
                    rewrite(value, inside, main, wanted);
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                rewrite(item, inside, main, wanted);
            }
        }
        _ => {}
    }
}

/// The schema that serves a mixed file: `apiVersion` and `kind`, `schema` or `type` decide.
#[must_use]
pub fn site_schema() -> Value {
    let known = |stem: &str| FILES.iter().any(|(name, _)| *name == stem);
    let mut branches: Vec<Value> = Vec::new();
    let mut branch = |conditions: &[(&str, Value)], stem: &str| {
        if !known(stem) {
            return;
        }
        let properties: Map<String, Value> = conditions
            .iter()
            .map(|(key, test)| ((*key).to_owned(), test.clone()))
            .collect();
        let required: Vec<&str> = conditions.iter().map(|(key, _)| *key).collect();
        branches.push(json!({
            "if": {"properties": properties, "required": required},
            "then": {"$ref": format!("{stem}{SUFFIX}")},
        }));
    };
    for info in KINDS {
        let conditions = [
            ("apiVersion", json!({"const": info.api_version})),
            ("kind", json!({"const": info.name})),
        ];
        branch(&conditions, info.schema);
    }
    for (schema, stem) in BY_SCHEMA {
        branch(&[("schema", json!({"const": schema}))], stem);
    }
    for (kind, stem) in BY_TYPE {
        branch(&[("type", json!({"const": kind}))], stem);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A document of a planner site",
        "description": "Dispatches on apiVersion and kind, schema or type, so that one schema \
                        serves a file of mixed documents. Other documents pass.",
        "type": "object",
        "allOf": branches,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_2020_12_schema_without_an_address() {
        for (stem, text) in FILES.iter().chain(OUTPUTS) {
            let schema: Value =
                serde_json::from_str(text).unwrap_or_else(|e| panic!("{stem}: {e}"));
            assert!(
                schema["$schema"].as_str().unwrap().contains("2020-12"),
                "{stem}"
            );
            assert!(schema.get("$id").is_none(), "{stem}");
            let bundled = bundled(stem).unwrap();
            jsonschema::options()
                .offline()
                .build(&bundled)
                .unwrap_or_else(|e| panic!("{stem}: {e}"));
        }
        assert!(FILES.is_sorted());
    }

    /// The fields of a schema without a description, and objects that leave fields open. A field
    /// that refers to another of the same answer has the description of that one.
    fn undescribed(at: &str, schema: &Value, root: &Value, wrong: &mut Vec<String>) {
        match schema {
            Value::Object(keys) => {
                for (name, field) in keys
                    .get("properties")
                    .and_then(Value::as_object)
                    .into_iter()
                    .flatten()
                {
                    let referred = field["$ref"]
                        .as_str()
                        .filter(|target| target.starts_with("#/properties/"))
                        .and_then(|target| root.pointer(&target[1..]));
                    let described = referred.unwrap_or(field);
                    if described["description"].as_str().is_none_or(str::is_empty) {
                        wrong.push(format!("{at}/{name}"));
                    }
                }
                if keys.contains_key("properties")
                    && keys.get("additionalProperties") != Some(&json!(false))
                {
                    wrong.push(format!("{at} is open"));
                }
                for (key, value) in keys {
                    undescribed(&format!("{at}/{key}"), value, root, wrong);
                }
            }
            Value::Array(items) => items
                .iter()
                .for_each(|item| undescribed(at, item, root, wrong)),
            _ => {}
        }
    }

    #[test]
    fn every_field_of_an_answer_is_described() {
        let mut wrong = Vec::new();
        for (stem, text) in OUTPUTS {
            let schema = serde_json::from_str(text).unwrap();
            undescribed(stem, &schema, &schema, &mut wrong);
        }
        assert_eq!(wrong, Vec::<String>::new());
    }
}
