//! A merge patch laid over an object.

use std::sync::Arc;

use crate::kustomize::fault::Fault;
use crate::kustomize::heap::Stop;
use crate::kustomize::node::{Entry, Node, Value};
use crate::kustomize::resource::Resource;
use crate::kustomize::scalar::Scalar;
use crate::kustomize::{merge, rules};

/// Lays a merge patch over an object.
pub(super) fn lay(
    resource: &mut Resource,
    patch: &Arc<Node>,
    renames: bool,
    changes_kind: bool,
) -> Result<(), Stop> {
    if resource.gone {
        return Ok(());
    }
    let old = Arc::clone(&resource.node);
    if renames || changes_kind {
        resource.remember();
    }
    // A target fits objects of other versions too: theirs stays.
    let mut patch = Arc::clone(patch);
    let version = old.get("apiVersion");
    if patch.get("apiVersion").map(|node| node.as_text()) != version.map(|node| node.as_text()) {
        let own = Arc::make_mut(&mut patch);
        match version {
            Some(version) => own.set("apiVersion", Arc::clone(version)),
            None => drop(own.remove("apiVersion")),
        }
    }
    let merged = merge::merge(&old, &patch).map_err(|problem| {
        let message = format!("{}: {}", resource.shown(), problem.message);
        Fault::new(&rules::PATCH, message, problem.place)
    })?;
    let Some(merged) = merged.filter(|node| !node.is_nothing()) else {
        resource.gone = true;
        return Ok(());
    };
    resource.node = merged;
    if !changes_kind && let Some(kind) = old.get("kind") {
        Arc::make_mut(&mut resource.node).set("kind", Arc::clone(kind));
    }
    resource.node.keep_secret(&old);
    let own = Arc::make_mut(&mut resource.node);
    let Some(entries) = own.entries_mut() else {
        return Ok(());
    };
    let mut entries = entries.iter_mut();
    let before = old.get("metadata");
    if let Some(metadata) = entries.find(|entry| &*entry.key == "metadata") {
        let differs = |key: &str| {
            let before = before.and_then(|before| before.get(key));
            let now = metadata.value.get(key);
            match (before, now) {
                (Some(before), Some(now)) => !Arc::ptr_eq(before, now),
                (None, None) => false,
                _ => true,
            }
        };
        let kept: Vec<&str> = ["name", "namespace"]
            .into_iter()
            .filter(|key| differs(key) && !(*key == "name" && renames))
            .collect();
        if !kept.is_empty() {
            let own = Arc::make_mut(&mut metadata.value);
            for key in kept {
                match before.and_then(|before| before.get(key)) {
                    Some(value) if !value.is_nothing() => own.set(key, Arc::clone(value)),
                    _ => drop(own.remove(key)),
                }
            }
        }
    } else if let Some(metadata) = before {
        let mut kept = Node::map(metadata.place);
        for key in ["name", "namespace"] {
            if let Some(value) = metadata.get(key) {
                Arc::make_mut(&mut kept).set(key, Arc::clone(value));
            }
        }
        own.set("metadata", kept);
    }
    Ok(())
}

/// A patch whose labels and annotations are texts: Kustomize writes them anew before it lays
/// the patch over what a target selects, so that a null among them is the text of it.
pub(super) fn with_texts(patch: &Arc<Node>) -> Arc<Node> {
    let mut patch = Arc::clone(patch);
    for field in ["labels", "annotations"] {
        let Some(map) = patch.at(&["metadata", field]).cloned() else {
            continue;
        };
        let odd = |entry: &Entry| {
            !entry
                .value
                .as_scalar()
                .is_some_and(|scalar| scalar.is_text())
        };
        if map.is_map() && !map.entries().is_empty() && !map.entries().iter().any(odd) {
            continue;
        }
        let own = Arc::make_mut(&mut patch);
        let Some(entries) = own.entries_mut() else {
            continue;
        };
        let mut entries = entries.iter_mut();
        let Some(metadata) = entries.find(|entry| &*entry.key == "metadata") else {
            continue;
        };
        let metadata = Arc::make_mut(&mut metadata.value);
        let text = |entry: &Entry| Entry {
            value: Node::text(
                entry
                    .value
                    .as_scalar()
                    .map_or_else(|| Arc::from(""), |scalar: &Scalar| Arc::clone(&scalar.text)),
                entry.value.place,
            ),
            ..entry.clone()
        };
        let written: Vec<Entry> = map.entries().iter().map(text).collect();
        if written.is_empty() {
            drop(metadata.remove(field));
        } else {
            metadata.set(field, Node::new(Value::Map(written), map.place));
        }
    }
    patch
}
