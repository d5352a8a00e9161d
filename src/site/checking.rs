//! The systems checked one after the other. A system that reads none of the documents that changed
//! keeps its model and its findings.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::diagnostic::{Diagnostic, Sink};
use crate::document::rules::NOT_OURS;
use crate::document::{Document, DocumentKind, Documents, System};
use crate::kit::join::join;
use crate::load::Loaded;
use crate::options::CheckOptions;
use crate::{airship, delivery, hybrid, ocm, ogc, senlin};

use super::{Checked, alternatives, inputs, templates};

/// The stages of checking, in this order.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stage {
    Airship,
    Senlin,
    Ocm,
    Delivery,
    Hybrid,
    Ogc,
}

impl Stage {
    pub(super) const ALL: [Self; 6] = [
        Self::Airship,
        Self::Senlin,
        Self::Ocm,
        Self::Delivery,
        Self::Hybrid,
        Self::Ogc,
    ];

    /// The system whose documents it reads.
    pub(super) fn system(self) -> System {
        match self {
            Self::Airship => System::Airship,
            Self::Senlin => System::Senlin,
            Self::Ocm | Self::Delivery => System::Ocm,
            Self::Hybrid => System::Hybrid,
            Self::Ogc => System::Ogc,
        }
    }

    /// Whether it reads documents of a kind, or depends on a stage that does. Without a site, it
    /// says whether it may.
    pub(super) fn reads(self, site: Option<&Checked<'_>>, kind: DocumentKind) -> bool {
        let own = kind.system() == Some(self.system());
        let foreign = kind == DocumentKind::Foreign;
        // Placement rules make the admission of clusters lenient.
        let admits = kind == DocumentKind::PlacementRule;
        match self {
            // Documents that only look like Airship's get findings.
            Self::Airship => own || foreign,
            Self::Senlin | Self::Ogc => own,
            // PolicyGenerators make Placements.
            Self::Ocm => {
                own && !kind.is_consumer() || admits || kind == DocumentKind::PolicyGenerator
            }
            // Consumers read ConfigMaps, Secrets and the roles of users.
            Self::Delivery => {
                own || admits || foreign && site.is_none_or(|site| !site.delivery.is_empty())
            }
            // Rules look at any object that they name.
            Self::Hybrid => own || site.is_none_or(|site| !site.hybrid.placement_rules.is_empty()),
        }
    }
}

/// How many findings there are after reading, and at the end of each stage.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stages {
    pub(super) read: usize,
    ends: [usize; Stage::ALL.len()],
    /// Whether each was made.
    made: [bool; Stage::ALL.len()],
}

impl Stages {
    /// The stages that were made.
    pub(super) fn made(&self) -> impl Iterator<Item = Stage> {
        let all = Stage::ALL.into_iter();
        all.filter(|stage| self.made[*stage as usize])
    }

    /// Where the findings of a stage are.
    fn found(&self, stage: Stage) -> Range<usize> {
        let at = stage as usize;
        let start = at.checked_sub(1).map_or(self.read, |last| self.ends[last]);
        start..self.ends[at]
    }
}

/// The site that a changed one is made from.
pub(super) struct Before<'b, 'a> {
    pub(super) site: &'b Checked<'a>,
    /// The kinds of all changed documents, before and after the change. `None` if other documents
    /// are left out, too.
    pub(super) touched: Option<Vec<DocumentKind>>,
}

impl Before<'_, '_> {
    /// Whether a stage reads a changed document, or depends on a fault that has come or gone: a
    /// review is made of sound documents alone.
    fn touches(&self, stage: Stage, validating: bool, so_far: &Sink) -> bool {
        let Some(touched) = &self.touched else {
            return true;
        };
        let was_refused = || {
            let so_far = ..self.site.stages.found(stage).start;
            let mut so_far = self.site.findings.diagnostics[so_far].iter();
            so_far.any(|found| found.refuses)
        };
        !self.site.stages.made[stage as usize]
            || touched
                .iter()
                .any(|kind| stage.reads(Some(self.site), *kind))
            || validating && so_far.refused() != was_refused()
    }
}

impl Checked<'_> {
    /// Whether a system reads documents of a kind.
    #[must_use]
    pub fn reads(&self, system: System, kind: DocumentKind) -> bool {
        let mut stages = Stage::ALL.into_iter();
        stages.any(|stage| stage.system() == system && stage.reads(Some(self), kind))
    }
}

