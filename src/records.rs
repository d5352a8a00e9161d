//! Records: the documents that Proceed writes and the next plan reads back.
//!
//! Source: design decision 5; contract, section 4.

use crate::plan::{Plan, RecordHead, Recorded};
use crate::render::clean;

impl Plan<'_, '_> {
    /// The record of this plan.
    #[must_use]
    pub fn records(&self, head: &RecordHead<'_>) -> Recorded {
        let documents: Vec<(String, String)> = Vec::new();
        let what = match documents.as_slice() {
            [(name, _)] if !name.is_empty() => name.clone(),
            _ => "site".to_owned(),
        };
        let mut text = format!(
            "# Record {:04}: written by planner {} on Proceed, from the plan of {} at {}.\n",
            head.number,
            env!("CARGO_PKG_VERSION"),
            clean(head.origin),
            self.now
        );
        for (_, document) in &documents {
            text.push_str("---\n");
            text.push_str(document);
        }
        Recorded { what, text }
    }
}
