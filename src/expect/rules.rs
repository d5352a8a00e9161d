//! Codes of expectations that cannot be tried.

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "test" {
        AMBIGUOUS_DOCUMENT Error "ambiguous_document"
            "a `set` of a PlanTest that names several documents";
        UNKNOWN_CODE Error "unknown_code" "an expected refusal with a code that does not exist";
        UNKNOWN_DOCUMENT Error "unknown_document" tells NoName
            "a `set` of a PlanTest for a document that does not exist";
        UNKNOWN_POINTER Error "unknown_pointer"
            "a `set` of a PlanTest whose pointer does not exist";
    }
}
