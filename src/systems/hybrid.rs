//! Hybrid placement as one of the systems.

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

use super::asked::{Essence, Lost, Moving, Numbered, PlacementSystem, Profile, Rival, WhyQuestion};
use super::outcome::Outcome;
use super::shown::{Shown, View};
use crate::data::Part;
use crate::diagnostic::Sink;
use crate::document::{Document, DocumentKind, System};
use crate::kit::plural::plural;
use crate::loss::Loss;
use crate::options::Options;
use crate::plan::row::Rows;
use crate::plan::{Plan, Section, again};
use crate::repair::Trial;
use crate::site::{Checked, Thing};
use crate::why::Why;
use crate::why::placed::{Entry, Placed};

use crate::hybrid::command::Commands;
use crate::hybrid::engine::{Decision, Keep, RuleOutcome};
use crate::hybrid::model::{CLUSTER_KIND, PlacementRule};
use crate::hybrid::why::name_of;
use crate::hybrid::{records, repair, rules, subject, why};

/// IBM hybrid placement rules.
#[derive(Debug)]
pub(super) struct Hybrid;

/// The rules of a plan and their outcomes.
fn ended<'p, 'a>(
    plan: &'p Plan<'_, 'a>,
) -> impl Iterator<Item = (&'p PlacementRule<'a>, &'p RuleOutcome)> {
    let ended = plan
        .placement_rules
        .iter()
        .flat_map(|outcome| &outcome.ended);
    plan.site.hybrid.placement_rules.iter().zip(ended)
}

