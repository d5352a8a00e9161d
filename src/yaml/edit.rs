//! Values of documents changed by JSON Pointer.

use serde_json::Value;

use super::{Kind, Node, Tree, TreeBuilder, index};
use crate::source::Place;

/// The change of the value that a JSON Pointer names.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// The value becomes this one. Missing mappings and lists on the way to it are made.
    Set(Value),
    /// The value is removed, in a mapping with its key.
    Remove,
    /// This value is inserted before the item that the pointer names, or last for `-`; in a
    /// mapping as `Set`.
    Insert(Value),
}

impl Op {
    /// `set`, `remove` or `insert`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Set(_) => "set",
            Self::Remove => "remove",
            Self::Insert(_) => "insert",
        }
    }

    /// The value that comes in.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        match self {
            Self::Set(value) | Self::Insert(value) => Some(value),
            Self::Remove => None,
        }
    }
}

/// The document with a value changed; read it with [`Node::instead`].
///
/// # Errors
/// Why the pointer leads to nothing that can be changed.
pub(crate) fn edited(root: Node<'_>, pointer: &str, op: &Op) -> Result<Tree, String> {
    let mut parts = pointer.split('/');
    if parts.next() != Some("") {
        return Err(format!("`{pointer}` does not begin with `/`"));
    }
    let parts: Vec<String> = parts
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .collect();
    let mut writer = Writer {
        builder: TreeBuilder::like(root),
        pointer,
    };
    writer.node(root, &parts, op)?;
    Ok(writer.builder.finish())
}

struct Writer<'p> {
    builder: TreeBuilder,
    pointer: &'p str,
}

