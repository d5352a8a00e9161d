//! Targets: the objects that a patch or replacement is for.

use regex::Regex;

use crate::kit::selector::Expression;

use super::fault::Fault;
use super::fields::Text;
use super::file::Selector;
use super::resource::{self, Id, Resource};
use super::rules;

/// A target, its expressions compiled.
#[derive(Debug)]
pub(super) struct Compiled {
    group: Option<Regex>,
    version: Option<Regex>,
    kind: Option<Regex>,
    name: Option<Regex>,
    namespace: Option<Regex>,
    labels: Option<Text>,
    annotations: Option<Text>,
}

fn expression(text: Option<&Text>) -> Result<Option<Regex>, Fault> {
    let Some(text) = text else { return Ok(None) };
    let fault = |why: String| {
        Fault::new(&rules::SELECTOR, why, text.place)
            .help("write an expression as Go reads it (RE2); `.` fits any sign")
    };
    if repeats_too_often(&text.text) {
        return Err(fault(format!(
            "`{}` repeats more than 1000 times, which kustomize refuses",
            text.text
        )));
    }
    let compiled = Regex::new(&format!("^(?:{})$", text.text));
    compiled.map(Some).map_err(|error| {
        let why = match error {
            regex::Error::CompiledTooBig(_) => "is too large".to_owned(),
            error => {
                let why = error.to_string();
                let last = why.lines().last().unwrap_or_default();
                format!("cannot be read: {}", last.trim_start_matches("error: "))
            }
        };
        fault(format!("the expression `{}` {why}", text.text))
    })
}

/// Whether an expression has a repetition over a thousand times.
fn repeats_too_often(text: &str) -> bool {
    text.split('{').skip(1).any(|rest| {
        let inside = rest.split('}').next().unwrap_or_default();
        inside
            .split(',')
            .any(|number| number.parse::<u64>().is_ok_and(|number| number > 1000))
    })
}

impl Compiled {
    pub(super) fn new(selector: &Selector) -> Result<Self, Fault> {
        Ok(Self {
            group: expression(selector.group.as_ref())?,
            version: expression(selector.version.as_ref())?,
            kind: expression(selector.kind.as_ref())?,
            name: expression(selector.name.as_ref())?,
            namespace: expression(selector.namespace.as_ref())?,
            labels: selector.labels.clone(),
            annotations: selector.annotations.clone(),
        })
    }

    /// Whether an object is of the kind that is selected.
    pub(super) fn fits_kind(&self, api_version: &str, kind: &str) -> bool {
        let fits = |regex: &Option<Regex>, text: &str| {
            regex.as_ref().is_none_or(|regex| regex.is_match(text))
        };
        fits(&self.group, resource::group(api_version))
            && fits(&self.version, resource::version(api_version))
            && fits(&self.kind, kind)
    }

    /// Whether a name and namespace are selected.
    pub(super) fn fits_name(&self, name: &str, namespace: &str) -> bool {
        let fits = |regex: &Option<Regex>, text: &str| {
            regex.as_ref().is_none_or(|regex| regex.is_match(text))
        };
        fits(&self.name, name) && fits(&self.namespace, namespace)
    }

    /// Whether the labels and annotations of an object are selected.
    pub(super) fn fits_labels(&self, resource: &Resource) -> Result<bool, Fault> {
        Ok(fits(self.labels.as_ref(), resource, "labels")?
            && fits(self.annotations.as_ref(), resource, "annotations")?)
    }

    /// Whether a target selects an object, by its names now or first.
    pub(super) fn selects(&self, resource: &Resource) -> Result<bool, Fault> {
        if !self.fits_kind(&resource.api_version(), &resource.kind()) {
            return Ok(false);
        }
        let fits = |regex: &Option<Regex>, one: &dyn Fn(&Id) -> bool| match regex {
            None => true,
            Some(_) => one(&resource.first_id()) || one(&resource.id()),
        };
        let is = |regex: &Option<Regex>, text: &str| {
            regex.as_ref().is_none_or(|regex| regex.is_match(text))
        };
        let named = fits(&self.name, &|id| is(&self.name, &id.name))
            && fits(&self.namespace, &|id| is(&self.namespace, &id.namespace));
        Ok(named && self.fits_labels(resource)?)
    }

    /// Whether nothing but labels and annotations is asked for.
    pub(super) fn is_open(&self) -> bool {
        let expressions = [
            &self.group,
            &self.version,
            &self.kind,
            &self.name,
            &self.namespace,
        ];
        expressions.into_iter().all(Option::is_none)
    }

    /// Whether labels or annotations are asked for.
    pub(super) fn asks_labels(&self) -> bool {
        self.labels.is_some() || self.annotations.is_some()
    }
}

fn fits(selector: Option<&Text>, resource: &Resource, field: &str) -> Result<bool, Fault> {
    let Some(text) = selector else {
        return Ok(true);
    };
    let unreadable = |why: String| {
        Fault::new(
            &rules::SELECTOR,
            format!("the selector `{}` cannot be read: {why}", text.text),
            text.place,
        )
        .help(
            "write `a=b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a` or `!a`, with commas between",
        )
    };
    let labels = resource.texts(field);
    let mut all = true;
    for one in requirements(&text.text).map_err(unreadable)? {
        let value = labels.iter().find(|(key, _)| **key == *one.key);
        let value = value.map(|(_, value)| &**value);
        all &= one.matches(value).map_err(unreadable)?;
    }
    Ok(all)
}

