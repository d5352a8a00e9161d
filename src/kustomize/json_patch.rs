//! JSON patches: operations on a document, as Kustomize applies them.

use std::sync::Arc;

use crate::kit::nearest::nearest;
use crate::source::{Place, Span};
use crate::yaml::{self, Dialect, Limits};

use super::node::{Entry, Node, Value};
use super::read::Unreadable;
use super::replace::{NAMED_BY_SECRET, leads_to_secret};
use super::scalar::{Scalar, Tag, resolve};

/// The weight from which a copy may make a document too heavy soon.
const LIGHT: usize = 64;

/// A problem and where it is.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub(super) message: String,
    pub(super) place: Place,
    /// The deepest part of a missing path that exists, and the key there that may be meant.
    pub(super) there: Option<(Place, Option<String>)>,
}

impl Problem {
    fn new(message: impl Into<String>, place: Place) -> Self {
        Self {
            message: message.into(),
            place,
            there: None,
        }
    }
}

/// One operation.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    op: String,
    path: String,
    from: Option<String>,
    value: Option<Arc<Node>>,
    place: Place,
    /// Where `op`, `path` and `from` are written.
    places: [Place; 3],
}

/// The operations of a text; an empty text has none.
pub(super) fn read(
    text: &str,
    limits: Limits,
    at: &dyn Fn(Span) -> Place,
) -> Result<Vec<Operation>, Problem> {
    let whole = at(Span {
        start: 0,
        end: u32::try_from(text.trim_end().len()).unwrap_or(0),
    });
    if text.starts_with('[') {
        let json: Result<serde_json::Value, _> = serde_json::from_str(text);
        json.map_err(|error| {
            let message = format!("the patch begins with `[` and is no JSON: {error}");
            Problem::new(message, whole)
        })?;
    }
    let parsed = yaml::parse(crate::source::SourceId(0), text, 0..text.len(), limits);
    let first = parsed
        .documents
        .first()
        .map(|root| parsed.tree.node(text, *root));
    let before =
        |fault: &&yaml::Fault| first.is_none_or(|node| fault.span.start < node.span().start);
    if let Some(fault) = parsed.faults.first().filter(before) {
        let why = Unreadable::of(fault, text, at);
        return Err(Problem::new(why.message, why.place));
    }
    let Some(root) = first.filter(|root| !root.is_null()) else {
        return Ok(Vec::new());
    };
    if !root.is_sequence() {
        let message = "a JSON patch is a list of operations";
        return Err(Problem::new(message, at(root.span())));
    }
    let mut all = Vec::new();
    for item in root.items() {
        let place = at(item.span());
        if !item.is_mapping() {
            return Err(Problem::new("an operation is a mapping", place));
        }
        let text = |key: &str| match item.get(key)?.scalar(Dialect::Kubernetes)? {
            yaml::Scalar::Text(text) => Some(text.to_owned()),
            _ => None,
        };
        let written = |key: &str| match item.get(key) {
            Some(value) => at(value.span()),
            None => misspelt(item, key).map_or(place, |near| at(near.span())),
        };
        all.push(Operation {
            places: ["op", "path", "from"].map(written),
            op: text("op").unwrap_or_default(),
            path: text("path").unwrap_or_default(),
            from: text("from"),
            value: item.get("value").map(|value| node(value, at)),
            place,
        });
    }
    Ok(all)
}

/// The key of a mapping that is nearly this one.
fn misspelt<'n>(mapping: yaml::Node<'n>, key: &str) -> Option<yaml::Node<'n>> {
    let keys: Vec<_> = mapping.entries().map(|(key, _)| key).collect();
    let near = nearest(key, keys.iter().filter_map(|key| key.text()))?;
    keys.into_iter().find(|key| key.text() == Some(near))
}

/// A value of a patch, read as YAML 1.1.
fn node(from: yaml::Node<'_>, at: &dyn Fn(Span) -> Place) -> Arc<Node> {
    let place = at(from.span());
    let value = match from.kind() {
        yaml::Kind::Sequence => Value::List(from.items().map(|item| node(item, at)).collect()),
        yaml::Kind::Mapping => {
            let entry = |(key, value): (yaml::Node<'_>, yaml::Node<'_>)| Entry {
                key: key.text().unwrap_or_default().into(),
                place: at(key.span()),
                value: node(value, at),
            };
            Value::Map(from.entries().map(entry).collect())
        }
        yaml::Kind::Scalar => {
            let text = from.text().unwrap_or_default();
            Value::Scalar(match from.scalar(Dialect::Kubernetes) {
                None | Some(yaml::Scalar::Null) => Scalar::null(),
                Some(yaml::Scalar::Bool(truth)) => {
                    Scalar::plain(Tag::Bool, if truth { "true" } else { "false" })
                }
                Some(yaml::Scalar::Int(number)) => Scalar::plain(Tag::Int, number.to_string()),
                Some(yaml::Scalar::Float(number)) => Scalar::plain(Tag::Float, number.to_string()),
                Some(yaml::Scalar::BigInt(number)) => Scalar::plain(Tag::Float, number),
                Some(yaml::Scalar::Time(_) | yaml::Scalar::Text(_)) => Scalar::text(text),
            })
        }
    };
    Node::new(value, place)
}

