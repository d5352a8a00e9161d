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

/// A list whose items are made one by one, by the thread that writes them.
pub trait Rows: Sync {
    /// How many items there are.
    fn count(&self) -> usize;

    /// The item at an index.
    fn row(&self, at: usize) -> impl Serialize;
}

/// A part of an answer, under a key of its own: a value, or a list of rows.
pub struct Part<'p> {
    /// Its key.
    pub key: &'static str,
    is_list: bool,
    rows: Box<dyn AnyRows + 'p>,
}

impl<'p> Part<'p> {
    /// A value.
    #[must_use]
    pub fn whole(key: &'static str, value: impl Serialize + Sync + 'p) -> Self {
        Self {
            key,
            is_list: false,
            rows: Box::new(Whole(value)),
        }
    }

    /// A list.
    #[must_use]
    pub fn rows(key: &'static str, rows: impl Rows + 'p) -> Self {
        Self {
            key,
            is_list: true,
            rows: Box::new(rows),
        }
    }

    /// How many rows a list has; `None` if it is no list of rows.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        self.is_list.then(|| self.rows.number())
    }

    /// The row at an index; of a value, the value.
    #[must_use]
    pub fn value(&self, at: usize) -> Value {
        self.rows.value(at)
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
            Some(count) => to.collect_seq((0..count).map(|at| self.rows.raw(at))),
            None => self.value(0).serialize(to),
        }
    }
}

/// A value as the only row.
struct Whole<T>(T);

impl<T: Serialize + Sync> Rows for Whole<T> {
    fn count(&self) -> usize {
        1
    }

    fn row(&self, _: usize) -> impl Serialize {
        &self.0
    }
}

/// Rows of any type.
trait AnyRows: Sync {
    fn number(&self) -> usize;
    fn value(&self, at: usize) -> Value;
    /// A row as JSON text, which is written in half the time of a value.
    fn raw(&self, at: usize) -> Option<Box<RawValue>>;
    fn write(&self, at: usize, lines: Lines, to: &mut Vec<u8>) -> io::Result<()>;
}

impl<R: Rows> AnyRows for R {
    fn number(&self) -> usize {
        self.count()
    }

    fn value(&self, at: usize) -> Value {
        serde_json::to_value(self.row(at)).unwrap_or_default()
    }

    fn raw(&self, at: usize) -> Option<Box<RawValue>> {
        to_raw_value(&self.row(at)).ok()
    }

    fn write(&self, at: usize, lines: Lines, to: &mut Vec<u8>) -> io::Result<()> {
        Ok(self.row(at).serialize(&mut lines.to(to))?)
    }
}

/// Takes the fields of an object, one by one.
pub trait Fields {
    /// Why a field could not be taken.
    type Error;

    /// Takes a field.
    ///
    /// # Errors
    /// Any error from the writer.
    fn field(&mut self, key: &'static str, value: &impl Serialize) -> Result<(), Self::Error>;

    /// Takes a part of an answer.
    ///
    /// # Errors
    /// Any error from the writer.
    fn part(&mut self, part: &Part<'_>) -> Result<(), Self::Error>;
}

/// Passes the fields on to a serializer.
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

/// Collects the fields.
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

/// An object with arbitrary keys, in the order given.
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
