//! The semantic rules of OGC sites: what is refused, and what is worth a warning.

mod check;
mod planned;
mod review;

pub(crate) use check::{check_cluster, check_model, check_rules, twice};
pub use planned::findings;
pub(crate) use review::review;

use crate::diagnostic::{Rule, Severity};

const fn rule(
    code: &'static str,
    severity: Severity,
    summary: &'static str,
    docs: &'static str,
) -> Rule {
    Rule {
        code,
        summary,
        severity,
        docs,
    }
}

/// A name that is not an RFC 1123 label.
pub static BAD_NAME: Rule = rule(
    "planner::ogc::bad_name",
    Severity::Error,
    "a name that is not an RFC 1123 label",
    include_str!("bad_name.md"),
);

/// An amount that is not an unsigned Kubernetes quantity.
pub static BAD_QUANTITY: Rule = rule(
    "planner::ogc::bad_quantity",
    Severity::Error,
    "an amount that is not an unsigned Kubernetes quantity",
    include_str!("bad_quantity.md"),
);

/// `replicas` that is not a whole number of at least 1.
pub static BAD_REPLICAS: Rule = rule(
    "planner::ogc::bad_replicas",
    Severity::Error,
    "`replicas` that is not a whole number of at least 1",
    include_str!("bad_replicas.md"),
);

/// A time that is not RFC 3339.
pub static BAD_TIME: Rule = rule(
    "planner::ogc::bad_time",
    Severity::Error,
    "a time that is not RFC 3339",
    include_str!("bad_time.md"),
);

/// A Cluster that may have been meant to be Up, but is not.
pub static CLUSTER_STATUS: Rule = rule(
    "planner::ogc::cluster_status",
    Severity::Warning,
    "a Cluster that may have been meant to be Up, but is not",
    include_str!("cluster_status.md"),
);

/// A Cluster without a creation time, which counts as the youngest.
pub static CLUSTER_WITHOUT_AGE: Rule = rule(
    "planner::ogc::cluster_without_age",
    Severity::Warning,
    "a Cluster without a creation time, which counts as the youngest",
    include_str!("cluster_without_age.md"),
);

/// A Cluster assigned to no Project, which is never used.
pub static CLUSTER_WITHOUT_PROJECT: Rule = rule(
    "planner::ogc::cluster_without_project",
    Severity::Warning,
    "a Cluster assigned to no Project, which is never used",
    include_str!("cluster_without_project.md"),
);

/// Rules of one key that no Cluster can satisfy together.
pub static CONTRADICTORY_RULES: Rule = rule(
    "planner::ogc::contradictory_rules",
    Severity::Warning,
    "rules of one key that no Cluster can satisfy together",
    include_str!("contradictory_rules.md"),
);

/// More than one MinOf or MaxOf on one Package or Application.
pub static DUPLICATE_EXTREMUM: Rule = rule(
    "planner::ogc::duplicate_extremum",
    Severity::Error,
    "more than one MinOf or MaxOf on one Package or Application",
    include_str!("duplicate_extremum.md"),
);

/// Two objects of one kind and name.
pub static DUPLICATE_IDENTITY: Rule = rule(
    "planner::ogc::duplicate_identity",
    Severity::Error,
    "two objects of one kind and name",
    include_str!("duplicate_identity.md"),
);

/// An Application listed twice in one Deployment.
pub static DUPLICATE_WORKLOAD: Rule = rule(
    "planner::ogc::duplicate_workload",
    Severity::Error,
    "an Application listed twice in one Deployment",
    include_str!("duplicate_workload.md"),
);

/// A mount without exactly one source.
pub static MOUNT_SOURCE: Rule = rule(
    "planner::ogc::mount_source",
    Severity::Error,
    "a mount without exactly one source",
    include_str!("mount_source.md"),
);

/// A Cluster chosen although no Node of it has both the CPU and the memory.
pub static NO_SINGLE_NODE: Rule = rule(
    "planner::ogc::no_single_node",
    Severity::Warning,
    "a Cluster chosen although no Node of it has both the CPU and the memory",
    include_str!("no_single_node.md"),
);

