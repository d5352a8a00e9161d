//! The way from a document's root to places in it, asked for one after the other.

use crate::source::Place;
use crate::yaml::{Entries, Items, Node};

/// Remembers where the last place was: the next one is looked for from there on, since a reader
/// goes through its document in order and may find fault with thousands of neighbours.
pub(super) struct Trail<'a> {
    root: Node<'a>,
    /// From the root down; none until a place is asked for: most documents have no fault.
    levels: Vec<Level<'a>>,
}

/// A container, and its children from the one looked at last on.
struct Level<'a> {
    node: Node<'a>,
    /// The key or the index under which it is; none for the root.
    step: Option<Step<'a>>,
    entries: Entries<'a>,
    items: Items<'a>,
    /// How many children have been looked at.
    taken: usize,
    current: Option<Child<'a>>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

#[derive(Clone, Copy)]
struct Child<'a> {
    key: Option<Node<'a>>,
    value: Node<'a>,
    index: usize,
}

impl<'a> Level<'a> {
    fn new(node: Node<'a>, step: Option<Step<'a>>) -> Self {
        Self {
            node,
            step,
            entries: node.entries(),
            items: node.items(),
            taken: 0,
            current: None,
        }
    }

    fn next(&mut self) -> Option<Child<'a>> {
        let entry = self.entries.next();
        let entry = entry.map(|(key, value)| (Some(key), value));
        let (key, value) = entry.or_else(|| self.items.next().map(|item| (None, item)))?;
        let index = self.taken;
        self.taken += 1;
        self.current = Some(Child { key, value, index });
        self.current
    }

    /// The child that holds a place: the last one, one behind it, or one before it.
    fn holding(&mut self, place: Place) -> Option<Child<'a>> {
        let holds = |child: &Child<'a>| child.holds(place);
        if let Some(child) = self.current.filter(holds) {
            return Some(child);
        }
        let skipped = self.taken > 0;
        let found = std::iter::from_fn(|| self.next()).find(holds);
        if found.is_some() || !skipped {
            return found;
        }
        *self = Self::new(self.node, self.step);
        std::iter::from_fn(|| self.next()).find(holds)
    }
}

impl Child<'_> {
    fn holds(&self, place: Place) -> bool {
        holds(self.value, place) || self.is_key_of(place)
    }

    fn is_key_of(&self, place: Place) -> bool {
        self.key.is_some_and(|key| holds(key, place))
    }
}

fn holds(node: Node<'_>, place: Place) -> bool {
    let own = node.place();
    own.source == place.source
        && own.span.start <= place.span.start
        && place.span.end <= own.span.end
}

impl<'a> Trail<'a> {
    pub(super) fn new(root: Node<'a>) -> Self {
        Self {
            root,
            levels: Vec::new(),
        }
    }

    /// The steps to the key or value at a place; `None` where it is not in the document.
    fn to(&mut self, place: Place) -> Option<Vec<Step<'a>>> {
        if self.levels.is_empty() {
            self.levels.push(Level::new(self.root, None));
        }
        while self.levels.len() > 1
            && !(self.levels.last()).is_some_and(|level| holds(level.node, place))
        {
            self.levels.pop();
        }
        loop {
            let level = self.levels.last_mut()?;
            let mut last = None;
            if level.node.place() != place {
                let child = level.holding(place)?;
                let step = match child.key {
                    Some(key) => Step::Key(key.text()?),
                    None => Step::Index(child.index),
                };
                if child.is_key_of(place) {
                    last = Some(step);
                } else {
                    self.levels.push(Level::new(child.value, Some(step)));
                    continue;
                }
            }
            let steps = self.levels.iter().filter_map(|level| level.step);
            return Some(steps.chain(last).collect());
        }
    }

    /// The JSON Pointer of the value at a place, or of the value of the key there.
    pub(super) fn pointer(&mut self, place: Place) -> Option<String> {
        let mut pointer = String::new();
        for step in self.to(place)? {
            match step {
                Step::Key(key) => {
                    pointer.push_str(&format!("/{}", key.replace('~', "~0").replace('/', "~1")));
                }
                Step::Index(index) => pointer.push_str(&format!("/{index}")),
            }
        }
        Some(pointer)
    }

    /// The field at a place as messages name it: `spec.nodes[0].name`.
    pub(super) fn field(&mut self, place: Place) -> String {
        let mut field = String::new();
        for step in self.to(place).unwrap_or_default() {
            match step {
                Step::Key(key) if field.is_empty() => field.push_str(key),
                Step::Key(key) => field.push_str(&format!(".{key}")),
                Step::Index(index) => field.push_str(&format!("[{index}]")),
            }
        }
        if field.is_empty() {
            "this value".to_owned()
        } else {
            field
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;
    use crate::yaml::{Limits, parse};

    /// The place of each scalar, with the way to it.
    fn all(node: Node<'_>, way: &str, found: &mut Vec<(Place, String)>) {
        found.push((node.place(), way.to_owned()));
        for (key, value) in node.entries() {
            let name = key.text().unwrap().replace('~', "~0").replace('/', "~1");
            let way = format!("{way}/{name}");
            found.push((key.place(), way.clone()));
            all(value, &way, found);
        }
        for (index, item) in node.items().enumerate() {
            all(item, &format!("{way}/{index}"), found);
        }
    }

    #[test]
    fn places_are_found_in_any_order() {
        let text = "a:\n  b: [x, {c: y}, []]\n  d/e: z\nf: [[1, 2], {g: {h: ~}}]\n";
        let parsed = parse(SourceId(0), text, 0..text.len(), Limits::default());
        let root = parsed.tree.root(text);
        let mut places = Vec::new();
        all(root, "", &mut places);
        let mut trail = Trail::new(root);
        for (first, _) in &places {
            for (place, way) in &places {
                trail.pointer(*first);
                assert_eq!(trail.pointer(*place).as_ref(), Some(way), "{place:?}");
            }
        }
        assert_eq!(trail.field(places[7].0), "a.b[1].c");
        let other = Place {
            source: SourceId(1),
            ..places[3].0
        };
        assert_eq!(trail.pointer(other), None);
        assert_eq!(trail.field(other), "this value");
    }
}
