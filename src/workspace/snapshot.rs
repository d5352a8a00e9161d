//! A site as it was at one moment: read, checked and planned. It never changes.

use std::path::{Path, PathBuf};

use self_cell::self_cell;

use crate::diagnostic::Sink;
use crate::load::{Loaded, Request, resolved};
use crate::options::{CheckOptions, Options};
use crate::plan::{self, Plan};
use crate::site::{self, Checked};
use crate::source::{SourceId, Sources};

/// The inputs of checking and planning.
struct Inputs {
    loaded: Loaded,
    settings: CheckOptions,
    options: Options,
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
    /// Checks and plans what was read; `findings` gives those to show.
    pub(super) fn new(
        generation: u64,
        request: Request,
        (loaded, settings, options): (Loaded, CheckOptions, Options),
        findings: impl FnOnce(&Plan<'_, '_>) -> Sink,
    ) -> Self {
        let inputs = Inputs {
            loaded,
            settings,
            options,
        };
        let checked = CheckedSite::new(inputs, |inputs| {
            site::check(&inputs.loaded, &inputs.settings)
        });
        let site = PlannedSite::new(checked, |checked| {
            let options = &checked.borrow_owner().options;
            Planned(plan::make(checked.borrow_dependent(), options))
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
