//! Codes of structural faults.

use crate::diagnostic::rule_table;

rule_table! {
    pages "rules/";
    "schema" {
        COMBINATION Error "combination"
            "a value that matches none of the allowed forms, or several";
        PATTERN Error "pattern" "text that does not have the required form";
        RANGE Error "range" "a number, a length or a count out of range";
        REQUIRED Error "required" "a required field is missing";
        TYPE Error "type" "a value of the wrong type";
        UNKNOWN_FIELD Error "unknown_field" "a field that the kind does not have";
        VALUE Error "value" "a value that is not in the list of allowed values";
    }
}
