//! The decisions of placements, by the documents and by a plan.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::System;
use crate::options::Options;
use crate::plan::{self, Plan};
use crate::site::Checked;
use crate::yaml::Tree;

/// Clusters by placement: its namespace and name.
pub(super) type Decided = BTreeMap<(String, String), BTreeSet<String>>;

/// The decisions in the documents of a site.
pub(super) fn held(site: &Checked<'_>) -> Decided {
    let mut found = Decided::new();
    for decision in &site.ocm.decisions {
        if let Some(placement) = decision.placement {
            let key = (decision.namespace.to_owned(), placement.to_owned());
            let clusters = decision.clusters.iter().map(|name| (*name).to_owned());
            found.entry(key).or_default().extend(clusters);
        }
    }
    found
}

/// The decisions of a plan, without the placements that are left alone.
pub(super) fn planned(plan: &Plan<'_, '_>) -> Decided {
    let mut found = Decided::new();
    let Some(outcome) = &plan.placements else {
        return found;
    };
    for placed in &outcome.placements.placed {
        if placed.skipped.is_some() {
            continue;
        }
        let placement = &plan.site.ocm.placements[placed.placement];
        let clusters = outcome.placements.decided(placed).map(str::to_owned);
        let key = (placement.namespace.to_owned(), placement.name.to_owned());
        found.insert(key, clusters.collect());
    }
    found
}

/// The added and the removed clusters; `None` if there are none of either.
pub(super) fn moved(
    had: &BTreeSet<String>,
    has: &BTreeSet<String>,
) -> Option<(Vec<String>, Vec<String>)> {
    let added: Vec<String> = has.difference(had).cloned().collect();
    let removed: Vec<String> = had.difference(has).cloned().collect();
    (!added.is_empty() || !removed.is_empty()).then_some((added, removed))
}

/// Plans a site on trial.
pub(super) fn try_plan<'s, 'a>(site: &'s Checked<'a>, options: &Options) -> Plan<'s, 'a> {
    plan::make(site, &options.trial(System::Ocm))
}

/// Trees that stand in for documents, by number.
pub(super) type Instead = Vec<(usize, Tree)>;
