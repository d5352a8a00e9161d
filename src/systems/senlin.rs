//! Senlin as one of the systems.

mod details;
#[doc(hidden)]
pub mod json;
mod loss;
mod rows;
mod saved;
#[doc(hidden)]
pub mod text;

use std::collections::BTreeSet;
use std::fmt::Debug;

use serde_json::Value;

use super::asked::{Essence, Lost, Numbered, PlacementSystem, Profile, Rival, WhyQuestion};
use super::outcome::Outcome;
use super::shown::{Shown, View};
use crate::data::Part;
use crate::diagnostic::Sink;
use crate::document::{Document, System};
use crate::kit::plural::plural;
use crate::loss::Loss;
use crate::options::Options;
use crate::plan::row::Rows;
use crate::plan::{Plan, Section, again};
use crate::repair::Trial;
use crate::site::{Checked, Thing};
use crate::why::Why;
use crate::why::placed::{Entry, Placed};

use crate::senlin::{called, records, repair, rules, why};

/// Senlin.
#[derive(Debug)]
pub(super) struct Senlin;

impl PlacementSystem for Senlin {
    fn profile(&self) -> &'static Profile {
        const {
            &Profile {
                system: System::Senlin,
                chapter: include_str!("../senlin/placement.md"),
                rules: rules::RULES,
                differences: Some("Senlin region placement"),
                parts: &["regionPlacements"],
                last: &[],
                kinds: details::KINDS,
                heads: ("Region", "Number"),
                unplaced: ("policy", ["has no room", "have no room"]),
                selects: false,
                ranks: true,
            }
        }
    }

    fn models<'m>(&self, site: &'m Checked<'_>) -> Vec<&'m dyn Debug> {
        vec![&*site.senlin]
    }

    fn answer<'p>(&self, plan: &'p Plan<'_, '_>) -> &'p dyn Debug {
        &plan.regions
    }

    fn rows<'p>(&self, plan: &'p Plan<'_, '_>) -> Rows<'p> {
        rows::rows(plan)
    }

    fn data<'p>(&self, plan: &'p Plan<'_, '_>) -> Vec<Part<'p>> {
        let regions = json::region_placements(&plan.regions);
        if regions.is_empty() {
            Vec::new()
        } else {
            vec![Part::whole(Section::Regions.key(), regions)]
        }
    }

    fn text(&self, plan: &Plan<'_, '_>, view: View<'_>) -> Shown {
        let planned = !plan.regions.planned.is_empty() && view.has(Section::Regions.key());
        let regions = planned.then(|| text::regions(plan, view.ways, view.screen));
        Shown::section(regions)
    }

    fn essence(&self, outcome: &dyn Outcome) -> Vec<Essence> {
        saved::essence(outcome)
    }

    /// A file is decided region by region.
    fn shows(&self, _: &str, file: &str, moved: &str) -> bool {
        let rest = moved.strip_prefix(file);
        rest.is_some_and(|rest| rest.starts_with('/'))
    }

    fn recorded<'p>(&self, plan: &'p Plan<'_, '_>) -> (usize, Option<&'p str>) {
        let planned = plan.regions.planned.iter();
        (planned.filter(|set| set.changes()).count(), None)
    }

    fn records(&self, plan: &Plan<'_, '_>, record: Numbered<'_>) -> Vec<Value> {
        records::records(&plan.regions, record.directory, record.number)
    }

    /// The regions of all policies.
    fn things(&self, plan: &Plan<'_, '_>, things: &mut BTreeSet<Thing>) {
        things.extend(self.places(plan).into_iter().map(Thing::Region));
    }

    fn lose(&self, lost: &Lost<'_, '_, '_>, into: &mut Loss) {
        loss::compare(lost.before, lost.after, into);
    }

    fn unplaceable(&self, plan: &Plan<'_, '_>, sink: &mut Sink) {
        rules::unplaceable(&plan.regions, sink);
    }

    fn subjects(&self, plan: &Plan<'_, '_>) -> Vec<String> {
        why::subjects(&plan.regions).map(str::to_owned).collect()
    }

    fn also_called(&self, plan: &Plan<'_, '_>, name: &str) -> Vec<String> {
        called(&plan.regions, name)
    }

    fn why(&self, asked: &WhyQuestion<'_, '_, '_>) -> Option<Why> {
        let regions = &asked.plan.regions;
        why::why(regions, asked.subject, asked.candidate, again::regions)
    }

    /// The regions of all policies.
    fn places(&self, plan: &Plan<'_, '_>) -> Vec<String> {
        let planned = plan.regions.planned.iter();
        let regions = planned.flat_map(|planned| &planned.check.policy.regions);
        let mut names: Vec<String> = regions.map(|region| region.name.to_string()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The actions whose policies name a region.
    fn placed_on(&self, plan: &Plan<'_, '_>, name: &str) -> Option<Placed> {
        let mut all = Vec::new();
        for planned in &plan.regions.planned {
            let regions = &planned.check.policy.regions;
            let Some(position) = regions.iter().position(|region| region.name == name) else {
                continue;
            };
            let mut usable = planned.outcome.usable.iter();
            let at = usable.position(|usable| *usable as usize == position);
            let change = at.map_or(0, |at| planned.outcome.change(at));
            all.push(Entry {
                subject: planned.set.path.to_owned(),
                here: change != 0,
                reason: match change {
                    0 => "no node is created or deleted there".to_owned(),
                    created if created > 0 => format!("creates {}", nodes(created)),
                    deleted => format!("deletes {}", nodes(-deleted)),
                },
            });
        }
        Some(Placed {
            what: "action",
            found: all,
            ..Placed::default()
        })
    }

    fn trial(&self, site: &Checked<'_>, _: &Options, rival: Rival<'_>, _: &mut u64) -> Trial {
        let Rival { subject, candidate } = rival;
        let (model, documents) = (&site.senlin, &site.documents);
        repair::obstacles(model, documents, subject, candidate, again::regions).into()
    }

    fn needs(&self, site: &Checked<'_>, document: &Document<'_>, rival: Rival<'_>) -> bool {
        site.documents.sources.get(document.source()).name == rival.subject
    }

    /// The regions of a file are decided together.
    fn is_part(&self, decided: &str, rival: Rival<'_>) -> bool {
        let rest = decided.strip_prefix(rival.subject);
        rest.is_some_and(|rest| rest.starts_with('/'))
    }

    /// A file is planned by itself.
    fn is_own(&self, site: &Checked<'_>, document: &Document<'_>, rival: Rival<'_>) -> bool {
        self.needs(site, document, rival)
    }
}

fn nodes(number: i128) -> String {
    plural(usize::try_from(number).unwrap_or(usize::MAX), "node")
}
