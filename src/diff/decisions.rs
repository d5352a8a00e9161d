//! The decisions of a plan, subject by subject.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::document::System;
use crate::kit::named::Name;
use crate::plan::kept;
use crate::plan::row::Rows;
use crate::plan::{Assignment, Plan, Row, Section};
use crate::systems;

/// Something that a plan decides about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The section of the plan that decides about it.
    pub section: Section,
    /// `package/application`, `namespace/name` of a placement or rule, a group's name,
    /// `path/region` of a region, `Kind/namespace/name` of a consumer of placements.
    pub name: String,
}

impl Subject {
    /// The subject of this name.
    #[must_use]
    pub fn new(section: Section, name: impl Into<String>) -> Self {
        Self {
            section,
            name: name.into(),
        }
    }

    /// The subject of a row.
    #[must_use]
    pub fn of(row: &Row<'_>) -> Self {
        Self::new(row.section, row.subject())
    }

    /// The system that decides about it.
    #[must_use]
    pub fn system(&self) -> System {
        self.section.system()
    }

    /// A consumer of placements: its kind, and its name with its namespace, if it has one.
    #[must_use]
    pub fn delivery(kind: &str, namespace: &str, name: &str) -> Self {
        let name = Name::new(namespace, name);
        Self::new(Section::Deliveries, format!("{kind}/{name}"))
    }

    /// Whether it is a consumer of placements.
    #[must_use]
    pub fn is_delivery(&self) -> bool {
        self.section == Section::Deliveries
    }
}

impl Ord for Subject {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |subject: &Self| subject.system().rank();
        (key(self), &self.name, self.section).cmp(&(key(other), &other.name, other.section))
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
    of_rows(systems::rows(plan))
}

/// The decisions of rows. What the hub makes of rules that Placements replaced is compared by what
/// reads them.
#[must_use]
pub fn of_rows(rows: Rows<'_>) -> Decisions {
    let rows = rows.filter(|row| row.section != Section::LegacyRules);
    let decided = rows.filter_map(|row| Some((Subject::of(&row), row.facts.now()?.into_owned())));
    // Made of all at once: they come nearly in order.
    let decided: Vec<(Subject, Assignment)> = decided.collect();
    decided.into_iter().collect()
}

/// Takes what an original leaves as it is for decided so: what fails keeps what it had before.
pub fn keep<'b>(decided: &mut Decisions, before: impl FnOnce() -> Rows<'b>, after: Rows<'_>) {
    let kept = kept::kept(before, after).into_iter();
    let kept = kept.filter(|one| one.section != Section::LegacyRules);
    decided.extend(kept.map(|one| {
        let name = Name::new(&one.namespace, &one.name);
        let name = match one.section {
            Section::Deliveries => format!("{}/{name}", one.kind),
            _ => name.to_string(),
        };
        let places = one.places.into_iter().map(Cow::Owned).collect();
        (
            Subject::new(one.section, name),
            Assignment::Decisions(places),
        )
    }));
}
