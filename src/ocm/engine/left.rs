//! The clusters that a filter left, kept for every placement: short where it is nearly all or
//! nearly nothing of what was available, so that many placements of many clusters do not take room
//! for each pair.

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::hub::Clusters;

/// The clusters that a filter left of those that were available.
#[derive(Debug, Clone)]
pub struct Left {
    form: Form,
    count: usize,
}

#[derive(Debug, Clone)]
enum Form {
    /// These.
    Set(Clusters),
    /// These few, ascending.
    Only(Box<[u32]>),
    /// All of a set but a few of them, ascending.
    Without(Clusters, Box<[u32]>),
}

/// How many numbers take as much room as a block of a set.
const PER_BLOCK: usize = size_of::<usize>() / size_of::<u32>();

impl Left {
    /// Stores the clusters that are left of the available ones.
    #[must_use]
    pub fn of(available: &Clusters, left: &Clusters) -> Self {
        let count = left.count_ones(..);
        let few = left.as_slice().len() * PER_BLOCK;
        let numbers = |ids: &mut dyn Iterator<Item = usize>| -> Box<[u32]> {
            ids.filter_map(|id| u32::try_from(id).ok()).collect()
        };
        let form = if Arc::ptr_eq(available, left) {
            Form::Set(Arc::clone(left))
        } else if count < few {
            Form::Only(numbers(&mut left.ones()))
        } else if available.difference_count(left) < few {
            // Whole blocks at a time: the iterator of a difference looks at every cluster.
            let mut gone = FixedBitSet::clone(available);
            gone.difference_with(left);
            Form::Without(Arc::clone(available), numbers(&mut gone.ones()))
        } else {
            Form::Set(Arc::clone(left))
        };
        Self { form, count }
    }

    /// How many they are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether a cluster is among them.
    #[must_use]
    pub fn contains(&self, cluster: u32) -> bool {
        match &self.form {
            Form::Set(set) => set.contains(cluster as usize),
            Form::Only(some) => some.binary_search(&cluster).is_ok(),
            Form::Without(set, gone) => {
                set.contains(cluster as usize) && gone.binary_search(&cluster).is_err()
            }
        }
    }

    /// They as a set.
    #[must_use]
    pub fn set(&self) -> Clusters {
        match &self.form {
            Form::Set(set) => Arc::clone(set),
            Form::Only(some) => Arc::new(some.iter().map(|id| *id as usize).collect()),
            Form::Without(set, gone) => {
                let mut set = FixedBitSet::clone(set);
                for id in gone {
                    set.set(*id as usize, false);
                }
                Arc::new(set)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_left_is_what_was_given(
            available in prop::collection::vec(any::<bool>(), 300),
            kept in 0..4_u8,
            some in prop::collection::vec(0..300_u32, 0..12),
        ) {
            let of = |wanted: &dyn Fn(usize) -> bool| {
                let mut set = FixedBitSet::with_capacity(300);
                set.extend((0..300).filter(|id| available[*id] && wanted(*id)));
                Arc::new(set)
            };
            let named = |id: usize| some.iter().any(|one| *one as usize == id);
            let all = of(&|_| true);
            let left = match kept {
                0 => Arc::clone(&all),
                1 => of(&named),
                2 => of(&|id| !named(id)),
                _ => of(&|id| id % 2 == 0),
            };
            let short = Left::of(&all, &left);
            prop_assert_eq!(short.count(), left.count_ones(..));
            prop_assert_eq!(short.is_empty(), left.is_clear());
            for id in 0..310 {
                prop_assert_eq!(short.contains(id), left.contains(id as usize));
            }
            prop_assert!(short.set().ones().eq(left.ones()));
        }
    }

    #[test]
    fn nearly_all_and_nearly_nothing_take_little_room() {
        const COUNT: usize = 100_000;
        let mut all = FixedBitSet::with_capacity(COUNT);
        all.insert_range(..);
        let all = Arc::new(all);
        let mut nearly = FixedBitSet::clone(&all);
        nearly.set(7, false);
        let left = Left::of(&all, &Arc::new(nearly));
        assert!(matches!(&left.form, Form::Without(_, gone) if **gone == [7]));
        let one = Arc::new(std::iter::once(9).collect::<FixedBitSet>());
        let left = Left::of(&all, &one);
        assert!(matches!(&left.form, Form::Only(some) if **some == [9]));
    }
}
