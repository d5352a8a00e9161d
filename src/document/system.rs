//! The five systems.

/// A row for each system, in the order in which a name is looked up: its place in the order in
/// which the systems of a site are deployed, its name, and its name for people.
macro_rules! systems {
    ($($(#[$about:meta])* $system:ident $rank:literal $name:literal $title:literal;)*) => {
        /// The five systems.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum System {
            $($(#[$about])* $system,)*
        }

        impl System {
            /// All of them, in the order in which a name is looked up.
            pub const ALL: [Self; [$($rank),*].len()] = [$(Self::$system),*];

            /// Its place in the order in which the systems of a site are deployed.
            #[must_use]
            pub fn rank(self) -> u8 {
                match self {
                    $(Self::$system => $rank,)*
                }
            }

            /// The name used in code, areas of diagnostics and prefixes of subjects.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$system => $name,)*
                }
            }

            /// Its name for people.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$system => $title,)*
                }
            }
        }
    };
}

systems! {
    /// Ori Global Cloud packages and applications.
    Ogc 4 "ogc" "OGC packages and applications";
    /// Open Cluster Management placements.
    Ocm 2 "ocm" "Open Cluster Management";
    /// IBM hybrid placement rules.
    Hybrid 3 "hybrid" "hybrid placement rules";
    /// Airship deployment strategies.
    Airship 0 "airship" "Airship";
    /// Senlin region placement.
    Senlin 1 "senlin" "Senlin";
}
