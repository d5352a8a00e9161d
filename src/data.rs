//! Answers as data: objects written field by field, and lists whose items are made only when they
//! are written.

mod lines;

pub use lines::{Object, write};

use std::io;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use self::lines::Lines;

/// A list whose items are made one by one, on whichever thread writes them.
pub trait Rows: Sync {
    /// How many items there are.
    fn count(&self) -> usize;

    /// The item at an index.
    fn row(&self, at: usize) -> impl Serialize;
}

impl<R: Rows> Rows for &R {
    fn count(&self) -> usize {
        (**self).count()
    }

    fn row(&self, at: usize) -> impl Serialize {
        (**self).row(at)
    }
}

/// A part of an answer, under a key of its own: a value, or a list of rows.
pub struct Part<'p> {
    /// Its key.
    pub key: &'static str,
    form: Box<dyn Form + 'p>,
}

impl<'p> Part<'p> {
    /// A value.
    #[must_use]
    pub fn whole(key: &'static str, value: impl Serialize + Sync + 'p) -> Self {
        let form = Box::new(Whole(value));
        Self { key, form }
    }

    /// A list.
    #[must_use]
    pub fn rows(key: &'static str, rows: impl Rows + 'p) -> Self {
        let form = Box::new(List(rows));
        Self { key, form }
    }

    /// How many rows a list has; `None` if it is no list of rows.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        self.form.count()
    }

    /// The row at an index, or the whole value.
    #[must_use]
    pub fn value(&self, at: usize) -> Value {
        self.form.value(at)
    }

    /// All of it.
    #[must_use]
    pub fn all(&self) -> Value {
        match self.count() {
            Some(count) => (0..count).map(|at| self.value(at)).collect(),
            None => self.value(0),
        }
    }
}

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.count() {
            Some(count) => to.collect_seq((0..count).map(|at| self.form.raw(at))),
            None => self.value(0).serialize(to),
        }
    }
}

/// The form of a part, whatever it is made of.
trait Form: Sync {
    fn count(&self) -> Option<usize>;
    fn value(&self, at: usize) -> Value;
    /// The same as text, for any serializer.
    fn raw(&self, at: usize) -> Option<Box<RawValue>>;
    fn write(&self, at: usize, lines: Lines, to: &mut Vec<u8>) -> io::Result<()>;
}

struct Whole<T>(T);

impl<T: Serialize + Sync> Form for Whole<T> {
    fn count(&self) -> Option<usize> {
        None
    }

    fn value(&self, _: usize) -> Value {
        serde_json::to_value(&self.0).unwrap_or_default()
    }

    fn raw(&self, _: usize) -> Option<Box<RawValue>> {
        to_raw_value(&self.0).ok()
    }

    fn write(&self, _: usize, lines: Lines, to: &mut Vec<u8>) -> io::Result<()> {
        Ok(self.0.serialize(&mut lines.to(to))?)
    }
}

/// The rows of a list.
pub struct List<R>(pub R);

impl<R: Rows> Form for List<R> {
    fn count(&self) -> Option<usize> {
        Some(self.0.count())
    }

    fn value(&self, at: usize) -> Value {
        serde_json::to_value(self.0.row(at)).unwrap_or_default()
    }

    fn raw(&self, at: usize) -> Option<Box<RawValue>> {
        to_raw_value(&self.0.row(at)).ok()
    }

    fn write(&self, at: usize, lines: Lines, to: &mut Vec<u8>) -> io::Result<()> {
        Ok(self.0.row(at).serialize(&mut lines.to(to))?)
    }
}

impl<R: Rows> Serialize for List<R> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq((0..self.0.count()).map(|at| self.0.row(at)))
    }
}

/// Takes the fields of an object, one by one.
pub trait Fields {
    /// Why a field could not be taken.
    type Error;

    /// Takes a field.
    ///
    /// # Errors
    /// Those of the writer.
    fn field(&mut self, key: &'static str, value: &impl Serialize) -> Result<(), Self::Error>;

    /// Takes a part of an answer.
    ///
    /// # Errors
    /// Those of the writer.
    fn part(&mut self, part: &Part<'_>) -> Result<(), Self::Error>;
}

/// Hands the fields to any serializer, list items in turn.
pub struct InTurn<M>(pub M);

impl<M: SerializeMap> Fields for InTurn<M> {
    type Error = M::Error;

    fn field(&mut self, key: &'static str, value: &impl Serialize) -> Result<(), M::Error> {
        self.0.serialize_entry(key, value)
    }

    fn part(&mut self, part: &Part<'_>) -> Result<(), M::Error> {
        self.0.serialize_entry(part.key, part)
    }
}

/// Gathers the fields.
impl Fields for Map<String, Value> {
    type Error = serde_json::Error;

    fn field(&mut self, key: &'static str, value: &impl Serialize) -> serde_json::Result<()> {
        self.insert(key.to_owned(), serde_json::to_value(value)?);
        Ok(())
    }

    fn part(&mut self, part: &Part<'_>) -> serde_json::Result<()> {
        self.insert(part.key.to_owned(), part.all());
        Ok(())
    }
}

/// An object whose keys are data, in the order given.
pub struct Pairs<K, V>(pub Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Pairs<K, V> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// A row, and the names of what is missing for it.
pub struct Marked<R> {
    /// The row.
    pub row: R,
    /// The names.
    pub without: Vec<String>,
}

impl<R: Serialize> Serialize for Marked<R> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Form<'r, R> {
            #[serde(flatten)]
            row: &'r R,
            without: &'r [String],
        }
        if self.without.is_empty() {
            self.row.serialize(to)
        } else {
            Form {
                row: &self.row,
                without: &self.without,
            }
            .serialize(to)
        }
    }
}
