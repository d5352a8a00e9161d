//! The causes of a changed decision: found by planning again with some changes reverted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::options::Options;
use crate::parallel;
use crate::site::{Changes, Checked};
use crate::source::{Place, SourceId, Sources};
use crate::yaml::{Insert, Node, Patch, Tree, TreeBuilder};

use super::documents::{Change, Event, ranks};
use super::trials::{Set, Trials};

/// Plans made to find the causes of one difference, at most.
const RUNS: usize = 128;

/// Documents planned in all of these runs together, at most.
const WORK: usize = 4_000_000;

/// Bytes of changed documents that are kept for other sets, about, at most.
const KEPT: usize = 128 << 20;

/// Changes that alter a decision when they are taken into one side.
#[derive(Debug, Clone, Default)]
pub(super) struct Confirmed {
    /// All these changes.
    pub(super) altering: Set,
    /// The changes that make it the decision of the other side.
    pub(super) reproducing: Set,
}

/// One side as the other's changes are taken into it.
pub(super) struct Side<'s, 'a> {
    pub(super) site: &'s Checked<'a>,
    /// The files of the other side in this side's numbers.
    files: Vec<SourceId>,
    /// Files that this side lacks, numbered after its own.
    lacking: Vec<String>,
    made: Mutex<Made>,
}

/// Documents with changes in them, by their number and that of the changes. Most sets that are
/// tried share them, and what is derived from them.
#[derive(Default)]
struct Made {
    trees: BTreeMap<(u32, Vec<usize>), Arc<Tree>>,
    bytes: usize,
}

impl Made {
    fn keep(&mut self, key: (u32, Vec<usize>), tree: &Arc<Tree>) {
        if self.bytes + tree.weight() > KEPT {
            *self = Self::default();
        }
        self.bytes += tree.weight();
        self.trees.insert(key, Arc::clone(tree));
    }
}

impl<'s, 'a> Side<'s, 'a> {
    /// Gives the files of the other side numbers on this one.
    pub(super) fn new(site: &'s Checked<'a>, other: &Sources) -> Self {
        let own = &site.documents.sources.files;
        let known = own.iter().zip(0..);
        let known: BTreeMap<&str, SourceId> = known
            .map(|(file, at)| (file.name.as_str(), SourceId(at)))
            .collect();
        let mut side = Self {
            site,
            files: Vec::with_capacity(other.files.len()),
            lacking: Vec::new(),
            made: Mutex::default(),
        };
        for file in &other.files {
            let number = known.get(file.name.as_str()).copied().unwrap_or_else(|| {
                let number = own.len() + side.lacking.len();
                side.lacking.push(file.name.clone());
                SourceId(u32::try_from(number).unwrap_or(u32::MAX))
            });
            side.files.push(number);
        }
        side
    }
}

/// For each of these moves the changes that make the decision of one side another one, and those
/// among them that make it the other side's.
pub(super) fn confirmed(
    wanted: &[usize],
    count: usize,
    documents: usize,
    options: &Options,
    trials: &Trials<'_>,
) -> Vec<Confirmed> {
    let mut causes = vec![Confirmed::default(); wanted.len()];
    let mut budget = RUNS.min(WORK / documents.max(1));
    options.progress.begin(budget);
    let all: Vec<usize> = (0..count).collect();
    let mut groups = split(&all, budget / 2);
    while !groups.is_empty() && groups.len() <= budget {
        budget -= groups.len();
        parallel::map(options.jobs, &groups, |group| {
            trials.ask(group, |_| options.progress.add(1));
        });
        let mut open: Vec<Vec<usize>> = Vec::new();
        for group in &groups {
            let hit = trials.ask(group, |tried| {
                let hit = wanted.iter().zip(&mut causes);
                let hit = hit.filter(|(at, _)| tried.altered[**at]);
                let mut any = false;
                for (at, causes) in hit {
                    any = true;
                    if group.len() == 1 {
                        causes.altering.extend(group);
                        if tried.reproduced[*at] {
                            causes.reproducing.extend(group);
                        }
                    }
                }
                any
            });
            if hit && group.len() > 1 {
                open.push(group.iter().copied().collect());
            }
        }
        // As fine as the rest allows, but leave something for the next round.
        let parts = (budget / open.len().max(1) / 2).clamp(2, 8);
        groups = open.iter().flat_map(|group| split(group, parts)).collect();
    }
    causes
}

/// Cuts a run of changes into so many parts at most.
fn split(all: &[usize], parts: usize) -> Vec<Set> {
    let size = all.len().div_ceil(parts.max(1)).max(1);
    let parts = all.chunks(size).map(|part| part.iter().copied());
    parts.map(Set::from_iter).collect()
}

