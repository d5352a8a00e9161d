//! The fields of a row that only an ApplicationSet has.

use super::argo::generate::{Failure, Notes};
use super::argo::run::{Left, Odd};
use crate::source::Place;

/// The fields that only an ApplicationSet has.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// Where it is in the model.
    pub set: usize,
    /// How many Applications are made.
    pub applications: usize,
    /// How many of them have a name that is not known.
    pub nameless: usize,
    /// The notes made while its generators ran.
    pub notes: Notes,
    /// Why it is left as it is.
    pub failure: Option<Failure>,
    /// The Applications that are dropped.
    pub left: Vec<Left>,
    /// The oddities found, each with its place.
    pub odd: Vec<(Odd, Place)>,
    /// How many Applications, which nobody pulls, go to the cluster that Argo CD runs on.
    pub here: usize,
}
