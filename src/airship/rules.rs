//! Codes of Airship documents, and what is to be said of a plan of their site.

mod notes;

pub use notes::planned;

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "airship" {
        AMBIGUOUS_PARENT Error "ambiguous_parent" "two parents of one layer";
        BAD_LABEL Error "bad_label" "a label of a selector that is not `key:value`";
        BAD_PATH Error "bad_path" "a path of layering or substitution that cannot be followed";
        DEFAULT_STRATEGY Note "default_strategy" "a strategy that no configuration names";
        DELETES_ANOTHER Warning "deletes_another" "a `delete` that removes another, equal value";
        DEPENDENCY_CYCLE Error "dependency_cycle" "groups that depend on one another";
        DUPLICATE_DOCUMENT Error "duplicate_document" "two documents of one schema, layer and name";
        DUPLICATE_GROUP Error "duplicate_group" "two groups of one name";
        EMPTY_GROUP Note "empty_group" "groups without nodes";
        FAULTS_FORMAT Error "faults_format" "a faults file that is not of the format";
        IDLE_CRITICAL_GROUP Warning "idle_critical_group"
            "critical groups without nodes that nothing depends on";
        IGNORED_DOCUMENT Warning "ignored_document"
            "a document without Airship's envelope, which Airship skips";
        INVALID_PARENT Error "invalid_parent"
            "a parent of another schema, or not of a more general layer";
        INVALID_REPLACEMENT Error "invalid_replacement"
            "a replacement that replaces nothing, or two documents in one place";
        LABEL_AS_MAPPING Warning "label_as_mapping"
            "a label of a selector that YAML reads as a mapping";
        LEFT_OUT Note "left_out" "documents of a repository that do not bear on the plan";
        MISSING_KEY Error "missing_key" "an action on a path where there is nothing";
        NO_CONFIGURATION Error "no_configuration" "no document `deployment-configuration`";
        NO_CRITERIA Note "no_criteria" "groups without success criteria";
        NO_HARDWARE_PROFILE Error "no_hardware_profile" "a node without a hardware profile";
        NO_PARENT Warning "no_parent" "a `parentSelector` that selects nothing";
        NO_POLICY Error "no_policy" "a site repository without a LayeringPolicy";
        NOT_IN_FORCE Warning "not_in_force" "a DeploymentConfiguration under another name";
        PROFILE_RING Error "profile_ring" "host profiles that inherit from themselves";
        REMOTE_REPOSITORY Note "remote_repository"
            "a further repository of the site that is not here";
        RENDERED_TOO_LARGE Error "rendered_too_large"
            "a document that grows beyond the limit by layering";
        ROOT_BELOW Note "root_below" "a repository below a PATH, which is read as one";
        SEVERAL_POLICIES Warning "several_policies" "more than one LayeringPolicy";
        SOURCE_DATA_NOT_FOUND Error "source_data_not_found"
            "a substitution from a path where there is nothing";
        SOURCE_NOT_FOUND Error "source_not_found"
            "a substitution from a document that is not there";
        STRATEGY_NOT_FOUND Error "strategy_not_found" "the strategy in force is not there";
        SUBSTITUTION_CYCLE Error "substitution_cycle"
            "documents that need one another to be rendered";
        SUBSTITUTION_FAILED Error "substitution_failed" "a substitution that cannot be carried out";
        SUBSTITUTION_SKIPPED Note "substitution_skipped"
            "a secret or other source that is not here";
        UNASSIGNED_NODES Note "unassigned_nodes" "nodes in no group, which are never deployed";
        UNCOVERED_RACK Note "uncovered_rack" "racks of which no node is in a group";
        UNKNOWN_FAULT Error "unknown_fault"
            "a faults file that names a node, rack or group that is not there";
        UNKNOWN_GROUP Error "unknown_group" "a dependency on a group that is not there";
        UNKNOWN_HARDWARE_PROFILE Error "unknown_hardware_profile"
            "a hardware profile that is not there";
        UNKNOWN_HOST_PROFILE Error "unknown_host_profile" "a host profile that is not there";
        UNKNOWN_KEY Warning "unknown_key" "a key of a strategy or group that Airship ignores";
        UNKNOWN_LAYER Error "unknown_layer" "a layer that the policy does not list";
        UNKNOWN_VALUE Note "unknown_value" "values in selectors that no node has";
        UNUSABLE_DOCUMENT Error "unusable_document"
            "a document that Drydock cannot make a model of";
    }
}
