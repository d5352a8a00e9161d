//! Findings in every format, one file each.

mod concise;
mod full;
mod json;

pub use concise::concise;
pub use full::full;
pub use json::{JsonDiagnostic, json};

use crate::diagnostic::{Severity, Sink};

/// How findings are shown on a screen.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// Width in columns.
    pub width: usize,
    /// Whether colour is wanted.
    pub color: bool,
    /// Whether the screen takes characters beyond ASCII.
    pub unicode: bool,
}

/// `2 errors, 1 warning`; empty when there is nothing.
#[must_use]
pub fn counts(sink: &Sink) -> String {
    let part = |severity: Severity| {
        let count = sink.count(severity);
        let plural = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{count} {}{plural}", severity.word()))
    };
    let parts: Vec<String> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .filter_map(part)
        .collect();
    parts.join(", ")
}
