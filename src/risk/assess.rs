//! Assesses one loss after another: plans again only the parts that a loss touches.

mod applications;

use crate::airship::engine::loss as airship_loss;
use crate::delivery::lost::{self, Changed};
use crate::document::{Document, System};
use crate::hybrid;
use crate::hybrid::engine::{self as hybrid_engine, Decision, Moved, RuleOutcome};
use crate::hybrid::model::{Model, ObjectId, Place};
use crate::loss::{Loss, PlacementLost, RuleLost};
use crate::ocm::engine::cel::Evaluator;
use crate::ocm::engine::loss as ocm_loss;
use crate::ogc::engine::Losses;
use crate::options::Options;
use crate::parallel;
use crate::plan::{self, Plan, again};
use crate::site::{Changes, Checked, Thing};
use crate::systems::airship::loss as airship;
use crate::systems::{self, Lost};

use applications::Applications;

use super::deliveries::DeliveryLosses;
use super::senlin;

/// Up to this many losses, it is faster to plan each than to find out what every possible one does.
const FEW: usize = 4;

/// The plan of the whole site, and the lookups that every loss needs.
pub(super) struct Base<'p, 's, 'a> {
    plan: &'p Plan<'s, 'a>,
    site: &'s Checked<'a>,
    options: Options,
    groups: Option<airship_loss::Losses<'p, 'a>>,
    regions: senlin::FileLosses<'p, 'a>,
    placements: Option<ocm_loss::Losses<'s, 'a>>,
    deliveries: Option<DeliveryLosses<'p, 'a>>,
    rules: Option<hybrid_engine::Touched>,
    /// Where the names of the objects are that placement rules look at, in order.
    objects: Vec<(Place, ObjectId)>,
    applications: Option<Applications<'p, 's, 'a>>,
}

impl<'p, 's, 'a> Base<'p, 's, 'a> {
    /// Prepares for this many `losses`.
    pub(super) fn of(plan: &'p Plan<'s, 'a>, losses: usize, options: &Options) -> Self {
        let site = plan.site;
        let strategy = plan.strategy.as_ref();
        let groups = strategy.map(again::losses_of_groups);
        let objects = site.hybrid.inventory.objects().iter().zip(0..);
        let mut objects: Vec<(Place, ObjectId)> =
            objects.map(|(object, id)| (object.place, id)).collect();
        objects.sort_unstable();
        let rules = plan.placement_rules.as_ref();
        let placed = plan.placements.is_some();
        let applications = plan.applications.as_ref();
        Self {
            plan,
            site,
            options: Options {
                jobs: 1,
                trace: false,
                screen: false,
                ..options.clone()
            },
            groups,
            regions: senlin::losses(plan),
            placements: placed.then(|| again::losses_of_placements(&site.ocm, plan.now)),
            deliveries: DeliveryLosses::of(plan),
            rules: rules.map(|outcome| touched(plan, &outcome.ended, losses > FEW, options)),
            objects,
            applications: applications.map(|outcome| Applications::of(&site.ogc, outcome)),
        }
    }

    /// Plans these systems of the site without the things, and records the differences.
    pub(super) fn replan(&self, loss: &mut Loss, lost: &[Thing], systems: &[System]) {
        let Ok(changed) = self.site.changed(Changes::without(lost.to_vec())) else {
            return;
        };
        let site = changed.check();
        let options = Options {
            systems: systems.to_vec(),
            ..self.options.clone()
        };
        let after = plan::make(&site, &options);
        let documents: Vec<&Document<'_>> = {
            let parts = lost.iter().flat_map(|thing| self.site.parts(thing));
            parts.map(|(document, _)| document).collect()
        };
        let lost = Lost {
            before: self.plan,
            after: &after,
            documents: &documents,
        };
        for system in systems {
            systems::of(*system).lose(&lost, loss);
        }
    }
}

/// Which rules each object affects.
fn touched(
    plan: &Plan<'_, '_>,
    planned: &[RuleOutcome],
    alone: bool,
    options: &Options,
) -> hybrid_engine::Touched {
    // Each part computes the data that its rules share, so there are only as many parts as threads.
    let size = planned.len().div_ceil(options.jobs.max(1)).max(32);
    let starts = (0..planned.len()).step_by(size);
    let parts: Vec<_> = starts
        .map(|start| start..planned.len().min(start + size))
        .collect();
    let model = &plan.site.hybrid;
    let parts = parallel::map(options.jobs, &parts, |rules| {
        again::objects_of_rules(model, planned, rules.clone(), alone)
    });
    hybrid_engine::Touched::join(parts)
}

