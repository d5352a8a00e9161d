//! Clusters ranked by a value, so that "those with at least so much" and "the best of these"
//! are answered without visiting every Cluster.

use fixedbitset::FixedBitSet;

/// Prefixes of the ranking kept as sets; more make answers faster and the index larger.
const PREFIXES: usize = 64;
/// Least distance between two kept prefixes.
const SPACING: usize = 64;

/// Clusters in the order of a value, best first.
#[derive(Debug)]
pub(super) struct Ranked<T> {
    order: Vec<u32>,
    values: Vec<T>,
    universe: usize,
    spacing: usize,
    /// Element `i` holds the first `(i + 1) * spacing` Clusters of the order.
    prefixes: Vec<FixedBitSet>,
}

impl<T: Copy + PartialEq> Ranked<T> {
    /// Takes Clusters with their values, best first, out of `universe` Clusters.
    pub(super) fn new(universe: usize, entries: impl IntoIterator<Item = (T, u32)>) -> Self {
        let (values, order): (Vec<T>, Vec<u32>) = entries.into_iter().unzip();
        let spacing = order.len().div_ceil(PREFIXES).max(SPACING);
        let mut prefixes = Vec::new();
        let mut seen = FixedBitSet::with_capacity(universe);
        for chunk in order.chunks_exact(spacing) {
            seen.extend(chunk.iter().map(|&cluster| cluster as usize));
            prefixes.push(seen.clone());
        }
        Self {
            order,
            values,
            universe,
            spacing,
            prefixes,
        }
    }

    /// How many Clusters from the best on satisfy a condition that no Cluster after one that
    /// fails satisfies.
    pub(super) fn rank(&self, satisfies: impl Fn(T) -> bool) -> u32 {
        self.values.partition_point(|&value| satisfies(value)) as u32
    }

    /// Keeps in `list` only Clusters among the first `rank`.
    pub(super) fn keep_first(&self, rank: u32, list: &mut FixedBitSet) {
        let rank = rank as usize;
        let kept = rank / self.spacing;
        let mut first = match kept.checked_sub(1) {
            Some(prefix) => self.prefixes[prefix].clone(),
            None => FixedBitSet::with_capacity(self.universe),
        };
        first.extend(
            self.order[kept * self.spacing..rank]
                .iter()
                .map(|&c| c as usize),
        );
        list.intersect_with(&first);
    }

    /// The best value of the Clusters in `list`, with its place in the order.
    fn best_position(&self, list: &FixedBitSet) -> Option<usize> {
        let disjoint = self
            .prefixes
            .partition_point(|prefix| prefix.is_disjoint(list));
        let from = disjoint * self.spacing;
        let found = self.order[from..]
            .iter()
            .position(|&c| list.contains(c as usize));
        found.map(|position| from + position)
    }

    /// The best value of the Clusters in `list`.
    pub(super) fn best(&self, list: &FixedBitSet) -> Option<T> {
        self.best_position(list)
            .map(|position| self.values[position])
    }

    /// Leaves in `list` only the Clusters whose value is the best in it.
    pub(super) fn keep_best(&self, list: &mut FixedBitSet) {
        let Some(position) = self.best_position(list) else {
            return list.clear();
        };
        let best = self.values[position];
        let ties = self.values[position..]
            .iter()
            .take_while(|&&value| value == best)
            .count();
        let mut kept = FixedBitSet::with_capacity(self.universe);
        let tied = &self.order[position..position + ties];
        kept.extend(
            tied.iter()
                .map(|&c| c as usize)
                .filter(|&c| list.contains(c)),
        );
        list.clone_from(&kept);
    }

    /// All Clusters that have a value.
    pub(super) fn all(&self) -> FixedBitSet {
        let mut all = FixedBitSet::with_capacity(self.universe);
        all.extend(self.order.iter().map(|&cluster| cluster as usize));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_and_best_agree_with_counting() {
        let universe = 1000;
        let value = |cluster: u32| (cluster * 37) % 101;
        let mut entries: Vec<_> = (0..universe).map(|c| (value(c), c)).collect();
        entries.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let ranked = Ranked::new(universe as usize, entries);
        for least in [0, 1, 50, 99, 100, 101] {
            let mut list = FixedBitSet::with_capacity(universe as usize);
            list.insert_range(..);
            ranked.keep_first(ranked.rank(|v| v >= least), &mut list);
            let wanted = (0..universe)
                .filter(|&c| value(c) >= least)
                .map(|c| c as usize);
            assert_eq!(list.ones().collect::<Vec<_>>(), wanted.collect::<Vec<_>>());
            let best = list.ones().map(|c| value(c as u32)).max();
            assert_eq!(ranked.best(&list), best);
            let wanted: Vec<_> = list
                .ones()
                .filter(|&c| Some(value(c as u32)) == best)
                .collect();
            ranked.keep_best(&mut list);
            assert_eq!(list.ones().collect::<Vec<_>>(), wanted);
        }
    }
}
