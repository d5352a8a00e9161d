//! Codes of Airship documents, and findings about a plan of their site.

mod notes;

pub use notes::planned;

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "airship" {
        AMBIGUOUS_PARENT Error "ambiguous_parent" "two parents in one layer";
        BAD_LABEL Error "bad_label" "a selector label that is not `key:value`";
        BAD_PATH Error "bad_path" "a layering or substitution path that planner cannot follow";
        DEFAULT_STRATEGY Note "default_strategy"
            "a strategy that is used although no configuration names it";
        DELETES_ANOTHER Warning "deletes_another" "a `delete` that removes another, equal value";
        DEPENDENCY_CYCLE Error "dependency_cycle" "groups that depend on each other";
        DUPLICATE_DOCUMENT Error "duplicate_document" tells SiteTwin
            "two documents with the same schema, layer and name";
        DUPLICATE_GROUP Error "duplicate_group" "two groups with the same name";
        EMPTY_GROUP Note "empty_group" "groups without nodes";
        FAULTS_FORMAT Error "faults_format" "a faults file that is not in the expected format";
        IDLE_CRITICAL_GROUP Warning "idle_critical_group"
            "critical groups without nodes that nothing depends on";
        IGNORED_DOCUMENT Warning "ignored_document"
            "a document that Airship skips because it lacks the envelope";
        INVALID_PARENT Error "invalid_parent"
            "a parent with another schema, or not in a more general layer";
        INVALID_REPLACEMENT Error "invalid_replacement"
            "a replacement that replaces nothing, or two documents with the same schema and name";
        LABEL_AS_MAPPING Warning "label_as_mapping"
            "a selector label that YAML reads as a mapping";
        LEFT_OUT Note "left_out" "documents of a repository that do not affect the plan";
        MISSING_KEY Error "missing_key" "an action on a path that does not exist";
        NO_CONFIGURATION Error "no_configuration" tells NoName
            "no DeploymentConfiguration named `deployment-configuration`";
        NO_CRITERIA Note "no_criteria" "groups without success criteria";
        NO_HARDWARE_PROFILE Error "no_hardware_profile" "a node without a hardware profile";
        NO_PARENT Warning "no_parent" tells NoLabel "a `parentSelector` that matches nothing";
        NO_POLICY Error "no_policy" tells NoKind("LayeringPolicy")
            "a site repository without a LayeringPolicy";
        NOT_IN_FORCE Warning "not_in_force"
            "a DeploymentConfiguration with another name, which has no effect";
        PROFILE_RING Error "profile_ring" "host profiles that inherit from themselves";
        REMOTE_REPOSITORY Note "remote_repository"
            "a further repository of the site that is not fetched";
        RENDERED_TOO_LARGE Error "rendered_too_large"
            "a document that layering makes larger than the limit";
        ROOT_BELOW Note "root_below" "an Airship repository below a PATH";
        SEVERAL_POLICIES Warning "several_policies" "more than one LayeringPolicy";
        SOURCE_DATA_NOT_FOUND Error "source_data_not_found"
            "a substitution from a path that does not exist";
        SOURCE_NOT_FOUND Error "source_not_found" tells NoName
            "a substitution from a document that does not exist";
        STRATEGY_NOT_FOUND Error "strategy_not_found" tells NoName "a strategy that does not exist";
        SUBSTITUTION_CYCLE Error "substitution_cycle"
            "documents that need each other to be rendered";
        SUBSTITUTION_FAILED Error "substitution_failed" "a substitution that cannot be carried out";
        SUBSTITUTION_SKIPPED Note "substitution_skipped" tells NoName
            "a substitution skipped because its source is missing";
        UNASSIGNED_NODES Note "unassigned_nodes" "nodes in no group, which are never deployed";
        UNCOVERED_RACK Note "uncovered_rack" "racks with no node in any group";
        UNKNOWN_FAULT Error "unknown_fault"
            "a fault for a node, rack or group that does not exist";
        UNKNOWN_GROUP Error "unknown_group" "a dependency on a group that does not exist";
        UNKNOWN_HARDWARE_PROFILE Error "unknown_hardware_profile" tells NoName
            "a hardware profile that does not exist";
        UNKNOWN_HOST_PROFILE Error "unknown_host_profile" tells NoName
            "a host profile that does not exist";
        UNKNOWN_KEY Warning "unknown_key" "a key of a strategy or group that Airship ignores";
        UNKNOWN_LAYER Error "unknown_layer" "a layer that the policy does not list";
        UNKNOWN_VALUE Note "unknown_value" tells NoLabel "selector values that no node has";
        UNUSABLE_DOCUMENT Error "unusable_document"
            "a document that Drydock cannot load";
    }
}
