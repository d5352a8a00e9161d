//! Codes of documents as such, whatever their system.

use crate::diagnostic::{Rule, Severity};

/// An unknown kind of our own group.
pub static UNKNOWN_KIND: Rule = Rule {
    code: "planner::site::unknown_kind",
    summary: "a `planner/v1` document of a kind that does not exist",
    severity: Severity::Error,
    docs: include_str!("rules/unknown_kind.md"),
};

/// A kind that is probably a typo for one of ours.
pub static NEAR_KIND: Rule = Rule {
    code: "planner::site::near_kind",
    summary: "a kind that is probably a typo for a known one",
    severity: Severity::Warning,
    docs: include_str!("rules/near_kind.md"),
};

/// A known kind in a version that is not served.
pub static NOT_SERVED: Rule = Rule {
    code: "planner::site::not_served",
    summary: "a known kind in a version that is no longer served",
    severity: Severity::Error,
    docs: include_str!("rules/not_served.md"),
};

/// A file that was named and holds no document one could read.
pub static NOT_A_MAPPING: Rule = Rule {
    code: "planner::site::not_a_mapping",
    summary: "the only document of a named file is not a mapping",
    severity: Severity::Error,
    docs: include_str!("rules/not_a_mapping.md"),
};

/// `--strict`: a document that no system plans.
pub static NOT_OURS: Rule = Rule {
    code: "planner::site::not_ours",
    summary: "with `--strict`, a document that no system plans",
    severity: Severity::Error,
    docs: include_str!("rules/not_ours.md"),
};

/// The codes of this module.
pub static RULES: &[&Rule] = &[
    &NEAR_KIND,
    &NOT_A_MAPPING,
    &NOT_OURS,
    &NOT_SERVED,
    &UNKNOWN_KIND,
];