/// The documents in which the things are, and whether they go as a whole.
type Touched<'d, 'a> = Vec<(&'d Document<'a>, bool)>;

/// One thread's tools.
pub(super) struct Assessor<'b, 'p, 's, 'a> {
    base: &'b Base<'p, 's, 'a>,
    applications: Option<Losses<'s, 'a>>,
    rules: Option<hybrid_engine::Losses<'s, 'a>>,
    cel: Evaluator<'a>,
    /// How many losses made whole systems be planned again.
    pub(super) replanned: usize,
}

impl<'b, 'p, 's, 'a> Assessor<'b, 'p, 's, 'a>
where
    'b: 's,
    'p: 's,
{
    pub(super) fn of(base: &'b Base<'p, 's, 'a>) -> Self {
        let plan = base.plan;
        let applications = plan.applications.is_some();
        let rules = plan.placement_rules.as_ref();
        Self {
            base,
            applications: applications
                .then(|| again::losses_of_applications(&base.site.ogc, &base.options)),
            rules: rules.map(|outcome| again::losses_of_rules(&base.site.hybrid, &outcome.ended)),
            cel: Evaluator::default(),
            replanned: 0,
        }
    }

    /// Plans again only the parts that the loss touches.
    pub(super) fn lose(&mut self, lost: &[Thing]) -> Loss {
        let mut loss = Loss::of(lost);
        let base = self.base;
        let wide = |thing: &Thing| matches!(thing, Thing::Set(_) | Thing::Label(..));
        if lost.iter().any(wide) {
            self.replanned += 1;
            base.replan(&mut loss, lost, &System::ALL);
        } else {
            let touched: Touched<'_, 'a> =
                lost.iter().flat_map(|one| base.site.parts(one)).collect();
            let answered = [
                (System::Ogc, self.applications(lost, &touched, &mut loss)),
                (System::Ocm, self.placements(lost, &mut loss)),
                (System::Hybrid, self.rules(&touched, &mut loss)),
                (System::Airship, self.groups(&touched, &mut loss)),
                (System::Senlin, self.regions(lost, &touched, &mut loss)),
            ];
            let mut open = System::ALL.to_vec();
            open.retain(|system| !answered.contains(&(*system, true)));
            if !open.is_empty() {
                self.replanned += 1;
                base.replan(&mut loss, lost, &open);
            }
        }
        loss.classify();
        loss
    }

    /// Each of these says whether it could answer without planning its system again.
    fn groups(&self, touched: &Touched<'_, 'a>, loss: &mut Loss) -> bool {
        let base = self.base;
        let (Some(losses), Some(strategy)) = (&base.groups, &base.plan.strategy) else {
            return true;
        };
        let nodes = airship::nodes(base.plan, touched.iter().map(|(document, _)| *document));
        if nodes.is_empty() {
            return true;
        }
        airship::failing(&losses.of(&nodes), &strategy.site.groups, loss);
        true
    }

    fn regions(&self, lost: &[Thing], touched: &Touched<'_, 'a>, loss: &mut Loss) -> bool {
        let base = self.base;
        let touched = touched.iter().map(|(document, _)| *document);
        senlin::assess(base.plan, &base.regions, lost, touched, loss)
    }

    fn placements(&self, lost: &[Thing], loss: &mut Loss) -> bool {
        let base = self.base;
        let model = &base.site.ocm;
        let number = |name: &str| {
            let found = model.clusters.binary_search_by(|one| one.name.cmp(name));
            found.ok().and_then(|at| u32::try_from(at).ok())
        };
        let ids: Vec<u32> = clusters(lost).filter_map(number).collect();
        if ids.is_empty() {
            return true;
        }
        let mut changed = Changed::default();
        let planned = base.plan.placements.iter();
        let planned = planned.map(|outcome| &outcome.placements);
        let losses = base.placements.iter();
        let placed = planned.zip(losses).flat_map(|(all, losses)| {
            let placed = all.placed.iter();
            placed.map(move |placed| (all, losses, placed))
        });
        for (all, losses, placed) in placed {
            let Some(lost) = losses.of(placed, &ids, &self.cel) else {
                continue;
            };
            let placement = &model.placements[placed.placement];
            let key = (placement.namespace, placement.name);
            if base.deliveries.is_some() {
                let clusters = losses.clusters(placed, &lost);
                changed.insert(key, lost::clusters(&clusters));
            }
            let names = |ids: &[u32]| -> Vec<String> {
                let names = ids.iter().map(|id| all.names[*id as usize].to_owned());
                names.collect()
            };
            loss.placements.extend(PlacementLost::of(
                key,
                (names(&lost.removed), names(&lost.added)),
                (placed.is_satisfied(), lost.satisfied),
                lost.emptied,
            ));
        }
        let Some(known) = &base.deliveries else {
            return true;
        };
        match known.lose(&ids, &changed) {
            Some(deliveries) => loss.deliveries = deliveries,
            None => {
                loss.placements.clear();
                return false;
            }
        }
        true
    }

    fn rules(&mut self, touched: &Touched<'_, 'a>, loss: &mut Loss) -> bool {
        let base = self.base;
        let model = &base.site.hybrid;
        let (Some(outcome), Some(looked_at), Some(losses)) =
            (&base.plan.placement_rules, &base.rules, &mut self.rules)
        else {
            return true;
        };
        let whole = touched.iter().filter(|(_, whole)| *whole);
        let within = |document: &Document<'_>| {
            let whole = document.node.place();
            let from = base.objects.partition_point(|(place, _)| *place < whole);
            let inside = |(place, _): &&(Place, ObjectId)| {
                place.source == whole.source && place.span.start <= whole.span.end
            };
            let inside = base.objects[from..].iter().take_while(inside);
            inside.map(|(_, id)| *id).collect::<Vec<_>>()
        };
        let mut lost: Vec<ObjectId> = whole.flat_map(|(document, _)| within(document)).collect();
        lost.sort_unstable();
        lost.dedup();
        if lost.is_empty() {
            return true;
        }
        // Without any object rules fall back to what their status says; commands have to be asked.
        let all = lost.len() == model.inventory.objects().len();
        if all || model.incomplete || base.options.allow_commands {
            return false;
        }
        for (at, moved) in losses.of(looked_at, &lost) {
            loss.rules
                .extend(rule_lost(model, at, &outcome.ended[at], &moved));
        }
        true
    }

    fn applications(&mut self, lost: &[Thing], touched: &Touched<'_, 'a>, loss: &mut Loss) -> bool {
        let base = self.base;
        let (Some(applications), Some(losses)) = (&base.applications, &mut self.applications)
        else {
            return true;
        };
        let gone = applications.lost(lost, touched);
        if gone.has_labels(&base.site.ogc) {
            return false;
        }
        applications.lose(&gone, losses, loss);
        true
    }
}

