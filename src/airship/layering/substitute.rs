//! Substitution: values of other documents written into a document's own data.
//! Source: Deckhand, `doc/source/users/substitution.rst`.

use regex::{NoExpand, Regex};

use super::path::{self, Step};
use super::value::{Body, Value};
use super::{Site, layer};
use crate::airship::raw::{Raw, kind_of, source_of};
use crate::airship::rules;
use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::source::Place;
use crate::yaml::{Dialect, Kind, Node, Scalar};

fn text<'a>(node: Node<'a>, key: &str) -> Option<&'a str> {
    node.get(key).and_then(Node::text)
}

fn number(node: Node<'_>, path: &[&str]) -> Option<i128> {
    match node.at(path)?.scalar(Dialect::PyYaml)? {
        Scalar::Int(number) => Some(number),
        _ => None,
    }
}

/// Whether a missing value would change the plan: tags, labels, rack and profile of a node,
/// and all of a Deployment document.
fn decides(raw: &Raw<'_>, steps: &[Step]) -> bool {
    raw.kind().starts_with("Deployment")
        || match steps.first() {
            None => true,
            Some(Step::Key(key)) => matches!(&**key, "metadata" | "host_profile"),
            Some(Step::Index(_)) => false,
        }
}

/// A catalog of certificates and keys. Pegleg makes them before a site is deployed.
const PKI_CATALOG: &str = "promenade/PKICatalog/v1";

/// Whether a document is made from a catalog with these data.
fn makes(catalog: Node<'_>, (schema, name): (&str, &str)) -> bool {
    let authorities = || {
        let authorities = catalog.get("certificate_authorities").into_iter();
        authorities.flat_map(Node::entries)
    };
    let has = |items: Option<Node<'_>>, key: &str| {
        let mut items = items.into_iter().flat_map(Node::items);
        items.any(|item| text(item, key) == Some(name))
    };
    if !schema.starts_with("deckhand/") {
        return false;
    }
    match kind_of(schema) {
        "CertificateAuthority" | "CertificateAuthorityKey" => {
            authorities().any(|(key, _)| key.text() == Some(name))
        }
        "Certificate" | "CertificateKey" => {
            authorities().any(|(_, made)| has(made.get("certificates"), "document_name"))
        }
        "PublicKey" | "PrivateKey" => has(catalog.get("keypairs"), "name"),
        _ => false,
    }
}

