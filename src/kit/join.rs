//! Two things worked out at the same time.

use std::panic::resume_unwind;
use std::thread;

/// Two answers worked out side by side, the second on a thread of its own if `jobs` and the system
/// allow it.
pub fn join<A, B: Send>(
    jobs: usize,
    a: impl FnOnce() -> A,
    b: impl Fn() -> B + Send + Sync,
) -> (A, B) {
    if jobs <= 1 {
        return (a(), b());
    }
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, &b);
        let a = a();
        let b = match other {
            Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => b(),
        };
        (a, b)
    })
}
