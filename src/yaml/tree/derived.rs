//! Values derived from nodes and cached with their tree, which never changes.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The derived values, by the number of the node and their type.
#[derive(Debug, Default)]
pub(super) struct Derived(Mutex<BTreeMap<(u32, TypeId), Arc<dyn Any + Send + Sync>>>);

/// Values that were derived do not count when trees are compared.
impl PartialEq for Derived {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Derived {}

impl Derived {
    pub(super) fn get<T: Any + Send + Sync>(
        &self,
        number: u32,
        make: impl FnOnce() -> T,
    ) -> Arc<T> {
        let key = (number, TypeId::of::<T>());
        let all = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all().get(&key).cloned();
        if let Some(known) = known.and_then(|known| known.downcast().ok()) {
            return known;
        }
        let made = Arc::new(make());
        all().insert(key, Arc::<T>::clone(&made));
        made
    }
}
