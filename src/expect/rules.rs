//! Codes of expectations that cannot be tried.

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "test" {
        AMBIGUOUS_DOCUMENT Error "ambiguous_document"
            "a `set` of a PlanTest that names several documents";
        UNKNOWN_CODE Error "unknown_code" "an expected refusal whose code does not exist";
        UNKNOWN_DOCUMENT Error "unknown_document"
            "a `set` of a PlanTest that names a document that the site does not have";
        UNKNOWN_POINTER Error "unknown_pointer"
            "a `set` of a PlanTest whose pointer leads to nothing";
    }
}
