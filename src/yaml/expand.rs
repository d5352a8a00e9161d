//! Writes a document out: aliases replaced by what they name, merge keys by what they merge,
//! repeated keys by the last of them, in the order of the document's reader. Everything later sees
//! a plain tree.

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::Span;

use super::fault::{Fault, FaultKind};
use super::limits::Limits;
use super::scalar::{Dialect, Key, MERGE};
use super::tree::{Draft, Raw};

/// A node that stands for another one; `a` is the other's index.
pub(crate) const ALIAS: u32 = 256;

struct Expansion<'t> {
    draft: &'t Draft,
    text: &'t str,
    /// The YAML dialect of the keys.
    dialect: Dialect,
    late: Vec<(Span, Span)>,
    /// Entries in force of mappings with merge keys or repeated keys.
    entries: FxHashMap<u32, Vec<(u32, u32)>>,
    /// Nodes that may still be added.
    budget: usize,
}

enum Task {
    Node(u32),
    Close(u32),
}

/// A document, written out.
pub(crate) struct Expanded {
    pub(crate) nodes: Vec<Raw>,
    /// Keys that a merge key behind them overrides, each with that.
    pub(crate) late: Vec<(Span, Span)>,
}

/// The nodes of a document, written out. `irregular` are its mappings with
/// merge keys or repeated keys, inner before outer.
pub(crate) fn expand(
    draft: &Draft,
    text: &str,
    irregular: &[u32],
    dialect: Dialect,
    limits: &Limits,
) -> Result<Expanded, Fault> {
    let budget = draft.nodes.len() + limits.alias_nodes;
    let mut expansion = Expansion {
        draft,
        text,
        dialect,
        late: Vec::new(),
        entries: FxHashMap::default(),
        budget,
    };
    for mapping in irregular {
        let entries = expansion.entries_of(*mapping)?;
        expansion.entries.insert(*mapping, entries);
    }
    let nodes = expansion.write(limits)?;
    Ok(Expanded {
        nodes,
        late: expansion.late,
    })
}

impl<'t> Expansion<'t> {
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

    fn key(&self, index: u32) -> Key<'t> {
        let (text, flags) = self.written_key(index);
        Key::of(text, flags, self.dialect)
    }

    /// The text and flags of a key.
    fn written_key(&self, index: u32) -> (&'t str, u32) {
        let raw = self.raw(self.target(index));
        let text = if raw.is_scalar() {
            self.draft.text(&raw, self.text)
        } else {
            ""
        };
        (text, raw.flags & (Raw::PLAIN | Raw::FLOAT_TAG))
    }

    fn is_merge(&self, key: u32) -> bool {
        let raw = self.raw(key);
        raw.flags & (Raw::PLAIN | Raw::STRING_TAG | ALIAS) == Raw::PLAIN
            && self.draft.text(&raw, self.text) == MERGE
    }

    fn span(&self, index: u32) -> Span {
        let raw = self.raw(index);
        Span {
            start: raw.start,
            end: raw.end,
        }
    }

    fn fault(&self, kind: FaultKind, index: u32) -> Fault {
        Fault {
            kind,
            span: self.span(index),
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

    /// The entries in force: a key keeps its first position, and form where there are several, and
    /// takes its last value. PyYAML has
    /// merged entries before the mapping's own, go-yaml where the merge key stands; of a list of
    /// merged mappings the first outweighs the others.
    fn entries_of(&mut self, mapping: u32) -> Result<Vec<(u32, u32)>, Fault> {
        let mut all: Vec<(u32, u32)> = Vec::new();
        let mut own = Vec::new();
        let python = self.dialect == Dialect::PyYaml;
        let mut merges = Vec::new();
        for (key, value) in self.written(mapping) {
            if self.is_merge(key) {
                let from = all.len();
                for source in self.merged(value)? {
                    let entries = match self.entries.get(&source) {
                        Some(entries) => entries.clone(),
                        None => self.written(source),
                    };
                    self.spend(entries.len(), mapping)?;
                    all.extend(entries);
                }
                merges.push((key, from..all.len()));
            } else if python {
                own.push((key, value));
            } else {
                all.push((key, value));
            }
        }
        all.extend(own);
        // Only go-yaml lets a merge key override what stands before it.
        let late = !python && !merges.is_empty();
        let own_keys: FxHashSet<u32> = if late {
            self.written(mapping).iter().map(|(key, _)| *key).collect()
        } else {
            FxHashSet::default()
        };
        let before_these = self.late.len();
        let mut entries: IndexMap<Key<'_>, (u32, u32)> = IndexMap::with_capacity(all.len());
        for (at, (key, value)) in all.into_iter().enumerate() {
            let name = self.key(key);
            let first = entries.get(&name).map_or(key, |(first, _)| *first);
            let alike = self.written_key(first) == self.written_key(key);
            let key = if alike { key } else { first };
            let before = entries.insert(name, (key, value));
            let Some((before, _)) = before.filter(|(before, _)| own_keys.contains(before)) else {
                continue;
            };
            let merge = merges.partition_point(|(_, range)| range.end <= at);
            let merge = merges.get(merge);
            if let Some((merge, _)) = merge.filter(|(_, range)| range.contains(&at)) {
                self.late.push((self.span(before), self.span(*merge)));
            }
        }
        let mut these = self.late.split_off(before_these);
        these.dedup_by_key(|(_, merge)| *merge);
        self.late.extend(these);
        Ok(entries.into_values().collect())
    }

    /// The mappings that a merge key merges; the last outweighs the others.
    fn merged(&self, value: u32) -> Result<Vec<u32>, Fault> {
        let source = self.target(value);
        let alias = source != value;
        match self.raw(source).flags & Raw::KIND {
            Raw::MAPPING => Ok(vec![source]),
            // go-yaml follows no alias to a list.
            Raw::SEQUENCE if !alias || self.dialect == Dialect::PyYaml => {
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
                items.reverse();
                Ok(items)
            }
            _ => Err(self.fault(FaultKind::BadMerge, value)),
        }
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
