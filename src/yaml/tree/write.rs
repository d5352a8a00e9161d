//! Writing a tree: node by node, or a finished draft.

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

    /// Drops what was written since.
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
    fn put_way(&mut self, base: u32, start: u32) {
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
        // Most containers are so small that this is room enough for the figures.
        self.bytes.extend_from_slice(&[flags as u8, 0, 0]);
        self.bytes.len() - 2
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
        let mut flags = raw.flags & !Raw::ASIDE;
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
