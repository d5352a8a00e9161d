//! The baseline: findings that are known and not reported again.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::diagnostic::baseline::{self, Baseline};
use crate::diagnostic::{Diagnostic, Identity, Sink};
use crate::document::{Documents, identities};
use crate::load::{View, display_name};
use crate::rules;
use crate::yaml::Limits;

/// The baseline of a run.
#[derive(Debug, Clone)]
pub struct KnownFindings {
    /// Its file.
    pub path: PathBuf,
    /// Whether there is a file.
    pub exists: bool,
    /// The findings that it lists.
    pub baseline: Baseline,
    /// Notes about codes that have been renamed.
    pub renamed: Vec<String>,
    /// The directory that the names of files are relative to.
    directory: PathBuf,
}

impl KnownFindings {
    /// Reads the baseline; names of files are relative to `directory`.
    ///
    /// # Errors
    /// Why the file is not a baseline.
    pub fn read(path: PathBuf, directory: &Path, view: &View) -> Result<Self, String> {
        let limit = Limits::default().file_bytes;
        let read = view.read(&path, limit).and_then(|bytes| {
            if bytes.len() as u64 > limit {
                Err(io::Error::other(format!("it is larger than {limit} bytes")))
            } else {
                String::from_utf8(bytes).map_err(io::Error::other)
            }
        });
        let baseline = match read {
            Ok(text) => Some(Baseline::parse(&text)?),
            Err(error) if error.kind() == ErrorKind::NotFound && path.is_symlink() => {
                return Err("the link is broken".to_owned());
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error.to_string()),
        };
        let exists = baseline.is_some();
        let mut baseline = baseline.unwrap_or_default();
        Ok(Self {
            path,
            exists,
            renamed: baseline.rename(&rules::codes()),
            baseline,
            directory: directory.to_path_buf(),
        })
    }

    /// Removes known findings; returns the known ones that were not found.
    pub fn cover(&self, found: &mut Sink, documents: &Documents<'_>) -> Baseline {
        let identities = self.identities(found, documents);
        self.baseline.cover(found, identities)
    }

    /// Takes known findings out of those of a plan. What refuses stays: a plan says why there is
    /// none.
    pub fn settle(&self, found: &mut Sink, documents: &Documents<'_>) {
        if self.exists {
            self.cover(found, documents);
            found.uncover_refusals();
            found.sort(documents.sources);
        }
    }

    /// The identities of the sink's findings; paths are relative to the file's directory.
    #[must_use]
    pub fn identities(&self, sink: &Sink, documents: &Documents<'_>) -> Vec<Identity> {
        let home = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let home = home.canonicalize().unwrap_or_default();
        let home = home.to_string_lossy();
        let path = |name: &str| {
            let real = self.directory.join(name).canonicalize();
            let path = real.map_or_else(|_| name.to_owned(), |p| p.to_string_lossy().into_owned());
            display_name(&path, &home)
        };
        let findings: Vec<&Diagnostic> = sink.diagnostics.iter().collect();
        identities(documents, &findings, path).collect()
    }
}

/// Where the baseline is: the nearest above the first PATH, else beside `planner.toml`, else in
/// the directory of the first PATH.
#[must_use]
pub fn baseline_file(config: &Config, paths: &[PathBuf], is_dir: bool, view: &View) -> PathBuf {
    let first = paths.first().filter(|path| path.as_os_str() != "-");
    // An existing one still applies, whatever configuration is added above it.
    let start = first
        .map_or(Path::new("."), PathBuf::as_path)
        .canonicalize();
    let above = start.as_deref().map(Path::ancestors).into_iter().flatten();
    let above = above.take_while(|directory| view.may_read(directory));
    if let Some(known) = above
        .map(|directory| directory.join(baseline::FILE_NAME))
        // A link to nothing is one that cannot be used, not none.
        .find(|path| path.is_symlink() || path.is_file())
    {
        return known;
    }
    let directory = match first {
        _ if config.path.is_some() => config.directory(),
        Some(first) if is_dir => first.clone(),
        Some(first) => first.parent().map(Path::to_path_buf).unwrap_or_default(),
        None => PathBuf::new(),
    };
    directory.join(baseline::FILE_NAME)
}
