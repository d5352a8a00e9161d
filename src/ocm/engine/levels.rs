//! Names by how often they are decided.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

/// How often each name is decided.
#[derive(Debug, Clone, Default)]
pub struct Levels {
    /// By id.
    counts: Vec<u32>,
    /// The names of each count; of 0 there are none, since those are nearly all.
    names: Vec<Level>,
    /// The names of any count but 0.
    decided: FixedBitSet,
}

/// The names that are decided so many times.
#[derive(Debug, Clone, Default)]
struct Level {
    size: u32,
    names: FixedBitSet,
}

impl Levels {
    /// Makes room for so many names.
    pub fn resize(&mut self, names: usize) {
        self.counts.resize(names, 0);
        self.decided.grow(names);
    }

    /// How often each name is decided, by id.
    #[must_use]
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Counts one decision more or less for a name.
    pub fn change(&mut self, name: u32, by: i32) {
        let at = name as usize;
        let (old, new) = (self.counts[at], self.counts[at].saturating_add_signed(by));
        self.counts[at] = new;
        self.decided.set(at, new > 0);
        if old > 0 {
            let level = &mut self.names[old as usize];
            level.names.set(at, false);
            level.size -= 1;
            if level.size == 0 {
                level.names = FixedBitSet::new();
            }
        }
        if new > 0 {
            let count = new as usize;
            if self.names.len() <= count {
                self.names.resize_with(count + 1, Level::default);
            }
            let level = &mut self.names[count];
            level.names.grow_and_insert(at);
            level.size += 1;
        }
    }

    /// The largest count of any name, these decisions taken out: names with how often they are in
    /// them.
    #[must_use]
    pub fn largest_without(&self, own: impl Iterator<Item = (u32, u32)>) -> u32 {
        let mut taken: FxHashMap<u32, u32> = FxHashMap::default();
        let mut largest = 0;
        for (cluster, count) in own {
            let all = self.counts[cluster as usize];
            *taken.entry(all).or_default() += 1;
            largest = largest.max(all - count);
        }
        let untouched = (0..)
            .zip(&self.names)
            .filter(|(count, level)| level.size > taken.get(count).copied().unwrap_or(0))
            .last();
        largest.max(untouched.map_or(0, |(count, _)| count))
    }

    /// The counts that some name has, ascending, 0 always.
    pub fn known(&self) -> impl Iterator<Item = usize> + '_ {
        let any = |count: &usize| self.names[*count].size > 0;
        std::iter::once(0).chain((1..self.names.len()).filter(any))
    }

    /// The feasible clusters of some counts, or of all, ascending.
    pub fn members(
        &self,
        counts: Option<&[usize]>,
        feasible: &FixedBitSet,
    ) -> impl Iterator<Item = u32> {
        let block = |names: &FixedBitSet, at: usize| names.as_slice().get(at).copied();
        let of_counts = move |at: usize| {
            let of = |count: &usize| match count {
                0 => !block(&self.decided, at).unwrap_or(0),
                count => block(&self.names[*count].names, at).unwrap_or(0),
            };
            counts.map_or(usize::MAX, |counts| {
                counts.iter().map(of).fold(0, |all, some| all | some)
            })
        };
        let blocks = feasible.as_slice().iter().enumerate();
        let ones = blocks.flat_map(move |(at, feasible)| {
            let mut left = feasible & of_counts(at);
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(at * usize::BITS as usize + bit as usize)
            })
        });
        ones.filter_map(|id| u32::try_from(id).ok())
    }
}
