//! Fields that the served versions of a kind call differently. A hub converts between them, so
//! they are one field here.

use serde_json::{Map, Value};

use crate::document::DocumentKind;
use crate::yaml::Node;

/// Where `v1beta1` keeps what `v1alpha1` calls `spec.installNamespace`.
pub(super) const INSTALL_NAMESPACE: &str =
    "addon.open-cluster-management.io/v1alpha1-install-namespace";
/// The name that stands for no default in `v1beta1`.
const NO_DEFAULT: &str = "__reserved_no_default__";
/// The configurations of an add-on, in `v1alpha1` and `v1beta1`.
const CONFIGS: [&str; 2] = ["supportedConfigs", "defaultConfigs"];

/// The name of a field in the other version of a kind.
#[must_use]
pub fn other_name(kind: DocumentKind, above: &[&str], key: &str) -> Option<&'static str> {
    if kind != DocumentKind::ClusterManagementAddOn || above != ["spec"] {
        return None;
    }
    let [old, new] = CONFIGS;
    match key {
        _ if key == old => Some(new),
        _ if key == new => Some(old),
        _ => None,
    }
}

/// A field of a map by its name in either version.
#[must_use]
pub fn get<'a>(kind: DocumentKind, map: Node<'a>, above: &[&str], key: &str) -> Option<Node<'a>> {
    let other = || map.get(other_name(kind, above, key)?);
    map.get(key).or_else(other)
}

/// A value in the form of the newest version, where the versions write it differently.
#[must_use]
pub fn newest(kind: DocumentKind, path: &[&str], value: Value) -> Value {
    match (path, value) {
        (["spec", key], Value::Array(items)) if other_name(kind, &["spec"], key).is_some() => {
            Value::Array(items.into_iter().map(newest_config).collect())
        }
        (_, value) => value,
    }
}

fn newest_config(config: Value) -> Value {
    let Value::Object(mut config) = config else {
        return config;
    };
    if let Some(Value::Object(default)) = config.remove("defaultConfig") {
        config.extend(default);
    }
    let named = config.get("name").and_then(Value::as_str);
    if named.is_none_or(|name| name.is_empty() || name == NO_DEFAULT) {
        config.remove("name");
    }
    Value::Object(config.into_iter().collect::<Map<_, _>>())
}

/// Where an object has the namespace of an add-on's agent, for one that is written in the old
/// version.
#[must_use]
pub fn install_namespace<'a>(
    kind: DocumentKind,
    path: &[&str],
    object: Node<'a>,
) -> Option<Node<'a>> {
    let is_own = kind == DocumentKind::ManagedClusterAddOn && path == ["spec", "installNamespace"];
    let kept = || object.at(&["metadata", "annotations", INSTALL_NAMESPACE]);
    is_own.then(kept).flatten()
}
