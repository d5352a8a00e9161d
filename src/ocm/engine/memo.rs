//! Answers given so far, shared by all who ask.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;

/// The answer to each question asked so far. The first to ask works it out; who asks the same
/// memory meanwhile waits, so that nothing is worked out twice.
#[derive(Debug)]
pub struct Memo<K, V>(RwLock<FxHashMap<K, V>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// The answer to a question; `answer` works it out and must not ask this memory itself.
    pub fn get<Q>(&self, question: &Q, answer: impl FnOnce() -> V) -> V
    where
        K: Borrow<Q>,
        Q: ?Sized + Eq + Hash + ToOwned<Owned = K>,
    {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = known.get(question) {
            return answer.clone();
        }
        drop(known);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Another one may have asked meanwhile.
        if let Some(answer) = known.get(question) {
            return answer.clone();
        }
        let answer = answer();
        known.insert(question.to_owned(), answer.clone());
        answer
    }
}
