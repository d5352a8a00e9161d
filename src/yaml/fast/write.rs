//! Writes the recognised nodes: keys, scalars, containers, and the nulls of empty values.

use super::{Doubt, KEY, Kind, Open, Reader, Sure, number};
use crate::yaml::scalar::{Dialect, Key, is_null_text, may_be_too_large, may_be_typed};
use crate::yaml::tree::Raw;

/// The most keys of a mapping that are compared one by one.
const FEW_KEYS: usize = 12;

impl Reader<'_> {
    /// Notes and writes a key, after opening its mapping where that `begins`.
    pub(super) fn key(
        &mut self,
        line: usize,
        at: usize,
        end: usize,
        colon: usize,
        begins: bool,
    ) -> Sure<()> {
        if colon - at > KEY {
            return Err(Doubt);
        }
        if begins {
            self.begin(Kind::Mapping, number(at - line), at, Raw::MAPPING)?;
        }
        self.put_key(at, end)
    }

    pub(super) fn put_key(&mut self, at: usize, end: usize) -> Sure<()> {
        let quoted = matches!(self.bytes[at], b'"' | b'\'');
        let text = &self.text[at..end];
        if !quoted && (is_null_text(text) || may_be_too_large(text)) {
            return Err(Doubt);
        }
        let margin = usize::from(quoted);
        self.keys.push((number(at + margin), number(end - margin)));
        self.put(at, end, if quoted { 0 } else { Raw::PLAIN })
    }

    /// Opens a sequence whose first `-` is at `at` and whose first item is at `item`.
    pub(super) fn begin_sequence(&mut self, column: u32, at: usize, item: usize) -> Sure<()> {
        let outer = self.open.last();
        if outer.is_some_and(|open| open.kind == Kind::Mapping && open.column == column) {
            self.begin(Kind::Indentless, column, item, Raw::SEQUENCE)
        } else {
            self.begin(Kind::Sequence, column, at, Raw::SEQUENCE)
        }
    }

    pub(super) fn begin(&mut self, kind: Kind, column: u32, start: usize, flags: u32) -> Sure<()> {
        if self.open.len() >= self.limits.depth {
            return Err(Doubt);
        }
        self.count()?;
        let start = number(start);
        let before = self.tree.mark();
        let figures = self.tree.begin_container(self.base, start, flags);
        if self.open.is_empty() {
            self.root = Some(self.tree.root_after(before));
        }
        self.open.push(Open {
            kind,
            column,
            start,
            end: start,
            figures,
            missing: None,
            keys: self.keys.len(),
        });
        self.base = start;
        Ok(())
    }

    /// Ends the innermost container with its last child.
    pub(super) fn close(&mut self) -> Sure<()> {
        self.fill()?;
        let end = self.open.last().map_or(0, |open| open.end);
        self.close_at(end)
    }

    pub(super) fn close_at(&mut self, end: u32) -> Sure<()> {
        self.last = None;
        let Some(open) = self.open.pop() else {
            return Err(Doubt);
        };
        if matches!(open.kind, Kind::Mapping | Kind::FlowMapping) {
            self.check_keys(open.keys)?;
        }
        self.tree.end_container(open.figures, end - open.start);
        self.base = end;
        if let Some(outer) = self.open.last_mut() {
            outer.end = end;
        }
        Ok(())
    }

    /// Doubt if a key may appear twice among the last ones: written alike, or as two numbers or
    /// truths that may be the same.
    pub(super) fn check_keys(&mut self, from: usize) -> Sure<()> {
        let keys = &self.keys[from..];
        let text = |key: &(u32, u32)| &self.text[key.0 as usize..key.1 as usize];
        let repeated = if keys.len() <= FEW_KEYS {
            keys.iter().enumerate().any(|(at, key)| {
                let length = key.1 - key.0;
                keys[..at]
                    .iter()
                    .any(|other| other.1 - other.0 == length && text(other) == text(key))
            })
        } else {
            let mut seen = rustc_hash::FxHashSet::default();
            seen.reserve(keys.len());
            !keys.iter().all(|key| seen.insert(text(key)))
        };
        let typed = || keys.iter().map(text).filter(|key| may_be_typed(key));
        let repeated = repeated || (typed().nth(1).is_some() && may_be_alike(typed()));
        self.keys.truncate(from);
        if repeated { Err(Doubt) } else { Ok(()) }
    }

    /// Notes that the last entry or item of the innermost container is null, at `place`, unless
    /// something follows.
    pub(super) fn missing(&mut self, place: usize) {
        if let Some(open) = self.open.last_mut() {
            open.missing = Some(number(place));
        }
    }

    /// Writes the null that the last entry or item is, if it is.
    pub(super) fn fill(&mut self) -> Sure<()> {
        match self.open.last_mut().and_then(|open| open.missing.take()) {
            Some(place) => self.put(place as usize, place as usize, Raw::PLAIN),
            None => Ok(()),
        }
    }

    /// Writes a scalar that the file holds as it is.
    #[inline]
    pub(super) fn put(&mut self, start: usize, end: usize, flags: u32) -> Sure<()> {
        self.count()?;
        let (start, end) = (number(start), number(end));
        self.tree.put_usual_scalar(self.base, start, end, flags);
        self.ends(end);
        Ok(())
    }

    /// Writes a scalar whose text is the end of the tree's own.
    pub(super) fn put_own(
        &mut self,
        start: usize,
        end: usize,
        flags: u32,
        from: usize,
    ) -> Sure<()> {
        self.count()?;
        let (start, end) = (number(start), number(end));
        self.tree.put_own_scalar(self.base, start, end, flags, from);
        self.ends(end);
        Ok(())
    }

    #[inline]
    pub(super) fn ends(&mut self, end: u32) {
        self.base = end;
        if let Some(open) = self.open.last_mut() {
            open.end = end;
        }
    }

    #[inline]
    pub(super) fn count(&mut self) -> Sure<()> {
        self.nodes += 1;
        if self.nodes > self.budget {
            Err(Doubt)
        } else {
            Ok(())
        }
    }
}

/// Whether two of some keys are one to a reader, were they all plain.
fn may_be_alike<'t>(keys: impl Iterator<Item = &'t str>) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut kinds = keys.flat_map(|key| {
        let of = |dialect| Key::of(key, Raw::PLAIN, dialect);
        let (python, go) = (of(Dialect::PyYaml), of(Dialect::Kubernetes));
        let typed = python != Key::Text(key.into()) || go != Key::Text(key.into());
        // Texts are compared as they are written.
        typed.then_some([(true, python), (false, go)])
    });
    kinds.any(|pair| pair.into_iter().any(|key| !seen.insert(key)))
}