impl<'a> Site<'_, 'a> {
    /// Applies the substitutions in order; `None` when one fails (reported, here or at its source).
    pub(super) fn substitute(
        &mut self,
        raw: &Raw<'a>,
        data: &mut Value<'a>,
        sink: &mut Sink,
    ) -> Option<()> {
        for substitution in raw.substitutions() {
            let dest = substitution.get("dest")?;
            let dests: Vec<Node<'a>> = if dest.is_sequence() {
                dest.items().collect()
            } else {
                vec![dest]
            };
            let source = source_of(substitution);
            let number = self.sources.get(&source).copied();
            let number = number.filter(|number| {
                let found = &self.raws[*number as usize];
                !(found.encrypted && raw.lenient)
            });
            let Some(number) = number else {
                self.missing(raw, substitution, &dests, sink)?;
                continue;
            };
            let whole = self.data[number as usize].clone()?;
            let value = self.value(raw, substitution, &whole, sink)?;
            for dest in dests {
                write(raw, data, dest, &value, sink)?;
            }
        }
        Some(())
    }

    fn missing(
        &mut self,
        raw: &Raw<'a>,
        substitution: Node<'a>,
        dests: &[Node<'a>],
        sink: &mut Sink,
    ) -> Option<()> {
        let source = source_of(substitution);
        if self.omitted.contains(&source) {
            return None;
        }
        let place = substitution
            .at(&["src", "name"])
            .unwrap_or(substitution)
            .place();
        let steps = |dest: &Node<'a>| path::parse(text(*dest, "path").unwrap_or("")).ok();
        let fatal = !raw.lenient
            || dests
                .iter()
                .any(|dest| steps(dest).is_none_or(|steps| decides(raw, &steps)));
        let catalogs = self.raws.iter().filter(|one| one.schema == PKI_CATALOG);
        let is_made = catalogs
            .filter_map(Raw::data)
            .any(|catalog| makes(catalog, source));
        if !fatal || is_made {
            if self.reported.insert(source) {
                let why = if is_made {
                    "is generated from a PKICatalog"
                } else {
                    "is not in these documents"
                };
                let message = format!(
                    "{} `{}` {why}: the substitution is skipped",
                    kind_of(source.0),
                    source.1
                );
                sink.push(
                    Diagnostic::new(&rules::SUBSTITUTION_SKIPPED, message)
                        .at(place, "substitutes from it")
                        .object(raw.object()),
                );
            }
            return Some(());
        }
        let same = self
            .sources
            .keys()
            .filter(|(schema, _)| *schema == source.0);
        let mut names: Vec<&str> = same.map(|(_, name)| *name).collect();
        names.sort_unstable();
        let message = format!(
            "there is no {} `{}` to substitute from",
            kind_of(source.0),
            source.1
        );
        let help = match nearest(source.1, names) {
            Some(near) => did_you_mean(near),
            None => format!(
                "add a document {} named `{}` that is not abstract",
                source.0, source.1
            ),
        };
        sink.push(
            Diagnostic::new(&rules::SOURCE_NOT_FOUND, message)
                .at(place, "no such document")
                .help(help)
                .upstream("SubstitutionSourceNotFound")
                .object(raw.object()),
        );
        None
    }

    /// The value at the source's path, cut down by its pattern.
    fn value(
        &self,
        raw: &Raw<'a>,
        substitution: Node<'a>,
        whole: &Value<'a>,
        sink: &mut Sink,
    ) -> Option<Value<'a>> {
        let src = substitution.get("src")?;
        let at = src.get("path").unwrap_or(src);
        let mut value = Some(whole.clone());
        if whole.is_mapping() {
            match path::parse(at.text().unwrap_or("")) {
                Ok(steps) => value = path::find(whole, &steps),
                Err(fault) => {
                    sink.push(layer::bad_path(raw, at, fault));
                    return None;
                }
            }
        }
        let value = value.unwrap_or(Value::Null(at.place()));
        if value.is_null() && !raw.lenient {
            let (schema, name) = source_of(substitution);
            let written = at.text().unwrap_or("");
            let message = format!("{} `{name}` has nothing at `{written}`", kind_of(schema));
            sink.push(
                Diagnostic::new(&rules::SOURCE_DATA_NOT_FOUND, message)
                    .at(at.place(), "nothing there")
                    .related(whole.place(), "in this data")
                    .help("use a path that exists")
                    .upstream("SubstitutionSourceDataNotFound")
                    .object(raw.object()),
            );
            return None;
        }
        let Some(pattern) = src.get("pattern").filter(|_| !value.is_null()) else {
            return Some(value);
        };
        let Some(Scalar::Text(found)) = value.scalar() else {
            let what = "the value to search is not text";
            return failed(raw, pattern, what, sink).map(|()| value);
        };
        let Some(regex) = compiled(raw, pattern, sink) else {
            return raw.lenient.then_some(value);
        };
        let group = number(src, &["match_group"]).unwrap_or(0);
        let group = usize::try_from(group).unwrap_or(usize::MAX);
        if group >= regex.captures_len() {
            let what = "the pattern has no such group";
            return failed(raw, pattern, what, sink).map(|()| value);
        }
        let Some(captures) = regex.captures(found) else {
            return Some(value);
        };
        let part = captures
            .get(group)
            .map(|part| Value::Text(part.as_str().into(), value.place()));
        Some(part.unwrap_or(Value::Null(value.place())))
    }
}

/// Writes a value at a destination.
fn write<'a>(
    raw: &Raw<'a>,
    data: &mut Value<'a>,
    dest: Node<'a>,
    value: &Value<'a>,
    sink: &mut Sink,
) -> Option<()> {
    let at = dest.get("path").unwrap_or(dest);
    let written = at.text().unwrap_or("");
    let steps = match path::parse(written) {
        Ok(steps) => steps,
        Err(fault) => {
            sink.push(layer::bad_path(raw, at, fault));
            return None;
        }
    };
    let Some(pattern) = dest.get("pattern") else {
        let value = match (steps.is_empty(), data.is_mapping(), value.is_mapping()) {
            (true, true, true) => {
                let mut laid = data.clone();
                let made = laid.open()?;
                for (key, part) in value.entries() {
                    made.put(&key, part);
                }
                laid
            }
            _ => value.clone(),
        };
        let result = path::set(data, &steps, value, at.place());
        return match result {
            Ok(()) => Some(()),
            Err(_) => failed(
                raw,
                at,
                "the path leads into a value that is not a mapping",
                sink,
            ),
        };
    };
    let Some(regex) = compiled(raw, pattern, sink) else {
        return raw.lenient.then_some(());
    };
    let by = as_text(value);
    let found = path::find(data, &steps);
    let depth = number(dest, &["recurse", "depth"]);
    let made = match (found, depth) {
        (Some(found), _) if matches!(found.scalar(), Some(Scalar::Text(_))) => {
            replaced(&found, &regex, &by)
        }
        (Some(found), Some(depth)) if found.kind() != Kind::Scalar => Some(below(
            &found,
            &regex,
            pattern.text().unwrap_or(""),
            &by,
            depth,
        )),
        _ => None,
    };
    let Some(made) = made else {
        let what = format!("there is no text at `{written}` in which to replace a pattern");
        return failed(raw, at, &what, sink);
    };
    match path::set(data, &steps, made, at.place()) {
        Ok(()) => Some(()),
        Err(fault) => {
            sink.push(layer::bad_path(raw, at, fault));
            None
        }
    }
}

