//! What we make of a text, in the form in which the originals' answers are written.

use planner::yaml::{Dialect, Limits, Node, Parsed, QuirkKind, Scalar, parse_as};
use serde_json::Value;

/// What a reader says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The documents.
    Read(String),
    /// Why it stops.
    Refused(String),
    /// Nothing that can be compared.
    Skipped,
}

fn read(text: &str, dialect: Dialect) -> Parsed {
    let family = |_: Node<'_>| Some(dialect);
    parse_as(
        Default::default(),
        text,
        0..text.len(),
        Limits::default(),
        &family,
    )
}

fn fault(parsed: &Parsed) -> Option<String> {
    let kind = parsed.faults.first().map(|fault| &fault.kind);
    kind.map(|kind| format!("{kind:?}"))
}

/// An answer of PyYAML.
pub(crate) fn python_answer(line: &str) -> Answer {
    match line.split_once('\t').unwrap_or((line, "")) {
        ("ok", documents) if documents.contains("recursive") => Answer::Skipped,
        ("ok", documents) => Answer::Read(documents.to_owned()),
        ("error", why) => Answer::Refused(why.to_owned()),
        _ => Answer::Skipped,
    }
}

/// Ours in its place.
pub(crate) fn python(text: &str) -> Answer {
    let parsed = read(text, Dialect::PyYaml);
    if let Some(why) = fault(&parsed) {
        return Answer::Refused(why);
    }
    let refuses = |kind: &QuirkKind| match kind {
        QuirkKind::RepeatedKey(_) | QuirkKind::LateMerge(_) | QuirkKind::NoJson(_) => false,
        QuirkKind::ForeignTag | QuirkKind::EqualsSign | QuirkKind::Tab | QuirkKind::Refused(_) => {
            true
        }
    };
    if let Some(quirk) = parsed.quirks.iter().find(|quirk| refuses(&quirk.kind)) {
        return Answer::Refused(format!("{:?}", quirk.kind));
    }
    let roots = parsed.documents.iter();
    let shown = roots.map(|root| python_value(parsed.tree.node(text, *root)));
    Answer::Read(
        shown
            .filter(|value| value != "~")
            .collect::<Vec<_>>()
            .join("\t"),
    )
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn python_value(node: Node<'_>) -> String {
    if node.is_mapping() {
        let entries = node.entries();
        let entries =
            entries.map(|(key, value)| [python_value(key), python_value(value)].join(":"));
        return format!("{{{}}}", entries.collect::<Vec<_>>().join(","));
    }
    if node.is_sequence() {
        let items: Vec<_> = node.items().map(python_value).collect();
        return format!("[{}]", items.join(","));
    }
    match node.scalar(Dialect::PyYaml) {
        None | Some(Scalar::Null) => "~".into(),
        Some(Scalar::Bool(true)) => "T".into(),
        Some(Scalar::Bool(false)) => "F".into(),
        Some(Scalar::Int(number)) => format!("i{number}"),
        Some(Scalar::BigInt(text)) => format!("i{}", text.replace(['_', '+'], "")),
        Some(Scalar::Float(number)) if number.is_nan() => "fnan".into(),
        Some(Scalar::Float(number)) => format!("f{:016x}", number.to_bits()),
        Some(Scalar::Time(_)) => "t".into(),
        Some(Scalar::Text(text)) => quoted(text),
    }
}

/// An answer of go-yaml.
pub(crate) fn go_answer(line: &str) -> Answer {
    let mut parts = line.split('\t');
    match (parts.next(), parts.next()) {
        (Some("ok"), Some(json)) => {
            let value: Value = serde_json::from_str(json).expect("JSON of go-yaml");
            Answer::Read(go_value(&value))
        }
        (Some("error"), why) => Answer::Refused(why.unwrap_or_default().to_owned()),
        _ => Answer::Skipped,
    }
}

/// Ours in its place; go-yaml reads the first document of a text alone.
pub(crate) fn go(text: &str) -> Answer {
    let parsed = read(text, Dialect::Kubernetes);
    let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
    let marks = text.split(breaks).filter(|line| {
        let rest = line
            .strip_prefix("---")
            .or_else(|| line.strip_prefix("..."));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
    });
    if marks.count() > usize::from(text.trim_start_matches('\u{feff}').starts_with("---")) {
        return Answer::Skipped;
    }
    if let Some(why) = fault(&parsed) {
        return Answer::Refused(why);
    }
    let quirks = || parsed.quirks.iter().map(|quirk| &quirk.kind);
    // An error, since which value counts is left to chance.
    if quirks().any(|kind| matches!(kind, QuirkKind::RepeatedKey(_))) {
        return Answer::Skipped;
    }
    let refuses = |kind: &QuirkKind| match kind {
        QuirkKind::NoJson(why) => Some((*why).to_owned()),
        _ => None,
    };
    if let Some(why) = quirks().find_map(refuses) {
        return Answer::Refused(why);
    }
    let root = parsed.documents.first();
    let root = root.map(|root| go_node(parsed.tree.node(text, *root)));
    Answer::Read(root.unwrap_or_else(|| "null".into()))
}

/// The JSON that the API server's reader makes, with the keys that it makes.
fn go_node(node: Node<'_>) -> String {
    if node.is_sequence() {
        let items: Vec<_> = node.items().map(go_node).collect();
        return format!("[{}]", items.join(","));
    }
    if node.is_mapping() {
        let entries = node.entries();
        let entries = entries.map(|(key, value)| {
            let key = match key.scalar(Dialect::Kubernetes) {
                Some(Scalar::Bool(truth)) => truth.to_string(),
                Some(Scalar::Int(number)) => number.to_string(),
                Some(Scalar::Float(number)) => number.to_string(),
                _ => key.text().unwrap_or_default().to_owned(),
            };
            (key, go_node(value))
        });
        return object(entries.collect());
    }
    match node.scalar(Dialect::Kubernetes) {
        Some(Scalar::Int(number)) if u64::try_from(number).is_ok() => number.to_string(),
        _ => go_value(&planner::yaml::json(node, Dialect::Kubernetes)),
    }
}

fn object(entries: Vec<(String, String)>) -> String {
    let entries = entries.into_iter();
    let mut entries: Vec<_> = entries
        .map(|(key, value)| (number_key(key), value))
        .collect();
    entries.sort();
    let entries = entries
        .iter()
        .map(|(key, value)| format!("{}:{value}", quoted(key)));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
}

/// A key in the form in which keys are compared: of numbers with a fraction only that they are
/// numbers, since Go has its own way to write them.
fn number_key(key: String) -> String {
    if matches!(
        key.as_str(),
        ".inf" | "-.inf" | "+.inf" | ".nan" | "inf" | "-inf" | "NaN"
    ) {
        return "float".into();
    }
    match key.parse::<f64>() {
        Ok(number) if number.fract() == 0.0 && number.abs() < 1e15 => (number as i128).to_string(),
        Ok(_) if key.parse::<i64>().is_err() => "float".into(),
        _ => key,
    }
}

/// Whether go-yaml read a text up to some place and left the rest alone.
pub(crate) fn is_cut(text: &str, theirs: &Answer) -> bool {
    let mut ends = text.char_indices().map(|(at, _)| at);
    ends.any(|end| {
        let read = go(&text[..end]);
        read == *theirs || read == Answer::Skipped
    })
}

fn go_value(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(go_value).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, value)| (key.clone(), go_value(value)));
            object(entries.collect())
        }
        Value::Number(number) => match number.as_i128() {
            Some(whole) => whole.to_string(),
            None => match number.as_f64() {
                Some(float) if float.fract() == 0.0 && float.abs() < 1e15 => {
                    (float as i128).to_string()
                }
                float => format!("{:016x}", float.unwrap_or_default().to_bits()),
            },
        },
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}
