//! What a plan decides about one subject.

/// What is decided about a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Assignment {
    /// An application's cluster, if there is one for it.
    Cluster(Option<String>),
    /// The decisions of a placement or rule, as a set, sorted.
    Decisions(Vec<String>),
    /// A deployment group.
    Group {
        /// Its position in the order, from 1.
        position: usize,
        /// Its nodes, sorted.
        nodes: Vec<String>,
        /// What it is judged by, in words: whether it is critical, what it waits for, its
        /// criteria, and that it fails even if every node succeeds. Empty where that is not known.
        terms: Vec<String>,
    },
    /// How many nodes a region has afterwards.
    Count(i128),
}

impl Assignment {
    /// Decisions in any order.
    #[must_use]
    pub fn decisions(names: impl Iterator<Item = String>) -> Self {
        let mut names: Vec<String> = names.collect();
        names.sort();
        Self::Decisions(names)
    }
}
