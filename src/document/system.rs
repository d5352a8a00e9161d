//! The five systems.

/// The five systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum System {
    /// Ori Global Cloud packages and applications.
    Ogc,
    /// Open Cluster Management placements.
    Ocm,
    /// IBM hybrid placement rules.
    Hybrid,
    /// Airship deployment strategies.
    Airship,
    /// Senlin region placement.
    Senlin,
}

impl System {
    /// All of them, in the order in which a name is looked up.
    pub const ALL: [Self; 5] = [
        Self::Ogc,
        Self::Ocm,
        Self::Hybrid,
        Self::Airship,
        Self::Senlin,
    ];

    /// Its place in the order in which the systems of a site are deployed.
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::Airship => 0,
            Self::Senlin => 1,
            Self::Ocm => 2,
            Self::Hybrid => 3,
            Self::Ogc => 4,
        }
    }

    /// The name used in code, areas of diagnostics and prefixes of subjects.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ogc => "ogc",
            Self::Ocm => "ocm",
            Self::Hybrid => "hybrid",
            Self::Airship => "airship",
            Self::Senlin => "senlin",
        }
    }

    /// Its name for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Ogc => "OGC packages and applications",
            Self::Ocm => "Open Cluster Management",
            Self::Hybrid => "hybrid placement rules",
            Self::Airship => "Airship",
            Self::Senlin => "Senlin",
        }
    }
}
