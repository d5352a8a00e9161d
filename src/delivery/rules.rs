//! What can be wrong with consumers of placements: the table of codes.

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "ocm" {
        ADDON_BLOCKED Warning "addon_blocked" "clusters that never get their configuration";
        ADDON_BY_HAND Warning "addon_by_hand"
            "an add-on on a cluster that the hub deletes";
        ADDON_PLACEMENT Warning "addon_placement"
            "an add-on whose Placement does not exist";
        ADDON_SELF Note "addon_self" "an add-on that does not follow its placements";
        ADDON_UNKNOWN Warning "addon_unknown" "an add-on on a cluster that has no definition";
        APPLICATION_NAME Error "application_name" "an Application whose name is not a DNS name";
        BINDING_REF Error "binding_ref" "a binding whose placement is of another group";
        CLUSTER_NAME_LABEL Warning "cluster_name_label"
            "a cluster that a Subscription names and that lacks the label `name`";
        DECISION_SELECTOR Error "decision_selector" "a selector of decisions that is refused";
        DECISION_SOURCE Error "decision_source"
            "a ConfigMap or resource of decisions that is not there";
        DELIVERIES_ASSUME Note "deliveries_assume" "what is assumed of Argo CD";
        DEPENDENCY_CONFLICT Error "dependency_conflict"
            "one object that a policy wants in two states";
        DEPENDENCY_CYCLE Warning "dependency_cycle" "policies that wait for each other";
        DEPENDENCY_ELSEWHERE Warning "dependency_elsewhere"
            "a policy that waits for one which does not go there";
        DEPENDENCY_FORM Warning "dependency_form" "a dependency of a version that finds nothing";
        DESTINATION Error "destination" "a destination that Argo CD refuses";
        DR_CLUSTER Error "dr_cluster" "a cluster that a disaster recovery lacks or does not know";
        DUPLICATE_APPLICATION Error "duplicate_application" "several Applications of one name";
        EMPTIED Error "emptied" "a plan that takes every cluster away from what reads it";
        EXCLUSION Error "exclusion" "an exclusion of no policy of its set, or a second one";
        EXCLUSION_IDLE Warning "exclusion_idle" "an exclusion that has no effect";
        GENERATOR Error "generator" "a generator that Argo CD refuses";
        GENERATOR_BINDING_NAME Error "generator_binding_name"
            "a generator that makes a binding without a name";
        GENERATOR_LEGACY Warning "generator_legacy" "a field that the generator no longer has";
        GENERATOR_REFUSED Error "generator_refused" "a generator that stops";
        GENERATOR_SET_EVERYWHERE Warning "generator_set_everywhere"
            "a set without a placement, which goes to every cluster";
        GENERATOR_UNREAD Note "generator_unread" "what is not known of generators";
        HUB_DESTINATION Warning "hub_destination"
            "several Applications of a set that go to the hub";
        HUB_TEMPLATES Note "hub_templates" "templates that the hub fills in";
        LOCAL_AND_REMOTE Error "local_and_remote" "a Subscription without a usable placement";
        LONG_POLICY_NAME Error "long_policy_name"
            "a policy whose copies would have too long a name";
        MATCH_KEY Error "match_key" "a ConfigMap whose `matchKey` finds no cluster";
        NOBODY_SCHEDULES Warning "nobody_schedules" "a Placement that nothing decides";
        NOT_DISABLED Error "not_disabled"
            "a disaster recovery of a Placement that the hub schedules";
        NOT_REGISTERED Warning "not_registered" "decided clusters that Argo CD does not know";
        NO_REMEDIATION Error "no_remediation" "a template without any remediation action";
        OTHER_NAMESPACE Error "other_namespace" "a Placement that lies in another namespace";
        OUTSIDE_ARGOCD Warning "outside_argocd"
            "an ApplicationSet outside of the namespaces of Argo CD";
        OVERRIDE_IDLE Note "override_idle" "a binding whose override changes nothing";
        PAGE_GAP Warning "page_gap" "clusters that are in no page of decisions for a moment";
        PLACEMENT_REFERENCE Error "placement_reference"
            "a reference to a placement whose kind or version is not supported";
        POLICY_ELSEWHERE Note "policy_elsewhere"
            "references to policies or placements that lie elsewhere";
        POLICY_IN_CLUSTER_NAMESPACE Error "policy_in_cluster_namespace"
            "a policy in the namespace of a cluster, where the hub deletes it";
        POLICY_NOWHERE Warning "policy_nowhere" "a policy that is bound and reaches no cluster";
        POLICY_UNBOUND Note "policy_unbound" "policies that nothing binds";
        PULL Warning "pull" "an Application that is half set up to be pulled";
        READS_MORE Warning "reads_more" "a selector that reads the decisions of several Placements";
        READS_ONE_PAGE Warning "reads_one_page" "a reader of some of the decisions of a Placement";
        RESTRICTED_ONLY Warning "restricted_only" "a policy with bindings that place nothing";
        ROLLING_MAX_UPDATE Error "rolling_max_update"
            "a step that syncs no Application, or one at a time";
        ROLLING_STEPS Warning "rolling_steps" "steps that leave Applications out or do nothing";
        RULE_ARBITRARY Warning "rule_arbitrary"
            "a rule whose clusters are chosen in no fixed order";
        RULE_FIELD Warning "rule_field" "a field that a PlacementRule does not have";
        RULE_IDENTITY Warning "rule_identity" "a rule that is limited to what its author may see";
        RULE_LEFT_ALONE Note "rule_left_alone" "a rule that another scheduler decides";
        RULE_LEGACY Note "rule_legacy" "rules of a deprecated kind";
        RULE_NAMES Warning "rule_names" "a rule that names a cluster without the label `name`";
        RULE_SELECTOR Error "rule_selector" "a rule whose selector cannot be read";
        RULE_UNREPORTED Note "rule_unreported" "a cluster that passes because it reported nothing";
        SHARED_APPLICATION Warning "shared_application"
            "two ApplicationSets that give one Application";
        SHARED_DECISIONS Warning "shared_decisions"
            "a Placement and a PlacementRule that write one object";
        STATUS_LIST_KEY Error "status_list_key" "a key that names no list of decisions";
        SYNC_POLICY Note "sync_policy" "a policy that keeps Applications of clusters that leave";
        TEMPLATE_LANGUAGE Error "template_language" "a tag of the other template language";
        TEMPLATE_PARAMETER Warning "template_parameter" "a tag that no generator gives";
        TWO_CONTROLS Error "two_controls" "two disaster recoveries of one Placement";
        UNKNOWN_CHANNEL Error "unknown_channel" "a Channel that does not exist";
        UNKNOWN_PLACEMENT Warning "unknown_placement"
            "a reference to a Placement that does not exist";
        UNKNOWN_POLICY Warning "unknown_policy" "a reference to a policy that does not exist";
        UNKNOWN_POLICY_SET Warning "unknown_policy_set"
            "a reference to a set of policies that does not exist";
        WORK_NAME Error "work_name" "a replica set of works whose name fits in no label";
        WORK_PLACEMENT Error "work_placement" "a replica set of works that stops at a placement";
        WORK_STAYS Warning "work_stays" "a work that may stay where it should go";
        WORK_TWICE Warning "work_twice" "clusters that get the same manifests twice";
    }
}
