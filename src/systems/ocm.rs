//! OCM as one of the systems.

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
use super::delivery as deliveries;
use super::outcome::Outcome;
use super::shown::{Shown, View};
use crate::data::Part;
use crate::delivery;
use crate::diagnostic::Sink;
use crate::document::{Document, DocumentKind, System};
use crate::kit::plural::plural;
use crate::loss::Loss;
use crate::options::Options;
use crate::plan::row::Rows;
use crate::plan::{Plan, Section, again};
use crate::repair::{Obstacle, Trial};
use crate::site::{Checked, Thing};
use crate::why::Why;
use crate::why::placed::{Entry, Placed};

use crate::ocm::engine::place::{Change, Detail};
use crate::ocm::{records, repair, rules, why};

/// Open Cluster Management.
#[derive(Debug)]
pub(super) struct Ocm;

/// The answer with the values hidden that builds copied out of Secrets.
fn without_secrets(mut why: Why, site: &Checked<'_>) -> Why {
    let copied = site.loaded.builds.copied();
    if !copied.is_empty() {
        let hide = |text: &mut String| *text = copied.hide(text);
        why.steps.iter_mut().for_each(hide);
        let candidates = why.candidates.iter_mut();
        let verdicts = candidates.flat_map(|candidate| &mut candidate.verdicts);
        for verdict in verdicts {
            hide(&mut verdict.reason);
            let values = verdict.asked.iter_mut().chain(&mut verdict.found);
            values.for_each(hide);
        }
        if let Some(decided) = &mut why.decided_by {
            hide(&mut decided.reason);
        }
    }
    why
}

/// The obstacles that keep a cluster out of a Placement.
fn decided(site: &Checked<'_>, rival: Rival<'_>) -> Option<Vec<Obstacle>> {
    let now = site.settings.now;
    let study = again::placement(&site.ocm, now, rival.subject, Detail::Selection)?;
    repair::obstacles(&study, &site.documents, rival.candidate)
}

