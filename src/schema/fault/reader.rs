//! The library's errors, one by one: where they are and what they say.

use std::collections::BTreeMap;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::Fault;
use super::forms;
use super::spellings::{Instead, instead, word_instead};
use super::words::{advice, demand, describe, escape, glued, join, part, shorten, types};
use crate::diagnostic::{Fix, Rule};
use crate::kit::nearest::{did_you_mean, nearest, ranked};
use crate::schema::cursor::Cursors;
use crate::schema::rules;
use crate::source::Place;
use crate::yaml::{self, Dialect, Node, Scalar};

/// Reads the library's errors over one document.
pub(super) struct Reader<'s, 'a> {
    schema: &'s Value,
    root: Node<'a>,
    dialect: Dialect,
    cursors: Cursors<'a>,
}

/// The fields of a mapping that its schema knows, and those of them that are not there.
struct Fields<'s> {
    known: Vec<&'s str>,
    free: Vec<&'s str>,
}

impl<'s> Fields<'s> {
    fn new(holder: Option<&'s Value>, node: Node<'_>) -> Self {
        let known: Vec<&str> = holder
            .and_then(|holder| holder.get("properties"))
            .and_then(Value::as_object)
            .map(|known| known.keys().map(String::as_str).collect())
            .unwrap_or_default();
        let absent = |name: &&str| node.get(name).is_none();
        let free = known.iter().copied().filter(absent).collect();
        Self { known, free }
    }
}

