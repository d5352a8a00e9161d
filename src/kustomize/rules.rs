//! The codes of kustomizations, a page each.

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "kustomize" {
        MISSING Error "missing" "a file or directory that is not there";
        OUTSIDE Error "outside" "a file outside of the kustomization or of the PATHs";
        CYCLE Error "cycle" "a directory that is listed on the way to itself";
        SEVERAL_FILES Error "several_files" "two kustomization files in one directory";
        UNKNOWN_FIELD Error "unknown_field" "a field that a kustomization does not have";
        HEADER Error "header" "another kind or version than the place needs";
        EMPTY Error "empty" "a kustomization without any field";
        UNREADABLE Error "unreadable" "a file or value that cannot be read as what it is";
        DUPLICATE Error "duplicate" "one object twice in a build";
        NO_TARGET Error "no_target" "nothing to change for a patch or a count of replicas";
        PATCH Error "patch" "a patch that cannot be applied";
        SELECTOR Error "selector" "an expression that cannot be read";
        GENERATOR Error "generator" "a ConfigMap or Secret that cannot be generated";
        REPLACEMENT Error "replacement" "a replacement without its source or its target";
        VARIABLE Error "variable" "a variable without a value";
        REFERENCE Error "reference" "a name that several objects answer to";
        LIMIT Error "limit" "more than the limits of a build allow";
        LEFT_OUT Note "left_out" "a part of a kustomization that is not built";
        NOT_BUILT Note "not_built" "a kustomization that is not built";
        IDLE_PATCH Warning "idle_patch" "a patch whose target selects nothing";
        RENAMED_REFERENCE Warning "renamed_reference" "a reference to a former name";
        OVERWRITTEN_LABEL Warning "overwritten_label" "a common label instead of a cluster's own";
        CARRIED_IMAGE Note "carried_image" "an image that is set in what policies carry";
        PERHAPS_LEFT_OUT Note "perhaps_left_out" "a patch that may be for what is left out";
        UNLISTED Note "unlisted" "files beside a kustomization that it does not list";
        SEVERAL_SITES Note "several_sites" "alternatives that are not deployed together";
        SITELESS Note "siteless" "kustomizations that no `[[site]]` of planner.toml has";
        CHOSEN Note "chosen" "an alternative that is deployed, as something else names it";
    }
}
