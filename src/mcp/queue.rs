//! The requests that wait for the worker, and those that are cancelled.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::wire::Request;

/// Bytes of requests that may wait; a reader that has more waits itself.
const MOST: usize = 64 << 20;

/// Requests in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Request>,
    bytes: usize,
    /// The ids of requests that are waited for: neither answered nor cancelled.
    live: BTreeSet<String>,
    ended: bool,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request.
    ///
    /// # Errors
    /// Its id, where another request of that id is not answered yet.
    pub(super) fn push(&self, request: Request) -> Result<(), Value> {
        let mut state = self.state();
        while state.bytes > MOST && !state.waiting.is_empty() && !state.ended {
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if !state.live.insert(request.id.to_string()) {
            return Err(request.id);
        }
        state.bytes += request.bytes;
        state.waiting.push_back(request);
        self.changed.notify_all();
        Ok(())
    }

    /// The next request that is still wanted; nothing once all are answered and no more follow.
    pub(super) fn next(&self) -> Option<Request> {
        let mut state = self.state();
        loop {
            while let Some(request) = state.waiting.pop_front() {
                state.bytes -= request.bytes;
                self.changed.notify_all();
                if state.live.contains(&request.id.to_string()) {
                    return Some(request);
                }
            }
            if state.ended {
                return None;
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes a request for done. Gives whether its answer is still wanted.
    pub(super) fn finish(&self, id: &Value) -> bool {
        self.state().live.remove(&id.to_string())
    }

    /// Says that no more requests follow.
    pub(super) fn end(&self) {
        self.state().ended = true;
        self.changed.notify_all();
    }
}