/// A Node that does not say what it has, which counts as nothing.
pub static NODE_WITHOUT_FIGURES: Rule = rule(
    "planner::ogc::node_without_figures",
    Severity::Warning,
    "a Node that does not say what it has, which counts as nothing",
    include_str!("node_without_figures.md"),
);

/// A label that MinOf or MaxOf looks at and that is not an integer.
pub static NON_INTEGER_LABEL: Rule = rule(
    "planner::ogc::non_integer_label",
    Severity::Warning,
    "a label that MinOf or MaxOf looks at and that is not an integer",
    include_str!("non_integer_label.md"),
);

/// The same rule twice.
pub static REPEATED_RULE: Rule = rule(
    "planner::ogc::repeated_rule",
    Severity::Warning,
    "the same rule twice",
    include_str!("repeated_rule.md"),
);

/// A resource asked for that no filter looks at.
pub static UNCHECKED_RESOURCE: Rule = rule(
    "planner::ogc::unchecked_resource",
    Severity::Warning,
    "a resource asked for that no filter looks at",
    include_str!("unchecked_resource.md"),
);

/// A reference to something that is not there.
pub static UNKNOWN_REFERENCE: Rule = rule(
    "planner::ogc::unknown_reference",
    Severity::Error,
    "a reference to something that is not there",
    include_str!("unknown_reference.md"),
);

/// A text that YAML reads as something else.
pub static UNQUOTED_TEXT: Rule = rule(
    "planner::ogc::unquoted_text",
    Severity::Error,
    "a text that YAML reads as something else",
    include_str!("unquoted_text.md"),
);

/// A volume left behind on another Cluster.
pub static VOLUME_OUT_OF_BOUNDS: Rule = rule(
    "planner::ogc::volume_out_of_bounds",
    Severity::Warning,
    "a volume left behind on another Cluster",
    include_str!("volume_out_of_bounds.md"),
);

/// A rule with a number of values its operator does not take.
pub static WRONG_VALUE_COUNT: Rule = rule(
    "planner::ogc::wrong_value_count",
    Severity::Error,
    "a rule with a number of values its operator does not take",
    include_str!("wrong_value_count.md"),
);

/// A Package whose every Application lands on one Cluster.
pub static ONE_CLUSTER: Rule = rule(
    "planner::ogc::one_cluster",
    Severity::Note,
    "a Package whose every Application lands on one Cluster",
    include_str!("one_cluster.md"),
);

/// A request larger than any Node of the Project.
pub static TOO_LARGE: Rule = rule(
    "planner::ogc::too_large",
    Severity::Warning,
    "a request larger than any Node of the Project",
    include_str!("too_large.md"),
);

/// A rule that no Cluster of the Project satisfies.
pub static UNSATISFIABLE_RULE: Rule = rule(
    "planner::ogc::unsatisfiable_rule",
    Severity::Warning,
    "a rule that no Cluster of the Project satisfies",
    include_str!("unsatisfiable_rule.md"),
);

/// A Cluster on which nothing can be planned.
pub static UNUSABLE_CLUSTER: Rule = rule(
    "planner::ogc::unusable_cluster",
    Severity::Note,
    "a Cluster on which nothing can be planned",
    include_str!("unusable_cluster.md"),
);

/// All of them, by code.
pub static RULES: &[&Rule] = &[
    &BAD_NAME,
    &BAD_QUANTITY,
    &BAD_REPLICAS,
    &BAD_TIME,
    &CLUSTER_STATUS,
    &CLUSTER_WITHOUT_AGE,
    &CLUSTER_WITHOUT_PROJECT,
    &CONTRADICTORY_RULES,
    &DUPLICATE_EXTREMUM,
    &DUPLICATE_IDENTITY,
    &DUPLICATE_WORKLOAD,
    &MOUNT_SOURCE,
    &NO_SINGLE_NODE,
    &NODE_WITHOUT_FIGURES,
    &NON_INTEGER_LABEL,
    &ONE_CLUSTER,
    &REPEATED_RULE,
    &TOO_LARGE,
    &UNCHECKED_RESOURCE,
    &UNKNOWN_REFERENCE,
    &UNQUOTED_TEXT,
    &UNSATISFIABLE_RULE,
    &UNUSABLE_CLUSTER,
    &VOLUME_OUT_OF_BOUNDS,
    &WRONG_VALUE_COUNT,
];
