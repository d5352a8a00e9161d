//! What a plan puts at stake: what moves, what is withdrawn, what is lost.

/// What a plan changes that is there already, by name, in the order of the plan.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stake {
    /// Applications that go to another Cluster.
    pub moved: Vec<String>,
    /// Applications that are in their Package no longer.
    pub withdrawn: Vec<String>,
    /// Clusters that a Placement selects no longer, with the Placement.
    pub deselected: Vec<String>,
    /// PlacementRules that take back decisions.
    pub taken_back: Vec<String>,
    /// Clusters that lose their last Application.
    pub emptied: Vec<String>,
    /// Consumers of placements that leave some of their clusters, with those.
    pub leaving: Vec<String>,
    /// Consumers of placements that reach no cluster any more.
    pub unreached: Vec<String>,
    /// Regions that lose nodes, with their number.
    pub shrunk: Vec<String>,
    /// How many nodes these are.
    pub deleted: i128,
    /// Volumes that stay on a Cluster that their Application leaves.
    pub left_behind: Vec<String>,
}

impl Stake {
    /// Whether something is lost that planning again does not bring back.
    #[must_use]
    pub fn loses(&self) -> bool {
        self.deleted > 0
            || ![&self.withdrawn, &self.unreached, &self.left_behind]
                .iter()
                .all(|names| names.is_empty())
    }
}
