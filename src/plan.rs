//! The plan: the answers of all systems, and the overall result. Data only.

pub mod again;
mod answer;
pub mod changes;
pub mod detail;
pub mod kept;
mod mark;
pub mod partial;
pub mod row;
pub mod section;
pub mod stake;
pub mod ties;

pub use answer::{Answer, Assignment};
pub use mark::Mark;
pub use partial::{LeftOut, Obstacle, Partial};
pub use row::Row;
pub use section::Section;

use std::sync::Arc;

use jiff::Timestamp;

use crate::diagnostic::Sink;
use crate::document::{DocumentKind, System};
use crate::kit::progress::UNIT;
use crate::options::Options;
use crate::site::{Checked, Counts};
use crate::{airship, delivery, hybrid, ocm, ogc, senlin};

/// The overall result of a plan, or of a section of it: that of the worst part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quality {
    /// Everything stays as it is.
    Unchanged,
    /// It can be applied.
    Ready,
    /// At least one item cannot be placed.
    Unplaceable,
    /// Some objects were refused; the rest is planned.
    Partial,
    /// Documents were refused.
    Invalid,
}

impl Quality {
    /// The word in JSON.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Ready => "ready",
            Self::Unplaceable => "unplaceable",
            Self::Partial => "partial",
            Self::Invalid => "invalid",
        }
    }

    /// The outcome of a comparison: failures of the later plan, else whether anything moves.
    #[must_use]
    pub fn compared(self, moved: bool) -> Self {
        match self {
            Self::Invalid | Self::Partial | Self::Unplaceable => self,
            _ => Self::of(false, moved),
        }
    }

    fn of(unplaceable: bool, changed: bool) -> Self {
        match (unplaceable, changed) {
            (true, _) => Self::Unplaceable,
            (false, true) => Self::Ready,
            (false, false) => Self::Unchanged,
        }
    }
}

