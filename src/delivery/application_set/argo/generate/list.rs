//! Lists of elements.

use std::borrow::Cow;

use crate::delivery::application_set::argo::generate::fill::Filled;
use crate::delivery::application_set::argo::generate::{Failure, Outer, Run, Sets, Why};
use crate::delivery::application_set::argo::render::Language;
use crate::delivery::application_set::argo::value::{Params, Value};
use crate::source::{Place, Text};

impl<'s, 'a> Run<'s, 'a> {
    pub(super) fn list(
        &mut self,
        elements: &[(Value<'a>, Place)],
        more: Option<Text<'a>>,
        outer: Outer<'_, 'a>,
    ) -> Sets<'a> {
        let mut sets = Vec::with_capacity(elements.len());
        for (element, place) in elements {
            match self.fill_value(element, *place, outer)? {
                Value::Map(entries) => sets.push(self.element(entries, *place)?),
                Value::Null => sets.push(Params::default()),
                Value::Unknown => sets.extend(self.unknown()?),
                _ => {
                    let message = "an element of a list generator is not a mapping";
                    let help = "write `- {name: value}`";
                    return Err(Failure::new(Why::Generator, message, *place, help));
                }
            }
        }
        if let Some(more) = more {
            match self.fill(more, outer)? {
                Filled::Text(text) if !text.contains("{{") => {
                    sets.extend(elements_of(&text, more.place)?);
                }
                _ => sets.extend(self.unknown()?),
            }
        }
        Ok(sets)
    }

    /// An element of a list; without Go templates all of it must be texts.
    fn element(
        &self,
        entries: Vec<(Cow<'a, str>, Value<'a>)>,
        place: Place,
    ) -> Result<Params<'a>, Failure> {
        let mut params = Params::default();
        if let Language::Go { .. } = self.language {
            params.entries = entries;
            return Ok(params);
        }
        let no_text = |key: &str| {
            let message = format!("`{key}` of a list element is not a string");
            let help = "quote the value, or set `goTemplate: true`";
            Failure::new(Why::Generator, message, place, help)
        };
        let is_text =
            |value: &Value<'_>| matches!(value, Value::Text(_) | Value::Server(_) | Value::Unknown);
        for (key, value) in entries {
            match value {
                Value::Map(values) if key == "values" => {
                    for (name, value) in values {
                        if !is_text(&value) {
                            return Err(no_text(&format!("values.{name}")));
                        }
                        params.set(format!("values.{name}"), value);
                    }
                }
                _ if key == "values" => {
                    let message = "`values` of a list element is not a mapping";
                    let help = "write `values: {name: value}`";
                    return Err(Failure::new(Why::Generator, message, place, help));
                }
                value if is_text(&value) => params.set(key, value),
                _ => return Err(no_text(&key)),
            }
        }
        Ok(params)
    }
}

/// The elements of `elementsYaml`, which may be of any type.
fn elements_of<'a>(text: &str, place: Place) -> Sets<'a> {
    let read: Result<Vec<serde_json::Map<String, serde_json::Value>>, _> =
        serde_yaml::from_str(text);
    let maps = read.map_err(|_| {
        let message = "`elementsYaml` is not a list of mappings";
        Failure::new(Why::Generator, message, place, "write `- name: value`")
    })?;
    let set = |map: serde_json::Map<String, serde_json::Value>| Params {
        entries: map
            .into_iter()
            .map(|(key, value)| (key.into(), Value::of_json(value)))
            .collect(),
        ..Params::default()
    };
    Ok(maps.into_iter().map(set).collect())
}
