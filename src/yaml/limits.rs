//! Limits of reading: everything that can grow has one.

/// Limits of one run; set in `planner.toml` `[limits]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Levels of nesting in one document, at most [`Limits::MAX_DEPTH`].
    pub depth: usize,
    /// Nodes of one file.
    pub nodes: usize,
    /// Nodes that the aliases and merge keys of one document may add.
    pub alias_nodes: usize,
    /// Documents of one run.
    pub documents: usize,
}

impl Limits {
    /// The deepest nesting that may be set.
    pub const MAX_DEPTH: usize = 512;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 512 << 20,
            depth: 128,
            nodes: 50_000_000,
            alias_nodes: 1_000_000,
            documents: 2_000_000,
        }
    }
}
