//! Trees made from nodes of other trees: merged documents whose every node still knows
//! the file and place it came from.

use std::collections::BTreeMap;

use crate::source::{Place, SourceId};

use super::node::{Kind, Node};
use super::tree::{Draft, Raw, Tree};

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
    draft: Draft,
    origins: Vec<SourceId>,
    open: Vec<usize>,
}

impl TreeBuilder {
    /// An empty builder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty builder with room for a copy of a node.
    #[must_use]
    pub fn like(node: Node<'_>) -> Self {
        let span = node.place().span;
        let length = span.end.saturating_sub(span.start) as usize;
        let mut builder = Self::default();
        // A short scalar and what parts it from the next take some ten bytes.
        let nodes = length / 8;
        builder.draft.nodes.reserve(nodes);
        builder.origins.reserve(nodes);
        builder.draft.own_text.reserve(length / 2);
        builder
    }

    fn push(&mut self, place: Place, flags: u32, text: &str) {
        let start = self.draft.own_text.len();
        self.draft.own_text.push_str(text);
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        self.draft.nodes.push(Raw {
            start: place.span.start,
            end: place.span.end,
            a: number(start),
            b: number(self.draft.own_text.len()),
            flags,
        });
        self.origins.push(place.source);
    }

    /// Copies a node with all below it.
    pub fn copy(&mut self, node: Node<'_>) {
        self.copy_moved(node, &|place| place);
    }

    /// The same, with every place given anew: for nodes of another run's files.
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
        if node.is_scalar() {
            return self.copy_scalar(node, node.place());
        }
        let number = node.number();
        if !patch.order.contains_key(&number) && !patch.inserted.contains_key(&number) {
            return self.copy_children(node, patch, moved);
        }
        type Child<'c> = (Option<Node<'c>>, Node<'c>);
        let children: Vec<Child<'_>> = match node.kind() {
            Kind::Mapping => node
                .entries()
                .map(|(key, value)| (Some(key), value))
                .collect(),
            _ => node.items().map(|item| (None, item)).collect(),
        };
        let mut children: Vec<(Child<'_>, usize)> = children.into_iter().zip(1..).collect();
        let count = children.len();
        if let Some(ranks) = patch.order.get(&node.number()) {
            let rank = |child: &Node<'_>| ranks.get(&child.number()).copied().unwrap_or(usize::MAX);
            children.sort_by_key(|((_, child), _)| rank(child));
        }
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
        self.begin(node.kind(), node.place());
        insert(self, &|position| position == 0);
        for ((key, value), at) in children {
            let new = patch.replaced.get(&value.number());
            if let (Some(key), None | Some(Some(_))) = (key, new) {
                self.copy_scalar(key, key.place());
            }
            match new {
                None => self.copy_patched(value, patch, moved),
                Some(Some(new)) => self.copy_moved(*new, moved),
                Some(None) => {}
            }
            if inserts.is_some() {
                insert(self, &|position| position == at);
            }
        }
        insert(self, &|position| position > count);
        self.end();
    }

    /// Copies a container whose children stay in their order, with none put between them.
    fn copy_children(
        &mut self,
        node: Node<'_>,
        patch: &Patch<'_>,
        moved: &impl Fn(Place) -> Place,
    ) {
        let one = |builder: &mut Self, key: Option<Node<'_>>, value: Node<'_>| {
            let new = patch.replaced.get(&value.number());
            if let (Some(key), None | Some(Some(_))) = (key, new) {
                builder.copy_scalar(key, key.place());
            }
            match new {
                None => builder.copy_patched(value, patch, moved),
                Some(Some(new)) => builder.copy_moved(*new, moved),
                Some(None) => {}
            }
        };
        self.begin(node.kind(), node.place());
        for (key, value) in node.entries() {
            one(self, Some(key), value);
        }
        for item in node.items() {
            one(self, None, item);
        }
        self.end();
    }

    fn copy_scalar(&mut self, node: Node<'_>, place: Place) {
        let flags = node.flags() | Raw::OWNED;
        self.push(place, flags, node.text().unwrap_or(""));
    }

    /// A scalar; `plain` when it is to be typed by its text.
    pub fn scalar(&mut self, text: &str, plain: bool, place: Place) {
        let flags = Raw::OWNED | if plain { Raw::PLAIN } else { 0 };
        self.push(place, flags, text);
    }

    /// Opens a mapping (then push keys and values in turn) or a sequence.
    pub fn begin(&mut self, kind: Kind, place: Place) {
        self.open.push(self.draft.nodes.len());
        let flags = if kind == Kind::Mapping {
            Raw::MAPPING
        } else {
            Raw::SEQUENCE
        };
        self.push(place, flags, "");
    }

    /// Closes the container opened last.
    pub fn end(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let after = u32::try_from(self.draft.nodes.len()).unwrap_or(u32::MAX);
        self.draft.nodes[open].a = after;
    }

    /// The finished tree; read it with [`Tree::root`] and an empty text.
    #[must_use]
    pub fn finish(mut self) -> Tree {
        while !self.open.is_empty() {
            self.end();
        }
        let mut tree = Tree::default();
        tree.source = self.origins.first().copied().unwrap_or(SourceId(0));
        tree.append(&self.draft);
        if self.origins.iter().any(|origin| *origin != tree.source) {
            tree.set_origins(&self.origins);
        }
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
}
