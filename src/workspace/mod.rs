//! The engine room of the servers: the directories that may be read, texts in place of files, and
//! snapshots of the sites in them. Nothing is written, and no command of an advisor runs unless the
//! client allows it.
//!
//! A [`Workspace`] holds what a client says. A [`Job`] is one run over a site of it, for any
//! thread; it gives a [`Snapshot`], which never changes.

mod base;
mod compare;
mod fault;
mod job;
mod known;
mod origins;
pub mod settings;
mod snapshot;

pub use compare::{Comparison, compare};
pub use fault::Fault;
pub use job::{Job, Purpose, at_revision, edited, git, judged, validated};
pub use known::{KnownFindings, baseline_file};
pub use origins::origins;
pub use snapshot::Snapshot;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;

use crate::config::Config;
use crate::diagnostic::Sink;
use crate::load::{EarlierFiles, HubFile, View, resolved};
use crate::options::Options;
use crate::source::Sources;

use self::base::Base;

/// The size of a file and when it changed.
type Stamp = Option<(u64, String)>;

fn stamp(path: &Path) -> Stamp {
    let meta = path.metadata().ok()?;
    Some((meta.len(), format!("{:?}", meta.modified().ok()?)))
}

/// The choices of a client; all else is up to `planner.toml`.
#[derive(Debug, Clone)]
pub struct Choices {
    /// The `planner.toml` that counts instead of the nearest one.
    pub config: Option<PathBuf>,
    /// The site where there are several.
    pub site: Option<String>,
    /// The instant at which everything is judged.
    pub now: Timestamp,
    /// Whether advisors may run commands: the user says so, never a repository.
    pub allow_commands: bool,
    /// This program, which guards those commands.
    pub program: Option<PathBuf>,
    /// Worker threads, at least one.
    pub jobs: usize,
}

/// Directories that may be read, and texts in place of the files in them.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Real paths; nothing outside of them is read but the ignore files and revisions of their
    /// repositories.
    roots: Vec<PathBuf>,
    view: View,
    generation: u64,
    /// The snapshots of hubs, each read once for all jobs until its file changes.
    hubs: Vec<(HubFile, Stamp)>,
    /// The files of the last run.
    earlier: EarlierFiles,
    /// The part of a site that reviews keep.
    base: Base,
}

