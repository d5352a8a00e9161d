//! Turns the library's errors into faults: their places and messages.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::Fault;
use super::forms;
use super::spellings::word_instead;
use super::words::{advice, demand, describe, glued, join, part, shorten, types};
use crate::diagnostic::{Fix, Rule};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::kit::plural::plural;
use crate::schema::cursor::Cursors;
use crate::schema::rules;
use crate::source::Place;
use crate::yaml::{self, Dialect, Node, Scalar};

/// Reads the library's errors over one document.
pub(super) struct Reader<'s, 'a> {
    pub(super) schema: &'s Value,
    pub(super) root: Node<'a>,
    dialect: Dialect,
    pub(super) cursors: Cursors<'a>,
}

/// The value at a pointer and the last key on the way.
pub(super) struct Located<'a> {
    pub(super) node: Node<'a>,
    key: Option<Node<'a>>,
    pub(super) field: String,
}

impl<'s, 'a> Reader<'s, 'a> {
    pub(super) fn new(schema: &'s Value, root: Node<'a>, dialect: Dialect) -> Self {
        Self {
            schema,
            root,
            dialect,
            cursors: Cursors::default(),
        }
    }

    fn find(&self, pointer: &str) -> Option<Located<'a>> {
        let mut found = Located {
            node: self.root,
            key: None,
            field: String::new(),
        };
        for part in pointer.split('/').skip(1) {
            let part = part.replace("~1", "/").replace("~0", "~");
            if found.node.is_sequence() {
                found.field.push_str(&format!("[{part}]"));
                found.node = self.cursors.item(found.node, yaml::index(&part)?)?;
            } else {
                found.field = join(&found.field, &part);
                let (key, value) = self.cursors.entry(found.node, &part)?;
                found.key = Some(key);
                found.node = value;
            }
        }
        Some(found)
    }

    /// The schema object that holds the keyword at an evaluation path.
    fn holder(&self, path: &str) -> Option<&Value> {
        let mut at = self.schema;
        // The validator itself is a reference to the schema.
        let path = path.strip_prefix("/$ref").unwrap_or(path);
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        for part in &parts[..parts.len().saturating_sub(1)] {
            let part = part.replace("~1", "/").replace("~0", "~");
            at = if part == "$ref" {
                let reference = at.get("$ref")?.as_str()?.strip_prefix('#')?;
                self.schema.pointer(reference)?
            } else {
                match at {
                    Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
                    other => other.get(&part)?,
                }
            };
        }
        Some(at)
    }

    /// The schema of the list whose items the schema at an evaluation path is for.
    fn list_of(&self, path: &str) -> Option<&Value> {
        let (path, _) = path.rsplit_once('/')?;
        let path = path.strip_suffix("/$ref").unwrap_or(path);
        self.holder(path.strip_suffix("/items").map(|_| path)?)
    }

    /// Reports what an error says, and what those inside it say.
    pub(super) fn report(
        &self,
        error: &ValidationError<'_>,
        path: &str,
        base: &str,
        report: &mut dyn FnMut(Fault<'a>),
    ) {
        let pointer = format!("{base}{}", error.instance_path().as_str());
        let path = format!("{path}{}", error.evaluation_path().as_str());
        let Some(found) = self.find(&pointer) else {
            return;
        };
        let holder = self.holder(&path);
        let text = |key: &str| {
            holder
                .and_then(|holder| holder.get(key))
                .and_then(Value::as_str)
        };
        let fault = |rule: &'static Rule, keyword: &'static str, message: String| Fault {
            rule,
            keyword,
            pointer: pointer.clone(),
            field: found.field.clone(),
            node: Some(found.node),
            place: self.place(&found),
            label: String::new(),
            message,
            help: text("x-help").map(str::to_owned),
            fix: None,
            meant: None,
            allowed: Vec::new(),
        };
        let name = if found.field.is_empty() {
            "the document"
        } else {
            &found.field
        };
        let what = describe(found.node, self.dialect);
        let expected = text("x-expected").map(demand);
        let expected = expected.as_deref();
        let about = text("description");
        let report = &mut |mut fault: Fault<'a>| {
            if fault.help.is_none() {
                fault.help = Some(advice(&fault, about));
            }
            report(fault);
        };
        match error.kind() {
            ValidationErrorKind::Type { kind } => {
                let wanted =
                    expected.map_or_else(|| demand(&types(kind)).into_owned(), str::to_owned);
                let message = format!("`{name}` must {wanted}, not {what}");
                let mut fault = fault(&rules::TYPE, "type", message);
                fault.label.clone_from(&what);
                self.mistyped(&mut fault, kind, found.node, holder, self.list_of(&path));
                report(fault);
            }
            ValidationErrorKind::Required { property } => {
                let property = property.as_str().unwrap_or_default();
                let message = format!("`{}` is missing", join(&found.field, property));
                let fault = fault(&rules::REQUIRED, "required", message);
                report(self.missing(fault, &found, property, holder));
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let blank = || fault(&rules::UNKNOWN_FIELD, "additionalProperties", String::new());
                let made = self.unknown(unexpected, &found, holder, &blank);
                made.into_iter().for_each(&mut *report);
            }
            // That it is of another type says it already.
            ValidationErrorKind::Enum { .. } if self.is_mistyped(holder, found.node) => {}
            ValidationErrorKind::Enum { options } => {
                let words = options.as_array().into_iter().flatten();
                let words: Vec<&str> = words.filter_map(Value::as_str).collect();
                let list = words.join(", ");
                let message = format!("`{name}` is {what}, but must be one of {list}");
                report(nearest_of(
                    fault(&rules::VALUE, "enum", message),
                    found.node,
                    words,
                ));
            }
            ValidationErrorKind::PropertyNames { error: inner } => {
                let key = inner.instance().as_str().unwrap_or_default().to_owned();
                let form = expected.unwrap_or("have another form");
                let message = format!("the key `{}` of `{name}` must {form}", shorten(&key));
                let mut fault = fault(&rules::PATTERN, "pattern", message);
                if let Some((key, _)) = self.cursors.entry(found.node, &key) {
                    fault.place = key.place();
                }
                report(fault);
            }
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => {
                // The errors of a branch carry whole paths of their own.
                match best(context).filter(|_| expected.is_none()) {
                    Some(branch) => {
                        let inner = branch.iter();
                        inner.for_each(|error| self.report(error, "", "", report));
                    }
                    None => report(fault(
                        &rules::COMBINATION,
                        "oneOf",
                        match expected {
                            Some(expected) => format!("`{name}` is {what}, but must {expected}"),
                            None => format!("`{name}` matches none of the allowed forms"),
                        },
                    )),
                }
            }
            kind => {
                let (rule, keyword, message) = said(kind, name, &what, expected);
                report(fault(rule, keyword, message));
            }
        }
    }

    /// Suggests a replacement for a value of another type.
    fn mistyped(
        &self,
        fault: &mut Fault<'a>,
        kind: &TypeKind,
        node: Node<'a>,
        holder: Option<&Value>,
        list: Option<&Value>,
    ) {
        self.offer_quotes(kind, node, fault);
        if let Some(holder) = holder.filter(|_| fault.help.is_none()) {
            let form = forms::instead(self.schema, holder, node, self.dialect);
            fault.help = form.or_else(|| forms::such_as(self.schema, holder, list));
        }
        let mapping = matches!(kind, TypeKind::Single(JsonType::Object));
        let text = node.text().filter(|_| mapping);
        if let Some((key, value)) = text.and_then(glued) {
            fault.help = Some(part(key, value));
        }
    }

    /// The value; of a value over several lines its key.
    fn place(&self, found: &Located<'a>) -> Place {
        match found.key {
            Some(key) if !found.node.is_scalar() && !found.node.is_flow() => key.place(),
            _ if found.node.is_scalar() || found.node.is_flow() => found.node.place(),
            _ => self.owner(found),
        }
    }

    /// The key of a mapping, to point at for what it lacks; of an item its first key.
    pub(super) fn owner(&self, found: &Located<'a>) -> Place {
        let item = found.field.ends_with(']');
        if let Some(key) = found.key.filter(|_| !item) {
            return key.place();
        }
        let kind = ["kind", "schema", "type"]
            .iter()
            .find_map(|key| self.root.get(key));
        match (found.field.is_empty(), kind) {
            (true, Some(kind)) => kind.place(),
            _ => found
                .node
                .entries()
                .next()
                .map_or(found.node.place(), |(key, _)| key.place()),
        }
    }

    /// Whether a value is no text where one is wanted.
    fn is_mistyped(&self, holder: Option<&Value>, node: Node<'a>) -> bool {
        let wanted = holder.and_then(|holder| holder.get("type")?.as_str());
        wanted == Some("string") && !matches!(node.scalar(self.dialect), Some(Scalar::Text(_)))
    }

    /// A plain scalar where text is wanted is fixed by quotes.
    fn offer_quotes(&self, wanted: &TypeKind, node: Node<'a>, fault: &mut Fault<'a>) {
        let text = match wanted {
            TypeKind::Single(kind) => *kind == JsonType::String,
            TypeKind::Multiple(set) => set.contains(JsonType::String),
        };
        let typed = matches!(
            node.scalar(self.dialect),
            Some(
                Scalar::Bool(_)
                    | Scalar::Int(_)
                    | Scalar::BigInt(_)
                    | Scalar::Float(_)
                    | Scalar::Time(_)
            )
        );
        if text && typed && node.can_be_quoted() {
            let source = node.text().unwrap_or("");
            fault.help = Some(format!("quote it: \"{source}\""));
            fault.fix = Some(Fix::replace(
                "quote it",
                node.place(),
                format!("\"{source}\""),
            ));
        }
    }
}

