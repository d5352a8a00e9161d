//! What can lose clusters, and what it loses.

use std::collections::BTreeSet;

/// What reaches clusters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Subject {
    /// Its kind.
    pub kind: String,
    /// Its namespace, empty without one.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The clusters that it has.
    pub clusters: BTreeSet<String>,
    /// The placements by which it has them: namespace and name.
    pub via: Vec<(String, String)>,
}

impl Subject {
    /// What tells it from others.
    #[must_use]
    pub fn key(&self) -> (&str, &str, &str) {
        (&self.kind, &self.namespace, &self.name)
    }

    /// `Placement shop/web`.
    #[must_use]
    pub fn called(&self) -> String {
        match self.namespace.as_str() {
            "" => format!("{} {}", self.kind, self.name),
            namespace => format!("{} {namespace}/{}", self.kind, self.name),
        }
    }
}

/// What one subject loses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// The subject as it was.
    pub before: Subject,
    /// The clusters that it has no more.
    pub removed: BTreeSet<String>,
    /// How many clusters it has now.
    pub left: usize,
    /// Whether it is not there any more.
    pub gone: bool,
}
