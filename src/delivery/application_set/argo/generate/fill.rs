//! Texts, values and selectors of a generator, filled in with the sets around it.

use std::borrow::Cow;

use crate::delivery::application_set::argo::generate::{Failure, Outer, Run};
use crate::delivery::application_set::argo::render::{Fault, Language, Rendered, Template};
use crate::delivery::application_set::argo::set::{Generator, Values};
use crate::delivery::application_set::argo::value::{Params, Value};
use crate::kit::selector::{Expression, LabelSelector};
use crate::source::{Place, Text};

/// A text that is filled in, if it is known.
pub(super) enum Filled<'a> {
    Text(Cow<'a, str>),
    Server(u32),
    Unknown,
}

impl<'s, 'a> Run<'s, 'a> {
    /// Fills a text in with each outer set in turn.
    pub(super) fn fill(&self, text: Text<'a>, outer: Outer<'_, 'a>) -> Result<Filled<'a>, Failure> {
        let fault = |fault: Fault| Failure::template(&fault, text.text, text.place);
        self.fill_in(text.text, outer, self.language).map_err(fault)
    }

    fn fill_in(
        &self,
        text: &'a str,
        outer: Outer<'_, 'a>,
        language: Language,
    ) -> Result<Filled<'a>, Fault> {
        let mut filled = Cow::Borrowed(text);
        for params in outer.iter().filter(|params| !params.is_empty()) {
            let template = Template::parse(&filled, language)?;
            if template.literal().is_some() {
                continue;
            }
            filled = match template.render(params, language)? {
                Rendered::Text(text) => Cow::Owned(text),
                Rendered::Server(cluster) => return Ok(Filled::Server(cluster)),
                Rendered::Unknown => return Ok(Filled::Unknown),
            };
        }
        Ok(Filled::Text(filled))
    }

    pub(super) fn fill_value(
        &self,
        value: &Value<'a>,
        place: Place,
        outer: Outer<'_, 'a>,
    ) -> Result<Value<'a>, Failure> {
        let fill = |text: &Cow<'a, str>| {
            let fault = |fault: Fault| Failure::template(&fault, text, place);
            match text {
                Cow::Borrowed(text) => self.fill_in(text, outer, self.language).map_err(fault),
                Cow::Owned(text) => Ok(Filled::Text(Cow::Owned(text.clone()))),
            }
        };
        Ok(match value {
            Value::Text(text) => match fill(text)? {
                Filled::Text(text) => Value::Text(text),
                Filled::Server(cluster) => Value::Server(cluster),
                Filled::Unknown => Value::Unknown,
            },
            Value::List(items) => {
                let items = items.iter().map(|item| self.fill_value(item, place, outer));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            Value::Map(entries) => {
                let mut filled = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    let Filled::Text(key) = fill(key)? else {
                        return Ok(Value::Unknown);
                    };
                    filled.push((key, self.fill_value(value, place, outer)?));
                }
                Value::Map(filled)
            }
            other => other.clone(),
        })
    }

    /// Renders all texts of the second child of a matrix, also those that nothing reads.
    pub(super) fn render_whole(
        &self,
        generator: &Generator<'a>,
        outer: Outer<'_, 'a>,
    ) -> Result<(), Failure> {
        for text in &generator.texts {
            self.fill(*text, outer)?;
        }
        for text in &generator.lenient {
            match self.fill_in(text.text, outer, self.language.strict()) {
                Err(fault) if !fault.is_missing() => {
                    return Err(Failure::template(&fault, text.text, text.place));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// A selector filled in; `None` where it is not known.
    pub(super) fn fill_selector(
        &self,
        selector: &LabelSelector<'a>,
        place: Place,
        outer: Outer<'_, 'a>,
    ) -> Result<Option<OwnedSelector<'a>>, Failure> {
        let mut known = true;
        let mut fill = |text: &'a str| match self.fill(Text { text, place }, outer)? {
            Filled::Text(text) => Ok(text),
            _ => {
                known = false;
                Ok(Cow::Borrowed(""))
            }
        };
        let mut filled = OwnedSelector::default();
        for (key, value) in &selector.match_labels {
            filled.labels.push((fill(key)?, fill(value)?));
        }
        for expression in &selector.match_expressions {
            let values: Result<Vec<_>, _> =
                expression.values.iter().map(|value| fill(value)).collect();
            let (key, operator) = (fill(expression.key)?, fill(expression.operator)?);
            filled.expressions.push((key, operator, values?));
        }
        Ok(known.then_some(filled))
    }

    /// `values` of a generator in a matrix; those that ask for what is missing stay as they are.
    pub(super) fn fill_values(
        &self,
        values: &Values<'a>,
        place: Place,
        outer: Outer<'_, 'a>,
    ) -> Result<Vec<(&'a str, Value<'a>)>, Failure> {
        let language = self.language.strict();
        let mut filled = Vec::with_capacity(values.len());
        for (key, text) in values {
            let value = match self.fill_in(text, outer, language) {
                Ok(Filled::Text(text)) => Value::Text(text),
                Ok(Filled::Server(cluster)) => Value::Server(cluster),
                Ok(Filled::Unknown) => Value::Unknown,
                Err(fault) if fault.is_missing() => Value::text(text),
                Err(fault) => return Err(Failure::template(&fault, text, place)),
            };
            filled.push((*key, value));
        }
        Ok(filled)
    }

    pub(super) fn add_values(&self, params: &mut Params<'a>, values: Vec<(&'a str, Value<'a>)>) {
        if values.is_empty() {
            return;
        }
        match self.language {
            Language::Tags => {
                for (key, value) in values {
                    params.set(format!("values.{key}"), value);
                }
            }
            Language::Go { .. } => {
                let values = values.into_iter().map(|(key, value)| (key.into(), value));
                params.set("values", Value::Map(values.collect()));
            }
        }
    }
}

/// The key, the operator and the values of an expression.
type OwnedExpression<'a> = (Cow<'a, str>, Cow<'a, str>, Vec<Cow<'a, str>>);

/// A selector whose texts were filled in.
#[derive(Default)]
pub(super) struct OwnedSelector<'a> {
    labels: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    expressions: Vec<OwnedExpression<'a>>,
}

impl OwnedSelector<'_> {
    pub(super) fn as_ref(&self) -> LabelSelector<'_> {
        let labels = self.labels.iter();
        let expressions = self.expressions.iter();
        LabelSelector {
            match_labels: labels
                .map(|(key, value)| (key.as_ref(), value.as_ref()))
                .collect(),
            match_expressions: expressions
                .map(|(key, operator, values)| Expression {
                    key,
                    operator,
                    values: values.iter().map(AsRef::as_ref).collect(),
                })
                .collect(),
        }
    }
}
