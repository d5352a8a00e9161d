//! Matches the items of two lists: by name or key, otherwise by their neighbours.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::yaml::{Dialect, Kind, Node, Scalar};

/// The fields that tell the items of a list apart.
const NAMES: &[&str] = &["name", "key", "application", "type", "id"];

/// Containers larger than this are matched by a map.
const FEW: usize = 16;

/// The most comparisons spent on aligning two lists without names.
const ALIGNED: usize = 1 << 18;

/// How the items of two lists are matched.
pub(super) enum Match {
    /// By the text of this field.
    Field(&'static str),
    /// By their own text.
    Text,
    /// By position.
    Position,
}

impl Match {
    /// Chooses how to match a list with the replacement of a part of it.
    pub(super) fn of(old: &[Node<'_>], part: Range<usize>, new: &[Node<'_>]) -> Self {
        let unique = |by: &Self| {
            // Both lists have the items around the part.
            let around = old[..part.start].iter().chain(&old[part.end..]);
            let around: Option<Vec<&str>> = around.map(|item| by.named(*item)).collect();
            let Some(around) = around else { return false };
            let mut seen = FxHashSet::default();
            seen.reserve(old.len());
            if !around.into_iter().all(|name| seen.insert(name)) {
                return false;
            }
            [&old[part.clone()], new].iter().all(|items| {
                let mut own = FxHashSet::default();
                let mut names = items.iter().map(|item| by.named(*item));
                names.all(|name| name.is_some_and(|name| !seen.contains(name) && own.insert(name)))
            })
        };
        let fields = NAMES.iter().map(|key| Self::Field(key));
        if let Some(found) = fields.chain([Self::Text]).find(unique) {
            return found;
        }
        Self::Position
    }

    fn named<'a>(&self, item: Node<'a>) -> Option<&'a str> {
        match self {
            Self::Field(key) => item.get(key).and_then(Node::text),
            Self::Text => item.text(),
            Self::Position => None,
        }
    }

    /// An item of a list as a step of a path: `[web]`, or `[3]`.
    pub(super) fn shown(&self, at: &str, item: Node<'_>) -> String {
        format!("[{}]", self.named(item).unwrap_or(at))
    }

    pub(super) fn name<'a>(&self, item: Node<'a>) -> &'a str {
        self.named(item).unwrap_or_default()
    }
}

/// The later index of every earlier item of a list, or of the item that replaces it.
pub(super) fn pairs(
    by: &Match,
    old: &[Node<'_>],
    new: &[Node<'_>],
    dialect: Dialect,
) -> Vec<Option<usize>> {
    let mut pairs: Vec<Option<usize>> = match by {
        Match::Position => aligned(old, new, dialect),
        by => {
            let places = new.iter().zip(0..);
            let places: FxHashMap<&str, usize> =
                places.map(|(item, at)| (by.name(*item), at)).collect();
            let place = |item: &Node<'_>| places.get(by.name(*item)).copied();
            old.iter().map(place).collect()
        }
    };
    // A removed and an added item behind the same neighbour count as one changed item.
    let mut kept = vec![false; new.len()];
    pairs.iter().flatten().for_each(|at| kept[*at] = true);
    let mut next = 0;
    for pair in &mut pairs {
        match *pair {
            Some(at) => next = at + 1,
            None if next < new.len() && !kept[next] => {
                *pair = Some(next);
                next += 1;
            }
            None => {}
        }
    }
    pairs
}

/// Items without names: as many as can be stay what they are, in their order.
fn aligned(old: &[Node<'_>], new: &[Node<'_>], dialect: Dialect) -> Vec<Option<usize>> {
    let equal = |at: usize, other: usize| same(old[at], new[other], dialect);
    let shorter = old.len().min(new.len());
    let front = (0..shorter).take_while(|at| equal(*at, *at)).count();
    let (olds, news) = (old.len() - front, new.len() - front);
    let back = |at: &usize| equal(old.len() - 1 - at, new.len() - 1 - at);
    let back = (0..olds.min(news)).take_while(back).count();
    let (olds, news) = (olds - back, news - back);
    let mut pairs: Vec<Option<usize>> = vec![None; old.len()];
    (0..front).for_each(|at| pairs[at] = Some(at));
    (0..back).for_each(|at| pairs[old.len() - 1 - at] = Some(new.len() - 1 - at));
    if olds * news > ALIGNED {
        return pairs;
    }
    // The length of the longest common run of items from here on.
    let equals: Vec<Vec<bool>> = (0..olds)
        .map(|at| {
            (0..news)
                .map(|other| equal(front + at, front + other))
                .collect()
        })
        .collect();
    let mut longest = vec![vec![0_u32; news + 1]; olds + 1];
    for at in (0..olds).rev() {
        for other in (0..news).rev() {
            longest[at][other] = if equals[at][other] {
                longest[at + 1][other + 1] + 1
            } else {
                longest[at + 1][other].max(longest[at][other + 1])
            };
        }
    }
    let (mut at, mut other) = (0, 0);
    while at < olds && other < news {
        if equals[at][other] {
            pairs[front + at] = Some(front + other);
            (at, other) = (at + 1, other + 1);
        } else if longest[at + 1][other] >= longest[at][other + 1] {
            at += 1;
        } else {
            other += 1;
        }
    }
    pairs
}

/// Whether an item without a name took the place of another: more than one of its fields differs.
pub(super) fn is_another(old: Node<'_>, new: Node<'_>, dialect: Dialect) -> bool {
    let kept = |(key, value): &(Node<'_>, Node<'_>)| {
        let other = new.get(key.text().unwrap_or_default());
        other.map(|other| same(*value, other, dialect))
    };
    let fields: Vec<Option<bool>> = old.entries().map(|entry| kept(&entry)).collect();
    let differing = fields.iter().filter(|kept| **kept != Some(true)).count();
    let added = new.len().saturating_sub(fields.iter().flatten().count());
    differing + added > 1
}

/// Whether two values are equal. Depth is bounded by the loader's limit.
fn same(old: Node<'_>, new: Node<'_>, dialect: Dialect) -> bool {
    if old.kind() != new.kind() || old.len() != new.len() {
        return false;
    }
    match old.kind() {
        Kind::Scalar => equal(old, new, dialect),
        Kind::Sequence => {
            let mut both = old.items().zip(new.items());
            both.all(|(old, new)| same(old, new, dialect))
        }
        Kind::Mapping => old.entries().all(|(key, value)| {
            let other = new.get(key.text().unwrap_or_default());
            other.is_some_and(|other| same(value, other, dialect))
        }),
    }
}

/// Whether two scalars have the same text, read as the same kind of value.
pub(super) fn equal(old: Node<'_>, new: Node<'_>, dialect: Dialect) -> bool {
    let is_text = |node: Node<'_>| matches!(node.scalar(dialect), Some(Scalar::Text(_)));
    old.text() == new.text() && is_text(old) == is_text(new)
}

/// The values of a mapping by key; large ones through a map.
pub(super) struct Lookup<'a> {
    node: Node<'a>,
    map: Option<FxHashMap<&'a str, Node<'a>>>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(node: Node<'a>, key: impl Fn(Node<'a>) -> &'a str) -> Self {
        let all = || {
            node.entries()
                .map(|(name, value)| (key(name), value))
                .collect()
        };
        Self {
            node,
            map: (node.len() > FEW).then(all),
        }
    }

    pub(super) fn find(&self, key: &str) -> Option<Node<'a>> {
        match &self.map {
            Some(map) => map.get(key).copied(),
            None => self.node.get(key),
        }
    }
}