impl PlacementSystem for Ocm {
    fn profile(&self) -> &'static Profile {
        const {
            &Profile {
                system: System::Ocm,
                chapter: include_str!("../ocm/placement.md"),
                rules: rules::RULES,
                differences: Some("Open Cluster Management"),
                parts: &[
                    "placements",
                    "deliveries",
                    "legacyRules",
                    "pages",
                    "sequential",
                ],
                last: &["rollouts", "rolloutWaves"],
                kinds: details::KINDS,
                heads: ("Placement", "Decision"),
                unplaced: ("Placement", ["is not satisfied", "are not satisfied"]),
                selects: true,
                ranks: true,
            }
        }
    }

    fn models<'m>(&self, site: &'m Checked<'_>) -> Vec<&'m dyn Debug> {
        vec![&*site.ocm, &*site.delivery]
    }

    fn answer<'p>(&self, plan: &'p Plan<'_, '_>) -> &'p dyn Debug {
        &plan.placements
    }

    fn rows<'p>(&self, plan: &'p Plan<'_, '_>) -> Rows<'p> {
        rows::rows(plan)
    }

    fn data<'p>(&self, plan: &'p Plan<'_, '_>) -> Vec<Part<'p>> {
        let model = &*plan.site.ocm;
        let outcome = plan.placements.as_ref();
        let placements = outcome
            .filter(|_| !model.placements.is_empty())
            .map(|outcome| {
                json::Placements::new(model, outcome, plan.trace)
                    .of_hub(plan.site.hub.is_some())
                    .without(plan.partial.as_ref())
            });
        let placements = placements.map(|rows| Part::rows(Section::Placements.key(), rows));
        let sequential = outcome.and_then(|outcome| json::Sequential::new(model, outcome));
        let sequential = sequential.map(|rows| Part::rows("sequential", rows));
        let list = |key, values: Vec<Value>| {
            let any = !values.is_empty();
            any.then(|| Part::whole(key, values))
        };
        let rollouts = outcome.and_then(|outcome| list("rollouts", json::rollouts(model, outcome)));
        let waves = outcome.and_then(|outcome| list("rolloutWaves", json::rollout_waves(outcome)));
        let parts = placements.into_iter().chain(deliveries::data(plan));
        parts
            .chain(sequential)
            .chain(rollouts)
            .chain(waves)
            .collect()
    }

    fn text(&self, plan: &Plan<'_, '_>, view: View<'_>) -> Shown {
        let (model, screen) = (&plan.site.ocm, view.screen);
        let mut shown = Shown::default();
        if view.has(Section::Placements.key()) {
            if let Some(outcome) = &plan.placements {
                let placed = text::placements(model, outcome, plan.now, view.ways, screen);
                let expired = text::expired_scores(model, plan.now, screen);
                shown.sections.extend([placed, expired]);
            }
            if !plan.without_hub.is_empty() {
                shown
                    .sections
                    .push(text::without_hub(&plan.without_hub, screen));
            }
        }
        if view.has(Section::Deliveries.key()) {
            shown.sections.extend(deliveries::shown(plan, screen));
        }
        if let Some(outcome) = &plan.placements
            && (view.has("rollouts") || view.has("rolloutWaves"))
        {
            shown.below.push(text::rollouts(model, outcome, screen));
        }
        shown
    }

    fn essence(&self, outcome: &dyn Outcome) -> Vec<Essence> {
        saved::essence(outcome)
    }

    fn shows(&self, what: &str, name: &str, moved: &str) -> bool {
        what == saved::PLACEMENT && name == moved
    }

    /// Where there is a hub, it writes PlacementDecisions itself.
    fn recorded<'p>(&self, plan: &'p Plan<'_, '_>) -> (usize, Option<&'p str>) {
        let outcome = plan.placements.iter().filter(|_| plan.site.hub.is_none());
        let placed = outcome.flat_map(|outcome| &outcome.placements.placed);
        let written = placed.map(|placed| {
            let pages = placed.pages.iter();
            let written = pages.filter(|page| page.change != Change::Unchanged);
            written.count() + placed.deleted.len()
        });
        (written.sum(), None)
    }

    fn records(&self, plan: &Plan<'_, '_>, record: Numbered<'_>) -> Vec<Value> {
        let outcome = plan.placements.as_ref();
        let outcome = outcome.filter(|_| plan.site.hub.is_none());
        outcome.map_or(Vec::new(), |outcome| {
            records::records(&plan.site.ocm, outcome, record.number, plan.now)
        })
    }

    /// All ManagedClusters.
    fn things(&self, plan: &Plan<'_, '_>, things: &mut BTreeSet<Thing>) {
        let clusters = plan.site.ocm.clusters.iter();
        things.extend(clusters.map(|cluster| Thing::Cluster(cluster.name.to_owned())));
    }

    fn lose(&self, lost: &Lost<'_, '_, '_>, into: &mut Loss) {
        loss::compare(lost.before, lost.after, into);
        into.deliveries = deliveries::lost(lost.before, lost.after);
    }

    fn unplaceable(&self, plan: &Plan<'_, '_>, sink: &mut Sink) {
        let Some(outcome) = &plan.placements else {
            return;
        };
        let found = [&plan.site.findings, &plan.findings];
        let doubt = rules::Doubt::of(&plan.site.documents, found);
        rules::unsatisfied(&plan.site.ocm, outcome, &doubt, sink);
    }

    fn subjects(&self, plan: &Plan<'_, '_>) -> Vec<String> {
        why::subjects(&plan.site.ocm).collect()
    }

    /// The consumers of placements: policies, ApplicationSets, add-ons, ….
    fn also_called(&self, plan: &Plan<'_, '_>, written: &str) -> Vec<String> {
        delivery::why::called(&plan.site.delivery, &plan.site.ocm, written)
    }

    fn why(&self, asked: &WhyQuestion<'_, '_, '_>) -> Option<Why> {
        let (plan, subject) = (asked.plan, asked.subject);
        let (hub, now) = (&plan.site.ocm, plan.now);
        if let Some(study) = again::placement(hub, now, subject, Detail::All) {
            let why = why::why(&study, asked.candidate);
            return Some(without_secrets(why, plan.site));
        }
        let of_placement = |subject: &str, cluster: &str| {
            let study = again::placement(hub, now, subject, Detail::All)?;
            Some(why::why(&study, Some(cluster)))
        };
        deliveries::why(asked, &of_placement)
    }

    /// The clusters that placements can choose.
    fn places(&self, plan: &Plan<'_, '_>) -> Vec<String> {
        let model = &plan.site.ocm;
        let clusters = model.clusters.iter();
        let names = clusters.map(|cluster| cluster.name.to_owned());
        names.filter(|_| !model.placements.is_empty()).collect()
    }

    /// Each placement, and whether it has a cluster.
    fn placed_on(&self, plan: &Plan<'_, '_>, name: &str) -> Option<Placed> {
        let model = &plan.site.ocm;
        let at = model.clusters.iter().position(|one| one.name == name)?;
        let at = u32::try_from(at).ok()?;
        let placed = &plan.placements.as_ref()?.placements.placed;
        let found = placed.iter().map(|placed| {
            let placement = &model.placements[placed.placement];
            let here = placed
                .groups
                .iter()
                .any(|group| group.clusters.contains(&at));
            let selected = plural(placed.selected.len(), "cluster");
            Entry {
                subject: placement.full_name().to_string(),
                here,
                reason: match (placed.skipped, here) {
                    (Some(skipped), _) => format!("not scheduled: {}", skipped.word()),
                    (None, true) => format!("decided, one of {selected}"),
                    (None, false) => format!("not among the {selected} selected"),
                },
            }
        });
        let delivered = plan
            .deliveries
            .as_ref()
            .map_or(Vec::new(), |all| deliveries::reached(all, name));
        Some(Placed {
            what: "Placement",
            found: found.collect(),
            delivered,
        })
    }

    fn trial(&self, site: &Checked<'_>, options: &Options, rival: Rival<'_>, _: &mut u64) -> Trial {
        let mut found = if delivery::repair::is_consumer(rival.subject) {
            let placement =
                |subject: &str, candidate: &str| decided(site, Rival { subject, candidate });
            deliveries::obstacles(site, options, rival, &placement)
        } else {
            decided(site, rival)
        };
        let obstacles = found.iter_mut().flatten();
        delivery::repair::into_entries(&site.documents, obstacles);
        found.into()
    }

    fn needs(&self, site: &Checked<'_>, document: &Document<'_>, rival: Rival<'_>) -> bool {
        let (subject, cluster) = (rival.subject, rival.candidate);
        if delivery::repair::is_consumer(subject) {
            return delivery::repair::needs(&site.delivery, document, subject, cluster);
        }
        // Generators produce their documents from the whole site.
        site.delivery.made || repair::needs(document, subject, cluster)
    }

    /// A cluster affects the placements that could select it. Consumers follow their placements.
    fn touched(&self, asked: &Moving<'_, '_, '_>) -> Option<Vec<u32>> {
        let (site, rival) = (asked.today.site, asked.rival);
        let documents = &site.documents;
        let own = |at: &u32| {
            let document = &documents.all[*at as usize];
            match document.kind {
                DocumentKind::ManagedCluster => document.name() == Some(rival.candidate),
                _ => self.is_own(site, document, rival),
            }
        };
        let followed = delivery::has_plan(&site.delivery, &site.ocm);
        if followed || !asked.documents.iter().all(own) {
            return None;
        }
        let needs = |document: &Document<'_>| self.needs(site, document, rival);
        let models = (&*site.ocm, &*asked.after.ocm);
        repair::touched(documents, models, rival.candidate, needs)
    }

    /// Placements see each other's decisions in the documents, not in the plan.
    fn is_own(&self, site: &Checked<'_>, document: &Document<'_>, rival: Rival<'_>) -> bool {
        if delivery::repair::is_consumer(rival.subject) {
            return delivery::repair::is_own(document, rival.subject);
        }
        document.kind == DocumentKind::Placement && self.needs(site, document, rival)
    }
}
