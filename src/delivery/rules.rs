//! The table of codes for faults of consumers of placements.

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "ocm" {
        ADDON_BLOCKED Warning "addon_blocked" "clusters that never get their configuration";
        ADDON_BY_HAND Warning "addon_by_hand" "an add-on on a cluster where the hub deletes it";
        ADDON_CONFIG Warning "addon_config" "a configuration of an add-on that does not exist";
        ADDON_PLACEMENT Warning "addon_placement" "an add-on whose Placement does not exist";
        ADDON_SELF Note "addon_self" "an add-on whose placements the hub does not read";
        ADDON_UNKNOWN Warning "addon_unknown"
            "a ManagedClusterAddOn without a ClusterManagementAddOn";
        APPLICATION_NAME Error "application_name" "an Application whose name is not a DNS name";
        BINDING_REF Error "binding_ref" "a binding whose placement is of another group";
        CLUSTER_NAME_LABEL Warning "cluster_name_label"
            "a cluster that a Subscription names but that lacks the label `name`";
        CONFIGURATION_POLICY_NAMESPACE Error "configuration_policy_namespace"
            "an object of a ConfigurationPolicy without a namespace";
        CONFIGURATION_POLICY_OBJECT Error "configuration_policy_object"
            "an object of a ConfigurationPolicy that cannot be looked for";
        CONFIGURATION_POLICY_SELECTOR Error "configuration_policy_selector"
            "a selector that a policy controller refuses";
        DECISION_SELECTOR Error "decision_selector" "a selector of decisions that Argo CD refuses";
        DECISION_SOURCE Error "decision_source" "a missing or unusable ConfigMap for decisions";
        DELIVERIES_ASSUME Note "deliveries_assume" "assumptions about Argo CD";
        DEPENDENCY_CONFLICT Error "dependency_conflict"
            "a policy that demands two states of one object";
        DEPENDENCY_CYCLE Warning "dependency_cycle" "policies that depend on each other";
        DEPENDENCY_ELSEWHERE Warning "dependency_elsewhere"
            "a dependency on a policy that does not reach the cluster";
        DEPENDENCY_FORM Warning "dependency_form" "a dependency on a version that does not exist";
        DESTINATION Error "destination" "a destination that Argo CD refuses";
        DR_CLUSTER Error "dr_cluster" "a missing or unknown cluster for disaster recovery";
        DUPLICATE_APPLICATION Error "duplicate_application"
            "several generated Applications with the same name";
        EMPTIED Error "emptied" "a plan that takes the last cluster away from a reader";
        EXCLUSION Error "exclusion" "an exclusion that the hub refuses";
        EXCLUSION_IDLE Warning "exclusion_idle" "an exclusion that has no effect";
        GENERATOR Error "generator" "a generator that Argo CD refuses";
        GENERATOR_BINDING_NAME Error "generator_binding_name"
            "a generator that makes a binding without a name";
        GENERATOR_LEGACY Warning "generator_legacy" "a field that the generator no longer supports";
        GENERATOR_REFUSED Error "generator_refused" "a configuration that the generator refuses";
        GENERATOR_SET_EVERYWHERE Warning "generator_set_everywhere"
            "a generated set without a placement, which goes to every cluster";
        GENERATOR_UNREAD Note "generator_unread"
            "parts of PolicyGenerators that planner does not read";
        HUB_DESTINATION Warning "hub_destination"
            "several Applications of a set that go to the hub";
        HUB_TEMPLATES Note "hub_templates" "templates that the hub fills in";
        LOCAL_AND_REMOTE Error "local_and_remote" "a Subscription without a usable placement";
        LONG_POLICY_NAME Error "long_policy_name"
            "a policy whose copies would have a name that is too long";
        MATCH_KEY Error "match_key" "a ConfigMap whose `matchKey` finds no cluster";
        NOBODY_SCHEDULES Warning "nobody_schedules" "a Placement without a scheduler";
        NOT_DISABLED Error "not_disabled"
            "disaster recovery for a Placement that the hub still schedules";
        NOT_REGISTERED Warning "not_registered"
            "selected clusters that are not registered with Argo CD";
        NO_REMEDIATION Error "no_remediation" "a policy template without a remediation action";
        OPERATOR_POLICY_SUBSCRIPTION Error "operator_policy_subscription"
            "a subscription or operator group that the policy controller refuses";
        OTHER_NAMESPACE Error "other_namespace" "a reference to a Placement in another namespace";
        OUTSIDE_ARGOCD Warning "outside_argocd"
            "an ApplicationSet outside the namespaces of Argo CD";
        OVERRIDE_IDLE Note "override_idle" "a binding whose override changes nothing";
        PAGE_GAP Warning "page_gap" "clusters that are briefly missing from the decisions";
        PLACEMENT_REFERENCE Error "placement_reference"
            "a reference to a placement whose kind or version is not supported";
        POLICY_ELSEWHERE Note "policy_elsewhere"
            "references to policies or placements that are not among the documents";
        POLICY_IN_CLUSTER_NAMESPACE Error "policy_in_cluster_namespace"
            "a policy in the namespace of a cluster, where the hub deletes it";
        POLICY_NOWHERE Warning "policy_nowhere" "a bound policy that reaches no cluster";
        POLICY_TEMPLATE_KIND Error "policy_template_kind"
            "an object that a Policy cannot carry";
        POLICY_TEMPLATE_NAME Error "policy_template_name"
            "an object in a Policy without a valid name";
        POLICY_TEMPLATE_TWICE Error "policy_template_twice"
            "objects of one kind and name in policies of a cluster";
        POLICY_UNBOUND Note "policy_unbound" "policies without a binding";
        PULL Warning "pull" "an Application with an incomplete setup for pulling";
        READS_MORE Warning "reads_more" "a selector that reads the decisions of several Placements";
        READS_ONE_PAGE Warning "reads_one_page"
            "a reader that misses some of the decisions of a Placement";
        RESTRICTED_ONLY Warning "restricted_only" "a policy whose bindings place nothing";
        ROLLING_MAX_UPDATE Error "rolling_max_update"
            "a `maxUpdate` that syncs no Application, or one at a time";
        ROLLING_STEPS Warning "rolling_steps"
            "RollingSync steps that leave Applications out or do nothing";
        RULE_ARBITRARY Warning "rule_arbitrary"
            "a PlacementRule whose clusters are picked arbitrarily";
        RULE_FIELD Warning "rule_field" "a field that a PlacementRule does not have";
        RULE_IDENTITY Warning "rule_identity" "a PlacementRule limited to what its author may see";
        RULE_LEFT_ALONE Note "rule_left_alone" "a PlacementRule that another scheduler handles";
        RULE_LEGACY Note "rule_legacy" "PlacementRules, which are deprecated";
        RULE_NAMES Warning "rule_names"
            "a PlacementRule that names a cluster without the label `name`";
        RULE_SELECTOR Error "rule_selector" "a PlacementRule whose selector cannot be read";
        RULE_UNREPORTED Note "rule_unreported"
            "a cluster that passes because it has not reported a condition";
        SHARED_APPLICATION Warning "shared_application"
            "two ApplicationSets that generate the same Application";
        SHARED_DECISIONS Warning "shared_decisions"
            "a Placement and a PlacementRule that write the same decisions";
        STATUS_LIST_KEY Error "status_list_key"
            "a `statusListKey` that PlacementDecisions do not have";
        SUBSCRIPTION_EVERYWHERE Warning "subscription_everywhere"
            "a Subscription whose empty list of clusters selects all";
        SYNC_POLICY Note "sync_policy"
            "a sync policy that keeps Applications of clusters that are no longer selected";
        TEMPLATE_ARGUMENTS Error "template_arguments"
            "a call with the wrong arguments in a policy's template";
        TEMPLATE_CONTEXT Error "template_context" "a field that a policy's template does not have";
        TEMPLATE_FUNCTION Error "template_function"
            "a function that a policy's template does not have";
        TEMPLATE_LABEL Warning "template_label"
            "a label that a hub template needs and a cluster lacks";
        TEMPLATE_LANGUAGE Error "template_language" "a tag in the other template language";
        TEMPLATE_LOOKUP Error "template_lookup" "a look-up in a policy's template that fails";
        TEMPLATE_PARAMETER Warning "template_parameter"
            "a tag for a parameter that no generator provides";
        TEMPLATE_REQUOTED Error "template_requoted"
            "a policy's template whose quotes are rewritten";
        TEMPLATE_SYNTAX Error "template_syntax" "a policy's template that Go cannot read";
        TEMPLATE_UNRESOLVED Warning "template_unresolved"
            "a template in a policy where nothing resolves it";
        TWO_CONTROLS Error "two_controls" "two DRPlacementControls for one Placement";
        UNKNOWN_CHANNEL Error "unknown_channel" "a Channel that does not exist";
        UNKNOWN_PLACEMENT Warning "unknown_placement" tells NoName
            "a reference to a Placement that does not exist";
        UNKNOWN_POLICY Warning "unknown_policy" tells NoName
            "a reference to a policy that does not exist";
        UNKNOWN_POLICY_SET Warning "unknown_policy_set" tells NoName
            "a reference to a PolicySet that does not exist";
        WORK_EVENTS Warning "work_events" "a ManifestWorkReplicaSet with a dot in its name";
        WORK_NAME Error "work_name" "a ManifestWorkReplicaSet whose name does not fit in a label";
        WORK_PLACEMENT Error "work_placement" "a ManifestWorkReplicaSet with a missing Placement";
        WORK_STAYS Warning "work_stays"
            "a ManifestWork that stays on a cluster that is no longer selected";
        WORK_TWICE Error "work_twice"
            "a cluster for which two placements of one set create ManifestWorks without end";
    }
}