/// The part of a site that is checked.
#[derive(Clone, Copy)]
pub(super) enum Part<'b, 'a> {
    /// All of it. What does not depend on changed documents is kept.
    Whole(Option<&'b Before<'b, 'a>>),
    /// Only the stages that read no documents of these kinds. The site that reuses their findings
    /// judges them.
    Without(&'b [DocumentKind]),
}

impl Part<'_, '_> {
    fn has(self, stage: Stage) -> bool {
        match self {
            Self::Whole(_) => true,
            Self::Without(kinds) => !kinds.iter().any(|kind| stage.reads(None, *kind)),
        }
    }
}

/// The models of all systems.
#[derive(Debug)]
pub struct Models<'a> {
    /// Deployment groups.
    pub airship: Arc<airship::Model<'a>>,
    /// Region placement.
    pub senlin: Arc<senlin::Model<'a>>,
    /// Placements and rollouts.
    pub ocm: Arc<ocm::model::Model<'a>>,
    /// The consumers of placements.
    pub delivery: Arc<delivery::model::Model<'a>>,
    /// Placement rules.
    pub hybrid: Arc<hybrid::model::Model<'a>>,
    /// Packages and Applications.
    pub ogc: Arc<ogc::model::Model<'a>>,
}

impl Models<'_> {
    /// Takes over what an earlier check has found out about a system, where no other system has
    /// taken a hold of its model yet.
    pub(super) fn take_over(&mut self, before: &Self, system: System) {
        match system {
            System::Ocm => {
                if let Some(model) = Arc::get_mut(&mut self.ocm) {
                    model.take_over(&before.ocm);
                }
            }
            System::Hybrid => {
                if let Some(model) = Arc::get_mut(&mut self.hybrid) {
                    model.take_over(&before.hybrid);
                }
            }
            System::Ogc => {
                if let Some(model) = Arc::get_mut(&mut self.ogc) {
                    model.take_over(&before.ogc);
                }
            }
            System::Airship | System::Senlin => {}
        }
    }
}

/// The number of steps, as the systems with the most documents count them: those of packages and
/// applications look at all documents twice, the others at their own.
fn steps(documents: &Documents<'_>) -> usize {
    let system = |document: &&Document<'_>| {
        matches!(document.kind.system(), Some(System::Ocm | System::Airship))
    };
    2 * documents.all.len() + documents.all.iter().filter(system).count()
}

/// Checks these documents; `findings` are those of reading them.
pub(super) fn of<'a>(
    loaded: &'a Loaded,
    documents: Documents<'a>,
    findings: Sink,
    settings: &'a CheckOptions,
    part: Part<'_, 'a>,
) -> Checked<'a> {
    settings.progress.begin(steps(&documents));
    let mut marks = Sink::default();
    let templated = templates::values(&documents, &mut marks);
    let leave_out = |sink: &mut Sink| {
        if settings.validating {
            inputs::leave_out_names(&loaded.inputs, sink);
            templates::leave_alone(&templated, sink);
        }
    };
    let mut checking = Checking {
        loaded,
        settings,
        part,
        sink: findings,
        stages: Stages::default(),
    };
    leave_out(&mut checking.sink);
    checking.stages.read = checking.sink.diagnostics.len();
    let models = checking.systems(&documents);
    let told = checking.sink.diagnostics.len();
    if matches!(part, Part::Whole(_)) {
        checking.sink.append(marks);
        alternatives::judge(&documents, settings.validating, &mut checking.sink);
        checking.hush(told);
        leave_out(&mut checking.sink);
        if !settings.validating {
            templates::lacking(loaded, &mut checking.sink);
        }
        if settings.strict {
            not_ours(&documents, &mut checking.sink);
            let others = loaded.other_templates.iter().cloned();
            checking.sink.diagnostics.extend(others);
            templates::as_errors(&mut checking.sink);
        }
    }
    let (sink, stages) = (checking.sink, checking.stages);
    Checked {
        loaded,
        documents,
        settings,
        models,
        findings: sink,
        hub: None,
        lacks_clusters: false,
        stages,
        things: OnceLock::new(),
        patched: OnceLock::new(),
        objects: OnceLock::new(),
    }
}

/// The findings so far, and what a stage may keep.
struct Checking<'c, 'a> {
    loaded: &'a Loaded,
    settings: &'a CheckOptions,
    part: Part<'c, 'a>,
    sink: Sink,
    stages: Stages,
}

