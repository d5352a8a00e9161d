//! The inputs of a run, as far as they are known before it has read anything. An output must not
//! overwrite them.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::diagnostic::baseline;
use crate::load::has_known_ending;

use super::args::CommonArgs;

/// The PATHs of a run and the files it was given.
#[derive(Debug)]
pub(super) struct Inputs {
    /// The PATHs and other directories, as they really lie.
    roots: Vec<PathBuf>,
    /// Files that were named.
    files: Vec<PathBuf>,
}

impl Inputs {
    /// The PATHs of a command.
    pub(super) fn of(common: &CommonArgs, paths: &[PathBuf]) -> Self {
        let here = [PathBuf::from(".")];
        let roots = match paths {
            [] => here.as_slice(),
            paths => paths,
        };
        let inputs = Self {
            roots: Vec::new(),
            files: Vec::new(),
        };
        let more = [&common.config, &common.records, &common.hub];
        let more = more.into_iter().flatten();
        inputs.and(roots.iter().chain(more))
    }

    /// Other files and directories that are read.
    pub(super) fn and(mut self, more: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        for path in more {
            let Ok(real) = path.as_ref().canonicalize() else {
                continue;
            };
            if real.is_dir() {
                self.roots.push(real);
            } else {
                self.files.push(real);
            }
        }
        self
    }

    /// Whether a file is never an input.
    pub(super) fn is_free(&self, file: &Path) -> bool {
        let Ok(real) = file.canonicalize() else {
            return true;
        };
        let name = real.file_name().unwrap_or_default();
        let settings = ["planner.toml", baseline::FILE_NAME, ".gitignore"];
        let below = || self.roots.iter().any(|root| real.starts_with(root));
        if self.files.contains(&real)
            || settings.iter().any(|own| name == *own)
            || real.components().any(|part| part.as_os_str() == ".git")
        {
            return false;
        }
        !real.is_file() || !has_known_ending(&real) || !below() || is_answer(&real)
    }
}

/// Whether a file holds an answer of an earlier run.
fn is_answer(file: &Path) -> bool {
    let mut start = Vec::new();
    let Ok(file) = fs::File::open(file) else {
        return false;
    };
    if file.take(256).read_to_end(&mut start).is_err() {
        return false;
    }
    let start = String::from_utf8_lossy(&start);
    let has = |words| start.contains(words);
    has("planner/v1") && has("formatVersion") && !has("SavedPlan")
}