/// The answers of all systems; a section is `None` where the site holds nothing for it, or where
/// it was not planned.
#[derive(Debug)]
pub struct Plan<'s, 'a> {
    /// The site that is planned.
    pub site: &'s Checked<'a>,
    /// The instant everything was judged at.
    pub now: Timestamp,
    /// Whether full lists are wanted.
    pub trace: bool,
    /// Whether everything asked for was planned: nothing was refused, or it was planned anyway.
    pub complete: bool,
    /// The refused documents that are left out, if the rest is planned all the same.
    pub partial: Option<Partial>,
    /// Why the rest is not planned, if that was to be tried.
    pub obstacle: Option<Obstacle>,
    /// Deployment groups.
    pub strategy: Option<airship::Strategy<'s, 'a>>,
    /// Region placements.
    pub regions: senlin::Regions<'s, 'a>,
    /// Placements and rollouts.
    pub placements: Option<ocm::Outcome<'a>>,
    /// The clusters that each consumer reaches.
    pub deliveries: Option<Arc<delivery::follow::Deliveries<'a>>>,
    /// Placement rules and their rounds.
    pub placement_rules: Option<Arc<hybrid::engine::Outcome>>,
    /// Applications and their Clusters.
    pub applications: Option<Arc<ogc::engine::Outcome<'a>>>,
    /// The objects that are not planned because no document holds a cluster: how many of each kind.
    pub without_hub: Vec<(usize, &'static str)>,
    /// The overall result without refusals.
    pub quality: Quality,
    /// Whether there is anything that Proceed would record.
    pub recordable: bool,
    /// The findings that only a plan brings to light.
    pub findings: Sink,
    /// How the documents count by all that was found before placements were planned.
    pub counts: Counts,
}

/// Whether a system is planned in every run.
#[must_use]
pub fn is_always_planned(system: System) -> bool {
    matches!(system, System::Airship | System::Senlin)
}

/// Whether a site has anything for a system to plan, whatever the options.
#[must_use]
pub fn has_plan(site: &Checked<'_>, system: System) -> bool {
    match system {
        System::Airship => site.airship.site.is_some() || !site.airship.each.is_empty(),
        System::Senlin => !site.senlin.sets.is_empty(),
        System::Ocm => ocm::has_plan(&site.ocm) || delivery::has_plan(&site.delivery, &site.ocm),
        System::Hybrid => !site.hybrid.placement_rules.is_empty(),
        System::Ogc => !site.ogc.packages.is_empty() || !site.ogc.deployments.is_empty(),
    }
}

/// Plans a checked site: the one place from which engines are called.
///
/// Documents that are only judged (deployment groups, regions, steps of rollouts) are always
/// planned; the rest only if nothing was refused, or if the remainder is to be planned anyway.
#[must_use]
pub fn make<'s, 'a>(site: &'s Checked<'a>, options: &Options) -> Plan<'s, 'a> {
    make_again(site, options, None)
}

/// Plans a site again: reuses the answers for every model that
/// [`site::check_again`](crate::site::check_again) reused. `before` was planned with the same
/// options.
#[must_use]
pub fn make_again<'s, 'a>(
    site: &'s Checked<'a>,
    options: &Options,
    before: Option<&Plan<'s, 'a>>,
) -> Plan<'s, 'a> {
    let now = site.settings.now;
    let strategy = airship::plan(&site.airship, options.order);
    let regions = senlin::plan(&site.senlin);
    let rollouts = ocm::rollouts(&site.ocm, now);
    let mut findings = Sink::default();
    if let Some(strategy) = strategy.as_ref().filter(|_| !options.quiet) {
        airship::rules::planned(strategy, &mut findings);
    }
    airship::planned_each(&site.airship, options.order, &mut findings);
    senlin::rules::planned(&regions, &mut findings);
    ocm::rules::planned(&site.ocm, &rollouts, &mut findings);
    let counts = site.counts(&[&site.findings, &findings]);
    let refused = site.findings.refused() || findings.refused();
    let refusals = if refused && options.partial && !options.keep_going {
        site.refusals(&[&site.findings, &findings])
    } else {
        None
    };
    let (mut partial, obstacle) = match refusals.as_deref().map(|all| partial::of(site, all)) {
        Some(Ok(partial)) => (Some(partial), None),
        Some(Err(obstacle)) => (None, Some(obstacle)),
        None => (None, None),
    };
    let refused_before = findings.refused();
    let mut plan = Plan {
        site,
        now,
        trace: options.trace,
        complete: !refused || options.keep_going || partial.is_some(),
        partial: None,
        obstacle,
        strategy,
        regions,
        placements: None,
        deliveries: None,
        placement_rules: None,
        applications: None,
        without_hub: Vec::new(),
        quality: Quality::Invalid,
        recordable: false,
        findings,
        counts,
    };
    plan.place(rollouts, options, before);
    if let Some((partial, refusals)) = partial.as_mut().zip(refusals.as_deref()) {
        partial::mark(&plan, refusals, partial);
    }
    let missing = partial::missing(site);
    // With `--keep-going` refused documents make any plan invalid.
    if !missing.is_empty() && (!refused || partial.is_some()) {
        let partial = partial.get_or_insert_default();
        partial.left_out.extend(missing);
    }
    plan.partial = partial;
    // An advisor's refused answer is found last, and cannot be left out.
    if plan.partial.is_some() && !refused_before && plan.findings.refused() {
        plan.partial = None;
        plan.complete = false;
    }
    // The ties between systems show only where all systems that place something are planned; groups
    // and regions always are.
    let placing = [System::Ocm, System::Hybrid, System::Ogc];
    if plan.complete
        && placing
            .iter()
            .all(|system| options.systems.contains(system))
    {
        let mut findings = std::mem::take(&mut plan.findings);
        ties::check(&plan, &mut findings);
        plan.findings = findings;
    }
    if let Some(hub) = &site.hub {
        let told = &mut plan.findings.diagnostics;
        told.retain(|found| !found.is_in(hub.source));
    }
    plan.judge();
    plan
}

/// A check of regions, to be made with regions lost; none where it has to be planned as a whole.
#[must_use]
pub fn losses_of_regions<'p, 'a>(
    check: senlin::engine::Check<'p, 'a>,
    outcome: &'p senlin::engine::Outcome,
) -> Option<senlin::engine::loss::Losses<'p, 'a>> {
    senlin::engine::loss::Losses::new(check, outcome)
}

/// Runs the policy check of one file, or of one like it: for what changes documents on trial.
///
/// # Errors
///
/// If the check breaks: its documents are at fault.
pub fn regions(
    check: senlin::engine::Check<'_, '_>,
) -> Result<senlin::engine::Outcome, senlin::engine::Failure> {
    senlin::engine::plan(check)
}

/// Documents that bear on few placements and consumers, which are known.
const BEARS_LITTLE: [DocumentKind; 4] = [
    DocumentKind::ManagedClusterSetBinding,
    DocumentKind::ManifestWorkReplicaSet,
    DocumentKind::Placement,
    DocumentKind::PlacementDecision,
];

impl<'a> Plan<'_, 'a> {
    /// The amount of planning work, as the engines count it: an application is a small part of a
    /// placement or a rule.
    fn work(&self, options: &Options) -> usize {
        let (site, systems) = (self.site, &options.systems);
        let of = |system, count: usize| if systems.contains(&system) { count } else { 0 };
        let placements = site.ocm.placements.len();
        let passes = if options.sequential && placements > 1 {
            2
        } else {
            1
        };
        of(System::Ocm, passes * placements) * UNIT
            + of(System::Hybrid, site.hybrid.placement_rules.len()) * UNIT
            + of(System::Ogc, site.ogc.applications.len())
    }

