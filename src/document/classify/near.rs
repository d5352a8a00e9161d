//! Documents that are nearly of one of our kinds: a slip in the version, the group or the kind.

use crate::diagnostic::{Diagnostic, Fix};
use crate::document::rules::NEAR_KIND;
use crate::document::{KINDS, KindInfo};
use crate::kit::nearest::{did_you_mean, nearest, within};
use crate::yaml::Node;

use super::{group, object_of};

/// The entry whose key looks like a typo for `key`, which is missing.
pub(crate) fn misspelt<'n>(node: Node<'n>, key: &str) -> Option<(Node<'n>, Node<'n>)> {
    let keys = node.entries().filter_map(|(key, _)| key.text());
    node.entry(nearest(key, keys)?)
}

/// Reports a document of our groups whose kind is not a name, or stands under a misspelt key.
pub(super) fn without_kind(node: Node<'_>, api: &str) -> Option<Diagnostic> {
    let mut kinds = KINDS.iter().filter(|info| {
        let own = group(info.api_version);
        own == group(api) && own.contains('.')
    });
    kinds.clone().next()?;
    let (at, message, help) = if let Some(value) = node.get("kind") {
        let message = "a document whose `kind` is no name is not planned";
        (value, message, "write the name of a kind".to_owned())
    } else {
        let (key, value) = misspelt(node, "kind")?;
        let kind = kinds.find(|info| value.text() == Some(info.name))?;
        let message = "a document without `kind` is not planned";
        (key, message, format!("write `kind: {}`", kind.name))
    };
    let found = Diagnostic::new(&NEAR_KIND, message).at(at.place(), "not recognised");
    Some(
        found
            .pointer("/kind")
            .help(help)
            .object(object_of(node, "")),
    )
}

/// Reports a kind of ours whose API group looks misspelt.
pub(super) fn near_group(node: Node<'_>, api: &str, kind: &str) -> Option<Diagnostic> {
    let written = group(api);
    // Short words are near to too many others.
    let most = if written.len() < 10 { 1 } else { 2 };
    let near =
        |info: &&KindInfo| info.name == kind && within(group(info.api_version), written, most);
    let info = KINDS.iter().find(near)?;
    let message = format!(
        "{kind} of the group `{written}` is not planned; {}",
        did_you_mean(group(info.api_version))
    );
    of_group(node, info, message)
}

/// The ending of the groups of Open Cluster Management.
const GROUPS: &str = ".open-cluster-management.io";

/// Reports a kind of ours in a wrong group of Open Cluster Management.
pub(super) fn other_group(node: Node<'_>, api: &str, kind: &str) -> Option<Diagnostic> {
    let is_open = |api: &str| group(api).ends_with(GROUPS);
    let mut all = KINDS.iter().filter(|_| is_open(api));
    let info = all.find(|info| info.name == kind && is_open(info.api_version))?;
    let message = format!(
        "{kind} is not of the group `{}` but of `{}`: it is not planned",
        group(api),
        group(info.api_version)
    );
    of_group(node, info, message)
}

/// Reports that a document has the wrong group for its kind, with the fix.
fn of_group(node: Node<'_>, info: &KindInfo, message: String) -> Option<Diagnostic> {
    let named = node.get("apiVersion")?;
    let help = format!("write `apiVersion: {}`", info.api_version);
    let fix = Fix::replace(help.clone(), named.place(), named.spelled(info.api_version));
    Some(
        Diagnostic::new(&NEAR_KIND, message)
            .at(named.place(), "this group")
            .pointer("/apiVersion")
            .help(help)
            .fix(fix.risky())
            .object(object_of(node, info.name)),
    )
}

/// Kinds that Kubernetes, or software that runs on it, also defines.
const OF_KUBERNETES: [&str; 4] = ["Deployment", "Node", "Policy", "Project"];

/// Reports one of our kinds without its group: with no `apiVersion`, or with `v1` as in Kubernetes.
pub(super) fn without_version(node: Node<'_>, api: Option<&str>, kind: &str) -> Option<Diagnostic> {
    let named = node.at(&["metadata", "name"]).is_some();
    let of_group = api.is_none_or(|api| group(api).is_empty() && !OF_KUBERNETES.contains(&kind));
    if !named || !of_group || OF_KUBERNETES[..2].contains(&kind) {
        return None;
    }
    let ours = KINDS.iter().filter(|info| info.name == kind);
    let ours: Vec<String> = ours
        .map(|info| format!("`apiVersion: {}`", info.api_version))
        .collect();
    if ours.is_empty() {
        return None;
    }
    let message = match api {
        Some(api) => format!("{kind} with `apiVersion: {api}` is not planned"),
        None => format!("{kind} without `apiVersion` is not planned"),
    };
    let near = || misspelt(node, "apiVersion").map(|(key, _)| key);
    let (pointer, at) = match node.get("apiVersion").or_else(near) {
        Some(at) => ("/apiVersion", at),
        None => ("/kind", node.get("kind")?),
    };
    Some(
        Diagnostic::new(&NEAR_KIND, message)
            .at(at.place(), "not recognised")
            .pointer(pointer)
            .help(format!("write {}", ours.join(" or ")))
            .object(object_of(node, kind)),
    )
}
