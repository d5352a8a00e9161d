//! Writes a document out: aliases replaced by what they name, merge keys by what they
//! merge, repeated keys by the last of them. Everything later sees a plain tree.

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::source::Span;

use super::fault::{Fault, FaultKind};
use super::limits::Limits;
use super::tree::{Draft, Raw};

/// A node that stands for another one; `a` is the other's index.
pub(crate) const ALIAS: u32 = 256;

struct Expansion<'t> {
    draft: &'t Draft,
    text: &'t str,
    /// Entries in force of mappings with merge keys or repeated keys.
    entries: FxHashMap<u32, Vec<(u32, u32)>>,
    /// Nodes that may still be added.
    budget: usize,
}

enum Task {
    Node(u32),
    Close(u32),
}

/// The nodes of a document, written out. `irregular` are its mappings with
/// merge keys or repeated keys, inner before outer.
pub(crate) fn expand(
    draft: &Draft,
    text: &str,
    irregular: &[u32],
    limits: &Limits,
) -> Result<Vec<Raw>, Fault> {
    let budget = draft.nodes.len() + limits.alias_nodes;
    let mut expansion = Expansion {
        draft,
        text,
        entries: FxHashMap::default(),
        budget,
    };
    for mapping in irregular {
        let entries = expansion.entries_of(*mapping)?;
        expansion.entries.insert(*mapping, entries);
    }
    expansion.write(limits)
}

impl Expansion<'_> {
    fn raw(&self, index: u32) -> Raw {
        self.draft.nodes[index as usize]
    }

    fn next(&self, index: u32) -> u32 {
        self.draft.next(index)
    }

    /// Follows an alias (which never names an alias).
    fn target(&self, index: u32) -> u32 {
        let raw = self.raw(index);
        if raw.flags & ALIAS == 0 { index } else { raw.a }
    }

    fn key_text(&self, index: u32) -> &str {
        let raw = self.raw(self.target(index));
        if raw.is_scalar() {
            self.draft.text(&raw, self.text)
        } else {
            ""
        }
    }

    fn fault(&self, kind: FaultKind, index: u32) -> Fault {
        let raw = self.raw(index);
        Fault {
            kind,
            span: Span {
                start: raw.start,
                end: raw.end,
            },
        }
    }

    fn spend(&mut self, count: usize, at: u32) -> Result<(), Fault> {
        match self.budget.checked_sub(count) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => Err(self.fault(FaultKind::TooManyAliases, at)),
        }
    }

    fn written(&self, mapping: u32) -> Vec<(u32, u32)> {
        let mut entries = Vec::new();
        let mut key = mapping + 1;
        for _ in 0..self.raw(mapping).b {
            entries.push((key, key + 1));
            key = self.next(key + 1);
        }
        entries
    }

    /// Merged entries first, an earlier merge outweighing a later one, then the mapping's
    /// own; a key keeps its first position and takes its last value (as PyYAML does).
    fn entries_of(&mut self, mapping: u32) -> Result<Vec<(u32, u32)>, Fault> {
        let mut merged: Vec<u32> = Vec::new();
        let mut own = Vec::new();
        for (key, value) in self.written(mapping) {
            let raw = self.raw(key);
            let merge =
                raw.flags & (Raw::PLAIN | ALIAS) == Raw::PLAIN && self.key_text(key) == "<<";
            if !merge {
                own.push((key, value));
                continue;
            }
            let source = self.target(value);
            match self.raw(source).flags & Raw::KIND {
                Raw::MAPPING => merged.push(source),
                Raw::SEQUENCE => {
                    let mut items = Vec::new();
                    let mut item = source + 1;
                    for _ in 0..self.raw(source).b {
                        let target = self.target(item);
                        if self.raw(target).flags & Raw::KIND != Raw::MAPPING {
                            return Err(self.fault(FaultKind::BadMerge, item));
                        }
                        items.push(target);
                        item = self.next(item);
                    }
                    merged.extend(items.into_iter().rev());
                }
                _ => return Err(self.fault(FaultKind::BadMerge, value)),
            }
        }
        let mut all = Vec::new();
        for source in merged {
            let entries = match self.entries.get(&source) {
                Some(entries) => entries.clone(),
                None => self.written(source),
            };
            self.spend(entries.len(), mapping)?;
            all.extend(entries);
        }
        all.extend(own);
        let mut entries: IndexMap<&str, (u32, u32)> = IndexMap::with_capacity(all.len());
        for (key, value) in all {
            entries.insert(self.key_text(key), (key, value));
        }
        Ok(entries.into_values().collect())
    }

    fn write(&mut self, limits: &Limits) -> Result<Vec<Raw>, Fault> {
        let mut out: Vec<Raw> = Vec::with_capacity(self.draft.nodes.len());
        let mut tasks = vec![Task::Node(0)];
        let mut depth = 0;
        while let Some(task) = tasks.pop() {
            let written = match task {
                Task::Close(at) => {
                    depth -= 1;
                    out[at as usize].a = u32::try_from(out.len()).unwrap_or(u32::MAX);
                    continue;
                }
                Task::Node(written) => written,
            };
            let index = self.target(written);
            let raw = self.raw(index);
            self.spend(1, written)?;
            let at = u32::try_from(out.len()).unwrap_or(u32::MAX);
            out.push(raw);
            if raw.flags & Raw::KIND == 0 {
                continue;
            }
            depth += 1;
            if depth > limits.depth {
                return Err(self.fault(FaultKind::TooDeep, written));
            }
            tasks.push(Task::Close(at));
            let first = tasks.len();
            if raw.flags & Raw::KIND == Raw::MAPPING {
                let written;
                let entries = match self.entries.get(&index) {
                    Some(entries) => entries,
                    None => {
                        written = self.written(index);
                        &written
                    }
                };
                out[at as usize].b = u32::try_from(entries.len()).unwrap_or(u32::MAX);
                for (key, value) in entries {
                    tasks.push(Task::Node(*key));
                    tasks.push(Task::Node(*value));
                }
            } else {
                let mut item = index + 1;
                for _ in 0..raw.b {
                    tasks.push(Task::Node(item));
                    item = self.next(item);
                }
            }
            tasks[first..].reverse();
        }
        Ok(out)
    }
}