/// The text with every match of the pattern replaced.
fn replaced<'a>(value: &Value<'a>, regex: &Regex, by: &str) -> Option<Value<'a>> {
    let Some(Scalar::Text(text)) = value.scalar() else {
        return None;
    };
    let text = regex.replace_all(text, NoExpand(by));
    Some(Value::Text(text.as_ref().into(), value.place()))
}

/// All texts below a container that hold the pattern as plain text, down to `depth` levels
/// (-1: any). Recursion bounded by [`super::MOST_DEPTH`] and the reader's own limit.
fn below<'a>(value: &Value<'a>, regex: &Regex, pattern: &str, by: &str, depth: i128) -> Value<'a> {
    if depth == 0 {
        return value.clone();
    }
    let part = |part: &Value<'a>| match part.scalar() {
        Some(Scalar::Text(text)) if text.contains(pattern) => {
            replaced(part, regex, by).unwrap_or_else(|| part.clone())
        }
        Some(_) => part.clone(),
        None => below(part, regex, pattern, by, depth - 1),
    };
    let body = match value.kind() {
        Kind::Mapping => Body::Mapping(
            value
                .entries()
                .into_iter()
                .map(|(key, value)| (key, part(&value)))
                .collect(),
        ),
        _ => Body::Sequence(value.items().iter().map(part).collect()),
    };
    Value::made(body, value.place())
}

/// A value as Python writes it into a text.
fn as_text(value: &Value<'_>) -> String {
    match value.scalar() {
        Some(Scalar::Text(text) | Scalar::Time(text) | Scalar::BigInt(text)) => text.to_owned(),
        Some(Scalar::Int(number)) => number.to_string(),
        Some(Scalar::Bool(true)) => "True".to_owned(),
        Some(Scalar::Bool(false)) => "False".to_owned(),
        Some(Scalar::Float(number)) => format!("{number:?}"),
        Some(Scalar::Null) => "None".to_owned(),
        None => {
            let inner = |value: &Value<'_>| match value.scalar() {
                Some(Scalar::Text(text)) => format!("'{text}'"),
                _ => as_text(value),
            };
            if value.is_mapping() {
                let entries = value.entries();
                let parts = entries
                    .iter()
                    .map(|(k, v)| format!("'{}': {}", k.text(), inner(v)));
                format!("{{{}}}", parts.collect::<Vec<_>>().join(", "))
            } else {
                let parts: Vec<String> = value.items().iter().map(inner).collect();
                format!("[{}]", parts.join(", "))
            }
        }
    }
}

fn compiled(raw: &Raw<'_>, pattern: Node<'_>, sink: &mut Sink) -> Option<Regex> {
    let written = pattern.text().unwrap_or("");
    match Regex::new(written) {
        Ok(regex) => Some(regex),
        Err(_) => {
            let what = format!("planner does not support the pattern `{written}`");
            failed(raw, pattern, &what, sink);
            None
        }
    }
}

/// Reports an error that stops the original midway: fatal when strict, else passed over.
fn failed(raw: &Raw<'_>, at: Node<'_>, what: &str, sink: &mut Sink) -> Option<()> {
    let place: Place = at.place();
    let found = Diagnostic::new(&rules::SUBSTITUTION_FAILED, what)
        .at(place, "in this substitution")
        .help("correct the source and its path, or the destination")
        .upstream("UnknownSubstitutionError")
        .object(raw.object());
    let severity = if raw.lenient {
        Severity::Warning
    } else {
        Severity::Error
    };
    sink.push(found.severity(severity));
    raw.lenient.then_some(())
}
