//! The part of an answer that stays as it was although nothing decides it now.

use std::borrow::Cow;

/// A placement or rule that decides for a consumer: its kind, namespace and name.
pub type Way<'p> = [Cow<'p, str>; 3];

/// The part of an earlier answer that stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Keeps<'p> {
    /// Nothing.
    #[default]
    Nothing,
    /// All of it.
    All,
    /// The places that these ways gave.
    Ways(Vec<Way<'p>>),
}
