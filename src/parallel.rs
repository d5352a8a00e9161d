//! Work dealt to threads and put together in order: results never depend on the dealing.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// Bytes of a thread's stack: not left to the environment (`RUST_MIN_STACK`) or to limits.
pub const STACK: usize = 8 << 20;

/// A thread with a stack of its own size.
pub fn thread() -> thread::Builder {
    thread::Builder::new().stack_size(STACK)
}

/// `f` of every item, in the order of the items, on at most `jobs` threads.
pub fn map<T: Sync, R: Send>(jobs: usize, items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if jobs <= 1 || items.len() <= 1 {
        return items.iter().map(f).collect();
    }
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    let work = || {
        let mut mine = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                break;
            };
            mine.push((at, f(item)));
        }
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        done.append(&mut mine);
    };
    on_threads(jobs.min(items.len()), &work);
    let mut results: Vec<Option<R>> = Vec::with_capacity(items.len());
    results.resize_with(items.len(), || None);
    for (at, result) in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        results[at] = Some(result);
    }
    results.into_iter().flatten().collect()
}

/// Does the same work on this thread and on others, `jobs` in all, until it is done everywhere.
/// Compiled once, whatever the work.
fn on_threads(jobs: usize, work: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        // A system without room for another thread gets by with fewer.
        let helpers: Vec<_> = (1..jobs)
            .map_while(|_| thread().spawn_scoped(scope, work).ok())
            .collect();
        work();
        for helper in helpers {
            if let Err(panic) = helper.join() {
                resume_unwind(panic);
            }
        }
    });
}

/// The same over runs of items, for items too small to be dealt one by one.
pub fn map_chunks<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    f: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    join(map_runs(jobs, items, |run| run.iter().map(&f).collect()))
}

/// `f` of every run of items, in order, where a run is put together better than its items. How
/// long the runs are depends on `jobs`: what is made of them together must not.
pub fn map_runs<T: Sync, R: Send>(
    jobs: usize,
    items: &[T],
    f: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    if jobs <= 1 || items.len() < 64 {
        return vec![f(items)];
    }
    let runs: Vec<&[T]> = items
        .chunks(items.len().div_ceil(jobs * 8).max(16))
        .collect();
    map(jobs, &runs, |run| f(run))
}

/// The parts of a list put together.
pub fn join<R>(parts: Vec<Vec<R>>) -> Vec<R> {
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_default();
    let rest = parts.as_slice().iter().map(Vec::len).sum();
    all.reserve_exact(rest);
    for mut part in parts {
        all.append(&mut part);
    }
    all
}

/// Results that [`in_order`] makes ahead of the one awaited, for each thread.
const AHEAD: usize = 8;

/// Makes the results of `0..count` on at most `jobs` threads and hands them over in order, on
/// this thread, as soon as each is there; few of them exist at a time.
///
/// # Errors
/// The first of `take`; nothing more is handed over.
pub fn in_order<R: Send, E>(
    jobs: usize,
    count: usize,
    make: impl Fn(usize) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    if jobs <= 1 || count <= 1 {
        return (0..count).try_for_each(|at| take(make(at)));
    }
    let next = AtomicUsize::new(0);
    let claim = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|at| *at < count);
    thread::scope(|scope| {
        let (done, results) = mpsc::sync_channel(AHEAD * jobs);
        for _ in 1..jobs.min(count) {
            let (done, claim, make) = (done.clone(), &claim, &make);
            // Boxed, so that a thread is compiled once.
            let work: Box<dyn FnOnce() + Send> = Box::new(move || {
                while let Some(at) = claim() {
                    if done.send((at, make(at))).is_err() {
                        return;
                    }
                }
            });
            if thread().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        drop(done);
        let mut early: BTreeMap<usize, R> = BTreeMap::new();
        for wanted in 0..count {
            let result = loop {
                early.extend(results.try_iter());
                if let Some(result) = early.remove(&wanted) {
                    break result;
                }
                // While one result is awaited, make others here, but no more than a few.
                let room = early.len() < AHEAD * jobs;
                if let Some(at) = room.then(claim).flatten() {
                    early.insert(at, make(at));
                } else if let Ok((at, result)) = results.recv() {
                    early.insert(at, result);
                } else {
                    // A helper panicked; the end of the scope passes that on.
                    return Ok(());
                }
            };
            take(result)?;
        }
        Ok(())
    })
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

    #[test]
    fn results_are_handed_over_in_order_until_one_fails() {
        for jobs in 1..5 {
            let mut taken = Vec::new();
            let ended = in_order(
                jobs,
                100,
                |at| at * 2,
                |result| {
                    taken.push(result);
                    if result == 120 { Err("enough") } else { Ok(()) }
                },
            );
            assert_eq!(ended, Err("enough"));
            assert_eq!(taken, (0..=60).map(|at| at * 2).collect::<Vec<_>>());
            assert_eq!(in_order(jobs, 0, |at| at, |_| Err(())), Ok(()));
        }
    }
}
