//! How far links are followed: below the PATHs, and no further unless the configuration says so.
//! Whoever can change the site may not be allowed to read what a link leads to.

use std::fs;
use std::path::{Path, PathBuf};

use super::Request;
use super::disk::{is_absent, real, reason};
use super::store::{Store, lexical};

/// Where links may lead.
#[derive(Debug)]
pub(super) struct Reach {
    /// The directories and files, without links, that links may lead to.
    roots: Vec<PathBuf>,
}

impl Reach {
    /// Where the links of a request may lead.
    pub(super) fn of(request: &Request) -> Self {
        let here = real(&request.directory);
        let root = |path: &PathBuf| match path.canonicalize() {
            Ok(real) => real,
            Err(_) => lexical(&here.join(path)),
        };
        let paths = request.paths.iter().map(root);
        Self {
            roots: paths.chain(request.follow_links.clone()).collect(),
        }
    }

    fn holds(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| real.starts_with(root))
    }

    /// Whether a file below `walked` is a link to a file elsewhere. What is nothing, or neither a
    /// file nor a directory, fails when it is read.
    pub(super) fn lacks(&self, store: Store<'_>, file: &Path, walked: &Path) -> bool {
        let target = match store {
            Store::Disk(_) => match file.canonicalize() {
                Ok(target) if target.is_file() => target,
                _ => return false,
            },
            Store::Revision(_) => store.identity(file),
        };
        !self.holds(&target) && !target.starts_with(store.identity(walked))
    }

    /// Why a directory of records cannot be read, or must not be: records that are passed over
    /// would have everything placed anew.
    pub(super) fn closed(&self, request: &Request) -> Option<String> {
        let records = request.records.as_deref()?;
        match fs::metadata(records) {
            Ok(meta) if meta.is_dir() => {
                let target = real(records);
                let above = records
                    .parent()
                    .filter(|above| !above.as_os_str().is_empty());
                let beside = target.starts_with(real(above.unwrap_or(Path::new("."))));
                let fine = request.records_named || beside || self.holds(&target);
                let why = "it is a link that leads out of the site; pass its target with --records";
                (!fine).then(|| why.to_owned())
            }
            Ok(_) => Some("it is not a directory, so no records can be there".to_owned()),
            Err(error) if !is_absent(&error) => Some(reason(&error)),
            // A link to nothing is a place for records that cannot be looked at.
            Err(_) if records.is_symlink() => Some("the link is broken".to_owned()),
            Err(_) => None,
        }
    }
}
