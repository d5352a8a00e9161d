//! Objects handed over field by field, and lists whose items are made only when they are written.

use serde::ser::{Serialize, SerializeMap, Serializer};

/// A list whose items are made one by one, on whichever thread writes them.
pub(super) trait Rows: Sync {
    /// How many items there are.
    fn len(&self) -> usize;

    /// The item at an index.
    fn row(&self, at: usize) -> impl Serialize;
}

/// Takes the fields of an object, one by one.
pub(super) trait Fields {
    /// Why a field could not be taken.
    type Error;

    /// Takes a field.
    fn field(&mut self, key: &'static str, value: &impl Serialize) -> Result<(), Self::Error>;

    /// Takes a field that is a list.
    fn rows(&mut self, key: &'static str, rows: &impl Rows) -> Result<(), Self::Error>;

    /// Takes a list that may be absent.
    fn some_rows(
        &mut self,
        key: &'static str,
        rows: Option<&impl Rows>,
    ) -> Result<(), Self::Error> {
        rows.map_or(Ok(()), |rows| self.rows(key, rows))
    }
}

/// Hands the fields to any serializer, list items in turn.
pub(super) struct InTurn<M>(pub(super) M);

impl<M: SerializeMap> Fields for InTurn<M> {
    type Error = M::Error;

    fn field(&mut self, key: &'static str, value: &impl Serialize) -> Result<(), M::Error> {
        self.0.serialize_entry(key, value)
    }

    fn rows(&mut self, key: &'static str, rows: &impl Rows) -> Result<(), M::Error> {
        self.0.serialize_entry(key, &List(rows))
    }
}

/// A list for any serializer, item by item.
pub(super) struct List<'r, R>(pub(super) &'r R);

impl<R: Rows> Serialize for List<'_, R> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq((0..self.0.len()).map(|at| self.0.row(at)))
    }
}

/// An object whose keys are data, in the order given.
pub(super) struct Pairs<K, V>(pub(super) Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Pairs<K, V> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}