/// The value at a pointer and the last key on the way.
struct Located<'a> {
    node: Node<'a>,
    key: Option<Node<'a>>,
    field: String,
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
                self.mistyped(&mut fault, kind, found.node, holder);
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
                let fields = Fields::new(holder, found.node);
                let made = |key: &String| {
                    let fault = fault(&rules::UNKNOWN_FIELD, "additionalProperties", String::new());
                    self.unknown(fault, &found, key, &fields)
                };
                let mut made: Vec<Fault<'a>> = unexpected.iter().map(made).collect();
                only_one_each(&mut made);
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

    /// What to write instead of a value of another type.
    fn mistyped(
        &self,
        fault: &mut Fault<'a>,
        kind: &TypeKind,
        node: Node<'a>,
        holder: Option<&Value>,
    ) {
        self.offer_quotes(kind, node, fault);
        if let Some(holder) = holder.filter(|_| fault.help.is_none()) {
            fault.help = forms::instead(self.schema, holder, node, self.dialect);
        }
        let mapping = matches!(kind, TypeKind::Single(JsonType::Object));
        let text = node.text().filter(|_| mapping);
        if let Some((key, value)) = text.and_then(glued) {
            fault.help = Some(part(key, value));
        }
    }

    /// About a field that is missing: the schema says what it is for.
    fn missing(
        &self,
        mut fault: Fault<'a>,
        found: &Located<'a>,
        property: &str,
        holder: Option<&Value>,
    ) -> Fault<'a> {
        fault.pointer = format!("{}/{}", fault.pointer, escape(property));
        fault.place = self.owner(found);
        fault.label = format!("has no `{property}`");
        fault.node = None;
        fault.help = fault.help.or_else(|| {
            let about = holder?.pointer(&format!("/properties/{}", escape(property)))?;
            let about = about.get("description")?.as_str()?;
            Some(match forms::example(holder?, property) {
                Some(example) => {
                    let about = about.trim_end_matches('.');
                    format!("add `{property}`: {about}; such as `{property}: {example}`")
                }
                None => format!("add `{property}`: {about}"),
            })
        });
        fault.field = join(&found.field, property);
        fault
    }

    fn unknown(
        &self,
        mut fault: Fault<'a>,
        found: &Located<'a>,
        key: &str,
        fields: &Fields<'_>,
    ) -> Fault<'a> {
        let shown = shorten(key);
        let owner = if found.field.is_empty() {
            "the document"
        } else {
            &found.field
        };
        fault.message = format!("`{shown}` is not a field of `{owner}`");
        if found.field.is_empty() {
            fault.message = format!("`{shown}` is not a field of this kind");
        }
        fault.pointer = format!("{}/{}", fault.pointer, escape(key));
        fault.field = join(&found.field, key);
        fault.label = "unknown field".into();
        if let Some((key, value)) = self.cursors.entry(found.node, key) {
            fault.place = key.place();
            fault.node = Some(value);
        }
        let Fields { known, free } = fields;
        if let Some((name, value)) = glued(key).filter(|(name, _)| known.contains(name)) {
            fault.message = format!("no space after `{name}:`, so `{shown}` is one text");
            fault.help = Some(part(name, value));
            return fault;
        }
        let mut near = ranked(key, free.iter().copied());
        match instead(self.root, key, known) {
            Some(Instead::Words(words)) => {
                fault.help = Some((*words).to_owned());
                return fault;
            }
            Some(Instead::Field(field)) if free.contains(field) => near = vec![field],
            _ => {}
        }
        let value = fault.node;
        let elsewhere = near.first() != Some(&key);
        if let Some(help) = forms::home(self.schema, &found.field, key).filter(|_| elsewhere) {
            fault.help = Some(help);
            return fault;
        }
        if let Some(help) = value.and_then(|value| forms::selector(key, value, known)) {
            fault.help = Some(help);
            return fault;
        }
        let meant = match (near.first(), known.as_slice()) {
            (None, [only]) if free.len() == 1 => Some(only),
            (near, _) => near,
        };
        fault.meant = meant.map(|meant| join(&found.field, meant));
        fault.help = match near.first() {
            Some(name) => {
                // What was dropped so far will count: that changes what the document means.
                if let Some((key, _)) = self.cursors.entry(found.node, key) {
                    let text = key.spelled(name);
                    let fix = Fix::replace(format!("write `{name}`"), fault.place, text);
                    fault.fix = Some(fix.risky());
                }
                Some(did_you_mean(name))
            }
            None if meant.is_some() => meant.map(|meant| format!("write `{meant}` in its place")),
            None if known.is_empty() || known.len() > 20 => Some("remove it".into()),
            None => Some(format!(
                "remove it; the fields here are {}",
                known.join(", ")
            )),
        };
        fault
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
    fn owner(&self, found: &Located<'a>) -> Place {
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

/// What is said of a value that is not as it must be, where the error says all there is to say.
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

/// Two keys of one mapping that would become the same one: either may be meant, and neither is
/// offered.
fn only_one_each(faults: &mut [Fault<'_>]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for fix in faults.iter().filter_map(|fault| fault.fix.as_ref()) {
        *seen.entry(fix.title.clone()).or_default() += 1;
    }
    for fault in faults {
        let again = |fix: &Fix| seen.get(&fix.title).is_some_and(|count| *count > 1);
        if fault.fix.as_ref().is_some_and(again) {
            fault.fix = None;
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
    let meant = |text: &str| word_instead(text, &words).or_else(|| nearest(text, words.clone()));
    if let Some(near) = node.text().and_then(meant) {
        fault.help = Some(did_you_mean(near));
        let title = format!("write `{near}`");
        fault.fix = Some(Fix::replace(title, fault.place, node.spelled(near)).risky());
    }
    fault
}

/// What a limit on a number, a length or a count asks for, with its keyword.
fn bound(kind: &ValidationErrorKind) -> Option<(&'static str, Option<String>)> {
    use ValidationErrorKind as Kind;
    let (keyword, wanted) = match kind {
        Kind::Minimum { limit } => ("minimum", format!("be at least {limit}")),
        Kind::Maximum { limit } => ("maximum", format!("be at most {limit}")),
        Kind::ExclusiveMinimum { limit } => ("minimum", format!("be more than {limit}")),
        Kind::ExclusiveMaximum { limit } => ("maximum", format!("be less than {limit}")),
        Kind::MinLength { limit } => ("minLength", format!("have at least {limit} characters")),
        Kind::MaxLength { limit } => ("maxLength", format!("have at most {limit} characters")),
        Kind::MinItems { limit } => ("minItems", format!("have at least {limit} items")),
        Kind::MaxItems { limit } => ("maxItems", format!("have at most {limit} items")),
        Kind::MinProperties { limit } => ("minProperties", format!("have at least {limit} keys")),
        Kind::MaxProperties { limit } => ("maxProperties", format!("have at most {limit} keys")),
        _ => return None,
    };
    Some((keyword, Some(wanted)))
}
