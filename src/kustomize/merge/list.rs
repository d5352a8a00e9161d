//! Lists of built-in kinds, merged by the keys of their elements.

use std::sync::Arc;

use crate::kustomize::keys::Part;
use crate::kustomize::node::{Node, Value};
use crate::kustomize::scalar::Scalar;

use super::{Directive, Merged, Problem, directive, walk};

/// Comparisons of elements that one merge may take: kustomize looks through the list for each.
const MOST: usize = 10_000_000;

/// The text of a field of a list's element; empty if it says nothing.
fn field_text(item: &Node, key: &str) -> Arc<str> {
    let text = match key {
        "" => item.as_scalar(),
        key => item.get(key).and_then(|field| field.as_scalar()),
    };
    text.filter(|_| key.is_empty() || item.get(key).is_some_and(|field| !field.is_null()))
        .map_or_else(|| Arc::from(""), |scalar| Arc::clone(&scalar.text))
}

/// Whether an element has these values; an empty one asks for the field alone.
fn has(item: &Node, keys: &[&str], values: &[Arc<str>]) -> bool {
    keys.iter().zip(values).all(|(key, value)| match *key {
        "" => item.as_scalar().is_some_and(|scalar| scalar.text == *value),
        key => item.get(key).is_some_and(|field| {
            let text = field.as_scalar().map_or("", |scalar| &*scalar.text);
            value.is_empty() || text == &**value
        }),
    })
}

/// The element of a list with exactly these values.
fn find(items: &[Arc<Node>], keys: &[&str], values: &[Arc<str>]) -> Option<usize> {
    items.iter().position(|item| {
        keys.iter().zip(values).all(|(key, value)| match *key {
            "" => item.as_scalar().is_some_and(|scalar| scalar.text == *value),
            key => item.get(key).is_some_and(|field| {
                field.as_scalar().map_or("", |scalar| &*scalar.text) == &**value
            }),
        })
    })
}

/// The keys that say something in any of the rows, with the values of one row.
fn valid<'k>(
    rows: &[Vec<Arc<str>>],
    values: &[Arc<str>],
    keys: &[&'k str],
) -> (Vec<&'k str>, Vec<Arc<str>>) {
    let says = |at: usize| {
        rows.iter()
            .any(|row| row.get(at).is_some_and(|value| !value.is_empty()))
    };
    let kept: Vec<usize> = (0..keys.len()).filter(|at| says(*at)).collect();
    if kept.is_empty() {
        return (keys.to_vec(), values.to_vec());
    }
    let values = kept
        .iter()
        .filter_map(|at| values.get(*at).cloned())
        .collect();
    (kept.into_iter().map(|at| keys[at]).collect(), values)
}

/// Makes rows equal that differ only where one of them says nothing.
fn join(rows: &mut [Vec<Arc<str>>]) {
    for one in 0..rows.len() {
        for two in 0..rows.len() {
            let mut joined = Vec::new();
            let mut common = false;
            for (first, second) in rows[one].iter().zip(&rows[two]) {
                match (first.is_empty(), second.is_empty()) {
                    _ if first == second => {
                        common = true;
                        joined.push(Arc::clone(first));
                    }
                    (true, _) => joined.push(Arc::clone(second)),
                    (_, true) => joined.push(Arc::clone(first)),
                    _ => break,
                }
            }
            if common && joined.len() == rows[one].len() && rows[one].len() == rows[two].len() {
                rows[one].clone_from(&joined);
                rows[two] = joined;
            }
        }
    }
}

/// Puts an element in the place of those with these values, or behind all; without an element
/// they are taken out.
fn put(
    items: &mut Vec<Arc<Node>>,
    element: Option<&Arc<Node>>,
    keys: &[&str],
    values: &[Arc<str>],
) {
    let mut found = false;
    let keyed = keys.first().is_some_and(|key| !key.is_empty())
        && values.first().is_some_and(|value| !value.is_empty());
    let mut kept = Vec::with_capacity(items.len());
    for item in items.drain(..) {
        if item.is_null() || (item.is_map() && item.entries().is_empty()) {
            continue;
        }
        if (keyed && !item.is_map()) || !has(&item, keys, values) {
            kept.push(item);
            continue;
        }
        found = true;
        kept.extend(element.cloned());
    }
    *items = kept;
    if let Some(element) = element.filter(|element| !found && !element.is_null()) {
        items.push(Arc::clone(element));
    }
}

