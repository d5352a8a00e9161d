//! Edits applied to a tree.

use serde_json::Value;

use crate::source::{Place, Sources};
use crate::yaml::{Kind, Node, Tree, TreeBuilder};

use super::{Edit, Op};

/// The document with these edits, one after another; nothing where a pointer leads nowhere.
#[must_use]
pub fn apply(node: Node<'_>, edits: &[&Edit]) -> Option<Tree> {
    let (first, rest) = edits.split_first()?;
    let mut tree = patched(node, first)?;
    for edit in rest {
        tree = patched(tree.root(""), edit)?;
    }
    Some(tree)
}

/// The document with one edit.
#[must_use]
pub fn patched(node: Node<'_>, edit: &Edit) -> Option<Tree> {
    let steps: Vec<String> = edit
        .pointer
        .split('/')
        .skip(1)
        .map(|step| step.replace("~1", "/").replace("~0", "~"))
        .collect();
    let mut writer = Writer {
        builder: TreeBuilder::new(),
        op: &edit.op,
    };
    writer.write(Some(node), node.place(), &steps)?;
    Some(writer.builder.finish())
}

struct Writer<'e> {
    builder: TreeBuilder,
    op: &'e Op,
}

impl Writer<'_> {
    /// Depth is bounded by the loader's limit.
    fn write(&mut self, node: Option<Node<'_>>, place: Place, steps: &[String]) -> Option<()> {
        let Some((step, rest)) = steps.split_first() else {
            let Op::Set(value) = self.op else {
                return None;
            };
            self.value(value, place);
            return Some(());
        };
        match node {
            Some(node) if node.is_mapping() => self.mapping(node, step, rest),
            Some(node) if node.is_sequence() => self.sequence(node, step, rest),
            Some(node) if !node.is_null() => None,
            _ => self.missing(place, step, rest),
        }
    }

    fn mapping(&mut self, node: Node<'_>, step: &str, rest: &[String]) -> Option<()> {
        let mut found = false;
        self.builder.begin(Kind::Mapping, node.place());
        for (key, value) in node.entries() {
            if key.text() != Some(step) {
                self.builder.copy(key);
                self.builder.copy(value);
                continue;
            }
            found = true;
            if rest.is_empty() && *self.op == Op::Remove {
                continue;
            }
            self.builder.copy(key);
            self.write(Some(value), value.place(), rest)?;
        }
        if !found {
            self.builder.scalar(step, false, node.place());
            if *self.op == Op::Remove {
                return None;
            }
            self.write(None, node.place(), rest)?;
        }
        self.builder.end();
        Some(())
    }

    fn sequence(&mut self, node: Node<'_>, step: &str, rest: &[String]) -> Option<()> {
        let items: Vec<Node<'_>> = node.items().collect();
        let at = match step {
            "-" => items.len(),
            number => number.parse().ok()?,
        };
        let inserting = rest.is_empty() && matches!(self.op, Op::Insert(_));
        if at > items.len() || (at == items.len() && !inserting) {
            return None;
        }
        self.builder.begin(Kind::Sequence, node.place());
        for (item, index) in items.iter().zip(0..) {
            if index != at {
                self.builder.copy(*item);
                continue;
            }
            match (rest.is_empty(), self.op) {
                (true, Op::Remove) => {}
                (true, Op::Insert(value)) => {
                    self.value(value, item.place());
                    self.builder.copy(*item);
                }
                _ => self.write(Some(*item), item.place(), rest)?,
            }
        }
        if let Op::Insert(value) = self.op
            && inserting
            && at == items.len()
        {
            self.value(value, node.place());
        }
        self.builder.end();
        Some(())
    }

    /// A container that is not there yet: a list where an item is to be inserted.
    fn missing(&mut self, place: Place, step: &str, rest: &[String]) -> Option<()> {
        match self.op {
            Op::Remove => return None,
            Op::Insert(value) if rest.is_empty() => {
                self.builder.begin(Kind::Sequence, place);
                self.value(value, place);
            }
            _ => {
                self.builder.begin(Kind::Mapping, place);
                self.builder.scalar(step, false, place);
                self.write(None, place, rest)?;
            }
        }
        self.builder.end();
        Some(())
    }

    fn value(&mut self, value: &Value, place: Place) {
        match value {
            Value::Null => self.builder.scalar("null", true, place),
            Value::Bool(truth) => self.builder.scalar(&truth.to_string(), true, place),
            Value::Number(number) => self.builder.scalar(&number.to_string(), true, place),
            Value::String(text) => self.builder.scalar(text, false, place),
            Value::Array(items) => {
                self.builder.begin(Kind::Sequence, place);
                items.iter().for_each(|item| self.value(item, place));
                self.builder.end();
            }
            Value::Object(map) => {
                self.builder.begin(Kind::Mapping, place);
                for (key, value) in map {
                    self.builder.scalar(key, false, place);
                    self.value(value, place);
                }
                self.builder.end();
            }
        }
    }
}

/// The pointer to what stands at a place: a value, or the value of the key that does.
pub(super) fn pointer_to(root: Node<'_>, place: Place) -> Option<String> {
    let inside = |node: Node<'_>| {
        let own = node.place();
        own.source == place.source
            && own.span.start <= place.span.start
            && place.span.end <= own.span.end
    };
    let mut pointer = String::new();
    let mut node = root;
    loop {
        if node.place() == place && node.is_scalar() {
            return Some(pointer);
        }
        let whole = node.place() == place;
        let entries = node.entries().map(|(key, value)| {
            let name = key.text().unwrap_or_default();
            (super::step(name), Some(key), value)
        });
        let items = node
            .items()
            .zip(0..)
            .map(|(item, at)| (format!("{at}"), None, item));
        let below = entries
            .chain(items)
            .find(|(_, key, value)| inside(*value) || key.is_some_and(|key| key.place() == place));
        match below {
            Some((step, key, value)) => {
                pointer.push('/');
                pointer.push_str(&step);
                if key.is_some_and(|key| key.place() == place) {
                    return Some(pointer);
                }
                node = value;
            }
            None => return whole.then_some(pointer),
        }
    }
}

/// The line that an edit changes: that of the value, or of the nearest container that is there.
#[must_use]
pub fn line_of(sources: &Sources, root: Node<'_>, pointer: &str) -> usize {
    let mut known = pointer;
    let node = loop {
        if let Some(node) = root.pointer(known) {
            break node;
        }
        match known.rfind('/') {
            Some(cut) => known = &known[..cut],
            None => break root,
        }
    };
    let place = node.place();
    sources.get(place.source).position(place.span.start).line
}