    /// Plans the placements of the systems asked for.
    fn place(
        &mut self,
        rollouts: Vec<ocm::engine::Rollout<'a>>,
        options: &Options,
        before: Option<&Self>,
    ) {
        let site = self.site;
        // A command of an advisor may answer differently.
        let before = before.filter(|_| site.settings.validating);
        let ocm = before.filter(|before| Arc::ptr_eq(&before.site.ocm, &site.ocm));
        options.progress.begin(self.work(options));
        let wanted = |system| options.systems.contains(&system);
        let followed = self.complete || site.settings.validating && self.ends_nothing();
        if followed && wanted(System::Ocm) && ocm::has_plan(&site.ocm) {
            // A condition may quote a selector, whose value a build may have copied from a Secret.
            let copied = site.loaded.builds.copied();
            let whole = |before: &&Self| {
                let lacks = before.site.lacks_clusters;
                !lacks && copied.is_empty() && before.site.loaded.builds.copied().is_empty()
            };
            let known = ocm.filter(whole).and_then(|ocm| ocm.placements.as_ref());
            let placements = match known {
                Some(outcome) => Arc::clone(&outcome.placements),
                None => Arc::new(ocm::placements(&site.ocm, self.now, options)),
            };
            let mut outcome = ocm::with_waves(&site.ocm, placements, rollouts);
            if !copied.is_empty() {
                outcome.hide(&|text| copied.hide(text));
            }
            ocm::rules::exhausted(&site.ocm, &outcome.placements, &mut self.findings);
            ocm::rules::never_settles(&site.ocm, &outcome.placements, &mut self.findings);
            self.placements = Some(outcome);
        }
        if followed && wanted(System::Ocm) && delivery::has_plan(&site.delivery, &site.ocm) {
            let (model, hub) = (&site.delivery, &site.ocm);
            let decided = self.placements.as_ref();
            let sources = site.documents.sources;
            let known = ocm.filter(|before| Arc::ptr_eq(&before.site.delivery, &site.delivery));
            let known = known.and_then(|before| before.deliveries.clone());
            let deliveries =
                known.unwrap_or_else(|| Arc::new(delivery::reach(model, hub, decided)));
            delivery::judge(model, hub, &deliveries, sources, &mut self.findings);
            let site = delivery::addon::follow::staged::Site {
                model,
                hub,
                decided,
                as_it_is: false,
            };
            let waves = delivery::addon::follow::staged::waves(site, &deliveries);
            if let Some(outcome) = &mut self.placements {
                outcome.waves.extend(waves);
            }
            self.deliveries = Some(deliveries);
        }
        // Every answer would be that there is no cluster, which is true of these documents alone.
        if site.lacks_clusters && followed && wanted(System::Ocm) {
            let placements = (site.ocm.placements.len(), "Placement");
            self.without_hub = delivery::choosing(&site.delivery).to_vec();
            self.without_hub.insert(0, placements);
            self.without_hub.retain(|(number, _)| *number > 0);
            if let Some(outcome) = &mut self.placements {
                outcome.placements = Arc::default();
                outcome.waves.clear();
            }
        }
        // Answers are judged even where other documents were refused.
        let judged = self.complete || site.settings.validating;
        if judged && wanted(System::Hybrid) && has_plan(site, System::Hybrid) {
            let known = before.filter(|before| Arc::ptr_eq(&before.site.hybrid, &site.hybrid));
            let known = known.and_then(|before| before.placement_rules.clone());
            let outcome = known.unwrap_or_else(|| {
                Arc::new(if site.settings.validating {
                    hybrid::unaided(&site.hybrid, options)
                } else {
                    let sources = site.documents.sources;
                    hybrid::plan(&site.hybrid, sources, options, &mut self.findings)
                })
            });
            hybrid::rules::planned(&site.hybrid, &outcome, &mut self.findings);
            self.placement_rules = Some(outcome);
        }
        let model = &site.ogc;
        if self.complete && wanted(System::Ogc) && has_plan(site, System::Ogc) {
            let known = before.filter(|before| Arc::ptr_eq(&before.site.ogc, model));
            let known = known.and_then(|before| before.applications.clone());
            let outcome = known.unwrap_or_else(|| Arc::new(ogc::plan(model, options)));
            if site.settings.validating {
                ogc::rules::review(model, &outcome, &mut self.findings);
            } else {
                ogc::rules::planned(model, &outcome, &mut self.findings);
            }
            self.applications = Some(outcome);
        }
    }

