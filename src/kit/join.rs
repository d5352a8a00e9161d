//! Two computations at the same time.

use std::panic::resume_unwind;
use std::thread;

/// Two results computed side by side, the second on its own thread if `jobs` and the system allow
/// it.
pub fn join<A, B: Send>(
    jobs: usize,
    a: impl FnOnce() -> A,
    b: impl Fn() -> B + Send + Sync,
) -> (A, B) {
    if jobs <= 1 {
        return (a(), b());
    }
    thread::scope(|scope| {
        // Not left to the environment (`RUST_MIN_STACK`).
        let builder = thread::Builder::new().stack_size(8 << 20);
        let other = builder.spawn_scoped(scope, &b);
        let a = a();
        let b = match other {
            Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => b(),
        };
        (a, b)
    })
}
