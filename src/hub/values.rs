//! Which values are equal for a hub.

use std::collections::BTreeSet;

use serde_json::Value;

use super::defaults::{is_filled_in, is_nothing};
use crate::document::DocumentKind;

/// The annotation in which kubectl keeps the applied document.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Annotations and labels that tools add by themselves, by the beginning of the key.
const OF_TOOLS: [&str; 9] = [
    LAST_APPLIED,
    "argocd.argoproj.io/",
    "kustomize.toolkit.fluxcd.io/",
    "helm.toolkit.fluxcd.io/",
    "applyset.kubernetes.io/",
    "meta.helm.sh/",
    "app.kubernetes.io/instance",
    "app.kubernetes.io/managed-by",
    super::versions::INSTALL_NAMESPACE,
];

/// Whether a path leads to a label or annotation that tools add by themselves.
#[must_use]
pub fn is_of_tools(path: &[&str]) -> bool {
    let ["metadata", "labels" | "annotations", key] = path else {
        return false;
    };
    OF_TOOLS.iter().any(|tool| {
        if tool.ends_with('/') {
            key.starts_with(tool)
        } else {
            key == tool
        }
    })
}

/// Whether two values of a field are the same to a hub: empty maps and lists are as good as none,
/// and so are the defaults that the API server fills in.
#[must_use]
pub fn same(kind: DocumentKind, path: &[&str], git: &Value, hub: &Value) -> bool {
    match (git, hub) {
        (Value::Object(git), Value::Object(hub)) => {
            let keys: BTreeSet<&String> = git.keys().chain(hub.keys()).collect();
            keys.into_iter().all(|key| {
                let path = [path, &[key.as_str()]].concat();
                match (git.get(key), hub.get(key)) {
                    (Some(git), Some(hub)) => same(kind, &path, git, hub),
                    (Some(one), None) | (None, Some(one)) => is_filled_in(kind, &path, one),
                    (None, None) => true,
                }
            })
        }
        (Value::Array(git), Value::Array(hub)) => {
            let mut both = git.iter().zip(hub);
            git.len() == hub.len() && both.all(|(git, hub)| same(kind, path, git, hub))
        }
        (git, hub) => git == hub || (is_nothing(git) && is_nothing(hub)),
    }
}
