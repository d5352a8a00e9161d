//! Which values are equal for a hub, and which are only defaults.

use std::collections::BTreeSet;

use serde_json::Value;

/// The annotation in which kubectl keeps what was applied.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Annotations and labels that tools add by themselves, by the beginning of the key.
const OF_TOOLS: [&str; 8] = [
    LAST_APPLIED,
    "argocd.argoproj.io/",
    "kustomize.toolkit.fluxcd.io/",
    "helm.toolkit.fluxcd.io/",
    "applyset.kubernetes.io/",
    "meta.helm.sh/",
    "app.kubernetes.io/instance",
    "app.kubernetes.io/managed-by",
];

/// Whether a path leads to a label or annotation that tools add by themselves.
#[must_use]
pub fn is_of_tools(path: &[&str]) -> bool {
    matches!(path, ["metadata", "labels" | "annotations", key]
    if OF_TOOLS.iter().any(|tool| match tool.ends_with('/') {
        true => key.starts_with(tool),
        false => key == tool,
    }))
}

/// Whether two values are the same to a hub: empty maps and lists are as good as none, and so are
/// the defaults that the API server fills in.
#[must_use]
pub fn same(git: &Value, hub: &Value) -> bool {
    match (git, hub) {
        (Value::Object(git), Value::Object(hub)) => {
            let keys: BTreeSet<&String> = git.keys().chain(hub.keys()).collect();
            keys.into_iter()
                .all(|key| match (git.get(key), hub.get(key)) {
                    (Some(git), Some(hub)) => same(git, hub),
                    (Some(one), None) | (None, Some(one)) => {
                        is_nothing(one) || is_default(key, one)
                    }
                    (None, None) => true,
                })
        }
        (Value::Array(git), Value::Array(hub)) => {
            git.len() == hub.len() && git.iter().zip(hub).all(|(git, hub)| same(git, hub))
        }
        (git, hub) => git == hub || (is_nothing(git) && is_nothing(hub)),
    }
}

/// Whether a value is none, or an empty map or list.
#[must_use]
pub fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// Whether the API server writes this value where nothing is stated.
fn is_default(key: &str, value: &Value) -> bool {
    match (key, value) {
        ("operator", Value::String(text)) => text == "Equal",
        ("type", Value::String(text)) => matches!(text.as_str(), "BuiltIn" | "All"),
        ("mode", Value::String(text)) => text == "Additive",
        ("weight", Value::Number(number)) => number.as_i64() == Some(1),
        ("group" | "value", Value::String(text)) => text.is_empty(),
        ("clustersPerDecisionGroup", Value::String(text)) => text == "100%",
        ("rolloutStrategy", Value::Object(fields)) => fields
            .iter()
            .all(|(key, value)| is_default(key, value) || is_nothing(value)),
        _ => false,
    }
}
