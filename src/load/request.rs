//! The documents to read, and how.

use std::path::PathBuf;

use super::earlier::EarlierFiles;
use super::hub::file::HubFile;
use super::store::{Snapshot, Store};
use super::view::View;
use crate::kit::progress::Progress;
use crate::kustomize::Generate;
use crate::yaml::Limits;

/// A site of kustomizations that the configuration names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSite {
    /// Its name.
    pub name: String,
    /// Globs of its directories, relative to the configuration's.
    pub roots: Vec<String>,
}

/// The documents to read, and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// Files, directories, or `-` for standard input.
    pub paths: Vec<PathBuf>,
    /// Standard input, read already, where a path is `-`.
    pub stdin: Option<Vec<u8>>,
    /// The name of standard input in messages.
    pub stdin_name: String,
    /// The working directory, to which names are relative.
    pub directory: PathBuf,
    /// Globs of files to read below directories, relative to `config_directory`; all when empty.
    pub include: Vec<String>,
    /// Globs of files to leave out.
    pub exclude: Vec<String>,
    /// The directory that `include` and `exclude` are relative to.
    pub config_directory: PathBuf,
    /// Records of earlier plans, read whatever `exclude` says.
    pub records: Option<PathBuf>,
    /// The caller named the directory of records: it may be a link to anywhere.
    pub records_named: bool,
    /// The directory, without links, below which links that lead out of the PATHs are followed.
    pub follow_links: Option<PathBuf>,
    /// Files never read, even when named (the baseline).
    pub never: Vec<PathBuf>,
    /// Files beside the site, such as faults of a simulated run: parsed, but no documents of it.
    pub beside: Vec<PathBuf>,
    /// Edits that are not yet written, and how far the disk may be read.
    pub view: View,
    /// The files of an earlier run.
    pub earlier: EarlierFiles,
    /// Limits of reading.
    pub limits: Limits,
    /// The site of an Airship repository, or the sites of kustomizations that exclude one another:
    /// one for each choice.
    pub site: Vec<String>,
    /// The sites of kustomizations that the configuration names; without any, alternatives are
    /// sites.
    pub sites: Vec<NamedSite>,
    /// The kustomizations that count where the site that is asked for is not there, relative to
    /// the PATH.
    pub instead_of_site: Vec<PathBuf>,
    /// The site that counts where none is asked for.
    pub default_site: Option<String>,
    /// Without a named site, every site of a repository of Airship is read; else several of them
    /// are refused.
    pub every_site: bool,
    /// Without a named site, the first one of kustomizations is read, and the others are named;
    /// else several of them are refused.
    pub first_site: bool,
    /// Files are read as they stand: no kustomization is built.
    pub unbuilt: bool,
    /// Makes what PolicyGenerators make, for the kustomizations that run them.
    pub generate: Option<Generate>,
    /// The revision to read instead of the disk, by the same names.
    pub snapshot: Option<Snapshot>,
    /// A real directory and the one it stands for: its files are called, included and excluded as
    /// if they lay there.
    pub treated_as: Option<(PathBuf, PathBuf)>,
    /// The snapshot of the hub that the site is for.
    pub hub: Option<HubFile>,
    /// How far reading has come.
    pub progress: Progress,
    /// Worker threads.
    pub jobs: usize,
}

impl Request {
    /// Reads these paths with every default.
    #[must_use]
    pub fn of(paths: Vec<PathBuf>) -> Self {
        Self {
            paths,
            stdin: None,
            stdin_name: "<stdin>".into(),
            directory: PathBuf::from("."),
            include: Vec::new(),
            exclude: Vec::new(),
            config_directory: PathBuf::from("."),
            records: None,
            records_named: false,
            follow_links: None,
            never: Vec::new(),
            beside: Vec::new(),
            view: View::default(),
            earlier: EarlierFiles::default(),
            limits: Limits::default(),
            site: Vec::new(),
            sites: Vec::new(),
            default_site: None,
            instead_of_site: Vec::new(),
            every_site: false,
            first_site: false,
            unbuilt: false,
            generate: None,
            snapshot: None,
            treated_as: None,
            hub: None,
            progress: Progress::default(),
            jobs: 1,
        }
    }

    /// Where the files are read from.
    pub(super) fn store(&self) -> Store<'_> {
        self.snapshot
            .as_ref()
            .map_or(Store::Disk(&self.view), Store::Revision)
    }
}
