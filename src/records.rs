//! Records: the documents that Proceed writes and the next plan reads back.
//!
//! Source: design decision 5; contract, section 4.

use crate::plan::{Plan, RecordHead, Recorded};
use crate::render::json::hybrid;
use crate::render::{clean, yaml};

impl Plan<'_, '_> {
    /// The record of this plan.
    #[must_use]
    pub fn records(&self, head: &RecordHead<'_>) -> Recorded {
        let mut documents: Vec<(String, String)> = Vec::new();
        let number = format!("{:04}", head.number);
        if let Some(outcome) = &self.rules {
            let records = hybrid::records(&self.site.hybrid, outcome, &number);
            documents.extend(records.map(|record| (String::new(), yaml::document(&record))));
        }
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
