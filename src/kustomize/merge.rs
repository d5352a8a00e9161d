//! Merge patches: a patch laid over an object, as Kustomize merges.

mod list;

use std::borrow::Cow;
use std::sync::Arc;

use crate::source::Place;

use super::keys::{self, Part};
use super::node::{Entry, Node, Value};

/// Why a patch cannot be merged.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) message: String,
    /// Where in the patch.
    pub(super) place: Place,
}

/// A merged node; none if the patch removes it.
struct Merged {
    node: Option<Arc<Node>>,
    /// Whether it is the node that was there, changed.
    own: bool,
}

impl Merged {
    const GONE: Self = Self {
        node: None,
        own: false,
    };
}

/// The directive `$patch` of a mapping or list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Directive {
    Merge,
    Replace,
    Delete,
}

const DIRECTIVE: &str = "$patch";

/// Lays a patch over an object; nothing is left where the patch removes it.
pub(super) fn merge(object: &Arc<Node>, patch: &Arc<Node>) -> Result<Option<Arc<Node>>, Problem> {
    walk(Some(object), Some(patch), None).map(|merged| merged.node)
}

fn is_missing(node: Option<&Arc<Node>>) -> bool {
    node.is_none_or(|node| node.is_null())
}

fn directive_of(node: &Node) -> Result<Option<Directive>, Problem> {
    let Some(text) = node.as_scalar() else {
        return Ok(None);
    };
    match &*text.text {
        "merge" => Ok(Some(Directive::Merge)),
        "replace" => Ok(Some(Directive::Replace)),
        "delete" => Ok(Some(Directive::Delete)),
        other => Err(Problem {
            message: format!("`$patch: {other}` is no directive: delete, merge or replace"),
            place: node.place,
        }),
    }
}

/// A directive, and the patch without it.
type Directed<'p> = (Directive, Option<Cow<'p, Arc<Node>>>);

/// The directive of a patch; without a patch nothing is directed.
fn directive(patch: Option<&Arc<Node>>) -> Result<Directed<'_>, Problem> {
    let Some(patch) = patch else {
        return Ok((Directive::Merge, None));
    };
    let whole = Ok((Directive::Merge, Some(Cow::Borrowed(patch))));
    match &patch.value {
        Value::Scalar(_) => whole,
        Value::Map(_) => {
            let Some(node) = patch.get(DIRECTIVE) else {
                return whole;
            };
            let found = directive_of(node)?.unwrap_or(Directive::Merge);
            let mut rest = Arc::clone(patch);
            Arc::make_mut(&mut rest).remove(DIRECTIVE);
            Ok((found, Some(Cow::Owned(rest))))
        }
        Value::List(items) => {
            let own = |item: &Arc<Node>| item.get(DIRECTIVE).is_some();
            let Some(item) = items.iter().find(|item| own(item)) else {
                return whole;
            };
            if item.entries().len() > 1 {
                return whole;
            }
            let Some(node) = item.get(DIRECTIVE) else {
                return whole;
            };
            let Some(found) = directive_of(node)? else {
                return whole;
            };
            let rest = items.iter().filter(|item| !own(item)).cloned().collect();
            let mut list = (**patch).clone();
            list.value = Value::List(rest);
            Ok((found, Some(Cow::Owned(Arc::new(list)))))
        }
    }
}

/// The kind of the first that says something.
enum Shape {
    Map,
    List,
    Scalar,
}

fn shape(node: &Node) -> Shape {
    match &node.value {
        Value::Map(_) => Shape::Map,
        Value::List(_) => Shape::List,
        Value::Scalar(_) => Shape::Scalar,
    }
}

fn walk(
    old: Option<&Arc<Node>>,
    patch: Option<&Arc<Node>>,
    part: Option<Part>,
) -> Result<Merged, Problem> {
    let part = part.or_else(|| {
        [old, patch].into_iter().flatten().find_map(|node| {
            let text = |key: &str| node.get(key).and_then(|node| node.as_text());
            keys::of(text("apiVersion")?, text("kind")?)
        })
    });
    let first = [old, patch]
        .into_iter()
        .flatten()
        .find(|node| !node.is_null());
    let wanted = first.map_or(Shape::Map, |node| shape(node));
    if let (Some(old), Some(new)) = (old, patch) {
        let alike = matches!(
            (&wanted, shape(new)),
            (Shape::Map, Shape::Map) | (Shape::List, Shape::List) | (Shape::Scalar, Shape::Scalar)
        );
        if !alike && !new.is_null() && !old.is_null() {
            let name = |node: &Node| match shape(node) {
                Shape::Map => "a mapping",
                Shape::List => "a list",
                Shape::Scalar => "a text or number",
            };
            return Err(Problem {
                message: format!("the patch has {} where {} is", name(new), name(old)),
                place: new.place,
            });
        }
    }
    match wanted {
        Shape::Map => map(old, patch, part),
        Shape::Scalar => Ok(other(old, patch)),
        Shape::List => match part {
            Some(Part::Keyed(keys, item)) => list::list(old, patch, keys, item.copied()),
            Some(Part::Set) => list::list(old, patch, &[], None),
            _ => Ok(other(old, patch)),
        },
    }
}