impl<'a> Checking<'_, 'a> {
    fn systems(&mut self, documents: &Documents<'a>) -> Models<'a> {
        let (loaded, settings) = (self.loaded, self.settings);
        let by = (self.part, settings.validating);
        let before = match self.part {
            Part::Whole(before) => before,
            Part::Without(_) => None,
        };
        let airship = self.stage(
            Stage::Airship,
            |site| &site.airship,
            |sink| match loaded.site_by_site(documents) {
                sites if sites.is_empty() => {
                    let known = before.map(|before| &*before.site.airship);
                    airship::check(documents, settings, known, sink)
                }
                sites => airship::check_each(&sites, settings, sink),
            },
        );
        let senlin = |sink: &mut Sink| senlin::check(documents, settings, sink);
        let senlin = self.stage(Stage::Senlin, |site| &site.senlin, senlin);
        // Both read the clusters of a hub, side by side. What else is wrong with a refused document
        // depends on what was found in it so far.
        let any_refused = documents.all.iter().any(|document| document.refused);
        let known = self.sink.filtered(|_| any_refused);
        // Findings of reading are new, even if those of the stage are kept.
        let lenient = ocm::admit(documents, &mut self.sink);
        // A thread with nothing to do still takes memory away from the others.
        let is_hybrid = |document: &Document<'_>| document.kind.system() == Some(System::Hybrid);
        let side_by_side = documents.all.iter().any(is_hybrid);
        let (ocm, (hybrid, mut of_hybrid)) = join(
            if side_by_side { settings.jobs } else { 1 },
            || {
                let ocm = |sink: &mut Sink| ocm::check_admitted(documents, lenient, settings, sink);
                self.stage(Stage::Ocm, |site| &site.ocm, ocm)
            },
            || {
                let mut sink = known.clone();
                let hybrid = |sink: &mut Sink| hybrid::check(documents, sink);
                let model = kept_or(by, Stage::Hybrid, |site| &site.hybrid, &mut sink, hybrid);
                (model, sink)
            },
        );
        let validating = settings.validating;
        let delivery =
            |sink: &mut Sink| delivery::check(documents, &ocm, validating, settings.jobs, sink);
        let delivery = self.stage(Stage::Delivery, |site| &site.delivery, delivery);
        let of_hybrid = of_hybrid.diagnostics.drain(known.diagnostics.len()..);
        self.sink.diagnostics.extend(of_hybrid);
        self.end(Stage::Hybrid);
        let ogc = |sink: &mut Sink| ogc::check(documents, settings, sink);
        let ogc = self.stage(Stage::Ogc, |site| &site.ogc, ogc);
        Models {
            airship,
            senlin,
            ocm,
            delivery,
            hybrid,
            ogc,
        }
    }

    fn stage<M: Default>(
        &mut self,
        stage: Stage,
        kept: impl for<'s> FnOnce(&'s Checked<'a>) -> &'s Arc<M>,
        make: impl FnOnce(&mut Sink) -> M,
    ) -> Arc<M> {
        let by = (self.part, self.settings.validating);
        let model = kept_or(by, stage, kept, &mut self.sink, make);
        self.end(stage);
        model
    }

    fn end(&mut self, stage: Stage) {
        let last = (stage as usize).checked_sub(1);
        self.hush(last.map_or(self.stages.read, |last| self.stages.ends[last]));
        self.stages.ends[stage as usize] = self.sink.diagnostics.len();
        self.stages.made[stage as usize] = self.part.has(stage);
    }

    /// Nobody can mend what is on a hub alone: only what snapshots are for is said of it.
    fn hush(&mut self, from: usize) {
        if let Some(hub) = &self.loaded.hub {
            let told = self.sink.diagnostics.split_off(from);
            let own = told.into_iter().filter(|found| !found.is_in(hub.source));
            self.sink.diagnostics.extend(own);
        }
    }
}

/// The model of an earlier site with the findings that came with it, if nothing changed for this
/// stage; else a new one. An empty one if the stage is no part of what is checked.
fn kept_or<'a, M: Default>(
    (part, validating): (Part<'_, 'a>, bool),
    stage: Stage,
    kept: impl for<'s> FnOnce(&'s Checked<'a>) -> &'s Arc<M>,
    sink: &mut Sink,
    make: impl FnOnce(&mut Sink) -> M,
) -> Arc<M> {
    match part {
        Part::Whole(Some(before)) if !before.touches(stage, validating, sink) => {
            let found = before.site.stages.found(stage);
            let found = &before.site.findings.diagnostics[found];
            sink.diagnostics.extend_from_slice(found);
            kept(before.site).clone()
        }
        part if part.has(stage) => Arc::new(make(sink)),
        _ => Arc::default(),
    }
}

/// Every document that belongs to no system is an error that does not refuse.
fn not_ours(documents: &Documents<'_>, sink: &mut Sink) {
    let foreign = documents.of(DocumentKind::Foreign);
    for document in foreign.filter(|document| !document.refused) {
        sink.push(
            Diagnostic::new(&NOT_OURS, "planner does not recognise this document")
                .at(document.head().place(), "neither planned nor checked")
                .help("leave it out with `exclude` in planner.toml, or drop --strict")
                .not_refusing(),
        );
    }
}
