//! Codes of documents as such, whatever their system.

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "site" {
        KUSTOMIZE Note "kustomize" "documents that are inputs of Kustomize";
        MISSING_PATH Warning "missing_path" "a path into this repository that leads to nothing";
        NEAR_KIND Warning "near_kind" "a kind that is probably a typo for a known one";
        NOT_A_MAPPING Error "not_a_mapping" "a file whose only document is not a mapping";
        NOT_OURS Error "not_ours" "with `--strict`, an unrecognised document";
        NOT_SERVED Error "not_served" "a known kind in an API version that is not served";
        UNKNOWN_KIND Error "unknown_kind" "a `planner/v1` document of a kind that does not exist";
    }
}
