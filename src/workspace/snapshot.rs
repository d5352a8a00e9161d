//! A site as it was at one moment: read, checked and planned. It never changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self_cell::self_cell;

use crate::diagnostic::Sink;
use crate::document::{DocumentKind, System};
use crate::load::{Loaded, Request, resolved};
use crate::options::{CheckOptions, Options};
use crate::plan::{self, Plan};
use crate::site::{self, Checked};
use crate::source::{SourceId, Sources};
use crate::systems;

/// The inputs of checking and planning.
struct Inputs {
    loaded: Arc<Loaded>,
    settings: CheckOptions,
    options: Options,
    part: Part,
}

/// The part of a site that a snapshot checks and plans.
pub(super) enum Part {
    /// All of it; what is still valid of the base is reused.
    Whole(Option<Arc<Snapshot>>),
    /// Only what reads no documents of these kinds: a base for others.
    Without(Vec<DocumentKind>),
}

impl Part {
    fn base(&self) -> Option<&Snapshot> {
        match self {
            Self::Whole(base) => base.as_deref(),
            Self::Without(_) => None,
        }
    }
}

/// A plan of the site that it was made for.
struct Planned<'a>(Plan<'a, 'a>);

self_cell!(
    struct CheckedSite {
        owner: Inputs,
        #[covariant]
        dependent: Checked,
    }
);

self_cell!(
    struct PlannedSite {
        owner: CheckedSite,
        #[covariant]
        dependent: Planned,
    }
);

/// A site at one moment: its documents, models, plan and findings. Threads share it; it holds all
/// texts, trees and models, and frees them when it is dropped.
pub struct Snapshot {
    /// The generation of the workspace that it was made from.
    pub generation: u64,
    /// The request that was read.
    pub request: Request,
    /// The findings to show, in order; fixes are edits of the texts in [`Snapshot::sources`].
    pub findings: Sink,
    site: PlannedSite,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = to.debug_struct("Snapshot");
        let shown = shown.field("generation", &self.generation);
        shown.field("findings", &self.findings).finish()
    }
}

impl Snapshot {
    /// Checks and plans a part of what was read; `findings` gives those to show.
    pub(super) fn new(
        generation: u64,
        request: Request,
        (loaded, settings, options): (Arc<Loaded>, CheckOptions, Options),
        part: Part,
        findings: impl FnOnce(&Plan<'_, '_>) -> Sink,
    ) -> Self {
        let inputs = Inputs {
            loaded,
            settings,
            options,
            part,
        };
        let checked = CheckedSite::new(inputs, |inputs| {
            let (loaded, settings) = (&*inputs.loaded, &inputs.settings);
            match &inputs.part {
                Part::Whole(None) => site::check(loaded, settings),
                Part::Whole(Some(base)) => site::check_again(loaded, settings, base.checked()),
                Part::Without(kinds) => site::check_without(loaded, settings, kinds),
            }
        });
        let site = PlannedSite::new(checked, |checked| {
            let Inputs { options, part, .. } = checked.borrow_owner();
            let base = part.base().map(Self::plan);
            let mut plan = plan::make_again(checked.borrow_dependent(), options, base);
            if matches!(part, Part::Without(_)) {
                // Only answers are reused; what they find is reported anew.
                plan.findings = Sink::default();
            }
            Planned(plan)
        });
        Self {
            generation,
            request,
            findings: findings(&site.borrow_dependent().0),
            site,
        }
    }

    fn inputs(&self) -> &Inputs {
        self.site.borrow_owner().borrow_owner()
    }

    /// The systems whose models it shares with its base.
    #[must_use]
    pub fn kept(&self) -> Vec<System> {
        let Some(base) = self.inputs().part.base() else {
            return Vec::new();
        };
        let anew = systems::read_anew(self.checked(), base.checked());
        let systems = System::ALL.into_iter();
        systems.filter(|system| !anew.contains(system)).collect()
    }

    /// The documents as they were read.
    #[must_use]
    pub fn loaded(&self) -> &Loaded {
        &self.inputs().loaded
    }

    /// How it was judged.
    #[must_use]
    pub fn settings(&self) -> &CheckOptions {
        &self.inputs().settings
    }

    /// How it was planned.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.inputs().options
    }

    /// The documents and models.
    #[must_use]
    pub fn checked(&self) -> &Checked<'_> {
        self.site.borrow_owner().borrow_dependent()
    }

    /// The plan; [`Plan::shown`] has none where documents were refused.
    #[must_use]
    pub fn plan(&self) -> &Plan<'_, '_> {
        &self.site.borrow_dependent().0
    }

    /// The texts.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.loaded().sources
    }

    /// The path of a file.
    #[must_use]
    pub fn path_of(&self, source: SourceId) -> PathBuf {
        let known = self.loaded().path(source).map(Path::to_path_buf);
        known.unwrap_or_else(|| {
            self.request
                .directory
                .join(&self.sources().get(source).name)
        })
    }

    /// The number of a file, by its path.
    #[must_use]
    pub fn source_of(&self, path: &Path) -> Option<SourceId> {
        let real = resolved(path);
        let mut files = (0..).map(SourceId).take(self.sources().files.len());
        files.find(|source| resolved(&self.path_of(*source)) == real)
    }
}