/// Applies operations to a document.
pub(super) fn apply(root: &mut Arc<Node>, operations: &[Operation]) -> Result<(), Problem> {
    plain(root);
    let before = Arc::clone(root);
    let mut done = Ok(());
    for operation in operations {
        done = operation.apply(root).map_err(|problem| Problem {
            there: operation.there(root, problem.place),
            ..problem
        });
        if done.is_err() {
            break;
        }
    }
    root.keep_secret(&before);
    match operations.last() {
        // Findings name the object: it keeps the name that it had.
        Some(last) if root.is_named_by_secret() => {
            *root = before;
            done.and_then(|()| Err(Problem::new(NAMED_BY_SECRET, last.place)))
        }
        _ => done,
    }
}

/// Makes of every value what JSON has in its place: times are texts, numbers are 64 bits.
fn plain(node: &mut Arc<Node>) {
    fn differs(node: &Node) -> bool {
        match &node.value {
            Value::Scalar(scalar) => scalar_differs(scalar),
            Value::List(items) => items.iter().any(|item| differs(item)),
            Value::Map(entries) => entries.iter().any(|entry| differs(&entry.value)),
        }
    }
    fn scalar_differs(scalar: &Scalar) -> bool {
        match scalar.kind() {
            Tag::Time => true,
            Tag::Int => scalar.text.len() > 15,
            Tag::Null => scalar.text.is_empty(),
            _ => scalar.tag == Tag::Open,
        }
    }
    if !differs(node) {
        return;
    }
    match &mut Arc::make_mut(node).value {
        Value::Scalar(scalar) => {
            let (text, plain) = scalar.written();
            let new = match (plain, scalar.kind()) {
                (false, _) => Scalar::text(text.as_ref()),
                (true, Tag::Int) => {
                    let exact = text
                        .parse::<i64>()
                        .is_ok_and(|value| value.abs() <= 1 << 53);
                    match (exact, text.parse::<f64>()) {
                        (false, Ok(value)) => Scalar::plain(Tag::Float, format!("{value:e}")),
                        _ => Scalar::plain(Tag::Int, text.as_ref()),
                    }
                }
                (true, _) => Scalar::plain(resolve(&text), text.as_ref()),
            };
            *scalar = new;
        }
        Value::List(items) => items.iter_mut().for_each(plain),
        Value::Map(entries) => entries.iter_mut().for_each(|entry| plain(&mut entry.value)),
    }
}

/// The parts of a path: those above the last, and the last.
fn split(path: &str) -> Option<(Vec<String>, String)> {
    let unescaped = |part: &str| part.replace("~1", "/").replace("~0", "~");
    let mut parts: Vec<String> = path.split('/').skip(1).map(unescaped).collect();
    let last = parts.pop()?;
    Some((parts, last))
}

/// The number of an item; those below zero count from the end.
fn index(key: &str, length: usize) -> Result<usize, String> {
    let number: i64 = key
        .parse()
        .map_err(|_| format!("`{key}` is no index of a list"))?;
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let number = if number < 0 { number + length } else { number };
    if (0..length).contains(&number) {
        usize::try_from(number).map_err(|error| error.to_string())
    } else {
        Err(format!("the list has {length} items, none at `{key}`"))
    }
}

/// The container of a path's last part.
fn parent<'n>(root: &'n mut Arc<Node>, path: &str) -> Result<(&'n mut Arc<Node>, String), String> {
    let missing = || format!("`{path}` is not there");
    let (above, last) = split(path).ok_or_else(missing)?;
    let mut node = root;
    for part in above {
        node = match &mut Arc::make_mut(node).value {
            Value::Map(entries) => {
                let mut entries = entries.iter_mut();
                let entry = entries.find(|entry| *entry.key == *part);
                &mut entry.ok_or_else(missing)?.value
            }
            Value::List(items) => {
                let at = index(&part, items.len()).map_err(|why| format!("`{path}`: {why}"))?;
                &mut items[at]
            }
            Value::Scalar(_) => return Err(missing()),
        };
    }
    match node.value {
        Value::Scalar(_) => Err(missing()),
        _ => Ok((node, last)),
    }
}

/// The value of a path; none where a map lacks the key.
fn get(root: &mut Arc<Node>, path: &str) -> Result<Option<Arc<Node>>, String> {
    let (container, key) = parent(root, path)?;
    match &container.value {
        Value::List(items) => {
            let at = index(&key, items.len()).map_err(|why| format!("`{path}`: {why}"))?;
            Ok(Some(Arc::clone(&items[at])))
        }
        _ => Ok(container.get(&key).cloned()),
    }
}

/// Whether a path leads to a value of a Secret.
fn is_secret(root: &Arc<Node>, path: &str) -> bool {
    split(path).is_some_and(|(mut above, last)| {
        above.push(last);
        leads_to_secret(root, &above)
    })
}

