//! Keys that occur twice in one mapping.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::source::Span;
use crate::yaml::expand;
use crate::yaml::scalar::{Dialect, Key, MERGE};
use crate::yaml::tree::Raw;

use super::{Driver, QuirkKind};

/// The most keys of a mapping that are compared one by one.
const FEW: usize = 8;

/// A key: its place, and its value to a reader.
type Written<'k> = (Span, Key<'k>);

/// The keys that were there before, each with the first of its kind; linear for many keys.
fn repeated(keys: &[Written<'_>]) -> Vec<(Span, Span)> {
    let mut found = Vec::new();
    if keys.len() <= FEW {
        for (at, (span, key)) in keys.iter().enumerate() {
            let first = keys[..at].iter().find(|(_, other)| other == key);
            found.extend(first.map(|(first, _)| (*first, *span)));
        }
        return found;
    }
    let mut seen: FxHashMap<&Key<'_>, Span> = FxHashMap::default();
    seen.reserve(keys.len());
    for (span, key) in keys {
        match seen.entry(key) {
            Entry::Occupied(first) => found.push((*first.get(), *span)),
            Entry::Vacant(free) => {
                free.insert(*span);
            }
        }
    }
    found
}

impl Driver<'_, '_> {
    /// Notes every key of a mapping that was there before.
    pub(super) fn repeated_keys(&mut self, mapping: u32, count: u32) -> bool {
        let mut typed = false;
        let mut unfit = None;
        let mut keys: Vec<(Span, &Raw)> = Vec::with_capacity(count as usize);
        let draft = &self.draft;
        let mut at = mapping + 1;
        for _ in 0..count {
            let written = &draft.nodes[at as usize];
            let span = Span {
                start: written.start,
                end: written.end,
            };
            let alias = written.flags & expand::ALIAS != 0;
            let raw = if alias {
                &draft.nodes[written.a as usize]
            } else {
                written
            };
            if raw.is_scalar() {
                let text = draft.text(raw, self.text);
                // Two merge keys do no harm: both are merged.
                let merge = !alias && text == MERGE && raw.flags & Raw::PLAIN != 0;
                if Key::is_typed(text, raw.flags) {
                    typed = true;
                    match Key::of(text, raw.flags, Dialect::Kubernetes) {
                        Key::Null => {
                            unfit.get_or_insert(("a null cannot be a key", span));
                        }
                        Key::TooLarge => {
                            unfit.get_or_insert(("the number is too large for a key", span));
                        }
                        _ => {}
                    }
                }
                if !merge {
                    keys.push((span, raw));
                }
            }
            at = draft.next(at + 1);
        }
        let as_read = |dialect: Dialect| {
            let key = |(span, raw): &(Span, &Raw)| {
                let text = draft.text(raw, self.text);
                (*span, Key::of(text, raw.flags, dialect))
            };
            repeated(&keys.iter().map(key).collect::<Vec<_>>())
        };
        let found = as_read(self.dialect());
        let other = match self.dialect() {
            Dialect::PyYaml => Dialect::Kubernetes,
            _ => Dialect::PyYaml,
        };
        let differs = typed && as_read(other) != found;
        self.differs |= differs;
        if let Some((why, span)) = unfit {
            self.quirk(QuirkKind::NoJson(why), span);
        }
        let any = !found.is_empty();
        for (first, again) in found {
            self.quirk(QuirkKind::RepeatedKey(first), again);
        }
        any
    }
}
