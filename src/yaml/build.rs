//! Trees made from nodes of other trees: merged documents whose every node still knows
//! the file and place it came from.

use std::collections::BTreeMap;

use crate::source::{Place, Span};

use super::node::{Kind, Node};
use super::tree::{Raw, Tree};

/// A value put into a container.
#[derive(Debug, Clone, Copy)]
pub struct Insert<'p> {
    /// How many children of the container come before it, in the order of the original: it goes
    /// behind the last of them.
    pub position: usize,
    /// Its key, in a mapping.
    pub key: Option<Node<'p>>,
    /// The value.
    pub value: Node<'p>,
}

/// Where a copy of a document differs from the original; keys are the numbers of its nodes
/// ([`Node::number`]).
#[derive(Debug, Default)]
pub struct Patch<'p> {
    /// Values that others take the place of; `None` leaves the value (and its key) out.
    pub replaced: BTreeMap<u32, Option<Node<'p>>>,
    /// Values put into a container, by position.
    pub inserted: BTreeMap<u32, Vec<Insert<'p>>>,
    /// The ranks of a container's children.
    pub order: BTreeMap<u32, BTreeMap<u32, usize>>,
}

/// Builds a tree node by node, in document order.
#[derive(Debug, Default)]
pub struct TreeBuilder {
    tree: Tree,
    /// Where the node before the next one ends; for a first child where its container begins.
    base: u32,
    open: Vec<Open>,
    /// The tree whose nodes are copied as they are stored, by its address.
    like: Option<usize>,
}

/// A container being written.
#[derive(Debug)]
struct Open {
    start: u32,
    end: u32,
    /// Where its figures go.
    figures: usize,
}

impl TreeBuilder {
    /// An empty builder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A builder for a document that differs little from this one: what stays is copied as it is
    /// stored. Read the tree with [`Node::instead`].
    #[must_use]
    pub fn like(node: Node<'_>) -> Self {
        let (from, at, after) = node.stored();
        Self {
            tree: Tree::like(from, (after - at) as usize),
            like: Some(node.address()),
            ..Self::default()
        }
    }

    /// Begins the node at a place.
    fn begin_node(&mut self, place: Place) {
        if self.tree.is_empty() && self.like.is_none() {
            self.tree.source = place.source;
        }
        self.tree.put_way(self.base, place.span.start);
        self.tree.comes_from(place.source);
    }

    fn push(&mut self, place: Place, flags: u32, text: &str) {
        self.begin_node(place);
        let Span { start, end } = place.span;
        self.tree.put_own_text(start, end, flags, text);
        self.base = end.max(start);
    }

    /// Copies a node of the tree that this one is like.
    fn take(&mut self, node: Node<'_>) {
        let Span { start, end } = node.span();
        self.tree.put_way(self.base, start);
        let (from, at, after) = node.stored();
        self.tree.put_stored(from, at, after);
        self.base = end;
    }

    /// Whether a node can be copied as it is stored.
    fn is_like(&self, node: Node<'_>) -> bool {
        self.like == Some(node.address())
    }

    /// Copies a node with all below it.
    pub fn copy(&mut self, node: Node<'_>) {
        if self.is_like(node) {
            self.take(node);
        } else {
            self.copy_moved(node, &|place| place);
        }
    }

    /// The same with new places: for nodes of another run's files.
    pub fn copy_moved(&mut self, node: Node<'_>, moved: &impl Fn(Place) -> Place) {
        let place = moved(node.place());
        match node.kind() {
            Kind::Scalar => self.copy_scalar(node, place),
            Kind::Mapping => {
                self.begin(Kind::Mapping, place);
                for (key, value) in node.entries() {
                    self.copy_scalar(key, moved(key.place()));
                    self.copy_moved(value, moved);
                }
                self.end();
            }
            Kind::Sequence => {
                self.begin(Kind::Sequence, place);
                for item in node.items() {
                    self.copy_moved(item, moved);
                }
                self.end();
            }
        }
    }

