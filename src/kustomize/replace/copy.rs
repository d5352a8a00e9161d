//! The fields of a target: found, created, and set.

use std::sync::Arc;

use regex::Regex;

use crate::kustomize::file::FieldOptions;
use crate::kustomize::node::{HEAVIEST, Node, Step, Value};
use crate::kustomize::paths;
use crate::kustomize::scalar::{Scalar, Tag};
use crate::source::Place;

use super::{element, look_up, number};

/// Copies a value into a field; whether it may not be what the type of the field says.
pub(super) fn copy(
    root: &mut Arc<Node>,
    path: &[String],
    value: &Arc<Node>,
    options: &FieldOptions,
    by: Place,
) -> Result<bool, String> {
    if let Some(inner) = text_on_the_way(root, path) {
        return Err(format!(
            "`{}` is a text, and values inside of texts are not replaced here",
            path[..inner].join(".")
        ));
    }
    let mut found = Vec::new();
    collect(
        root,
        path,
        &mut Vec::new(),
        options.create,
        value,
        &mut found,
    )?;
    if found.is_empty() {
        return Err(if options.create {
            "the field can neither be found nor created".to_owned()
        } else {
            "there is no such field".to_owned()
        });
    }
    if found.len().saturating_mul(value.weight(HEAVIEST)) > HEAVIEST {
        return Err("the value is too large for so many fields".to_owned());
    }
    let mut doubtful = false;
    for steps in found {
        let Some(node) = root.follow_mut(&steps) else {
            continue;
        };
        doubtful |= set(node, value, options, by)?;
    }
    Ok(doubtful)
}

/// How many parts of a path lead to a text that is followed by more.
fn text_on_the_way(root: &Arc<Node>, path: &[String]) -> Option<usize> {
    (1..path.len()).find(|count| {
        look_up(root, &path[..*count]).is_some_and(|node| {
            node.as_scalar()
                .is_some_and(|text| text.kind() == Tag::Text)
        })
    })
}

fn set(
    node: &mut Arc<Node>,
    value: &Arc<Node>,
    options: &FieldOptions,
    by: Place,
) -> Result<bool, String> {
    let text = value
        .as_scalar()
        .map_or_else(|| Arc::from(""), |scalar| Arc::clone(&scalar.text));
    let joined = match &options.delimiter {
        None => text,
        Some(delimiter) => {
            let Some(old) = node.as_scalar() else {
                return Err("a delimiter needs a text as its target".to_owned());
            };
            let mut parts: Vec<&str> = old.text.split(&*delimiter.text).collect();
            match usize::try_from(options.index) {
                Err(_) => parts.insert(0, &text),
                Ok(at) if at >= parts.len() => parts.push(&text),
                Ok(at) => parts[at] = &text,
            }
            parts.join(&delimiter.text).into()
        }
    };
    let own = Arc::make_mut(node);
    own.by = Some(by);
    own.secret |= value.secret;
    match &mut own.value {
        Value::Scalar(old) => {
            old.text = joined;
            Ok(!matches!(old.tag, Tag::Text | Tag::Open))
        }
        whole => {
            *whole = value.value.clone();
            Ok(false)
        }
    }
}

/// The new value of a missing field: a list, a mapping or a scalar, by the part that follows.
fn fresh(next: Option<&String>, value: &Arc<Node>) -> Arc<Node> {
    let place = value.place;
    match next {
        Some(next) if element(next).is_some() || number(next).is_some() => {
            Node::new(Value::List(Vec::new()), place)
        }
        Some(_) => Node::map(place),
        None => match &value.value {
            Value::Scalar(_) => Node::scalar(Scalar::plain(Tag::Open, ""), place),
            Value::List(_) => Node::new(Value::List(Vec::new()), place),
            Value::Map(_) => Node::map(place),
        },
    }
}

/// Finds the fields of a path, and creates what is missing if so asked.
fn collect(
    root: &mut Arc<Node>,
    path: &[String],
    steps: &mut Vec<Step>,
    create: bool,
    value: &Arc<Node>,
    found: &mut Vec<Vec<Step>>,
) -> Result<(), String> {
    let Some((first, rest)) = path.split_first() else {
        found.push(steps.clone());
        return Ok(());
    };
    let Some(node) = root.follow(steps) else {
        return Ok(());
    };
    let items = node.items().len();
    let is_list = matches!(node.value, Value::List(_));
    let mut go = |root: &mut Arc<Node>, step: Step| {
        steps.push(step);
        let went = collect(root, rest, steps, create, value, found);
        steps.pop();
        went
    };
    if let Some(at) = number(first) {
        if !is_list {
            return Err(format!("`{first}` is an index, and there is no list"));
        }
        if at == items && create {
            append(root, steps, fresh(rest.first(), value));
        } else if at >= items {
            return Err(format!("the list has {items} items, none at {at}"));
        }
        steps.push(Step::Index(at));
        let went = collect(root, rest, steps, create, value, found);
        steps.pop();
        return went;
    }
    if let Some((key, wanted)) = element(first) {
        if !is_list {
            return Err(format!(
                "`{first}` is for the items of a list, and there is none"
            ));
        }
        let regex = Regex::new(wanted).map_err(|_| format!("`{wanted}` is no expression"))?;
        let fits = |item: &Arc<Node>| {
            let field = match key {
                "" => Some(item),
                key => item.get(key),
            };
            field
                .and_then(|field| field.as_scalar())
                .is_some_and(|field| regex.is_match(&field.text))
        };
        let mut numbers: Vec<usize> = Vec::new();
        numbers.extend((0..items).filter(|at| fits(&node.items()[*at])));
        if numbers.is_empty() && create {
            let scalar = Node::scalar(Scalar::instead(wanted, None), value.place);
            let item = match key {
                "" => scalar,
                key => {
                    let mut map = Node::map(value.place);
                    Arc::make_mut(&mut map).set(key, scalar);
                    map
                }
            };
            append(root, steps, item);
            numbers.push(items);
        }
        for at in numbers {
            match key {
                "" => {
                    steps.push(Step::Index(at));
                    found.push(steps.clone());
                    steps.pop();
                }
                _ => {
                    steps.push(Step::Index(at));
                    let went = collect(root, rest, steps, create, value, found);
                    steps.pop();
                    went?;
                }
            }
        }
        return Ok(());
    }
    if first == "*" {
        if !is_list {
            return Err("`*` is for the items of a list, and there is none".to_owned());
        }
        for at in 0..items {
            go(root, Step::Index(at))?;
        }
        return Ok(());
    }
    if node.is_null() {
        return Ok(());
    }
    if !node.is_map() {
        return Err(format!("`{first}` is looked for in what is no mapping"));
    }
    if node.get(first).is_none() {
        if !create {
            return Ok(());
        }
        paths::new_key(first)?;
        let Some(own) = root.follow_mut(steps) else {
            return Ok(());
        };
        Arc::make_mut(own).set(first, fresh(rest.first(), value));
    }
    let step = Step::Key(first.as_str().into());
    steps.push(step);
    let went = collect(root, rest, steps, create, value, found);
    steps.pop();
    went
}

/// Adds an item to the list behind a path.
fn append(root: &mut Arc<Node>, steps: &[Step], item: Arc<Node>) {
    if let Some(list) = root.follow_mut(steps)
        && let Value::List(items) = &mut Arc::make_mut(list).value
    {
        items.push(item);
    }
}