    /// Whether what is wrong with all other documents can be said as well: those that were refused
    /// are of other systems, or consumers, whose findings know of it.
    fn ends_nothing(&self) -> bool {
        let refused = self.site.refused(&[&self.site.findings, &self.findings]);
        let mut documents = self.site.documents.all.iter();
        documents.all(|document| {
            !refused.contains(&document.index)
                || document.kind.system() != Some(System::Ocm)
                || document.kind.is_consumer()
                || BEARS_LITTLE.contains(&document.kind)
        })
    }

    /// The overall result of a system's section, if it has one.
    fn amounts_to(&self, system: System) -> Option<Quality> {
        match system {
            System::Airship => self.strategy.as_ref().map(|_| Quality::Ready),
            System::Senlin => {
                let sets = &self.regions.planned;
                let failed = sets.iter().any(senlin::Planned::fails);
                let changed = sets.iter().any(senlin::Planned::changes);
                (!sets.is_empty()).then(|| Quality::of(failed, changed))
            }
            System::Ocm => {
                let outcome = self.placements.as_ref()?;
                let changed = !outcome.is_unchanged();
                Some(Quality::of(outcome.is_unplaceable(), changed))
            }
            System::Hybrid => {
                let ended = &self.placement_rules.as_ref()?.ended;
                let unplaceable = ended.iter().any(|rule| rule.state.is_unplaced());
                let changed = ended.iter().any(|rule| rule.changed);
                Some(Quality::of(unplaceable, changed))
            }
            System::Ogc => {
                let outcome = self.applications.as_ref()?;
                let changed = !outcome.is_unchanged();
                Some(Quality::of(outcome.is_unplaceable(), changed))
            }
        }
    }

    /// Sets the overall result of the plan: that of its worst section.
    fn judge(&mut self) {
        let qualities = System::ALL.map(|system| (system, self.amounts_to(system)));
        let records = |system| match system {
            // Deployment groups are planned again each time.
            System::Airship => false,
            // Decisions of a hub are the hub's to write.
            System::Ocm => self.site.hub.is_none(),
            System::Senlin | System::Hybrid | System::Ogc => true,
        };
        let ready = |(system, quality)| quality == Some(Quality::Ready) && records(system);
        self.recordable = qualities.into_iter().any(ready);
        // Nothing of it is recorded: it follows from the records of placements.
        let followed = self.followed();
        let followed = followed.map(|all| Quality::of(false, !all.is_unchanged()));
        let qualities = qualities.into_iter().filter_map(|(_, quality)| quality);
        self.quality = qualities
            .chain(followed)
            .max()
            .unwrap_or(Quality::Unchanged);
    }

    /// The clusters that each consumer reaches, if the documents hold clusters to reach.
    #[must_use]
    pub fn followed(&self) -> Option<&delivery::follow::Deliveries<'a>> {
        let deliveries = self.deliveries.as_deref();
        deliveries.filter(|_| self.without_hub.is_empty())
    }

    /// How many clusters of each kind the documents hold.
    #[must_use]
    pub fn clusters(&self) -> [(usize, &'static str); 2] {
        [
            (self.site.ocm.clusters.len(), "ManagedCluster"),
            (self.site.ogc.clusters.len(), "Cluster"),
        ]
    }

    /// Whether nothing was planned, though nothing was refused.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let placed = |outcome: &ocm::Outcome<'_>| {
            !outcome.placements.placed.is_empty() || !outcome.rollouts.is_empty()
        };
        let followed = |deliveries: &delivery::follow::Deliveries<'_>| !deliveries.rows.is_empty();
        let planned = |system| match system {
            System::Ocm => {
                self.placements.as_ref().is_some_and(placed)
                    || self.followed().is_some_and(followed)
            }
            other => self.amounts_to(other).is_some(),
        };
        !self.refused() && !System::ALL.into_iter().any(planned)
    }

    /// Whether a document was refused.
    #[must_use]
    pub fn refused(&self) -> bool {
        self.site.findings.refused() || self.findings.refused()
    }

    /// The overall result of the plan, with all that is left out of it.
    #[must_use]
    pub fn result(&self) -> Quality {
        match self.partial {
            Some(_) => Quality::Partial,
            None => self.verdict(),
        }
    }

    /// The quality that the exit status and the question to proceed follow: parts of
    /// kustomizations that planner does not build are nobody's fault, unless `--strict` is given.
    #[must_use]
    pub fn verdict(&self) -> Quality {
        match (self.refused(), &self.partial) {
            (true, None) => Quality::Invalid,
            (true, Some(_)) => Quality::Partial,
            (false, Some(_)) if self.site.settings.strict => Quality::Partial,
            (false, _) => self.quality,
        }
    }

    /// The plan, if it is one: `None` where documents were refused and the rest was not planned.
    #[must_use]
    pub fn shown(&self) -> Option<&Self> {
        self.complete.then_some(self)
    }
}
