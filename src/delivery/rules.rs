//! What can be wrong with consumers of placements: the table of codes.

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "ocm" {
        BINDING_REF Error "binding_ref" "a binding whose placement is of another group";
        EXCLUSION Error "exclusion" "an exclusion of no policy of its set, or a second one";
        LONG_POLICY_NAME Error "long_policy_name"
            "a policy whose copies would have too long a name";
        NO_REMEDIATION Error "no_remediation" "a template without any remediation action";
        POLICY_IN_CLUSTER_NAMESPACE Error "policy_in_cluster_namespace"
            "a policy in the namespace of a cluster, where the hub deletes it";
        RULE_SELECTOR Error "rule_selector" "a rule whose selector cannot be read";
    }
}
