//! The levels that a user gives to codes.

use std::collections::BTreeMap;

use super::{Diagnostic, Severity, Sink, Suppressed};

/// The level a user gives a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Not reported.
    Off,
    /// Reported at this severity.
    At(Severity),
}

/// Levels by code, with its leading `planner::`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Levels(pub BTreeMap<String, Level>);

impl Levels {
    /// Whether findings of a code are not reported.
    #[must_use]
    pub fn is_off(&self, code: &str) -> bool {
        self.0.get(code) == Some(&Level::Off)
    }

    /// Gives every finding the level of its code; what was refused stays so. With `refusals` a
    /// finding that refuses is reported although its code is off.
    pub fn apply(&self, sink: &mut Sink, refusals: bool) {
        let levels = &self.0;
        if levels.is_empty() {
            return;
        }
        for found in &mut sink.diagnostics {
            if let Some(Level::At(severity)) = levels.get(found.rule.code) {
                found.severity = *severity;
            }
        }
        for found in &mut sink.suppressed {
            if let Some(Level::At(severity)) = levels.get(found.diagnostic.rule.code) {
                found.diagnostic.severity = *severity;
            }
        }
        let off = |code: &str| levels.get(code) == Some(&Level::Off);
        let hidden = sink
            .diagnostics
            .iter()
            .any(|found| found.refuses && off(found.rule.code));
        if refusals {
            let hidden = |found: &&mut Diagnostic| found.refuses && off(found.rule.code);
            for found in sink.diagnostics.iter_mut().filter(hidden) {
                let why = "planner.toml turns it off, but the document is still refused";
                *found = found.clone().add_help(why);
            }
        }
        sink.refusal_hidden |= hidden;
        sink.diagnostics
            .retain(|found| !off(found.rule.code) || (refusals && found.refuses));
        let off = |found: &Suppressed| off(found.diagnostic.rule.code);
        sink.suppressed.retain(|found| !off(found));
    }
}