/// The rule, the keyword and the message of an error that needs no further context.
fn said(
    kind: &ValidationErrorKind,
    name: &str,
    what: &str,
    expected: Option<&str>,
) -> (&'static Rule, &'static str, String) {
    let must = |wanted: &str| format!("`{name}` is {what}, but must {wanted}");
    match kind {
        ValidationErrorKind::Constant { expected_value } => {
            let wanted = expected_value.as_str();
            let wanted = wanted.map_or(expected_value.to_string(), str::to_owned);
            (&rules::VALUE, "enum", must(&format!("be `{wanted}`")))
        }
        ValidationErrorKind::Pattern { pattern } => {
            let form = expected.map_or_else(|| format!("match `{pattern}`"), str::to_owned);
            (&rules::PATTERN, "pattern", must(&form))
        }
        ValidationErrorKind::OneOfMultipleValid { .. } => {
            let form = expected.unwrap_or("have exactly one of the allowed forms");
            let message = format!("`{name}` must {form}, but has several");
            (&rules::COMBINATION, "oneOf", message)
        }
        ValidationErrorKind::UniqueItems => {
            let message = format!("`{name}` contains the same item twice");
            (&rules::COMBINATION, "duplicate", message)
        }
        kind => {
            let (rule, keyword, wanted) = match bound(kind) {
                Some((keyword, wanted)) => (&rules::RANGE, keyword, wanted),
                None if kind.keyword() == "format" => (&rules::COMBINATION, "format", None),
                None => (&rules::COMBINATION, "not", None),
            };
            let wanted = wanted.unwrap_or_else(|| "have another form".to_owned());
            (rule, keyword, must(expected.unwrap_or(&wanted)))
        }
    }
}

