//! Two things worked out at the same time.

use std::panic::resume_unwind;
use std::thread;

/// Two answers worked out side by side, the second on a thread of its own if `jobs` allows it.
pub fn join<A, B: Send>(
    jobs: usize,
    a: impl FnOnce() -> A,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if jobs <= 1 {
        return (a(), b());
    }
    thread::scope(|scope| {
        let b = scope.spawn(b);
        let a = a();
        (a, b.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}
