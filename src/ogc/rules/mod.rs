//! The semantic rules of OGC sites: errors and warnings.

mod check;
mod planned;
mod review;
mod unplaceable;

pub(crate) use check::{check_cluster, check_key, check_model, check_rules, no_image, twice};
pub use planned::planned;
pub(crate) use review::review;
pub use unplaceable::unplaceable;

use crate::diagnostic::rule_table;

rule_table! {
    pages "";
    "ogc" {
        BAD_NAME Error "bad_name" "a name that is not an RFC 1123 label";
        BAD_QUANTITY Error "bad_quantity" "a quantity that is not an unsigned Kubernetes quantity";
        BAD_REPLICAS Error "bad_replicas" "`replicas` that is not a whole number of at least 1";
        BAD_TIME Error "bad_time" "a time that is not RFC 3339";
        CLUSTER_STATUS Warning "cluster_status"
            "a Cluster that is probably meant to be Up, but is not";
        CLUSTER_WITHOUT_AGE Warning "cluster_without_age"
            "a Cluster without a creation time, which counts as the youngest";
        CLUSTER_WITHOUT_PROJECT Warning "cluster_without_project"
            "a Cluster assigned to no Project, which is never used";
        CONTRADICTORY_RULES Warning "contradictory_rules"
            "rules for one key that no Cluster can satisfy together";
        DUPLICATE_EXTREMUM Error "duplicate_extremum"
            "more than one MinOf or MaxOf on one Package or Application";
        DUPLICATE_IDENTITY Error "duplicate_identity" tells Twin
            "two objects of one kind with the same name";
        DUPLICATE_WORKLOAD Error "duplicate_workload"
            "an Application listed twice in one Deployment";
        LABEL_KEY Warning "label_key" "a key that no label can have";
        MOUNT_SOURCE Error "mount_source" "a mount without exactly one source";
        NO_IMAGE Warning "no_image" "a container without an image";
        NO_SINGLE_NODE Warning "no_single_node"
            "a chosen Cluster without a Node that has both the CPU and the memory";
        NODE_WITHOUT_FIGURES Warning "node_without_figures"
            "a Node that does not state its CPU or memory, which counts as none";
        NON_INTEGER_LABEL Warning "non_integer_label"
            "a label that MinOf or MaxOf compares and that is not an integer";
        ONE_CLUSTER Note "one_cluster" "a Package with all its Applications on one Cluster";
        OVERCOMMITTED Note "overcommitted"
            "a Cluster with less capacity than is planned on it";
        REPEATED_RULE Warning "repeated_rule" "a rule that appears twice";
        TOO_LARGE Warning "too_large" "a request larger than any Node of the Project";
        UNCHECKED_RESOURCE Warning "unchecked_resource"
            "a requested resource that no filter checks";
        UNKNOWN_LABEL Warning "unknown_label" tells NoLabel
            "a rule with a label that no Cluster has";
        UNKNOWN_REFERENCE Error "unknown_reference" tells NoName
            "a reference to something that does not exist";
        UNPLACEABLE Warning "unplaceable" "an Application that cannot be placed";
        UNQUOTED_TEXT Error "unquoted_text" "text that YAML reads as something else";
        UNSATISFIABLE_RULE Warning "unsatisfiable_rule" tells NoKind("Cluster")
            "a rule that no Cluster of the Project satisfies";
        UNUSABLE_CLUSTER Note "unusable_cluster" "a Cluster on which nothing can be planned";
        VOLUME_OUT_OF_BOUNDS Warning "volume_out_of_bounds"
            "a volume left behind on another Cluster";
        WRONG_VALUE_COUNT Error "wrong_value_count"
            "a rule with the wrong number of values for its operator";
    }
}
