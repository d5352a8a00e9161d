//! Codes of comments that ignore findings.

use super::{Rule, Severity};

const fn rule(code: &'static str, summary: &'static str, docs: &'static str) -> Rule {
    Rule {
        code,
        summary,
        severity: Severity::Warning,
        docs,
    }
}

/// `until` has passed.
pub static EXPIRED: Rule = rule(
    "planner::site::ignore_expired",
    "an ignore whose time is over",
    include_str!("rules/ignore_expired.md"),
);

/// A comment that looks like an ignore and is none.
pub static SYNTAX: Rule = rule(
    "planner::site::ignore_syntax",
    "an ignore that cannot be read",
    include_str!("rules/ignore_syntax.md"),
);

/// An ignore of a code that does not exist.
pub static UNKNOWN: Rule = rule(
    "planner::site::ignore_unknown",
    "an ignore of a code that does not exist",
    include_str!("rules/ignore_unknown.md"),
);

/// An ignore that covers nothing.
pub static UNUSED: Rule = rule(
    "planner::site::ignore_unused",
    "an ignore that covers nothing",
    include_str!("rules/ignore_unused.md"),
);

/// An ignore without the reason that the configuration asks for.
pub static WITHOUT_REASON: Rule = Rule {
    severity: Severity::Error,
    ..rule(
        "planner::site::ignore_without_reason",
        "an ignore without a reason where `planner.toml` asks for one",
        include_str!("rules/ignore_without_reason.md"),
    )
};

/// The codes of this module, sorted.
pub static RULES: &[&Rule] = &[&EXPIRED, &SYNTAX, &UNKNOWN, &UNUSED, &WITHOUT_REASON];
