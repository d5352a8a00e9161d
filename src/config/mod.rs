//! `planner.toml`: levels, paths, limits. Every key is known or refused.

mod read;
pub mod rules;

use std::io::{self, ErrorKind::NotADirectory, ErrorKind::NotFound, ErrorKind::PermissionDenied};
use std::path::{Path, PathBuf};

use crate::diagnostic::{Codes, Levels, Severity, Sink};
use crate::load::{NamedSite, View, display_name, resolved};
use crate::source::{Source, Sources};
use crate::yaml::Limits;

/// The file's name.
pub const FILE_NAME: &str = "planner.toml";
/// The most bytes it may have.
const MOST_BYTES: u64 = 1 << 20;

/// A configuration; the default applies if there is no file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// The file, if there is one.
    pub path: Option<PathBuf>,
    /// Globs of files to read, relative to the file's directory; all when empty.
    pub include: Vec<String>,
    /// Globs of files to leave out.
    pub exclude: Vec<String>,
    /// The sites of kustomizations.
    pub sites: Vec<NamedSite>,
    /// The site that counts where none is asked for.
    pub default_site: Option<String>,
    /// Variables of the environment that commands of advisors see, beside the usual ones.
    pub advisor_environment: Vec<String>,
    /// Whether links that lead out of the PATHs are followed.
    pub follow_links: bool,
    /// Severity from which `validate` fails.
    pub fail_on: Option<Severity>,
    /// Whether an ignore comment needs a reason.
    pub require_reason: bool,
    /// Levels of codes.
    pub levels: Levels,
    /// Limits of reading.
    pub limits: Limits,
    /// The snapshot of the hub, relative to the file's directory.
    pub hub: Option<PathBuf>,
    /// Seconds from which on a snapshot is too old; a day unless set.
    pub hub_max_age: Option<i64>,
    /// Conditions under which `plan` fails.
    pub fail_on_plan: Vec<String>,
}

impl Config {
    /// The directory that globs are relative to.
    #[must_use]
    pub fn directory(&self) -> PathBuf {
        let parent = self.path.as_deref().and_then(Path::parent);
        match parent {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        }
    }
}

/// A configuration that exists and cannot be used.
#[derive(Debug)]
pub struct Unusable {
    /// Its file, or the directory where it was looked for.
    pub path: PathBuf,
    /// Why.
    pub error: io::Error,
    /// Whether the path is a directory that cannot be entered.
    pub closed: bool,
}

impl Unusable {
    /// The same as a finding.
    pub fn report(&self, directory: &str, sources: &mut Sources, sink: &mut Sink) {
        let name = display_name(&self.path.to_string_lossy(), directory);
        let source = sources.add(Source::new(name, String::new()));
        sink.push(if self.closed {
            rules::closed(source, &self.error)
        } else {
            rules::unreadable(source, &self.error)
        });
    }

    /// The directory that cannot be entered, and so hides the file.
    fn beyond(directory: &Path, error: io::Error) -> Self {
        Self {
            path: directory.to_path_buf(),
            closed: error.kind() == PermissionDenied,
            error,
        }
    }
}

/// The nearest `planner.toml` in a directory or above it, as far as that may be read.
///
/// # Errors
/// A directory or file that cannot be looked at, and a link that leads out of the repository.
pub fn find(start: &Path, view: &View) -> Result<Option<PathBuf>, Unusable> {
    let unusable = |path: &Path, error: io::Error| Unusable {
        path: path.to_path_buf(),
        error,
        closed: false,
    };
    let start = match start.canonicalize() {
        Ok(start) => start,
        Err(_) if !view.is_plain() => resolved(start),
        // A stream that the caller opened lies in no directory.
        Err(error) if error.kind() == NotFound => return Ok(None),
        Err(error) => {
            let above = start.parent().filter(|above| !above.as_os_str().is_empty());
            return Err(Unusable::beyond(above.unwrap_or(Path::new(".")), error));
        }
    };
    for directory in start.ancestors() {
        let path = directory.join(FILE_NAME);
        match view.has(&path) {
            _ if !view.may_read(directory) => break,
            Some(true) => return Ok(Some(path)),
            Some(false) => continue,
            None => {}
        }
        match path.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => {
                let leads_to = path.canonicalize();
                let leads_to = leads_to.map_err(|error| unusable(&path, error))?;
                // A target that is no file fails when it is read.
                if leads_to.is_file() && !leads_to.starts_with(repository(directory)) {
                    let why = "it is a link that leads out of the repository; pass its target \
                               with --config";
                    return Err(unusable(&path, io::Error::other(why)));
                }
                return Ok(Some(path));
            }
            // A directory of this name fails when it is read: it is no settings, and not nothing.
            Ok(_) => return Ok(Some(path)),
            // Above a file there is no name.
            Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {}
            Err(error) => return Err(Unusable::beyond(directory, error)),
        }
    }
    Ok(None)
}

/// The directory above that holds `.git`; without one the directory itself.
fn repository(directory: &Path) -> &Path {
    let is_top = |above: &&Path| above.join(".git").symlink_metadata().is_ok();
    directory.ancestors().find(is_top).unwrap_or(directory)
}

/// Reads a configuration; every fault of it is a finding in the sink. `codes` are those that can
/// have a level.
pub fn read(
    path: &Path,
    directory: &str,
    codes: &Codes,
    view: &View,
    sources: &mut Sources,
    sink: &mut Sink,
) -> Config {
    let named = |path: &Path| display_name(&path.to_string_lossy(), directory);
    let read = view
        .read(path, MOST_BYTES)
        .and_then(|bytes| match bytes.len() as u64 {
            0..=MOST_BYTES => String::from_utf8(bytes).map_err(io::Error::other),
            _ => Err(io::Error::other("it is larger than 1 MiB")),
        });
    let (text, failed) = match read {
        Ok(text) => (text, None),
        Err(error) => (String::new(), Some(error)),
    };
    if let Some(error) = failed {
        // A file that may not be read can be looked at where its directory can be entered.
        let closed = path.symlink_metadata().err();
        let closed = closed.filter(|error| error.kind() == PermissionDenied);
        let fault = match (closed, path.parent()) {
            (Some(error), Some(above)) => Unusable::beyond(above, error),
            _ => Unusable {
                path: path.to_path_buf(),
                error,
                closed: false,
            },
        };
        fault.report(directory, sources, sink);
        return Config::default();
    }
    let source = sources.add(Source::new(named(path), text));
    let mut config = read::parse(&sources.get(source).text, source, codes, sink);
    config.path = Some(path.to_path_buf());
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_cannot_be_entered_is_not_taken_for_its_file() {
        let told = |fault: &Unusable| {
            let (mut sources, mut sink) = (Sources::default(), Sink::default());
            fault.report("", &mut sources, &mut sink);
            let name = sources.files[0].name.clone();
            (name, sink.diagnostics[0].message.clone())
        };
        let closed = Unusable::beyond(Path::new("up"), PermissionDenied.into());
        let (name, message) = told(&closed);
        assert_eq!(name, "up");
        assert!(
            message.starts_with("the directory cannot be entered"),
            "{message}"
        );
        let broken = Unusable::beyond(Path::new("up"), io::Error::other("no device"));
        assert_eq!(
            told(&broken).1,
            "the configuration cannot be read: no device"
        );
    }
}
