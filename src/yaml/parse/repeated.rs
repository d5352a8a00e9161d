//! Keys that stand twice in one mapping.

use rustc_hash::FxHashMap;

use crate::source::Span;
use crate::yaml::expand;
use crate::yaml::tree::Raw;

use super::{Driver, QuirkKind};

impl Driver<'_> {
    /// Notes every key of a mapping that was there before; linear for large mappings.
    pub(super) fn repeated_keys(&mut self, mapping: u32, count: u32) -> bool {
        let draft = &self.draft;
        let nodes = &draft.nodes;
        let text_of = |raw| draft.text(raw, self.text);
        let next = |index: u32| draft.next(index);
        let readable = |raw: &Raw| raw.flags & (Raw::KIND | expand::ALIAS) == 0;
        let mut found: Vec<(Span, Span)> = Vec::new();
        let span = |raw: &Raw| Span {
            start: raw.start,
            end: raw.end,
        };
        let mut key = mapping + 1;
        if count <= 8 {
            let mut seen: [u32; 8] = [0; 8];
            for at in 0..count as usize {
                let raw = &nodes[key as usize];
                if readable(raw) {
                    let text = text_of(raw);
                    let first =
                        seen[..at]
                            .iter()
                            .map(|index| &nodes[*index as usize])
                            .find(|raw| {
                                readable(raw)
                                    && (raw.b - raw.a) as usize == text.len()
                                    && text_of(raw) == text
                            });
                    if let Some(first) = first {
                        found.push((span(first), span(raw)));
                    }
                }
                seen[at] = key;
                key = next(key + 1);
            }
        } else {
            let mut seen: FxHashMap<&str, u32> = FxHashMap::default();
            seen.reserve(count as usize);
            for _ in 0..count {
                let raw = &nodes[key as usize];
                if readable(raw) {
                    match seen.entry(text_of(raw)) {
                        std::collections::hash_map::Entry::Occupied(first) => {
                            found.push((span(&nodes[*first.get() as usize]), span(raw)));
                        }
                        std::collections::hash_map::Entry::Vacant(free) => {
                            free.insert(key);
                        }
                    }
                }
                key = next(key + 1);
            }
        }
        // `<<` may stand twice without harm: both are merged.
        found.retain(|(first, _)| &self.text[first.start as usize..first.end as usize] != "<<");
        let any = !found.is_empty();
        for (first, again) in found {
            self.quirk(QuirkKind::RepeatedKey(first), again);
        }
        any
    }
}
