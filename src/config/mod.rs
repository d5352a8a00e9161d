//! `planner.toml`: levels, paths, limits. Every key is known or refused.

mod read;
pub mod rules;

use std::io;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Codes, Levels, Severity, Sink};
use crate::load::{display_name, read_file};
use crate::source::{Source, Sources};
use crate::yaml::Limits;

/// The file's name.
pub const FILE_NAME: &str = "planner.toml";
/// The most bytes it may have.
const MOST_BYTES: u64 = 1 << 20;

/// A configuration; the default one is that of no file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// The file, if there is one.
    pub path: Option<PathBuf>,
    /// Globs of files to read, relative to the file's directory; all when empty.
    pub include: Vec<String>,
    /// Globs of files to leave out.
    pub exclude: Vec<String>,
    /// Variables of the environment that commands of advisors see, beside the usual ones.
    pub advisor_environment: Vec<String>,
    /// Severity from which `validate` fails.
    pub fail_on: Option<Severity>,
    /// Whether an ignore comment needs a reason.
    pub require_reason: bool,
    /// Levels of codes.
    pub levels: Levels,
    /// Limits of reading.
    pub limits: Limits,
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

/// The nearest `planner.toml` in a directory or above it.
#[must_use]
pub fn find(start: &Path) -> Option<PathBuf> {
    let start = start.canonicalize().ok()?;
    let first = if start.is_dir() {
        start.as_path()
    } else {
        start.parent()?
    };
    first
        .ancestors()
        .map(|directory| directory.join(FILE_NAME))
        .find(|path| path.exists() && !path.is_dir())
}

/// Reads a configuration; every fault of it is a finding in the sink. `codes` are those that can
/// have a level.
pub fn read(
    path: &Path,
    directory: &str,
    codes: &Codes,
    sources: &mut Sources,
    sink: &mut Sink,
) -> Config {
    let name = display_name(&path.to_string_lossy(), directory);
    let read = read_file(path, MOST_BYTES).and_then(|bytes| match bytes.len() as u64 {
        0..=MOST_BYTES => String::from_utf8(bytes).map_err(io::Error::other),
        _ => Err(io::Error::other("it is larger than 1 MiB")),
    });
    let (text, failed) = match read {
        Ok(text) => (text, None),
        Err(error) => (String::new(), Some(error)),
    };
    let source = sources.add(Source::new(name, text));
    if let Some(error) = failed {
        sink.push(rules::unreadable(source, &error));
        return Config::default();
    }
    let mut config = read::parse(&sources.get(source).text, source, codes, sink);
    config.path = Some(path.to_path_buf());
    config
}
