//! Records: the documents that Proceed writes and the next plan reads back.

use serde_json::Value;

use crate::ocm::engine::place::Change;
use crate::ogc::records as ogc;
use crate::plan::{Plan, RecordHead, Recorded, record_number};
use crate::render::json::{hybrid, ocm};
use crate::render::{clean, yaml};

/// What a record holds, by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents<'p> {
    /// The Packages that get a Deployment.
    pub packages: Vec<&'p str>,
    /// How many `PlacementDecision`s are made, altered or deleted.
    pub decisions: usize,
    /// How many rules get another status.
    pub rules: usize,
    /// How many actions get data.
    pub actions: usize,
}

impl<'p> Contents<'p> {
    /// What the record is called after its number: the Package if only one thing is recorded.
    #[must_use]
    pub fn what(&self) -> &'p str {
        match (
            self.packages.as_slice(),
            self.decisions + self.rules + self.actions,
        ) {
            ([package], 0) => package,
            _ => "site",
        }
    }
}

impl<'a> Plan<'_, 'a> {
    /// What the record of this plan holds, without making it.
    #[must_use]
    pub fn contents(&self) -> Contents<'a> {
        let mut contents = Contents {
            actions: self
                .regions
                .planned
                .iter()
                .filter(|set| set.changes())
                .count(),
            ..Contents::default()
        };
        for placed in self
            .placements
            .iter()
            .flat_map(|outcome| &outcome.placements.placed)
        {
            let pages = placed.pages.iter();
            let written = pages
                .filter(|page| page.change != Change::Unchanged)
                .count();
            contents.decisions += written + placed.deleted.len();
        }
        if let Some(outcome) = &self.placement_rules {
            contents.rules = outcome.ended.iter().filter(|rule| rule.changed).count();
        }
        if let Some(outcome) = &self.applications {
            contents.packages = ogc::recorded(outcome).map(|package| package.name).collect();
        }
        contents
    }

    /// The record of this plan.
    #[must_use]
    pub fn records(&self, head: &RecordHead<'_>) -> Recorded {
        let number = record_number(head.number);
        let mut documents: Vec<Value> = self.regions.records(head.directory, &number);
        if let Some(outcome) = &self.placements {
            let records = ocm::records(&self.site.ocm, outcome, &number, self.now);
            documents.extend(records);
        }
        if let Some(outcome) = &self.placement_rules {
            documents.extend(hybrid::records(&self.site.hybrid, outcome, &number));
        }
        if let Some(outcome) = &self.applications {
            let deployments = ogc::deployments(&self.site.ogc, outcome, self.now, &number);
            documents.extend(deployments);
        }
        let mut text = format!(
            "# Record {number}: written by planner {} on Proceed, from the plan of {} at {}.\n\
             # What it claims (phase Running, names of volumes) is the plan's assumption: planner \
             deploys nothing.\n",
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
            what: self.contents().what().to_owned(),
            text,
        }
    }
}
