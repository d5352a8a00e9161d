//! Codes of comments that ignore findings.

use super::rule_table;

rule_table! {
    pages "rules/";
    "site" {
        EXPIRED Warning "ignore_expired" "an ignore that has expired";
        SYNTAX Warning "ignore_syntax" "an ignore that cannot be read";
        UNKNOWN Warning "ignore_unknown" "an ignore for a code that does not exist";
        UNUSED Warning "ignore_unused" "an ignore without any finding";
        WITHOUT_REASON Error "ignore_without_reason"
            "an ignore without a reason where `planner.toml` requires one";
    }
}
