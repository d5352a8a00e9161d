//! Records: the documents that Proceed writes and the next plan reads back.
//!
//! Source: design decision 5; contract, section 4.

use serde_json::Value;

use crate::ogc::records as ogc;
use crate::plan::{Plan, RecordHead, Recorded};
use crate::render::json::{hybrid, ocm};
use crate::render::{clean, yaml};
use crate::senlin;

impl Plan<'_, '_> {
    /// The record of this plan.
    #[must_use]
    pub fn records(&self, head: &RecordHead<'_>) -> Recorded {
        let number = format!("{:04}", head.number);
        let mut documents: Vec<Value> = senlin::records(&self.regions, head.directory, &number);
        if let Some(outcome) = &self.placements {
            let records = ocm::records(&self.site.ocm, outcome, &number, self.now);
            documents.extend(records);
        }
        if let Some(outcome) = &self.rules {
            documents.extend(hybrid::records(&self.site.hybrid, outcome, &number));
        }
        let mut packages = Vec::new();
        if let Some(outcome) = &self.applications {
            for (package, deployment) in
                ogc::deployments(&self.site.ogc, outcome, self.now, &number)
            {
                packages.push(package);
                documents.push(deployment);
            }
        }
        let what = match (packages.as_slice(), documents.len()) {
            ([package], 1) => *package,
            _ => "site",
        };
        let mut text = format!(
            "# Record {number}: written by planner {} on Proceed, from the plan of {} at {}.\n",
            env!("CARGO_PKG_VERSION"),
            clean(head.origin),
            self.now
        );
        for document in &documents {
            let written = yaml::document(document);
            // A second reader must understand what the next plan is built on.
            debug_assert_eq!(
                serde_yaml::from_str::<Value>(&written).ok().as_ref(),
                Some(document)
            );
            text.push_str("---\n");
            text.push_str(&written);
        }
        Recorded {
            what: what.to_owned(),
            text,
        }
    }
}
