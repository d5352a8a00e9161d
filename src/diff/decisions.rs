//! What a plan decides, subject by subject.

use std::collections::BTreeMap;

use crate::document::System;
use crate::plan::{Assignment, Plan};
use crate::systems;

/// Something that a plan decides about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Whose it is.
    pub system: System,
    /// `package/application`, `namespace/name` of a placement or rule, a group's name,
    /// `path/region` of a region, `Kind/namespace/name` of a consumer of placements.
    pub name: String,
}

impl Subject {
    /// The subject of this name.
    #[must_use]
    pub fn new(system: System, name: impl Into<String>) -> Self {
        Self {
            system,
            name: name.into(),
        }
    }

    /// A consumer of placements: its kind, and its name with its namespace, if it has one.
    #[must_use]
    pub fn delivery(kind: &str, namespace: &str, name: &str) -> Self {
        let name = match namespace {
            "" => format!("{kind}/{name}"),
            namespace => format!("{kind}/{namespace}/{name}"),
        };
        Self::new(System::Ocm, name)
    }

    /// Whether it is a consumer of placements: no namespace begins like a kind.
    #[must_use]
    pub fn is_delivery(&self) -> bool {
        self.system == System::Ocm && self.name.starts_with(|c: char| c.is_ascii_uppercase())
    }
}

impl Ord for Subject {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.system.rank(), &self.name).cmp(&(other.system.rank(), &other.name))
    }
}

impl PartialOrd for Subject {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// All decisions of a plan.
pub type Decisions = BTreeMap<Subject, Assignment>;

/// The decisions of a plan.
#[must_use]
pub fn decisions(plan: &Plan<'_, '_>) -> Decisions {
    let mut all: Vec<(Subject, Assignment)> = Vec::new();
    for system in systems::all() {
        let decided = system.decided(plan).into_iter();
        let subject = |name| Subject::new(system.system(), name);
        all.extend(decided.map(|(name, decided)| (subject(name), decided)));
    }
    if let Some(deliveries) = &plan.deliveries {
        for row in &deliveries.rows {
            let names = deliveries.ground.names.of(&row.clusters);
            let names = names.into_iter().map(str::to_owned).collect();
            let subject = Subject::delivery(row.id.kind, row.id.namespace, row.id.name);
            all.push((subject, Assignment::Decisions(names)));
        }
    }
    // Made of all at once: they come nearly in order.
    all.into_iter().collect()
}
