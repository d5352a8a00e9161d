//! Codes of expectations that cannot be tried.

use crate::diagnostic::{Rule, Severity};

const fn rule(code: &'static str, summary: &'static str, docs: &'static str) -> Rule {
    Rule {
        code,
        summary,
        severity: Severity::Error,
        docs,
    }
}

/// A `set` that names several documents.
pub static AMBIGUOUS_DOCUMENT: Rule = rule(
    "planner::test::ambiguous_document",
    "a `set` of a PlanTest that names several documents",
    include_str!("rules/ambiguous_document.md"),
);

/// An `invalid` that is not a code.
pub static UNKNOWN_CODE: Rule = rule(
    "planner::test::unknown_code",
    "an expected refusal whose code does not exist",
    include_str!("rules/unknown_code.md"),
);

/// A `set` of a document that is not there.
pub static UNKNOWN_DOCUMENT: Rule = rule(
    "planner::test::unknown_document",
    "a `set` of a PlanTest that names a document the site does not hold",
    include_str!("rules/unknown_document.md"),
);

/// A `set` of a value that is not there.
pub static UNKNOWN_POINTER: Rule = rule(
    "planner::test::unknown_pointer",
    "a `set` of a PlanTest whose pointer leads to nothing",
    include_str!("rules/unknown_pointer.md"),
);

/// The codes of this module, sorted.
pub static RULES: &[&Rule] = &[
    &AMBIGUOUS_DOCUMENT,
    &UNKNOWN_CODE,
    &UNKNOWN_DOCUMENT,
    &UNKNOWN_POINTER,
];