fn add(root: &mut Arc<Node>, path: &str, place: Place, value: Arc<Node>) -> Result<(), String> {
    let (container, key) = parent(root, path)?;
    match &mut Arc::make_mut(container).value {
        Value::List(items) if key == "-" => items.push(value),
        Value::List(items) => {
            let at = index(&key, items.len() + 1).map_err(|why| format!("`{path}`: {why}"))?;
            items.insert(at, value);
        }
        _ => Arc::make_mut(container).set_named(&key, place, value),
    }
    Ok(())
}

fn remove(root: &mut Arc<Node>, path: &str) -> Result<Arc<Node>, String> {
    let (container, key) = parent(root, path)?;
    match &mut Arc::make_mut(container).value {
        Value::List(items) => {
            let at = index(&key, items.len()).map_err(|why| format!("`{path}`: {why}"))?;
            Ok(items.remove(at))
        }
        _ => Arc::make_mut(container)
            .remove(&key)
            .ok_or_else(|| format!("`{path}` is not there, so it cannot be removed")),
    }
}

impl Operation {
    fn value(&self) -> Arc<Node> {
        let value = self.value.clone();
        value.unwrap_or_else(|| Node::scalar(Scalar::null(), self.place))
    }

    fn from(&self) -> Result<&str, Problem> {
        let from = self.from.as_deref();
        from.ok_or_else(|| Problem::new(format!("`{}` needs `from`", self.op), self.places[2]))
    }

    /// The deepest part of a path that exists in a document, and the key there that is nearest to
    /// the missing one. `place` is that of the path.
    fn there(&self, root: &Arc<Node>, place: Place) -> Option<(Place, Option<String>)> {
        let [_, of_path, of_from] = self.places;
        let path = match place {
            place if place == of_path => self.path.as_str(),
            place if place == of_from => self.from.as_deref()?,
            _ => return None,
        };
        let (mut parts, last) = split(path)?;
        parts.push(last);
        let mut node = root;
        for part in parts {
            let Value::Map(entries) = &node.value else {
                break;
            };
            let Some(value) = node.get(&part) else {
                let near = nearest(&part, entries.iter().map(|entry| &*entry.key));
                let entry = near.and_then(|near| node.entry(near));
                return Some(match entry {
                    Some(entry) => (entry.place, Some(entry.key.to_string())),
                    None => (node.place, None),
                });
            };
            node = value;
        }
        Some((node.place, None))
    }

    fn apply(&self, root: &mut Arc<Node>) -> Result<(), Problem> {
        let [op, path, from] = self.places;
        let at = |place: Place| move |message: String| Problem::new(message, place);
        match &*self.op {
            "add" => add(root, &self.path, path, self.value()).map_err(at(path)),
            "remove" => remove(root, &self.path).map(drop).map_err(at(path)),
            "replace" => self.replace(root).map_err(at(path)),
            "move" => {
                let hidden = is_secret(root, self.from()?);
                let value = remove(root, self.from()?).map_err(at(from))?;
                let value = if hidden { value.as_secret() } else { value };
                add(root, &self.path, path, value).map_err(at(path))
            }
            "copy" => {
                let hidden = is_secret(root, self.from()?);
                let value = get(root, self.from()?).map_err(at(from))?;
                let value = value.map(|value| if hidden { value.as_secret() } else { value });
                let value = value.unwrap_or_else(|| self.value());
                let is_heavy = value.weight(LIGHT) == LIGHT;
                add(root, &self.path, path, value).map_err(at(path))?;
                if is_heavy && root.is_too_heavy() {
                    let message = "the document grows beyond the limit of a build".to_owned();
                    return Err(at(self.place)(message));
                }
                Ok(())
            }
            "test" => {
                let found = get(root, &self.path).map_err(at(path))?;
                let null =
                    |node: &Option<Arc<Node>>| node.as_ref().is_none_or(|node| node.is_null());
                let same = match (&found, &self.value) {
                    (Some(one), Some(two)) => one.same(two),
                    _ => false,
                };
                if same || (null(&found) && null(&self.value)) {
                    return Ok(());
                }
                let wanted = self.value.as_ref().filter(|_| found.is_some());
                let message = format!("`{}` is not what the test wants", self.path);
                Err(at(wanted.map_or(path, |value| value.place))(message))
            }
            "" => Err(at(op)("the operation has no `op`".to_owned())),
            other => Err(at(op)(format!(
                "`{other}` is no operation: add, remove, replace, move, copy or test"
            ))),
        }
    }

    fn replace(&self, root: &mut Arc<Node>) -> Result<(), String> {
        let path = &self.path;
        let (container, key) = parent(root, path)?;
        match &mut Arc::make_mut(container).value {
            Value::List(items) => {
                let at = index(&key, items.len()).map_err(|why| format!("`{path}`: {why}"))?;
                items[at] = self.value();
            }
            _ => Arc::make_mut(container).set_named(&key, self.places[1], self.value()),
        }
        Ok(())
    }
}