impl Workspace {
    /// A workspace of directories and files that exist.
    ///
    /// # Errors
    /// The first of them that does not exist.
    pub fn new(roots: &[PathBuf]) -> Result<Self, Fault> {
        let real = |root: &PathBuf| {
            root.canonicalize()
                .map_err(|_| Fault::Missing(root.clone()))
        };
        let roots = roots.iter().map(real).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            view: View::within(&roots),
            roots,
            generation: 0,
            hubs: Vec::new(),
            earlier: EarlierFiles::shared(),
            base: Base::default(),
        })
    }

    /// The same, where reviews keep what does not depend on the changes between them: they are of
    /// the same instant for up to a minute.
    #[must_use]
    pub fn with_kept_models(self) -> Self {
        Self {
            base: Base::shared(),
            ..self
        }
    }

    /// The directories that may be read, as real paths.
    #[must_use]
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// How often something has changed; a snapshot has the number of its workspace.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Puts a text in the place of a file, which need not exist.
    ///
    /// # Errors
    /// A path that may not be read.
    pub fn set(&mut self, path: &Path, text: impl Into<Arc<str>>) -> Result<(), Fault> {
        self.inside(path)?;
        self.view.set(path, text);
        self.generation += 1;
        Ok(())
    }

    /// Leaves out a file as if it did not exist.
    ///
    /// # Errors
    /// A path that may not be read.
    pub fn delete(&mut self, path: &Path) -> Result<(), Fault> {
        self.inside(path)?;
        self.view.delete(path);
        self.generation += 1;
        Ok(())
    }

    /// Lets the file on the disk count again.
    pub fn reset(&mut self, path: &Path) {
        if self.view.reset(path) {
            self.generation += 1;
        }
    }

    /// Says that something on the disk has changed.
    pub fn touch(&mut self) {
        self.hubs.clear();
        self.generation += 1;
    }

    /// The same directories and texts, of which nothing was read yet.
    #[must_use]
    pub fn with_nothing_read(&self) -> Self {
        Self {
            hubs: Vec::new(),
            earlier: EarlierFiles::shared(),
            base: Base::default(),
            ..self.clone()
        }
    }

    /// A path that may be read.
    fn inside(&self, path: &Path) -> Result<(), Fault> {
        let may = self.view.may_read(path);
        may.then_some(())
            .ok_or_else(|| Fault::Outside(path.to_path_buf()))
    }

    /// A run over the site at an absolute path, by the nearest `planner.toml` that may be read.
    ///
    /// # Errors
    /// A path that may not be read or does not exist; a configuration or baseline that cannot be
    /// used.
    pub fn job(&mut self, path: &Path, choices: &Choices) -> Result<Job, Fault> {
        self.inside(path)?;
        let path = resolved(path);
        let is_dir = path.is_dir() || self.view.makes(&path);
        let exists = self.view.has(&path).unwrap_or_else(|| path.exists());
        if !(exists || is_dir) {
            return Err(Fault::Missing(path));
        }
        let root = self.roots.iter().find(|root| path.starts_with(root));
        let directory = root.filter(|root| root.is_dir()).unwrap_or(&path);
        let directory = if directory.is_dir() {
            directory.clone()
        } else {
            directory.parent().unwrap_or(directory).to_path_buf()
        };
        let paths = vec![path];
        let view = &self.view;
        let named = choices.config.as_deref();
        let file = settings::config_file(&paths, true, named, view).map_err(|fault| {
            let mut told = (Sink::default(), Sources::default());
            fault.report(&directory.to_string_lossy(), &mut told.1, &mut told.0);
            Fault::Config(told.0, told.1)
        })?;
        // A file that the client named may lie anywhere.
        let everywhere = View::default();
        let view_of_config = named.map_or(view, |_| &everywhere);
        let config = settings::configuration(file.as_deref(), &directory, view_of_config);
        let (mut config, _) = config.map_err(|(sink, sources)| Fault::Config(sink, sources))?;
        // Where links lead, the repository decides; how far reading goes, the client does.
        config.follow_links = false;
        let known = baseline_file(&config, &paths, is_dir, view);
        let known = KnownFindings::read(known.clone(), &directory, view_of_config)
            .map_err(|why| Fault::Baseline(known, why))?;
        let mut request = settings::request(&config, paths, directory);
        let records = settings::records_of(&request.paths, is_dir);
        request.records = records.filter(|records| view.may_read(records));
        request.hub = self.hub(&config)?;
        request.never = vec![known.path.clone()];
        request
            .never
            .extend(request.hub.iter().map(|hub| hub.path.clone()));
        request.site = choices.site.iter().cloned().collect();
        request.jobs = choices.jobs;
        request.view = self.view.clone();
        request.earlier = self.earlier.clone();
        Ok(Job {
            generation: self.generation,
            settings: settings::check_options(&config, choices.now, choices.jobs),
            options: Options {
                allow_commands: choices.allow_commands,
                directory: request.directory.clone(),
                environment: settings::environment(&config.advisor_environment),
                program: choices.program.clone(),
                jobs: choices.jobs,
                ..Options::default()
            },
            request,
            known,
            roots: self.roots.clone(),
            base: self.base.clone(),
        })
    }

    /// The snapshot of the hub that a configuration names.
    fn hub(&mut self, config: &Config) -> Result<Option<HubFile>, Fault> {
        let Some(hub) = &config.hub else {
            return Ok(None);
        };
        let path = config.directory().join(hub);
        self.inside(&path)?;
        let max_age = config.hub_max_age.unwrap_or(settings::HUB_MAX_AGE);
        if self.view.has(&path).is_some() {
            return Ok(Some(HubFile::new(path, None, max_age)));
        }
        let stamp = stamp(&path);
        let same = |(known, _): &(HubFile, Stamp)| known.path == path && known.max_age == max_age;
        if let Some((known, read)) = self.hubs.iter().find(|one| same(one))
            && *read == stamp
        {
            return Ok(Some(known.clone()));
        }
        self.hubs.retain(|one| !same(one));
        let file = HubFile::new(path, None, max_age);
        self.hubs.push((file.clone(), stamp));
        Ok(Some(file))
    }
}
