//! The fields of a row that only a replica set of works has.

use crate::delivery::id::Id;

/// The fields that only a replica set of works has.
#[derive(Debug, Clone, Default)]
pub struct About<'a> {
    /// Its place in the hub's replica sets.
    pub set: usize,
    /// Whether what is removed stays on its cluster.
    pub orphan: bool,
    /// The place among the refs of the first placement that does not exist.
    pub missing: Option<usize>,
    /// The places among the refs of those that stay as they are.
    pub kept: Vec<usize>,
    /// Works on clusters that are not decided any more, which are never deleted.
    pub stays: Vec<Id<'a>>,
    /// Whether its name and namespace cannot be a label's value.
    pub bad_name: bool,
}