impl PlacementSystem for Hybrid {
    fn profile(&self) -> &'static Profile {
        const {
            &Profile {
                system: System::Hybrid,
                chapter: include_str!("../hybrid/placement.md"),
                rules: rules::RULES,
                differences: Some("Hybrid placement rules"),
                parts: &["placementRules"],
                last: &[],
                kinds: details::KINDS,
                heads: ("PlacementRule", "Decision"),
                unplaced: ("PlacementRule", ["has no decision", "have no decision"]),
                selects: true,
                ranks: true,
            }
        }
    }

    fn models<'m>(&self, site: &'m Checked<'_>) -> Vec<&'m dyn Debug> {
        vec![&*site.hybrid]
    }

    fn answer<'p>(&self, plan: &'p Plan<'_, '_>) -> &'p dyn Debug {
        &plan.placement_rules
    }

    fn rows<'p>(&self, plan: &'p Plan<'_, '_>) -> Rows<'p> {
        rows::rows(plan)
    }

    fn data<'p>(&self, plan: &'p Plan<'_, '_>) -> Vec<Part<'p>> {
        let keep = if plan.trace { Keep::All } else { Keep::Last };
        let rules = plan.placement_rules.iter();
        let rules = rules.map(|rules| json::PlacementRules::new(&plan.site.hybrid, rules, keep));
        rules
            .map(|rules| Part::rows(Section::Rules.key(), rules))
            .collect()
    }

    fn text(&self, plan: &Plan<'_, '_>, view: View<'_>) -> Shown {
        let rules = plan.placement_rules.as_ref();
        let rules = rules.filter(|_| view.has(Section::Rules.key()));
        let rules = rules.map(|outcome| {
            text::placement_rules(&plan.site.hybrid, outcome, view.ways, view.screen)
        });
        Shown::section(rules)
    }

    fn essence(&self, outcome: &dyn Outcome) -> Vec<Essence> {
        saved::essence(outcome)
    }

    fn recorded<'p>(&self, plan: &'p Plan<'_, '_>) -> (usize, Option<&'p str>) {
        let changed = ended(plan).filter(|(_, ended)| ended.changed);
        (changed.count(), None)
    }

    fn records(&self, plan: &Plan<'_, '_>, record: Numbered<'_>) -> Vec<Value> {
        let outcome = plan.placement_rules.iter();
        let model = &plan.site.hybrid;
        outcome
            .flat_map(|outcome| records::records(model, outcome, record.number))
            .collect()
    }

    /// The clusters that rules choose from.
    fn things(&self, plan: &Plan<'_, '_>, things: &mut BTreeSet<Thing>) {
        let objects = plan.site.hybrid.inventory.objects().iter();
        let clusters = objects.filter(|object| object.kind == CLUSTER_KIND);
        things.extend(clusters.map(|object| Thing::Cluster(object.name.to_owned())));
    }

    fn lose(&self, lost: &Lost<'_, '_, '_>, into: &mut Loss) {
        loss::compare(lost.before, lost.after, into);
    }

    fn unplaceable(&self, plan: &Plan<'_, '_>, sink: &mut Sink) {
        // An unreadable document may hold an object that a rule chooses from.
        let whole = plan.site.loaded.unreadable == 0;
        if let Some(outcome) = plan.placement_rules.as_ref().filter(|_| whole) {
            rules::unplaceable(&plan.site.hybrid, outcome, sink);
        }
    }

    fn subjects(&self, plan: &Plan<'_, '_>) -> Vec<String> {
        why::subjects(&plan.site.hybrid).collect()
    }

    fn why(&self, asked: &WhyQuestion<'_, '_, '_>) -> Option<Why> {
        let site = asked.plan.site;
        let mut commands = Commands::new(site.documents.sources, asked.options);
        let trials = again::trials_of_rules(&site.hybrid);
        let why = why::why(&trials, asked.subject, asked.candidate, &mut commands);
        commands.report(&mut asked.said.borrow_mut());
        why
    }

    /// The objects that rules can choose.
    fn places(&self, plan: &Plan<'_, '_>) -> Vec<String> {
        let model = &plan.site.hybrid;
        if model.placement_rules.is_empty() {
            return Vec::new();
        }
        let objects = (0..).zip(model.inventory.objects());
        objects.map(|(id, _)| name_of(model, id)).collect()
    }

    /// Each rule, and whether it chooses an object.
    fn placed_on(&self, plan: &Plan<'_, '_>, name: &str) -> Option<Placed> {
        let model = &plan.site.hybrid;
        let count = u32::try_from(model.inventory.objects().len()).ok()?;
        let id = (0..count).find(|id| name_of(model, *id) == name)?;
        let outcome = plan.placement_rules.as_ref()?;
        let found = model
            .placement_rules
            .iter()
            .zip(&outcome.ended)
            .map(|(rule, ended)| {
                let here = ended.decisions.contains(&Decision::Object(id));
                let decisions = plural(ended.decisions.len(), "decision");
                Entry {
                    subject: subject(rule),
                    here,
                    reason: if here {
                        format!("decided, one of {decisions}")
                    } else {
                        format!("not among {decisions} ({})", ended.state.word())
                    },
                }
            });
        Some(Placed {
            what: "PlacementRule",
            found: found.collect(),
            ..Placed::default()
        })
    }

    fn trial(&self, site: &Checked<'_>, _: &Options, rival: Rival<'_>, steps: &mut u64) -> Trial {
        let Rival { subject, candidate } = rival;
        let trials = again::trials_of_rules(&site.hybrid);
        let Some(left) = steps.checked_sub(repair::work(&trials, subject)) else {
            return Trial::TooLong;
        };
        *steps = left;
        repair::obstacles(&trials, &site.documents, subject, candidate).into()
    }

    fn needs(&self, site: &Checked<'_>, document: &Document<'_>, rival: Rival<'_>) -> bool {
        site.hybrid.candidates_from_status
            || repair::needs(document, rival.subject, rival.candidate)
    }

    fn is_own(&self, site: &Checked<'_>, document: &Document<'_>, rival: Rival<'_>) -> bool {
        document.kind == DocumentKind::PlacementRule && self.needs(site, document, rival)
    }

    /// A cluster affects the rules that look at it.
    fn touched(&self, asked: &Moving<'_, '_, '_>) -> Option<Vec<u32>> {
        let (site, rival) = (asked.today.site, asked.rival);
        if site.hybrid.candidates_from_status {
            return None;
        }
        let models = (&*site.hybrid, &*asked.after.hybrid);
        let needs = |document: &Document<'_>| self.needs(site, document, rival);
        repair::touched(
            &site.documents,
            models,
            asked.documents,
            rival.subject,
            needs,
        )
    }
}
