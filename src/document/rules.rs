//! Codes of documents as such, whatever their system.

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "site" {
        KUSTOMIZE Note "kustomize" "documents that a kustomization lists as its inputs";
        NEAR_KIND Warning "near_kind" "a kind that is probably a typo for a known one";
        NOT_A_MAPPING Error "not_a_mapping" "the only document of a named file is not a mapping";
        NOT_OURS Error "not_ours" "with `--strict`, a document that no system plans";
        NOT_SERVED Error "not_served" "a known kind in a version that is no longer served";
        UNKNOWN_KIND Error "unknown_kind" "a `planner/v1` document of a kind that does not exist";
    }
}
