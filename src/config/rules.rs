//! Codes of the configuration file.

use crate::diagnostic::{Diagnostic, Rule};
use crate::source::{Place, SourceId, Span};

/// The file is not TOML.
pub static SYNTAX: Rule = Rule::error(
    "planner::config::syntax",
    "`planner.toml` is not TOML",
    include_str!("rules/syntax.md"),
);

/// A key that does not exist.
pub static UNKNOWN_KEY: Rule = Rule::error(
    "planner::config::unknown_key",
    "a key of `planner.toml` that does not exist",
    include_str!("rules/unknown_key.md"),
);

/// The file cannot be read.
pub static UNREADABLE: Rule = Rule::error(
    "planner::config::unreadable",
    "`planner.toml` cannot be read",
    include_str!("rules/unreadable.md"),
);

/// A value of the wrong kind.
pub static VALUE: Rule = Rule::error(
    "planner::config::value",
    "a value of `planner.toml` that its key does not take",
    include_str!("rules/value.md"),
);

/// The codes of this module, sorted.
pub static RULES: &[&Rule] = &[&SYNTAX, &UNKNOWN_KEY, &UNREADABLE, &VALUE];

pub(super) fn unreadable(source: SourceId, error: &std::io::Error) -> Diagnostic {
    let text = error.to_string();
    let why = text
        .split(" (os error")
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let place = Place {
        source,
        span: Span::default(),
    };
    Diagnostic::new(
        &UNREADABLE,
        format!("the configuration cannot be read: {why}"),
    )
    .at(place, "")
}