/// The branch that fits best: one whose discriminator holds, then fewest errors, then the
/// deepest, then the first.
fn best<'e>(
    context: &'e [Vec<ValidationError<'static>>],
) -> Option<&'e [ValidationError<'static>]> {
    let depth = |error: &ValidationError<'_>| error.instance_path().as_str().matches('/').count();
    let shallowest = context.iter().flatten().map(depth).min()?;
    let wrong = |error: &ValidationError<'_>| {
        matches!(
            error.kind(),
            ValidationErrorKind::Constant { .. }
                | ValidationErrorKind::Enum { .. }
                | ValidationErrorKind::Type { .. }
        ) && depth(error) <= shallowest + 1
    };
    context
        .iter()
        .filter(|branch| !branch.is_empty())
        .min_by_key(|branch| {
            let off = branch.iter().any(wrong);
            let deepest = branch.iter().map(depth).max().unwrap_or(0);
            (off, branch.len(), std::cmp::Reverse(deepest))
        })
        .map(Vec::as_slice)
}

/// Offers the nearest of the allowed words.
fn nearest_of<'a>(mut fault: Fault<'a>, node: Node<'a>, words: Vec<&str>) -> Fault<'a> {
    fault.label = "not one of them".into();
    fault.allowed = words.iter().map(|word| (*word).to_owned()).collect();
    let head = |text: &str| {
        let mut longer = words.iter().filter(|word| word.starts_with(text));
        longer
            .next()
            .filter(|_| text.len() > 2 && longer.next().is_none())
            .copied()
    };
    let meant = |text: &str| {
        let near = word_instead(text, &words).or_else(|| nearest(text, words.clone()));
        near.or_else(|| head(text))
    };
    let tails = |text: &str| {
        let mut longer: Vec<String> = Vec::new();
        let ends = words
            .iter()
            .filter(|word| text.len() > 2 && word.ends_with(text));
        longer.extend(ends.map(|word| format!("`{word}`")));
        (!longer.is_empty()).then(|| format!("did you mean {}?", longer.join(" or ")))
    };
    if let Some(near) = node.text().and_then(meant) {
        fault.help = Some(did_you_mean(near));
        let title = format!("write `{near}`");
        fault.fix = Some(Fix::replace(title, fault.place, node.spelled(near)).risky());
    } else {
        fault.help = fault.help.or_else(|| node.text().and_then(tails));
    }
    fault
}

/// The demand of a limit on a number, a length or a count, with its keyword.
fn bound(kind: &ValidationErrorKind) -> Option<(&'static str, Option<String>)> {
    use ValidationErrorKind as Kind;
    let (keyword, wanted) = match kind {
        Kind::Minimum { limit } => ("minimum", format!("be at least {limit}")),
        Kind::Maximum { limit } => ("maximum", format!("be at most {limit}")),
        Kind::ExclusiveMinimum { limit } => ("minimum", format!("be more than {limit}")),
        Kind::ExclusiveMaximum { limit } => ("maximum", format!("be less than {limit}")),
        Kind::MinLength { limit } => (
            "minLength",
            format!("have at least {}", plural(*limit, "character")),
        ),
        Kind::MaxLength { limit } => (
            "maxLength",
            format!("have at most {}", plural(*limit, "character")),
        ),
        Kind::MinItems { limit } => (
            "minItems",
            format!("have at least {}", plural(*limit, "item")),
        ),
        Kind::MaxItems { limit } => (
            "maxItems",
            format!("have at most {}", plural(*limit, "item")),
        ),
        Kind::MinProperties { limit } => (
            "minProperties",
            format!("have at least {}", plural(*limit, "key")),
        ),
        Kind::MaxProperties { limit } => (
            "maxProperties",
            format!("have at most {}", plural(*limit, "key")),
        ),
        _ => return None,
    };
    Some((keyword, Some(wanted)))
}
