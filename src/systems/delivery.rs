//! The consumers of placements as sections of a plan, beside the placements that they read.

mod details;
#[doc(hidden)]
pub mod json;
mod loss;
mod rows;
mod saved;
#[doc(hidden)]
pub mod text;

pub(super) use details::{DELIVERIES, LEGACY_RULES};
pub(super) use loss::compare as lost;
pub(super) use rows::rows;
pub(super) use saved::essence;

use std::collections::BTreeMap;

use crate::data::Part;
use crate::delivery::{follow, why};
use crate::kit::plural::plural;
use crate::page::{Page, Screen};
use crate::plan::{Plan, Section};
use crate::why::placed::Entry;

/// Their parts of a plan as data.
pub(super) fn data<'p>(plan: &'p Plan<'_, '_>) -> Vec<Part<'p>> {
    let Some(deliveries) = plan.deliveries.as_deref() else {
        return Vec::new();
    };
    let sources = plan.site.documents.sources;
    let rows = json::Delivered::new(&plan.site.delivery, deliveries, sources);
    let rows = rows.map(|rows| rows.without(plan.partial.as_ref()));
    let rows = rows.map(|rows| Part::rows(Section::Deliveries.key(), rows));
    let legacy = json::LegacyRules::new(deliveries, sources);
    let legacy = legacy.map(|rows| Part::rows(Section::LegacyRules.key(), rows));
    let pages = json::pages(deliveries).map(|pages| Part::whole("pages", pages));
    rows.into_iter().chain(legacy).chain(pages).collect()
}

/// Their section of a plan as text.
pub(super) fn shown(plan: &Plan<'_, '_>, screen: &Screen) -> Option<Page> {
    let deliveries = plan.followed()?;
    Some(text::deliveries(plan, deliveries, screen))
}

/// The consumers that reach a cluster, one entry for each kind.
pub(super) fn reached(deliveries: &follow::Deliveries<'_>, cluster: &str) -> Vec<Entry> {
    let Some(number) = deliveries.ground.names.find(cluster) else {
        return Vec::new();
    };
    let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in &deliveries.rows {
        if row.clusters.contains(number as usize) {
            let subject = why::subject(&row.id);
            let name = subject.split_once('/').map_or("", |(_, name)| name);
            kinds.entry(row.id.kind).or_default().push(name.to_owned());
        }
    }
    let entry = |(kind, names): (&str, Vec<String>)| Entry {
        subject: plural(names.len(), kind),
        here: true,
        reason: names.join(", "),
    };
    kinds.into_iter().map(entry).collect()
}
