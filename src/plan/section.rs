//! The sections of a plan that have rows, and what is constant about each.

use crate::document::System;

/// A section of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// Deployment groups.
    Groups,
    /// The regions of Senlin clusters.
    Regions,
    /// Placements.
    Placements,
    /// The consumers of placements.
    Deliveries,
    /// The PlacementRules that Placements replaced.
    LegacyRules,
    /// Hybrid placement rules.
    Rules,
    /// Applications of Packages.
    Applications,
}

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One place, or none.
    Place,
    /// Any number of places.
    Places,
    /// A deployment group.
    Group,
    /// A number.
    Count,
}

/// The constants of a section.
#[derive(Debug)]
pub struct Info {
    section: Section,
    key: &'static str,
    system: System,
    /// The form of its answers.
    pub form: Form,
    /// The noun for one of its rows.
    pub noun: &'static str,
    /// The noun for one of its places.
    pub place: &'static str,
    /// The noun for what fails in it, where failures are counted by themselves.
    pub failing: Option<&'static str>,
    /// Whether the rows of one namespace are decided together, so that `planner why` takes the name
    /// of the namespace.
    pub decides_together: bool,
}

/// Placements, and what the constants of most sections are.
const PLACEMENTS: Info = Info {
    section: Section::Placements,
    key: "placements",
    system: System::Ocm,
    form: Form::Places,
    noun: "Placement",
    place: "cluster",
    failing: None,
    decides_together: false,
};

/// The sections, in the order in which a site comes up.
const SECTIONS: [Info; 7] = [
    Info {
        section: Section::Groups,
        key: "deploymentStrategy",
        system: System::Airship,
        form: Form::Group,
        noun: "group",
        ..PLACEMENTS
    },
    Info {
        section: Section::Regions,
        key: "regionPlacements",
        system: System::Senlin,
        form: Form::Count,
        noun: "Region",
        place: "region",
        failing: Some("action"),
        decides_together: true,
    },
    Info {
        failing: Some("Placement"),
        ..PLACEMENTS
    },
    Info {
        section: Section::Deliveries,
        key: "deliveries",
        noun: "delivery",
        ..PLACEMENTS
    },
    Info {
        section: Section::LegacyRules,
        key: "legacyRules",
        noun: "PlacementRule",
        ..PLACEMENTS
    },
    Info {
        section: Section::Rules,
        key: "placementRules",
        system: System::Hybrid,
        noun: "PlacementRule",
        place: "decision",
        failing: Some("PlacementRule"),
        ..PLACEMENTS
    },
    // The total of Applications counts those without a Cluster.
    Info {
        section: Section::Applications,
        key: "applications",
        system: System::Ogc,
        form: Form::Place,
        noun: "Application",
        place: "Cluster",
        ..PLACEMENTS
    },
];

impl Section {
    /// All sections, in the order in which a site comes up.
    pub const ALL: [Self; SECTIONS.len()] = {
        let mut all = [Self::Groups; SECTIONS.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = SECTIONS[at].section;
            at += 1;
        }
        all
    };

    /// Its constants.
    #[must_use]
    pub const fn info(self) -> &'static Info {
        &SECTIONS[self as usize]
    }

    /// Its key in a plan as data.
    #[must_use]
    pub const fn key(self) -> &'static str {
        self.info().key
    }

    /// The system that makes it.
    #[must_use]
    pub const fn system(self) -> System {
        self.info().system
    }

    /// The section of the decisions that a system makes itself: its first one.
    #[must_use]
    pub fn of(system: System) -> Self {
        let mut own = SECTIONS.iter().filter(|info| info.system == system);
        own.next().map_or(Self::Groups, |info| info.section)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_section_has_its_row_and_each_system_a_section() {
        for section in Section::ALL {
            assert_eq!(section.info().section, section);
        }
        for system in System::ALL {
            assert_eq!(Section::of(system).system(), system);
        }
    }
}