impl Writer<'_> {
    /// Writes a node in which the value at `parts` is changed.
    fn node(&mut self, node: Node<'_>, parts: &[String], op: &Op) -> Result<(), String> {
        let Some((part, rest)) = parts.split_first() else {
            return match op {
                Op::Set(value) | Op::Insert(value) => {
                    self.value(value, node.place());
                    Ok(())
                }
                Op::Remove => Err("a whole document is left out, not removed".into()),
            };
        };
        match node.kind() {
            Kind::Mapping => self.mapping(node, part, rest, op),
            Kind::Sequence => self.sequence(node, part, rest, op),
            // A key without a value is as good as none.
            Kind::Scalar if node.is_null() => self.missing(parts, op, node.place()),
            Kind::Scalar => Err(self.nothing(part)),
        }
    }

    fn mapping(
        &mut self,
        node: Node<'_>,
        part: &str,
        rest: &[String],
        op: &Op,
    ) -> Result<(), String> {
        self.builder.begin(Kind::Mapping, node.place());
        let mut found = false;
        for (key, value) in node.entries() {
            if found || key.text() != Some(part) {
                self.builder.copy(key);
                self.builder.copy(value);
                continue;
            }
            found = true;
            if rest.is_empty() && *op == Op::Remove {
                continue;
            }
            self.builder.copy(key);
            self.node(value, rest, op)?;
        }
        if !found {
            let place = node.place();
            if *op == Op::Remove {
                return Err(self.nothing(part));
            }
            self.builder.scalar(part, false, place);
            self.missing(rest, op, place)?;
        }
        self.builder.end();
        Ok(())
    }

    fn sequence(
        &mut self,
        node: Node<'_>,
        part: &str,
        rest: &[String],
        op: &Op,
    ) -> Result<(), String> {
        let length = node.len();
        let wanted = match part {
            "-" => length,
            part => index(part).ok_or_else(|| self.nothing(part))?,
        };
        let inserts = rest.is_empty() && matches!(op, Op::Insert(_));
        if wanted > length || (wanted == length && (*op == Op::Remove || !(inserts || part == "-")))
        {
            return Err(self.nothing(part));
        }
        self.builder.begin(Kind::Sequence, node.place());
        for (item, at) in node.items().zip(0..) {
            if at != wanted {
                self.builder.copy(item);
                continue;
            }
            match op {
                Op::Remove if rest.is_empty() => {}
                Op::Insert(value) if rest.is_empty() => {
                    self.value(value, item.place());
                    self.builder.copy(item);
                }
                op => self.node(item, rest, op)?,
            }
        }
        if wanted == length {
            self.missing(rest, op, node.place())?;
        }
        self.builder.end();
        Ok(())
    }

    /// Writes the missing containers on the way to a value, and the value.
    fn missing(&mut self, parts: &[String], op: &Op, place: Place) -> Result<(), String> {
        let Some(value) = op.value() else {
            return Err(self.nothing(parts.first().map_or("", String::as_str)));
        };
        let mut open = 0;
        for part in parts {
            open += 1;
            if part == "-" {
                self.builder.begin(Kind::Sequence, place);
            } else {
                self.builder.begin(Kind::Mapping, place);
                self.builder.scalar(part, false, place);
            }
        }
        self.value(value, place);
        for _ in 0..open {
            self.builder.end();
        }
        Ok(())
    }

    fn value(&mut self, value: &Value, place: Place) {
        let builder = &mut self.builder;
        match value {
            Value::Null => builder.scalar("null", true, place),
            Value::Bool(flag) => builder.scalar(&flag.to_string(), true, place),
            Value::Number(number) => builder.scalar(&number.to_string(), true, place),
            Value::String(text) => builder.scalar(text, false, place),
            Value::Array(items) => {
                builder.begin(Kind::Sequence, place);
                items.iter().for_each(|item| self.value(item, place));
                self.builder.end();
            }
            Value::Object(entries) => {
                builder.begin(Kind::Mapping, place);
                for (key, value) in entries {
                    self.builder.scalar(key, false, place);
                    self.value(value, place);
                }
                self.builder.end();
            }
        }
    }

    fn nothing(&self, part: &str) -> String {
        format!("`{}` leads to nothing at `{part}`", self.pointer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::source::SourceId;
    use crate::yaml::{Dialect, Limits, json as value_of, parse};

    fn after(text: &str, pointer: &str, op: &Op) -> Result<Value, String> {
        let parsed = parse(SourceId(0), text, 0..text.len(), Limits::default());
        let root = parsed.tree.root(text);
        let tree = edited(root, pointer, op)?;
        Ok(value_of(root.instead(&tree), Dialect::Kubernetes))
    }

    #[test]
    fn values_are_set_inserted_and_removed() {
        let text = "a: {b: [1, 2]}\nn: null\n";
        let cases = [
            (
                "/a/b/0",
                Op::Set(json!(7)),
                json!({"a": {"b": [7, 2]}, "n": null}),
            ),
            (
                "/a/b/1",
                Op::Insert(json!("x")),
                json!({"a": {"b": [1, "x", 2]}, "n": null}),
            ),
            (
                "/a/b/2",
                Op::Insert(json!(3)),
                json!({"a": {"b": [1, 2, 3]}, "n": null}),
            ),
            (
                "/a/b/-",
                Op::Insert(json!(3)),
                json!({"a": {"b": [1, 2, 3]}, "n": null}),
            ),
            (
                "/a/b/-/c",
                Op::Set(json!(3)),
                json!({"a": {"b": [1, 2, {"c": 3}]}, "n": null}),
            ),
            ("/a/b/0", Op::Remove, json!({"a": {"b": [2]}, "n": null})),
            ("/a", Op::Remove, json!({"n": null})),
            (
                "/n/x~1y/-",
                Op::Insert(json!("1")),
                json!({"a": {"b": [1, 2]}, "n": {"x/y": ["1"]}}),
            ),
            (
                "/z/~0k",
                Op::Set(json!(true)),
                json!({"a": {"b": [1, 2]}, "n": null, "z": {"~k": true}}),
            ),
            ("", Op::Set(json!({"q": "2"})), json!({"q": "2"})),
        ];
        for (pointer, op, wanted) in cases {
            assert_eq!(after(text, pointer, &op), Ok(wanted), "{pointer} {op:?}");
        }
    }

    #[test]
    fn a_pointer_that_leads_to_nothing_is_refused() {
        let text = "a: {b: [1, 2]}\ns: text\n";
        let set = || Op::Set(json!(1));
        let cases = [
            ("a", set()),
            ("/a/b/2", set()),
            ("/a/b/3", Op::Insert(json!(1))),
            ("/a/b/x", set()),
            ("/a/b/-", Op::Remove),
            ("/a/c", Op::Remove),
            ("/s/x", set()),
            ("", Op::Remove),
        ];
        for (pointer, op) in cases {
            assert!(after(text, pointer, &op).is_err(), "{pointer} {op:?}");
        }
    }
}
