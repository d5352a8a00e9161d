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

use super::asked::{Rival, WhyQuestion};
use crate::data::Part;
use crate::delivery::{follow, repair, why};
use crate::document::System;
use crate::kit::plural::plural;
use crate::options::Options;
use crate::page::{Page, Screen};
use crate::plan::{self, Plan, Section, again};
use crate::repair::Obstacle;
use crate::site::Checked;
use crate::why::Why;
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

/// Every link between a consumer and each cluster; nothing if it is not known. `placement` gives
/// the reasons of a Placement for one cluster.
pub(super) fn why(
    asked: &WhyQuestion<'_, '_, '_>,
    placement: &dyn Fn(&str, &str) -> Option<Why>,
) -> Option<Why> {
    let site = asked.plan.site;
    let (model, hub) = (&site.delivery, &site.ocm);
    if !why::is_known(model, hub, asked.subject) {
        return None;
    }
    let options = Options {
        systems: vec![System::Ocm],
        ..asked.options.clone()
    };
    let plan = plan::make(site, &options);
    let study = why::Study {
        model,
        hub,
        deliveries: plan.deliveries.as_ref()?,
        placement,
    };
    study.why(asked.subject, asked.candidate)
}

/// The obstacles that keep a consumer from reaching a cluster; `placement` gives those of a
/// Placement.
pub(super) fn obstacles(
    site: &Checked<'_>,
    options: &Options,
    rival: Rival<'_>,
    placement: &dyn Fn(&str, &str) -> Option<Vec<Obstacle>>,
) -> Option<Vec<Obstacle>> {
    let options = Options {
        jobs: 1,
        ..options.trial(System::Ocm)
    };
    let asked = repair::Site {
        model: &site.delivery,
        hub: &site.ocm,
        deliveries: &again::deliveries(site, &options),
        documents: &site.documents,
        placement,
    };
    repair::obstacles(&asked, rival.subject, rival.candidate)
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