/// Replaces a value whole.
fn other(old: Option<&Arc<Node>>, patch: Option<&Arc<Node>>) -> Merged {
    Merged {
        node: patch.or(old).cloned(),
        own: patch.is_none(),
    }
}

fn map(
    old: Option<&Arc<Node>>,
    patch: Option<&Arc<Node>>,
    part: Option<Part>,
) -> Result<Merged, Problem> {
    let (found, rest) = directive(patch)?;
    let rest = rest.as_deref();
    let itself = matches!((old, patch), (Some(old), Some(patch)) if Arc::ptr_eq(old, patch));
    if is_missing(old) {
        if found == Directive::Delete {
            return Ok(Merged::GONE);
        }
        let Some(rest) = rest else {
            // A null that is spelled out stays.
            let spelled =
                |node: &&Arc<Node>| node.as_scalar().is_some_and(|null| !null.text.is_empty());
            return Ok(Merged {
                node: old.filter(spelled).cloned(),
                own: true,
            });
        };
        return Ok(Merged {
            node: fields(rest, Some(rest), part)?,
            own: false,
        });
    }
    let Some(old) = old else {
        return Ok(Merged::GONE);
    };
    if rest.is_some_and(|patch| patch.is_null()) || found == Directive::Delete {
        return Ok(Merged::GONE);
    }
    match rest {
        Some(rest) if found == Directive::Replace || itself => Ok(Merged {
            node: fields(rest, Some(rest), part)?,
            own: itself,
        }),
        rest => Ok(Merged {
            node: fields(old, rest, part)?,
            own: true,
        }),
    }
}

/// Merges the fields of two maps.
fn fields(
    old: &Arc<Node>,
    patch: Option<&Arc<Node>>,
    part: Option<Part>,
) -> Result<Option<Arc<Node>>, Problem> {
    if old.is_null() {
        return Ok(None);
    }
    let mut changed: Option<Arc<Node>> = None;
    let mut set = |entry: &Entry, merged: Option<Arc<Node>>| {
        // A null that stays is one that the object has.
        let keeps = |node: &Arc<Node>| !node.is_null() || Arc::ptr_eq(node, &entry.value);
        let merged = merged.filter(keeps);
        match merged {
            Some(node) if Arc::ptr_eq(&node, &entry.value) => {}
            Some(node) => {
                let own = Arc::make_mut(changed.get_or_insert_with(|| Arc::clone(old)));
                let Some(entries) = own.entries_mut() else {
                    return;
                };
                match entries.iter_mut().find(|own| own.key == entry.key) {
                    Some(own) => own.value = node,
                    None => entries.push(Entry {
                        value: node,
                        ..entry.clone()
                    }),
                }
            }
            None => {
                let own = Arc::make_mut(changed.get_or_insert_with(|| Arc::clone(old)));
                own.remove(&entry.key);
            }
        }
    };
    let itself = patch.is_some_and(|patch| Arc::ptr_eq(patch, old));
    for entry in old.entries() {
        let new = patch.and_then(|patch| patch.get(&entry.key));
        let field = part.and_then(|part| part.field(&entry.key));
        let merged = walk(Some(&entry.value), new, field)?;
        let node = merged
            .node
            .filter(|node| !(node.is_null() && new.is_some()));
        set(entry, node);
    }
    if let Some(patch) = patch.filter(|_| !itself) {
        let mut fresh: Vec<&Entry> = patch.entries().iter().collect();
        fresh.retain(|entry| old.get(&entry.key).is_none());
        fresh.sort_by(|one, two| one.key.cmp(&two.key));
        for entry in fresh {
            let field = part.and_then(|part| part.field(&entry.key));
            let merged = walk(None, Some(&entry.value), field)?;
            if let Some(node) = merged.node.filter(|node| !node.is_null()) {
                let own = Arc::make_mut(changed.get_or_insert_with(|| Arc::clone(old)));
                if let Some(entries) = own.entries_mut() {
                    entries.push(Entry {
                        value: node,
                        ..entry.clone()
                    });
                }
            }
        }
    }
    Ok(Some(changed.unwrap_or_else(|| Arc::clone(old))))
}
