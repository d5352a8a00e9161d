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
    let why = reason(error);
    fault(source, format!("the configuration cannot be read: {why}"))
}

/// A directory that may hold the file and cannot be entered.
pub(super) fn closed(source: SourceId, error: &std::io::Error) -> Diagnostic {
    let why = reason(error);
    let message = format!(
        "the directory cannot be entered, so whether it has a planner.toml is not known: {why}"
    );
    fault(source, message)
        .help("let planner enter the directory, or name a configuration elsewhere with --config")
}

fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error")
        .next()
        .unwrap_or_default()
        .to_lowercase()
}

fn fault(source: SourceId, message: String) -> Diagnostic {
    let place = Place {
        source,
        span: Span::default(),
    };
    Diagnostic::new(&UNREADABLE, message).at(place, "")
}
