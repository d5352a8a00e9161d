//! What can be wrong with consumers of placements: the table of codes.

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "ocm" {
        BINDING_REF Error "binding_ref" "a binding whose placement is of another group";
        DEPENDENCY_CONFLICT Error "dependency_conflict"
            "one object that a policy wants in two states";
        DEPENDENCY_CYCLE Warning "dependency_cycle" "policies that wait for each other";
        DEPENDENCY_ELSEWHERE Warning "dependency_elsewhere"
            "a policy that waits for one which does not go there";
        DEPENDENCY_FORM Warning "dependency_form" "a dependency of a version that finds nothing";
        EXCLUSION Error "exclusion" "an exclusion of no policy of its set, or a second one";
        EXCLUSION_IDLE Warning "exclusion_idle" "an exclusion that keeps nobody from anything";
        GENERATOR_BINDING_NAME Error "generator_binding_name"
            "a generator that makes a binding without a name";
        GENERATOR_LEGACY Warning "generator_legacy" "a field that the generator no longer has";
        GENERATOR_REFUSED Error "generator_refused" "a generator that stops";
        GENERATOR_SET_EVERYWHERE Warning "generator_set_everywhere"
            "a set that goes to every cluster for want of a placement";
        GENERATOR_UNREAD Note "generator_unread" "what is not known of generators";
        HUB_TEMPLATES Note "hub_templates" "templates that the hub fills in";
        LONG_POLICY_NAME Error "long_policy_name"
            "a policy whose copies would have too long a name";
        NO_REMEDIATION Error "no_remediation" "a template without any remediation action";
        OVERRIDE_IDLE Note "override_idle" "a binding whose override changes nothing";
        POLICY_ELSEWHERE Note "policy_elsewhere"
            "references to policies or placements that lie elsewhere";
        POLICY_IN_CLUSTER_NAMESPACE Error "policy_in_cluster_namespace"
            "a policy in the namespace of a cluster, where the hub deletes it";
        POLICY_NOWHERE Warning "policy_nowhere" "a policy that is bound and reaches no cluster";
        POLICY_UNBOUND Note "policy_unbound" "policies that nothing binds";
        RESTRICTED_ONLY Warning "restricted_only" "a policy with bindings that place nothing";
        RULE_ARBITRARY Warning "rule_arbitrary"
            "a rule whose clusters are chosen in no fixed order";
        RULE_FIELD Warning "rule_field" "a field that a PlacementRule does not have";
        RULE_IDENTITY Warning "rule_identity" "a rule that is limited to what its author may see";
        RULE_LEFT_ALONE Note "rule_left_alone" "a rule that another scheduler decides";
        RULE_LEGACY Note "rule_legacy" "rules of a deprecated kind";
        RULE_NAMES Warning "rule_names" "a rule that names a cluster without the label `name`";
        RULE_SELECTOR Error "rule_selector" "a rule whose selector cannot be read";
        RULE_UNREPORTED Note "rule_unreported" "a cluster that passes because it reported nothing";
        SHARED_DECISIONS Warning "shared_decisions"
            "a Placement and a PlacementRule that write one object";
        UNKNOWN_PLACEMENT Warning "unknown_placement"
            "a binding of a placement that does not exist";
        UNKNOWN_POLICY Warning "unknown_policy" "a reference to a policy that does not exist";
        UNKNOWN_POLICY_SET Warning "unknown_policy_set"
            "a reference to a set of policies that does not exist";
    }
}