/// The change of a placement rule. `None` if the objects that it swaps have the same name.
fn rule_lost(model: &Model<'_>, at: usize, was: &RuleOutcome, now: &Moved) -> Option<RuleLost> {
    let rule = &model.placement_rules[at];
    let names = |decisions: &mut dyn Iterator<Item = &Decision>| -> Vec<String> {
        let names = decisions.map(|one| hybrid::decision(model, rule, *one));
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        names
    };
    let inventory = &model.inventory;
    let is_unique = |one: &Decision| match one {
        Decision::Object(id) => inventory.named(inventory.object(*id).name).len() == 1,
        Decision::Hub | Decision::Unknown(_) => false,
    };
    let named = (rule.namespace, rule.name);
    if now.removed.iter().chain(&now.added).all(is_unique) {
        let difference = (names(&mut now.removed.iter()), names(&mut now.added.iter()));
        return RuleLost::of(named, difference, (was.state, now.state), now.emptied);
    }
    let kept = was.decisions.iter();
    let kept = kept.filter(|one| !now.removed.contains(one));
    RuleLost::between(
        named,
        (&names(&mut was.decisions.iter()), was.state),
        (&names(&mut kept.chain(&now.added)), now.state),
    )
}

/// The names of the clusters among the things.
fn clusters(lost: &[Thing]) -> impl Iterator<Item = &str> {
    lost.iter().filter_map(|thing| match thing {
        Thing::Cluster(name) => Some(name.as_str()),
        _ => None,
    })
}
