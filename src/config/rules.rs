//! Codes of the configuration file.

use crate::diagnostic::{Diagnostic, rule_table};
use crate::source::{Place, SourceId, Span};

rule_table! {
    pages "rules/";
    "config" {
        SYNTAX Error "syntax" "`planner.toml` is not TOML";
        UNKNOWN_KEY Error "unknown_key" "a key of `planner.toml` that does not exist";
        UNREADABLE Error "unreadable" "`planner.toml` cannot be read";
        UNUSABLE Error "unusable" "a baseline or a saved plan that cannot be used";
        VALUE Error "value" "a value of `planner.toml` that its key does not accept";
    }
}

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