/// Merges lists by the keys of their elements; without keys by the elements themselves.
pub(super) fn list(
    old: Option<&Arc<Node>>,
    patch: Option<&Arc<Node>>,
    keys: &[&'static str],
    item: Option<Part>,
) -> Result<Merged, Problem> {
    let (found, rest) = directive(patch)?;
    let rest = rest.as_deref();
    let (base, own) = match (old.filter(|old| !old.is_null()), rest) {
        (None, Some(rest)) => (rest, false),
        (Some(_), Some(rest)) if rest.is_null() || found == Directive::Delete => {
            return Ok(Merged::GONE);
        }
        (Some(_), Some(rest)) if found == Directive::Replace => (rest, false),
        (Some(old), _) => (old, true),
        (None, None) => return Ok(Merged::GONE),
    };
    let mut dest: Vec<Arc<Node>> = base.items().to_vec();
    let itself = !own;
    let patches: &[Arc<Node>] = if itself {
        base.items()
    } else {
        rest.map_or(&[], |rest| rest.items())
    };
    let row = |item: &Arc<Node>| -> Vec<Arc<str>> {
        match keys {
            [] => vec![field_text(item, "")],
            keys => keys.iter().map(|key| field_text(item, key)).collect(),
        }
    };
    let mut rows: Vec<Vec<Arc<str>>> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for one in patches.iter().chain(&dest).map(row) {
        if seen.insert(one.clone()) {
            rows.push(one);
        }
    }
    if rows.len() * (dest.len() + rows.len()) > MOST {
        let message = format!(
            "a list of {} items and a patch of {} are too long to be merged",
            dest.len(),
            patches.len()
        );
        let place = rest.map_or(base.place, |rest| rest.place);
        return Err(Problem { message, place });
    }
    let keys: &[&'static str] = if keys.is_empty() { &[""] } else { keys };
    if keys.len() > 1 {
        join(&mut rows);
    }
    let mut added: Vec<Arc<Node>> = Vec::new();
    let mut last = keys.to_vec();
    for values in &rows {
        let (valid_keys, valid_values) = match keys {
            [""] => (vec![""], values.clone()),
            keys => valid(&rows, values, keys),
        };
        last.clone_from(&valid_keys);
        let (own_keys, own_values) = match keys {
            [""] => (vec![""], values.clone()),
            _ => valid(
                std::slice::from_ref(&valid_values),
                &valid_values,
                &valid_keys,
            ),
        };
        let at = find(&dest, &own_keys, &own_values);
        let new = find(patches, &own_keys, &own_values).map(|at| &patches[at]);
        let before = at.map(|at| Arc::clone(&dest[at]));
        let before = match (itself, new) {
            (true, Some(new)) => Some(Arc::clone(new)),
            _ => before,
        };
        let merged = walk(before.as_ref(), new, item)?;
        let empty =
            |node: &Arc<Node>| node.is_null() || (node.is_map() && node.entries().is_empty());
        let Some(mut node) = merged.node.filter(|node| !empty(node)) else {
            put(&mut dest, None, &valid_keys, &valid_values);
            continue;
        };
        for (key, value) in valid_keys.iter().zip(&valid_values) {
            if !key.is_empty() && !value.is_empty() && node.get(key).is_none() {
                let scalar = Scalar::instead(Arc::clone(value), None);
                let place = node.place;
                Arc::make_mut(&mut node).set(key, Node::scalar(scalar, place));
            }
        }
        if let Some(at) = at.filter(|_| merged.own || itself) {
            dest[at] = Arc::clone(&node);
        }
        put(&mut added, Some(&node), &valid_keys, &valid_values);
    }
    if !rows.is_empty() {
        for element in &dest {
            let values: Vec<Arc<str>> = match &last[..] {
                [""] => vec![field_text(element, "")],
                keys => {
                    let mut values = Vec::new();
                    for key in keys {
                        match element.get(key) {
                            Some(_) => values.push(field_text(element, key)),
                            None => added.push(Arc::clone(element)),
                        }
                    }
                    if values.is_empty() {
                        continue;
                    }
                    values
                }
            };
            if last.len() > 1 {
                put(&mut added, None, &last, &values);
            }
            put(&mut added, Some(element), &last, &values);
        }
        dest = added;
    }
    let same = dest.len() == base.items().len()
        && dest
            .iter()
            .zip(base.items())
            .all(|(one, two)| Arc::ptr_eq(one, two));
    let node = if same {
        Arc::clone(base)
    } else {
        let mut list = (**base).clone();
        list.value = Value::List(dest);
        Arc::new(list)
    };
    Ok(Merged {
        node: Some(node),
        own,
    })
}
