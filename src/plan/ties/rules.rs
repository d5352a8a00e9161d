//! Codes of what ties systems to one another.

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "site" {
        IDLE_CLUSTER Note "idle_cluster"
            "a deployment group brings up nodes of a Cluster on which nothing is planned";
        OUTSIDE_PLACEMENT Warning "outside_placement"
            "an Application is planned on a cluster that the Placement of its Package does not \
              choose";
        TWIN_NOT_DEPLOYED Warning "twin_not_deployed"
            "a Placement chooses a cluster without any node in a deployment group";
        TWIN_NOT_UP Warning "twin_not_up"
            "a Placement chooses a cluster whose Cluster of the same name is not Up";
        UNKNOWN_PLACEMENT Warning "unknown_placement"
            "a Package names a Placement that does not exist";
        UNLABELLED_REGION Warning "unlabelled_region"
            "a region policy places nodes in a region that no cluster has as a label";
    }
}