    /// Copies a node with all below it, patched.
    pub fn copy_patched(
        &mut self,
        node: Node<'_>,
        patch: &Patch<'_>,
        moved: &impl Fn(Place) -> Place,
    ) {
        let replaced = patch.replaced.keys();
        let others = patch.inserted.keys().chain(patch.order.keys());
        let mut touched: Vec<u32> = replaced.chain(others).copied().collect();
        touched.sort_unstable();
        self.copy_touched(node, &touched, patch, moved);
    }

    /// Copies a node, patched; `touched` are the numbers of all nodes that the patch is about.
    fn copy_touched(
        &mut self,
        node: Node<'_>,
        touched: &[u32],
        patch: &Patch<'_>,
        moved: &impl Fn(Place) -> Place,
    ) {
        let (_, at, after) = node.stored();
        let first = touched.partition_point(|touched| *touched < at);
        let touched_here = touched.get(first).is_some_and(|next| *next < after);
        if node.is_scalar() || !touched_here {
            return self.copy(node);
        }
        let entries = node.entries().map(|(key, value)| (Some(key), value));
        let children = entries.chain(node.items().map(|item| (None, item)));
        let children = children.zip(1..);
        let inserts = patch.inserted.get(&node.number());
        let insert = |builder: &mut Self, fits: &dyn Fn(usize) -> bool| {
            let inserts = inserts.into_iter().flatten();
            for new in inserts.filter(|new| fits(new.position)) {
                if let Some(key) = new.key {
                    builder.copy_scalar(key, moved(key.place()));
                }
                builder.copy_moved(new.value, moved);
            }
        };
        let mut count = 0;
        let mut one =
            |builder: &mut Self, ((key, value), at): ((Option<Node<'_>>, Node<'_>), _)| {
                let new = patch.replaced.get(&value.number());
                if let (Some(key), None | Some(Some(_))) = (key, new) {
                    builder.copy(key);
                }
                match new {
                    None => builder.copy_touched(value, touched, patch, moved),
                    Some(Some(new)) => builder.copy_moved(*new, moved),
                    Some(None) => {}
                }
                insert(builder, &|position| position == at);
                count += 1;
            };
        self.begin(node.kind(), node.place());
        insert(self, &|position| position == 0);
        match patch.order.get(&node.number()) {
            None => children.for_each(|child| one(self, child)),
            Some(ranks) => {
                let mut children: Vec<_> = children.collect();
                let rank = |child: Node<'_>| ranks.get(&child.number()).copied();
                children.sort_by_key(|((_, child), _)| rank(*child).unwrap_or(usize::MAX));
                children.into_iter().for_each(|child| one(self, child));
            }
        }
        insert(self, &|position| position > count);
        self.end();
    }

    fn copy_scalar(&mut self, node: Node<'_>, place: Place) {
        let mut flags = node.flags() | Raw::OWNED;
        if !node.is_secret() {
            flags &= !Raw::SECRET;
        }
        self.push(place, flags, node.text().unwrap_or(""));
    }

    /// A scalar; `plain` when it is to be typed by its text.
    pub fn scalar(&mut self, text: &str, plain: bool, place: Place) {
        let flags = Raw::OWNED | if plain { Raw::PLAIN } else { 0 };
        self.push(place, flags, text);
    }

    /// The same for a value that was copied out of a Secret.
    pub fn secret(&mut self, text: &str, plain: bool, place: Place) {
        let flags = Raw::OWNED | Raw::SECRET | if plain { Raw::PLAIN } else { 0 };
        self.push(place, flags, text);
    }

    /// Opens a mapping (then push keys and values in turn) or a sequence.
    pub fn begin(&mut self, kind: Kind, place: Place) {
        let flags = if kind == Kind::Mapping {
            Raw::MAPPING
        } else {
            Raw::SEQUENCE
        };
        self.begin_node(place);
        let Span { start, end } = place.span;
        self.open.push(Open {
            start,
            end: end.max(start),
            figures: self.tree.put_container(flags),
        });
        self.base = start;
    }

    /// Closes the container opened last.
    pub fn end(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.tree.end_made(open.figures, open.end - open.start);
        self.base = open.end;
    }

