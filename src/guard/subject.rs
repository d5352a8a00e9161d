//! The subjects that can lose places, and their losses.

use std::collections::BTreeSet;

use crate::kit::named::Name;
use crate::plan::Section;

/// A consumer that reaches clusters, or a subject with another kind of place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The section of the plan that decides about it.
    pub section: Section,
    /// Its kind.
    pub kind: String,
    /// Its namespace, empty without one.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The clusters that it has; of region placements regions, of hybrid rules decisions. A
    /// Placement or PlacementRule with consumers has none of its own: they lose them.
    pub clusters: BTreeSet<String>,
    /// The placements by which it has them: namespace and name.
    pub via: Vec<(String, String)>,
}

impl Subject {
    /// The kind, namespace and name that identify it.
    #[must_use]
    pub fn key(&self) -> (&str, &str, &str) {
        (&self.kind, &self.namespace, &self.name)
    }

    /// `Placement shop/web`.
    #[must_use]
    pub fn called(&self) -> String {
        let name = Name::new(&self.namespace, &self.name);
        if self.section.info().decides_together {
            name.to_string()
        } else {
            format!("{} {name}", self.kind)
        }
    }

    /// One of its places.
    #[must_use]
    pub fn place(&self) -> &'static str {
        self.section.info().place
    }
}

/// The loss of one subject.
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
