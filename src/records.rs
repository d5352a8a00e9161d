//! Records: the documents that Proceed writes and the next plan reads back.
//!
//! Source: design decision 5; contract, section 4.

use serde_json::Value;

use crate::plan::{Plan, RecordHead, Recorded};
use crate::render::json::hybrid;
use crate::render::{clean, yaml};
use crate::senlin;

impl Plan<'_, '_> {
    /// The record of this plan.
    #[must_use]
    pub fn records(&self, head: &RecordHead<'_>) -> Recorded {
        let number = format!("{:04}", head.number);
        let mut documents: Vec<Value> = senlin::records(&self.site.senlin, head.directory, &number);
        if let Some(outcome) = &self.rules {
            documents.extend(hybrid::records(&self.site.hybrid, outcome, &number));
        }
        let mut text = format!(
            "# Record {number}: written by planner {} on Proceed, from the plan of {} at {}.\n",
            env!("CARGO_PKG_VERSION"),
            clean(head.origin),
            self.now
        );
        for document in &documents {
            text.push_str("---\n");
            text.push_str(&yaml::document(document));
        }
        Recorded {
            what: what(&documents),
            text,
        }
    }
}

/// The Package if only one thing is recorded, else `site`.
fn what(documents: &[Value]) -> String {
    match documents {
        [only] => only
            .pointer("/spec/package")
            .and_then(Value::as_str)
            .unwrap_or("site"),
        _ => "site",
    }
    .to_owned()
}
