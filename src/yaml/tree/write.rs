//! Writing a tree: node by node, or a finished draft.

use crate::source::SourceId;

use super::{Draft, MORE, Position, Raw, Tree, usual_margin};

/// A state of a tree, to come back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    bytes: usize,
    own_text: usize,
}

/// A container being written.
struct Open {
    /// The index after its subtree.
    after: u32,
    start: u32,
    end: u32,
    /// Where its figures go.
    figures: usize,
}

impl Tree {
    /// The state of the tree.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            bytes: self.bytes.len(),
            own_text: self.own_text.len(),
        }
    }

    /// Drops everything written since the mark.
    pub(crate) fn reset(&mut self, mark: Mark) {
        self.bytes.truncate(mark.bytes);
        self.own_text.truncate(mark.own_text);
    }

    /// The text that no file holds.
    pub(crate) fn own_text(&mut self) -> &mut String {
        &mut self.own_text
    }

    /// The position of the root that was written next after a mark.
    pub(crate) fn root_after(&self, mark: Mark) -> Position {
        self.begin(mark.bytes as u32, 0)
    }

    /// Writes the way to a node from the place `base`.
    #[inline]
    pub(crate) fn put_way(&mut self, base: u32, start: u32) {
        let way = i64::from(start) - i64::from(base);
        put(&mut self.bytes, (way << 1 ^ way >> 63) as u64);
    }

    /// Writes a scalar whose text is in the file where its style says.
    #[inline]
    pub(crate) fn put_usual_scalar(&mut self, base: u32, start: u32, end: u32, flags: u32) {
        let (way, length) = (start.wrapping_sub(base), end - start);
        if way < u32::from(MORE) / 2 && length < u32::from(MORE) {
            let node = [(way << 1) as u8, flags as u8, length as u8];
            self.bytes.extend_from_slice(&node);
            return;
        }
        self.put_way(base, start);
        self.bytes.push(flags as u8);
        put(&mut self.bytes, u64::from(length));
    }

    /// Writes a scalar whose text is the tree's own from a place to its end.
    pub(crate) fn put_own_scalar(
        &mut self,
        base: u32,
        start: u32,
        end: u32,
        flags: u32,
        from: usize,
    ) {
        let to = self.own_text.len();
        let raw = Raw {
            start,
            end,
            a: from as u32,
            b: to as u32,
            flags: flags | Raw::OWNED,
        };
        self.put_way(base, start);
        self.put_scalar(&raw, 0);
    }

    /// Begins a container; gives the place of its figures, which are known when it ends.
    #[inline]
    pub(crate) fn begin_container(&mut self, base: u32, start: u32, flags: u32) -> usize {
        self.put_way(base, start);
        self.put_container(flags)
    }

    /// An empty tree with room for about so many bytes, which takes nodes of another tree as they
    /// are stored.
    pub(crate) fn like(other: &Self, bytes: usize) -> Self {
        Self {
            source: other.source,
            bytes: Vec::with_capacity(bytes + bytes / 8 + 64),
            own_text: other.own_text.clone(),
            ..Self::default()
        }
    }

    /// Says from which file the node is that is written next, the way to it being written.
    pub(crate) fn comes_from(&mut self, source: SourceId) {
        if source != self.source {
            self.origins.push((self.bytes.len() as u32, source));
        }
    }

    /// Writes a scalar with a text of the tree's own, the way to it being written.
    pub(crate) fn put_own_text(&mut self, start: u32, end: u32, flags: u32, text: &str) {
        let from = self.own_text.len();
        self.own_text.push_str(text);
        let raw = Raw {
            start,
            end,
            a: from as u32,
            b: self.own_text.len() as u32,
            flags: flags | Raw::OWNED,
        };
        self.put_scalar(&raw, 0);
    }

    /// Writes a node of the tree that this one is like, the way to it being written.
    pub(crate) fn put_stored(&mut self, other: &Self, at: u32, after: u32) {
        let here = self.bytes.len() as u32;
        let nodes = &other.bytes[at as usize..after as usize];
        self.bytes.extend_from_slice(nodes);
        let first = other.origins.partition_point(|(node, _)| *node < at);
        let within = other.origins[first..].iter();
        let within = within.take_while(|(node, _)| *node < after);
        let moved = within.map(|(node, source)| (node - at + here, *source));
        self.origins.extend(moved);
    }

    /// Begins a container, the way to it being written; gives the place of its figures.
    #[inline]
    pub(crate) fn put_container(&mut self, flags: u32) -> usize {
        // Most containers are so small that this is room enough for the figures.
        self.bytes.extend_from_slice(&[flags as u8, 0, 0]);
        self.bytes.len() - 2
    }

    /// Ends a container in a tree that is made of others.
    pub(crate) fn end_made(&mut self, figures: usize, length: u32) {
        let before = self.bytes.len();
        self.end_container(figures, length);
        let moved = (self.bytes.len() - before) as u32;
        let children = figures as u32 + 2;
        let below = self.origins.iter_mut().rev();
        let below = below.take_while(|(node, _)| moved > 0 && *node >= children);
        below.for_each(|(node, _)| *node += moved);
    }

    /// Ends a container by its figures: how long it is, and how many bytes its children take.
    #[inline]
    pub(crate) fn end_container(&mut self, figures: usize, length: u32) {
        let children = figures + 2;
        let size = self.bytes.len() - children;
        if length < u32::from(MORE) && size < usize::from(MORE) {
            self.bytes[figures] = length as u8;
            self.bytes[figures + 1] = size as u8;
            return;
        }
        let mut head = Vec::with_capacity(16);
        put(&mut head, u64::from(length));
        put(&mut head, size as u64);
        let end = self.bytes.len();
        self.bytes.resize(end + head.len() - 2, 0);
        self.bytes.copy_within(children..end, figures + head.len());
        self.bytes[figures..figures + head.len()].copy_from_slice(&head);
    }

    /// Takes a finished document and gives the position of its root.
    pub(crate) fn append(&mut self, draft: &Draft) -> Position {
        let mark = self.mark();
        let own_base = mark.own_text as u32;
        self.own_text.push_str(&draft.own_text);
        let mut open: Vec<Open> = Vec::new();
        let mut base = 0;
        for (raw, index) in draft.nodes.iter().zip(0..) {
            while let Some(done) = open.pop_if(|open| open.after == index) {
                base = self.close(&done);
            }
            if raw.is_scalar() {
                self.put_way(base, raw.start);
                self.put_scalar(raw, own_base);
                base = raw.end;
            } else {
                open.push(Open {
                    after: raw.a,
                    start: raw.start,
                    end: raw.end.max(raw.start),
                    figures: self.begin_container(base, raw.start, raw.flags),
                });
                base = raw.start;
            }
        }
        while let Some(done) = open.pop() {
            self.close(&done);
        }
        self.root_after(mark)
    }

    fn put_scalar(&mut self, raw: &Raw, own_base: u32) {
        let mut flags = raw.flags;
        if flags & Raw::OWNED == 0 {
            flags &= !Raw::ASIDE;
        }
        let length = raw.end.saturating_sub(raw.start);
        let margin = usual_margin(flags);
        let usual = flags & (Raw::OWNED | Raw::BLOCK) == 0
            && length >= 2 * margin
            && (raw.a, raw.b) == (raw.start + margin, raw.end - margin);
        let from = if flags & Raw::OWNED != 0 {
            raw.a + own_base
        } else {
            raw.a.wrapping_sub(raw.start)
        };
        if !usual && flags & Raw::OWNED == 0 {
            flags |= Raw::ASIDE;
        }
        self.bytes.push(flags as u8);
        put(&mut self.bytes, u64::from(length));
        if !usual {
            put(&mut self.bytes, u64::from(from));
            put(&mut self.bytes, u64::from(raw.b - raw.a));
        }
    }

    /// Ends a container; gives its end.
    fn close(&mut self, open: &Open) -> u32 {
        self.end_container(open.figures, open.end - open.start);
        open.end
    }
}

/// Writes a figure, seven bits a byte, the lowest first.
#[inline]
fn put(bytes: &mut Vec<u8>, mut figure: u64) {
    while figure >= u64::from(MORE) {
        bytes.push(figure as u8 | MORE);
        figure >>= 7;
    }
    bytes.push(figure as u8);
}
