//! An action document. Its numbers are judged where they are used: a field that is not used
//! may hold anything, as upstream has it.

use crate::diagnostic::Sink;
use crate::senlin::model::{Action, ActionKind, Entry, Inputs};
use crate::senlin::rules;
use crate::yaml::{Node, Scalar};

use super::fault::{self, about};
use super::value::{field, object, scalar};

/// Reads the action; without a usable name there is none.
pub(super) fn lower<'a>(node: Node<'a>, sink: &mut Sink) -> Option<Action<'a>> {
    fault::unknown_keys(node, "", super::ENVELOPE, sink);
    let properties = super::properties(node, sink);
    let Some(name_node) = properties.and_then(|node| node.get("action")) else {
        sink.push(
            about(&rules::MISSING_KEY, "an action without `action`")
                .at(
                    fault::head(properties.unwrap_or(node)).place(),
                    "`action` is missing here",
                )
                .pointer("/properties")
                .help("write `action: CLUSTER_SCALE_OUT`, or another action"),
        );
        return None;
    };
    let properties = properties?;
    fault::unknown_keys(
        properties,
        "/properties",
        &["action", "inputs", "data"],
        sink,
    );
    let Some(Scalar::Text(name)) = scalar(name_node) else {
        sink.push(fault::wanted(
            name_node,
            "/properties/action",
            "action",
            "text",
        ));
        return None;
    };
    let whole = fault::head(node).place();
    let inputs = map(properties, "inputs", sink);
    let data = map(properties, "data", sink);
    Some(Action {
        name,
        kind: ActionKind::of(name),
        inputs: Inputs {
            count: field(inputs, "count", whole),
            adjustment_type: field(inputs, "adjustment_type", whole),
            number: field(inputs, "number", whole),
            min_size: field(inputs, "min_size", whole),
            max_size: field(inputs, "max_size", whole),
            min_step: field(inputs, "min_step", whole),
            strict: field(inputs, "strict", whole),
        },
        asked: inputs.map(object).unwrap_or_default(),
        creation: entry(data, "creation"),
        deletion: entry(data, "deletion"),
        data: data.map(object).unwrap_or_default(),
        place: whole,
        name_place: name_node.place(),
    })
}

fn map<'a>(properties: Node<'a>, key: &str, sink: &mut Sink) -> Option<Node<'a>> {
    let node = properties.get(key).filter(|node| !node.is_null())?;
    if node.is_mapping() {
        return Some(node);
    }
    sink.push(fault::wanted(
        node,
        &format!("/properties/{key}"),
        key,
        "a mapping",
    ));
    None
}

/// `creation` or `deletion` of an action's data.
fn entry<'a>(data: Option<Node<'a>>, key: &str) -> Entry<'a> {
    match data.and_then(|data| data.get(key)) {
        None => Entry::Absent,
        Some(node) if node.is_null() => Entry::Null,
        Some(node) if node.is_mapping() => Entry::Map {
            empty: node.is_empty(),
            count: field(Some(node), "count", node.place()),
        },
        Some(node) => Entry::Other(node.place()),
    }
}