/// The later site with these changes taken back.
pub(super) fn undone<'o, 'n>(
    changes: &[Change<'o, 'n>],
    chosen: &[usize],
    old: &[Node<'o>],
    new: &[Node<'n>],
    side: &Side<'_, '_>,
) -> Changes {
    let mirrored = chosen.iter().map(|at| {
        let change = &changes[*at];
        let (before, after) = change.documents;
        (*at, step(((after, before), change.event.mirrored())))
    });
    edits(mirrored, new, old, side)
}

/// The earlier site with these changes made.
pub(super) fn applied<'o, 'n>(
    changes: &[Change<'o, 'n>],
    chosen: &[usize],
    old: &[Node<'o>],
    new: &[Node<'n>],
    side: &Side<'_, '_>,
) -> Changes {
    let made = chosen.iter().map(|at| {
        let change = &changes[*at];
        (*at, step((change.documents, change.event)))
    });
    edits(made, old, new, side)
}

/// How a change is made in the document it starts from.
fn step<'o, 'n>(
    ((own, other), event): ((Option<u32>, Option<u32>), Event<'o, 'n>),
) -> (Option<u32>, Option<u32>, Step<'n>) {
    let step = match event {
        Event::Document => Step::Document,
        Event::Changed(before, after) => Step::Replace(before.number(), after),
        Event::Gone { value, .. } => Step::Omit(value.number()),
        Event::Come {
            value,
            key,
            position,
            into,
        } => Step::Insert(
            into.number(),
            Insert {
                position,
                key,
                value,
            },
        ),
        Event::Order(before, after) => Step::Order(before.number(), ranks(before, after)),
    };
    (own, other, step)
}

/// One change as it is made in a side's own document: numbers are those of its nodes.
enum Step<'x> {
    Document,
    Replace(u32, Node<'x>),
    Omit(u32),
    Insert(u32, Insert<'x>),
    Order(u32, BTreeMap<u32, usize>),
}

fn edits<'x>(
    steps: impl Iterator<Item = (usize, (Option<u32>, Option<u32>, Step<'x>))>,
    own: &[Node<'_>],
    other: &[Node<'x>],
    side: &Side<'_, '_>,
) -> Changes {
    let file = |source: SourceId| {
        side.files
            .get(source.0 as usize)
            .copied()
            .unwrap_or_default()
    };
    let moved = |place: Place| Place {
        source: file(place.source),
        ..place
    };
    let mut edits = Changes::default();
    let mut patches: BTreeMap<u32, (Vec<usize>, Patch<'x>)> = BTreeMap::new();
    for (at, (mine, theirs, step)) in steps {
        let Some(mine) = mine else {
            let Some(theirs) = theirs else { continue };
            let mut builder = TreeBuilder::new();
            builder.copy_moved(other[theirs as usize], &moved);
            edits.added.push(builder.finish());
            if edits.files.is_empty() {
                edits.files.clone_from(&side.lacking);
            }
            continue;
        };
        let (numbers, patch) = patches.entry(mine).or_default();
        numbers.push(at);
        match step {
            Step::Document => drop(edits.replaced.insert(mine, None)),
            Step::Replace(at, value) => drop(patch.replaced.insert(at, Some(value))),
            Step::Omit(at) => drop(patch.replaced.insert(at, None)),
            Step::Insert(at, insert) => patch.inserted.entry(at).or_default().push(insert),
            Step::Order(at, ranks) => drop(patch.order.insert(at, ranks)),
        }
    }
    for (mine, (numbers, mut patch)) in patches {
        if edits.replaced.contains_key(&mine) {
            continue;
        }
        let key = (mine, numbers);
        let made = || side.made.lock().unwrap_or_else(PoisonError::into_inner);
        let known = made().trees.get(&key).cloned();
        let tree = known.unwrap_or_else(|| {
            let tree = Arc::new(patched(own[mine as usize], &mut patch, &moved));
            made().keep(key, &tree);
            tree
        });
        edits.replaced.insert(mine, Some(tree));
    }
    edits
}

/// A document with changes.
fn patched<'x>(root: Node<'_>, patch: &mut Patch<'x>, moved: &impl Fn(Place) -> Place) -> Tree {
    for inserts in patch.inserted.values_mut() {
        inserts.sort_by_key(|insert| insert.position);
    }
    let mut builder = TreeBuilder::like(root);
    match patch.replaced.get(&root.number()) {
        Some(Some(value)) => builder.copy_moved(*value, moved),
        _ => builder.copy_patched(root, patch, moved),
    }
    builder.finish()
}
