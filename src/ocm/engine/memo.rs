//! Answers given so far, shared by all callers.

use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;

/// The answer to each question so far. The first thread that asks computes it, and others wait, so
/// that nothing is computed twice. If there are too many large answers to keep, later ones are
/// computed again.
#[derive(Debug)]
pub struct Memo<K, V> {
    known: RwLock<FxHashMap<K, V>>,
    most: usize,
}

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self::of(usize::MAX)
    }
}

impl<K, V> Memo<K, V> {
    /// Keeps so many answers.
    pub fn of(most: usize) -> Self {
        Self {
            known: RwLock::default(),
            most,
        }
    }
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// The answer to a question; `answer` works it out and must not ask this memory itself.
    pub fn get<Q>(&self, question: &Q, answer: impl FnOnce() -> V) -> V
    where
        K: Borrow<Q>,
        Q: ?Sized + Eq + Hash + ToOwned<Owned = K>,
    {
        if let Some(answer) = self.known(question) {
            return answer;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        // Another one may have asked meanwhile.
        if let Some(answer) = known.get(question) {
            return answer.clone();
        }
        if known.len() >= self.most {
            drop(known);
            return answer();
        }
        let answer = answer();
        known.insert(question.to_owned(), answer.clone());
        answer
    }

    /// Like [`Memo::get`], without a lock while `answer` works: a slow answer keeps no other
    /// question waiting, but two threads may work out the same one.
    pub fn get_beside<Q>(&self, question: &Q, answer: impl FnOnce() -> V) -> V
    where
        K: Borrow<Q>,
        Q: ?Sized + Eq + Hash + ToOwned<Owned = K>,
    {
        self.known(question).unwrap_or_else(|| {
            let answer = answer();
            self.get(question, || answer)
        })
    }

    fn known<Q>(&self, question: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: ?Sized + Eq + Hash,
    {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(question).cloned()
    }
}
