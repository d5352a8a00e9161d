//! The layers, and the actions a child applies to a copy of its parent's data.
//! Source: Deckhand, `doc/source/users/layering.rst`.

use super::path::{self, PathFault, Step};
use super::value::{Value, delete_first, merge};
use crate::airship::raw::Raw;
use crate::airship::rules;
use crate::diagnostic::{Diagnostic, Sink};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::yaml::Node;

/// Whether a document is a LayeringPolicy.
pub(crate) fn is_policy(raw: &Raw<'_>) -> bool {
    raw.schema.starts_with("deckhand/LayeringPolicy")
}

/// The layers of the first policy, most general first; `None` (reported) without a policy.
pub(super) fn order<'a>(raws: &[Raw<'a>], sink: &mut Sink) -> Option<Vec<&'a str>> {
    let mut policies = raws.iter().filter(|raw| is_policy(raw));
    let policy = policies.next()?;
    for other in policies {
        let message = format!("LayeringPolicy `{}` is not used", other.name);
        sink.push(
            Diagnostic::new(&rules::SEVERAL_POLICIES, message)
                .at(other.place, "another policy")
                .related(policy.place, "the first one counts")
                .help("keep one LayeringPolicy")
                .object(other.object()),
        );
    }
    let order = policy.data().and_then(|data| data.get("layerOrder"));
    Some(
        order
            .into_iter()
            .flat_map(Node::items)
            .filter_map(Node::text)
            .collect(),
    )
}

/// The number of each document's layer; `None` for control documents and unknown layers,
/// which are reported.
pub(super) fn numbers(raws: &[Raw<'_>], layers: &[&str], sink: &mut Sink) -> Vec<Option<usize>> {
    let number = |raw: &Raw<'_>| {
        let layer = raw.layer?;
        let number = layers.iter().position(|known| *known == layer);
        if number.is_none() {
            let place = raw.layering("layer").map_or(raw.place, Node::place);
            let message = format!(
                "layer `{layer}` is not in the policy's layerOrder ({})",
                layers.join(", ")
            );
            let mut found = Diagnostic::new(&rules::UNKNOWN_LAYER, message)
                .at(place, "unknown layer")
                .upstream("InvalidDocumentLayer")
                .object(raw.object());
            found.help = Some(match nearest(layer, layers.iter().copied()) {
                Some(near) => did_you_mean(near).into(),
                None => "use one of these layers, or add it to the LayeringPolicy".into(),
            });
            sink.push(found);
        }
        number
    };
    raws.iter().map(number).collect()
}

/// The child's actions on its parent's rendered data; `None` when one fails (reported).
pub(super) fn apply<'a>(
    raw: &Raw<'a>,
    own: &Value<'a>,
    parent: Value<'a>,
    sink: &mut Sink,
) -> Option<Value<'a>> {
    let mut data = parent;
    for action in raw.layering("actions").into_iter().flat_map(Node::items) {
        let method = action.get("method").and_then(Node::text).unwrap_or("");
        let at = action.get("path").unwrap_or(action);
        let written = at.text().unwrap_or("");
        let steps = match path::parse_action(written) {
            Ok(steps) => steps,
            Err(fault) => {
                sink.push(bad_path(raw, at, fault));
                return None;
            }
        };
        let done = match method {
            "delete" => delete(raw, &mut data, &steps, at, sink),
            _ => take(raw, own, &mut data, &steps, method == "merge", at),
        };
        if let Err(found) = done {
            sink.push(*found);
            return None;
        }
    }
    Some(data)
}

fn take<'a>(
    raw: &Raw<'a>,
    own: &Value<'a>,
    data: &mut Value<'a>,
    steps: &[Step],
    merging: bool,
    at: Node<'a>,
) -> Result<(), Box<Diagnostic>> {
    let child = path::find(own, steps).filter(|value| !value.is_null());
    let Some(child) = child else {
        let what = if merging { "merge" } else { "replace with" };
        return Err(Box::new(missing_key(
            raw,
            at,
            &format!("has nothing to {what} there"),
        )));
    };
    let value = match path::find(data, steps) {
        Some(parent) if merging => merge(&parent, &child),
        _ => child,
    };
    path::set(data, steps, value, at.place()).map_err(|fault| Box::new(bad_path(raw, at, fault)))
}

fn delete<'a>(
    raw: &Raw<'a>,
    data: &mut Value<'a>,
    steps: &[Step],
    at: Node<'a>,
    sink: &mut Sink,
) -> Result<(), Box<Diagnostic>> {
    if steps.is_empty() {
        *data = Value::empty(at.place());
        return Ok(());
    }
    let target = path::find(data, steps).filter(|value| !value.is_null());
    let Some(target) = target else {
        return Err(Box::new(missing_key(
            raw,
            at,
            "its parent has nothing there to delete",
        )));
    };
    let removed = delete_first(data, &target);
    if let Some(place) = removed
        && place != target.place()
    {
        let written = at.text().unwrap_or("");
        let message = format!("`delete {written}` removes another, equal value");
        sink.push(
            Diagnostic::new(&rules::DELETES_ANOTHER, message)
                .at(at.place(), "names this path")
                .related(
                    place,
                    "but Deckhand deletes this value, the first equal one",
                )
                .related(target.place(), "this one stays")
                .help("Deckhand deletes the first equal value; merge or replace the node above it")
                .object(raw.object()),
        );
    }
    Ok(())
}

fn missing_key(raw: &Raw<'_>, at: Node<'_>, what: &str) -> Diagnostic {
    let written = at.text().unwrap_or("");
    let message = format!("nothing at `{written}`: {} {what}", raw.describe());
    Diagnostic::new(&rules::MISSING_KEY, message)
        .at(at.place(), "this path")
        .help("use a path that exists, or remove the action")
        .upstream("MissingDocumentKey")
        .object(raw.object())
}

pub(super) fn bad_path(raw: &Raw<'_>, at: Node<'_>, fault: PathFault) -> Diagnostic {
    let written = at.text().unwrap_or("");
    let (what, help) = match fault {
        PathFault::Unsupported => (
            "uses a wildcard, slice or filter, which planner does not support",
            "write keys and indexes: `.a.b[0].\"k.io/r\"`",
        ),
        PathFault::Malformed => (
            "is not a path",
            "write keys and indexes: `.a.b[0].\"k.io/r\"`",
        ),
        PathFault::TooLong => ("is too long", "use fewer levels"),
        PathFault::NoContainer => (
            "leads into a value that is not a mapping or list",
            "a path can only lead through mappings and lists",
        ),
    };
    Diagnostic::new(&rules::BAD_PATH, format!("the path `{written}` {what}"))
        .at(at.place(), "this path")
        .help(help)
        .object(raw.object())
}