/// One of the requirements of a selector in a text.
struct Requirement<'t> {
    key: &'t str,
    operator: &'static str,
    values: Vec<&'t str>,
}

impl Requirement<'_> {
    fn matches(&self, value: Option<&str>) -> Result<bool, String> {
        if let "Gt" | "Lt" = self.operator {
            let bound: i64 = self
                .values
                .first()
                .and_then(|bound| bound.parse().ok())
                .ok_or("a whole number is wanted")?;
            let value: Option<i64> = value.and_then(|value| value.parse().ok());
            return Ok(value.is_some_and(|value| match self.operator {
                "Gt" => value > bound,
                _ => value < bound,
            }));
        }
        let expression = Expression {
            key: self.key,
            operator: self.operator,
            values: self.values.clone(),
        };
        let selector = crate::kit::selector::LabelSelector {
            match_labels: Vec::new(),
            match_expressions: vec![expression],
        };
        let compiled = selector.compile().map_err(|error| error.message)?;
        Ok(compiled.requirements.iter().all(|one| one.matches(value)))
    }
}

/// The requirements of a selector: `a=b,c in (d),!e`.
fn requirements(text: &str) -> Result<Vec<Requirement<'_>>, String> {
    let mut tokens = tokens(text).into_iter().peekable();
    let mut all = Vec::new();
    if tokens.peek().is_none() {
        return Ok(all);
    }
    loop {
        let not = tokens.next_if_eq(&"!").is_some();
        let key = match tokens.next() {
            Some(word) if is_word(word) => word,
            found => {
                return Err(format!(
                    "found `{}`, wanted a key",
                    found.unwrap_or("the end")
                ));
            }
        };
        let mut values = Vec::new();
        let operator = match tokens.peek().copied() {
            None | Some(",") if not => "DoesNotExist",
            None | Some(",") => "Exists",
            Some(found) if not => return Err(format!("found `{found}` behind `!{key}`")),
            Some(operator) => {
                tokens.next();
                match operator {
                    "=" | "==" | "!=" | ">" | "<" => {
                        let value = tokens.next_if(|word| is_word(word));
                        values.push(value.unwrap_or(""));
                        match operator {
                            "!=" => "NotIn",
                            ">" => "Gt",
                            "<" => "Lt",
                            _ => "In",
                        }
                    }
                    "in" | "notin" => {
                        if tokens.next() != Some("(") {
                            return Err(format!("`{operator}` wants values in brackets"));
                        }
                        let mut open = true;
                        while open {
                            values.push(tokens.next_if(|word| is_word(word)).unwrap_or(""));
                            match tokens.next() {
                                Some(",") => {}
                                Some(")") => open = false,
                                _ => return Err("a bracket is not closed".to_owned()),
                            }
                        }
                        if operator == "in" { "In" } else { "NotIn" }
                    }
                    other => return Err(format!("`{other}` is no operator")),
                }
            }
        };
        all.push(Requirement {
            key,
            operator,
            values,
        });
        match tokens.next() {
            None => return Ok(all),
            Some(",") => {}
            Some(found) => return Err(format!("found `{found}`, wanted a comma")),
        }
    }
}

fn is_word(token: &str) -> bool {
    !token.starts_with(['(', ')', ',', '!', '=', '<', '>'])
}

/// The words and signs of a selector.
fn tokens(text: &str) -> Vec<&str> {
    let special = |sign: char| matches!(sign, '(' | ')' | ',' | '!' | '=' | '<' | '>');
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '=' if rest.starts_with("==") => 2,
            '!' if rest.starts_with("!=") => 2,
            sign if special(sign) => 1,
            _ => rest
                .find(|sign: char| special(sign) || sign.is_whitespace())
                .unwrap_or(rest.len()),
        };
        let (token, behind) = rest.split_at(length);
        tokens.push(token);
        rest = behind.trim_start();
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(selector: &str, labels: &[(&str, &str)]) -> Result<bool, String> {
        let mut all = true;
        for one in requirements(selector)? {
            let value = labels.iter().find(|(key, _)| *key == one.key);
            all &= one.matches(value.map(|(_, value)| *value))?;
        }
        Ok(all)
    }

    #[test]
    fn selectors_in_texts_are_read_as_kubernetes_reads_them() {
        let labels = [("a", "1"), ("b", "x")];
        for fits in [
            "",
            "a=1",
            "a==1,b!=y",
            "b in (x, y)",
            "b notin (z)",
            "!c",
            "a",
            "c!=1",
            "a>0",
        ] {
            assert_eq!(holds(fits, &labels), Ok(true), "{fits}");
        }
        for fails in ["a=2", "!a", "c", "b in (y)", "a<1"] {
            assert_eq!(holds(fails, &labels), Ok(false), "{fails}");
        }
        for wrong in ["a=b=c", "=a", "a in b", "a,", "a b", "a in (b", "a=$"] {
            assert!(holds(wrong, &labels).is_err(), "{wrong}");
        }
    }

    #[test]
    fn go_refuses_long_repetitions() {
        assert!(repeats_too_often("a{1001}") && repeats_too_often("(a{2}){1,5000}"));
        assert!(!repeats_too_often("a{1000}b{2,}"));
    }
}
