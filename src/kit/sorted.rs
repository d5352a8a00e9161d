//! Lists in order.

/// A list in order, each item once.
pub fn in_order<T: Ord>(list: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = list.into_iter().collect();
    list.sort_unstable();
    list.dedup();
    list
}

/// The items that are only in the first of two lists in order.
pub fn only<T: Ord + Clone>(all: &[T], others: &[T]) -> Vec<T> {
    let all = all.iter().filter(|one| others.binary_search(one).is_err());
    all.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_one_list_has_stays_in_order() {
        let (one, other) = (in_order([3, 1, 2, 3]), in_order([2, 5]));
        assert_eq!(one, [1, 2, 3]);
        assert_eq!(only(&one, &other), [1, 3]);
        assert_eq!(only(&other, &one), [5]);
        assert!(only(&one, &one).is_empty());
    }
}
