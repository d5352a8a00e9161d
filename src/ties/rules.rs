//! Codes of what ties systems to one another.

use crate::diagnostic::{Rule, Severity};

/// A deployment group brings up nodes of a Cluster on which nothing is planned.
pub static IDLE_CLUSTER: Rule = Rule {
    code: "planner::site::idle_cluster",
    summary: "a deployment group brings up nodes of a Cluster on which nothing is planned",
    severity: Severity::Note,
    docs: include_str!("rules/idle_cluster.md"),
};

/// An Application is planned on a cluster that the Placement of its Package does not choose.
pub static OUTSIDE_PLACEMENT: Rule = Rule {
    code: "planner::site::outside_placement",
    summary: "an Application is planned on a cluster that the Placement of its Package does not choose",
    severity: Severity::Warning,
    docs: include_str!("rules/outside_placement.md"),
};

/// A Placement chooses a cluster of whose nodes none is in a deployment group.
pub static TWIN_NOT_DEPLOYED: Rule = Rule {
    code: "planner::site::twin_not_deployed",
    summary: "a Placement chooses a cluster of whose nodes none is in a deployment group",
    severity: Severity::Warning,
    docs: include_str!("rules/twin_not_deployed.md"),
};

/// A Placement chooses a cluster that is not Up as a Cluster of Packages.
pub static TWIN_NOT_UP: Rule = Rule {
    code: "planner::site::twin_not_up",
    summary: "a Placement chooses a cluster that is not Up as a Cluster of Packages",
    severity: Severity::Warning,
    docs: include_str!("rules/twin_not_up.md"),
};

/// A Package keeps to a Placement that is not there.
pub static UNKNOWN_PLACEMENT: Rule = Rule {
    code: "planner::site::unknown_placement",
    summary: "a Package keeps to a Placement that is not there",
    severity: Severity::Warning,
    docs: include_str!("rules/unknown_placement.md"),
};

/// A region policy places nodes in a region that no cluster carries as a label.
pub static UNLABELLED_REGION: Rule = Rule {
    code: "planner::site::unlabelled_region",
    summary: "a region policy places nodes in a region that no cluster carries as a label",
    severity: Severity::Warning,
    docs: include_str!("rules/unlabelled_region.md"),
};

/// The codes of this module.
pub static RULES: &[&Rule] = &[
    &IDLE_CLUSTER,
    &OUTSIDE_PLACEMENT,
    &TWIN_NOT_DEPLOYED,
    &TWIN_NOT_UP,
    &UNKNOWN_PLACEMENT,
    &UNLABELLED_REGION,
];
