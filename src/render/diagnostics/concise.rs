//! `concise`: one line a finding, `path:line:column: severity[code] message`.

use std::fmt::Write as _;

use crate::diagnostic::{Sink, short_code};
use crate::render::clean;
use crate::source::Sources;

use super::fold::folded;

/// One line for each finding.
#[must_use]
pub fn concise(sink: &Sink, sources: &Sources) -> String {
    let mut out = String::new();
    for found in &folded(&sink.diagnostics) {
        if let Some(primary) = &found.primary {
            let _ = write!(out, "{}: ", clean(&sources.describe(primary.place)));
        }
        let _ = write!(
            out,
            "{}[{}] {}",
            found.severity.word(),
            short_code(found.rule.code),
            clean(&found.message)
        );
        if let Some(help) = &found.help {
            let _ = write!(out, " ({})", clean(help));
        }
        out.push('\n');
    }
    out
}
