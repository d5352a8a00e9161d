//! The faults in the form of a document that lowering finds, in upstream's words where it has any.

use crate::diagnostic::{Diagnostic, Rule, Severity, Sink};
use crate::kit::nearest::nearest;
use crate::senlin::rules;
use crate::source::Place;
use crate::yaml::Node;

use super::value::python;

/// A finding of a rule.
pub(super) fn about(rule: &'static Rule, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(rule, message)
}

/// Where to point for a mapping as a whole: its `type`, else its first key.
pub(super) fn head(node: Node<'_>) -> Node<'_> {
    node.get("type")
        .or_else(|| node.entries().next().map(|(key, _)| key))
        .unwrap_or(node)
}

/// Whether a key is one of those known.
pub(super) fn is_known(key: Node<'_>, known: &[&str]) -> bool {
    key.text().is_some_and(|text| known.contains(&text))
}

/// The keys of a cluster.
pub(super) const CLUSTER_KEYS: &[&str] = &[
    "name",
    "desired_capacity",
    "min_size",
    "max_size",
    "max_nodes_per_cluster",
    "known_regions",
    "nodes",
    "node_counts",
];

/// Keys that are often written a level too high, and the keys they belong below.
const BELOW: &[(&str, &[&[&str]])] = &[
    (
        "properties",
        &[CLUSTER_KEYS, &["regions", "action", "inputs", "data"]],
    ),
    (
        "inputs",
        &[&[
            "count",
            "adjustment_type",
            "number",
            "min_size",
            "max_size",
            "min_step",
            "strict",
        ]],
    ),
];

/// Common misspellings: the text, a known key of the same mapping, and the key that is meant.
const ALSO: &[(&str, &str, &str)] = &[
    ("size", "desired_capacity", "desired_capacity"),
    ("capacity", "desired_capacity", "desired_capacity"),
    ("regions", "desired_capacity", "known_regions"),
    ("max", "cap", "cap"),
    ("limit", "cap", "cap"),
    ("region", "weight", "name"),
];

/// Reports keys that are not known: a fault in a policy, which upstream refuses, and a warning
/// in clusters and actions, whose form is our own.
pub(super) fn unknown_keys(node: Node<'_>, path: &str, known: &[&str], sink: &mut Sink) {
    let policy = known.contains(&"description") || known.contains(&"regions");
    let policy = policy || known.contains(&"weight");
    for (key, _) in node.entries().filter(|(key, _)| !is_known(*key, known)) {
        let text = key.text().unwrap_or(key.source_text());
        let mut found = about(&rules::UNKNOWN_KEY, format!("unknown key `{text}`"))
            .at(key.place(), "this key")
            .pointer(format!(
                "{path}/{}",
                text.replace('~', "~0").replace('/', "~1")
            ))
            .upstream(format!("Unrecognizable spec item '{text}'"));
        let elsewhere = BELOW
            .iter()
            .find(|(inside, lists)| {
                known.contains(inside) && lists.iter().any(|keys| keys.contains(&text))
            })
            .map(|(inside, _)| format!("write it in `{inside}`"));
        let also = ALSO
            .iter()
            .find(|(other, beside, _)| *other == text && known.contains(beside));
        let also = also.map(|(_, _, key)| *key);
        found = match elsewhere {
            Some(help) => found.help(help),
            None => found.suggest_edit(
                also.or_else(|| nearest(text, known.iter().copied())),
                key.place(),
                format!("remove it; the allowed keys are {}", known.join(", ")),
            ),
        };
        if !policy {
            found.upstream = None;
            found = found.severity(Severity::Warning);
        }
        sink.push(found);
    }
}

/// A value of a policy that is neither a list nor a map, in upstream's words.
pub(super) fn not_a(node: Node<'_>, path: &str, what: &str) -> Diagnostic {
    let value = python(node);
    let (wanted, help) = match what {
        "List" => ("a list", "write a list of regions, each with a `name`"),
        _ if path == "/properties" => ("a mapping", "write `regions:` with a list below it"),
        _ => ("a mapping", "write `- name: REGION`"),
    };
    about(
        &rules::WRONG_TYPE,
        format!("`{}` is not {wanted}", shown(&value)),
    )
    .at(node.place(), format!("{wanted} is expected here"))
    .pointer(path)
    .upstream(format!("'{value}' is not a {what}"))
    .help(help)
}

/// A value of a cluster or an action that has the wrong type.
pub(super) fn wanted(node: Node<'_>, path: &str, what: &str, wanted: &str) -> Diagnostic {
    let value = python(node);
    about(
        &rules::WRONG_TYPE,
        format!("{what} is not {wanted}: `{}`", shown(&value)),
    )
    .at(node.place(), format!("{wanted} is expected here"))
    .pointer(path)
    .help(match bare(node, wanted) {
        Some(form) => format!("write `{form}`"),
        None if path.ends_with("/node_counts") => {
            "write the number of nodes of each region: `{REGION: 3}`".to_owned()
        }
        None => format!("write {wanted}"),
    })
}

/// A value in the type that is wanted.
pub(super) fn bare(node: Node<'_>, wanted: &str) -> Option<String> {
    let text = node
        .text()
        .filter(|text| node.is_scalar() && text.len() <= 60)?;
    match wanted {
        "a list" => Some(format!("[{}]", node.source_text())),
        _ if wanted.starts_with("an integer") => {
            let number = text.trim_end_matches('%').trim().parse::<i64>().ok()?;
            let number = number.to_string();
            // A number that is one already is at fault for another reason.
            (!node.is_plain() || number != text).then_some(number)
        }
        _ => None,
    }
}

/// The first line of a value, for messages.
fn shown(value: &str) -> &str {
    value.lines().next().unwrap_or("")
}

/// A policy type that does not exist, in upstream's words.
pub(super) fn unknown_type(node: Node<'_>, kind: &str, version: &str) -> Diagnostic {
    let types = [
        "senlin.policy.region_placement",
        "senlin.cluster",
        "senlin.action",
    ];
    let known = types.contains(&kind);
    let named = node
        .get(if known { "version" } else { "type" })
        .unwrap_or(node);
    let place = named.place();
    let found = about(
        &rules::UNKNOWN_TYPE,
        format!("there is no type `{kind}` in version `{version}`"),
    )
    .at(place, if known { "this version" } else { "this type" })
    .pointer(if known { "/version" } else { "/type" });
    let found = if known {
        found.help("write `version: 1.0`")
    } else if let Some(kind) = kind
        .strip_suffix("-1.0")
        .filter(|kind| types.contains(kind))
    {
        found.help(format!("write `type: {kind}` and `version: 1.0`"))
    } else {
        let types_known = format!("the known types are {}", types.join(", "));
        found.suggest_edit(nearest(kind, types), place, types_known)
    };
    match kind {
        "senlin.cluster" | "senlin.action" => found,
        _ => found.upstream(format!(
            "The policy_type '{kind}-{version}' could not be found."
        )),
    }
}

/// A second document of a type in one file.
pub(super) fn repeated_document(word: &str, node: Node<'_>, first: Place) -> Diagnostic {
    about(
        &rules::REPEATED_DOCUMENT,
        format!("a second {word} in one file"),
    )
    .at(head(node).place(), format!("the second {word}"))
    .related(first, "the first one is here")
    .help(format!(
        "a file can have only one {word}: move this one to its own file"
    ))
}

/// A region named twice.
pub(super) fn duplicate_region(name: &str, place: Place, first: Place, path: &str) -> Diagnostic {
    about(
        &rules::DUPLICATE_REGION,
        format!("region `{name}` is listed twice"),
    )
    .at(place, "its weight and cap count")
    .related(first, "its position counts")
    .pointer(path)
    .help("list each region once")
}
