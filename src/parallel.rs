//! Work dealt to threads and put together in order: results never depend on the dealing.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// `f` of every item, in the order of the items, on at most `jobs` threads.
pub fn map<T: Sync, R: Send>(jobs: usize, items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if jobs <= 1 || items.len() <= 1 {
        return items.iter().map(f).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return done;
            };
            done.push((at, f(item)));
        }
    };
    let mut results: Vec<Option<R>> = Vec::with_capacity(items.len());
    results.resize_with(items.len(), || None);
    thread::scope(|scope| {
        let helpers: Vec<_> = (1..jobs.min(items.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let mut all = work();
        for helper in helpers {
            match helper.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        for (at, result) in all {
            results[at] = Some(result);
        }
    });
    results.into_iter().flatten().collect()
}

/// The same over runs of items, for items too small to be dealt one by one.
pub fn map_chunks<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    f: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    if jobs <= 1 || items.len() < 64 {
        return items.iter().map(f).collect();
    }
    let chunks: Vec<&[T]> = items
        .chunks(items.len().div_ceil(jobs * 8).max(16))
        .collect();
    let mapped = map(jobs, &chunks, |chunk| {
        chunk.iter().map(&f).collect::<Vec<R>>()
    });
    mapped.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_that_of_the_items() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
        for jobs in 1..5 {
            assert_eq!(map(jobs, &items, |item| item * 2), doubled);
            assert_eq!(map_chunks(jobs, &items, |item| item * 2), doubled);
        }
    }
}