    /// The finished tree; read it with [`Tree::root`] and an empty text, or with
    /// [`Node::instead`].
    #[must_use]
    pub fn finish(mut self) -> Tree {
        while !self.open.is_empty() {
            self.end();
        }
        self.tree.made = true;
        self.tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;
    use crate::yaml::{Limits, parse};

    #[test]
    fn a_copy_keeps_text_and_places() {
        let text = "a: [1, 'two']\nb: {c: |\n  x\n}\n".replace("{c: |\n  x\n}", "{c: x}");
        let parsed = parse(SourceId(3), &text, 0..text.len(), Limits::default());
        let root = parsed.tree.root(&text);
        let mut builder = TreeBuilder::new();
        builder.copy(root);
        let tree = builder.finish();
        let copy = tree.root("");
        assert_eq!(copy.pointer("/a/1").unwrap().text(), Some("two"));
        let (there, here) = (root.pointer("/b/c").unwrap(), copy.pointer("/b/c").unwrap());
        assert_eq!(there.place(), here.place());
        assert_eq!(here.place().source, SourceId(3));
    }

    /// All nodes with their texts and places, in document order.
    fn nodes(node: Node<'_>, into: &mut Vec<(Option<String>, Place)>) {
        into.push((node.text().map(str::to_owned), node.place()));
        for (key, value) in node.entries() {
            nodes(key, into);
            nodes(value, into);
        }
        node.items().for_each(|item| nodes(item, into));
    }

    fn all(node: Node<'_>) -> Vec<(Option<String>, Place)> {
        let mut all = Vec::new();
        nodes(node, &mut all);
        all
    }

    #[test]
    fn nodes_copied_as_they_are_stored_are_those_copied_one_by_one() {
        let long = "x".repeat(200);
        let text = format!(
            "first: document\n---\na: [1, 'two', \"th\\tree\"]\nb: &b {{c: {long}, d: {{}}}}\n\
             e: *b\nf: |\n  text\ng:\n- {{h: i, j: [k]}}\n- l\n"
        );
        let parsed = parse(SourceId(3), &text, 0..text.len(), Limits::default());
        let root = parsed.tree.node(&text, parsed.documents[1]);
        let other = format!("- {long}\n- [m, n]\n");
        let other_parsed = parse(SourceId(5), &other, 0..other.len(), Limits::default());
        let new = other_parsed.tree.root(&other);
        let number = |pointer: &str| root.pointer(pointer).unwrap().number();
        let ranks = root.pointer("/g").unwrap().items().map(Node::number);
        let ranks: BTreeMap<u32, usize> = ranks.zip([1, 0]).collect();
        let insert = |position| Insert {
            position,
            key: None,
            value: new,
        };
        // Twice: what was made so is changed again.
        let numbers = [number("/b/c"), number("/a"), number("/a/1"), number("/g")];
        let patch = Patch {
            replaced: BTreeMap::from([(numbers[0], Some(new)), (numbers[2], None)]),
            inserted: BTreeMap::from([(numbers[1], vec![insert(0), insert(3)])]),
            order: BTreeMap::from([(numbers[3], ranks)]),
        };
        let copy = |mut builder: TreeBuilder, node: Node<'_>, patch: &Patch<'_>| {
            builder.copy_patched(node, patch, &|place| place);
            builder.finish()
        };
        let (quick, slow) = (
            copy(TreeBuilder::like(root), root, &patch),
            copy(TreeBuilder::new(), root, &patch),
        );
        let (quick, slow) = (root.instead(&quick), slow.root(""));
        assert_eq!(all(quick), all(slow));
        assert_eq!(quick.pointer("/b/c/1/1").unwrap().text(), Some("n"));
        assert_eq!(quick.pointer("/g/0").unwrap().text(), Some("l"));
        let again = |node: Node<'_>, builder| {
            let number = node.pointer("/e").unwrap().number();
            let patch = Patch {
                replaced: BTreeMap::from([(number, None)]),
                ..Patch::default()
            };
            copy(builder, node, &patch)
        };
        let (quick_tree, slow) = (
            again(quick, TreeBuilder::like(quick)),
            again(slow, TreeBuilder::new()),
        );
        assert_eq!(all(quick.instead(&quick_tree)), all(slow.root("")));
    }
}
