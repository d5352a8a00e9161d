//! The schemas of documents, walked field by field.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::schema;

/// How far references and choices are followed.
const DEPTH: usize = 8;

/// The schema of a kind.
pub(super) struct Fields {
    whole: Value,
}

/// A field that a mapping may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    /// Its description, as Markdown.
    pub(super) description: String,
    /// Whether it must be there.
    pub(super) is_required: bool,
    /// The form of its value: mapping, sequence or scalar.
    pub(super) form: Form,
}

/// The form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Mapping,
    Sequence,
    Scalar,
}

impl Fields {
    /// The schema of a stem.
    pub(super) fn new(stem: &str) -> Option<Self> {
        Some(Self {
            whole: schema::for_editors(stem)?,
        })
    }

    /// All schemas that hold at a path; an item is `None`.
    fn at(&self, path: &[Option<&str>]) -> Vec<&Map<String, Value>> {
        let mut here = self.choices(&self.whole);
        for step in path {
            let next = here.into_iter().filter_map(|schema| match step {
                Some(key) => {
                    let property = schema.get("properties").and_then(|all| all.get(*key));
                    property.or_else(|| schema.get("additionalProperties"))
                }
                None => schema.get("items"),
            });
            let next: Vec<&Value> = next.collect();
            here = next.into_iter().flat_map(|one| self.choices(one)).collect();
        }
        here
    }

    /// A schema and all that it refers to or lets choose from.
    fn choices<'s>(&'s self, schema: &'s Value) -> Vec<&'s Map<String, Value>> {
        let mut schemas = Vec::new();
        let mut open = vec![(schema, 0)];
        while let Some((schema, depth)) = open.pop() {
            let Some(schema) = schema.as_object().filter(|_| depth < DEPTH) else {
                continue;
            };
            schemas.push(schema);
            let reference = schema.get("$ref").and_then(Value::as_str);
            let pointed = reference.and_then(|reference| {
                let pointer = reference.strip_prefix('#')?;
                self.whole.pointer(pointer)
            });
            open.extend(pointed.map(|schema| (schema, depth + 1)));
            for key in ["allOf", "anyOf", "oneOf"] {
                let several = schema.get(key).and_then(Value::as_array);
                open.extend(several.into_iter().flatten().map(|one| (one, depth + 1)));
            }
            for key in ["if", "then", "else"] {
                open.extend(schema.get(key).map(|one| (one, depth + 1)));
            }
        }
        schemas
    }

    /// The description of the value at a path, as Markdown.
    pub(super) fn description(&self, path: &[Option<&str>]) -> Option<String> {
        let schemas = self.at(path);
        let mut texts = schemas.iter().filter_map(|schema| described(schema));
        texts.next().map(str::to_owned)
    }

    /// The fields of the mapping at a path.
    pub(super) fn fields(&self, path: &[Option<&str>]) -> BTreeMap<&str, Field> {
        let mut fields = BTreeMap::new();
        for schema in self.at(path) {
            let required = schema.get("required").and_then(Value::as_array);
            let required: Vec<&Value> = required.into_iter().flatten().collect();
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, property) in properties.into_iter().flatten() {
                // A value that must not be there is no field.
                if property == &Value::Bool(false) {
                    continue;
                }
                let choices = self.choices(property);
                let description = choices.iter().find_map(|one| described(one));
                let field = Field {
                    description: description.unwrap_or("").to_owned(),
                    is_required: required.iter().any(|one| one.as_str() == Some(name)),
                    form: form(&choices),
                };
                let known: &mut Field =
                    fields.entry(name.as_str()).or_insert_with(|| field.clone());
                known.is_required |= field.is_required;
                if known.description.is_empty() {
                    known.description = field.description;
                }
                if known.form == Form::Scalar {
                    known.form = field.form;
                }
            }
        }
        fields
    }

    /// The texts that the value at a path has in examples.
    pub(super) fn examples(&self, path: &[Option<&str>]) -> Vec<String> {
        let schemas = self.at(path);
        let examples = schemas
            .iter()
            .filter_map(|schema| schema.get("examples")?.as_array());
        let texts = examples.flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }

    /// The values that the value at a path may have, where they are named.
    pub(super) fn values(&self, path: &[Option<&str>]) -> Vec<String> {
        let mut values = Vec::new();
        for schema in self.at(path) {
            let several = schema.get("enum").and_then(Value::as_array);
            let several = several.into_iter().flatten().chain(schema.get("const"));
            let is_flag = schema.get("type").and_then(Value::as_str) == Some("boolean");
            let flags = [Value::Bool(true), Value::Bool(false)];
            let flags = flags.iter().filter(|_| is_flag);
            for value in several.chain(flags) {
                let text = match value {
                    Value::String(text) => text.clone(),
                    Value::Null => continue,
                    other => other.to_string(),
                };
                if !values.contains(&text) {
                    values.push(text);
                }
            }
        }
        values
    }
}

fn described(schema: &Map<String, Value>) -> Option<&str> {
    let text = schema.get("markdownDescription");
    text.or_else(|| schema.get("description"))?.as_str()
}

fn form(choices: &[&Map<String, Value>]) -> Form {
    let is = |wanted: &str| {
        choices.iter().any(|schema| match schema.get("type") {
            Some(Value::String(one)) => one == wanted,
            Some(Value::Array(several)) => several.iter().any(|one| one == wanted),
            _ => false,
        })
    };
    if is("object")
        || choices
            .iter()
            .any(|schema| schema.contains_key("properties"))
    {
        Form::Mapping
    } else if is("array") {
        Form::Sequence
    } else {
        Form::Scalar
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_through_references_and_items() {
        let fields = Fields::new("ocm-placement").unwrap();
        let spec = fields.fields(&[Some("spec")]);
        assert!(spec.contains_key("numberOfClusters"), "{:?}", spec.keys());
        assert_eq!(spec["predicates"].form, Form::Sequence);
        let selector = [
            Some("spec"),
            Some("predicates"),
            None,
            Some("requiredClusterSelector"),
            Some("labelSelector"),
            Some("matchExpressions"),
            None,
            Some("operator"),
        ];
        let examples = fields.examples(&selector);
        assert!(examples.contains(&"NotIn".to_owned()), "{examples:?}");
        let number = fields.description(&[Some("spec"), Some("numberOfClusters")]);
        assert!(number.is_some_and(|text| !text.is_empty()));
    }
}
