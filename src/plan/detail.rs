//! The details of a row, in one vocabulary for all sections.

use std::borrow::Cow;

use super::Mark;

/// The rows of one table; further ones are counted.
const ROWS: usize = 100;

/// A file, and the line where it is known.
pub type Place<'v> = (&'v str, Option<usize>);

/// A text, and where it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said<'v> {
    /// The text.
    pub text: Cow<'v, str>,
    /// The place.
    pub at: Option<Place<'v>>,
}

impl<'v> Said<'v> {
    /// A text with its place.
    pub fn at(text: impl Into<Cow<'v, str>>, at: Option<Place<'v>>) -> Self {
        let text = text.into();
        Self { text, at }
    }
}

impl<'v, T: Into<Cow<'v, str>>> From<T> for Said<'v> {
    fn from(text: T) -> Self {
        Self::at(text, None)
    }
}

/// One detail of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detail<'v> {
    /// A text under each label; one that says nothing is not shown.
    Fields(Vec<(&'v str, Said<'v>)>),
    /// A table; one without rows is not shown.
    Table(Table<'v>),
    /// A paragraph.
    Note(Said<'v>),
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table<'v> {
    /// The noun for a row.
    pub noun: &'static str,
    /// The title; `{}` stands for the name of the thing.
    pub title: &'static str,
    /// The heads: `#` is over figures, `@` is only read aloud.
    pub heads: Vec<Cow<'v, str>>,
    /// The first rows.
    pub rows: Vec<Vec<Cell<'v>>>,
    /// How many rows are left out.
    pub left_out: usize,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell<'v> {
    /// How the thing of the row changes.
    Mark(Mark),
    /// The name of the thing.
    Name(Cow<'v, str>),
    /// A text.
    Text(Said<'v>),
    /// A failure.
    Failed(Cow<'v, str>),
    /// A number.
    Figure(Cow<'v, str>),
    /// A part of a whole, and the most that it may be.
    Bar(u64, u64, Option<u64>),
}

impl<'v, T: Into<Said<'v>>> From<T> for Cell<'v> {
    fn from(text: T) -> Self {
        Self::Text(text.into())
    }
}

/// A table with a row for each item, made column by column.
pub struct Columns<'v, T> {
    items: Vec<T>,
    table: Table<'v>,
}

impl<'v, T: Copy> Columns<'v, T> {
    /// A table without columns.
    pub fn of(noun: &'static str, title: &'static str, items: impl IntoIterator<Item = T>) -> Self {
        let mut all = items.into_iter();
        let items: Vec<T> = all.by_ref().take(ROWS).collect();
        let table = Table {
            noun,
            title,
            heads: Vec::new(),
            rows: items.iter().map(|_| Vec::new()).collect(),
            left_out: all.count(),
        };
        Self { items, table }
    }

    /// Adds a column.
    #[must_use]
    pub fn with<C: Into<Cell<'v>>>(
        mut self,
        head: impl Into<Cow<'v, str>>,
        cell: impl Fn(T) -> C,
    ) -> Self {
        self.table.heads.push(head.into());
        for (row, item) in self.table.rows.iter_mut().zip(&self.items) {
            row.push(cell(*item).into());
        }
        self
    }

    /// The table.
    #[must_use]
    pub fn end(self) -> Detail<'v> {
        Detail::Table(self.table)
    }
}
