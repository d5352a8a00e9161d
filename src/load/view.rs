//! The disk as a run sees it: texts in place of files, and how far it may look.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::list::Kind;
use crate::kit::path::lexical;

/// Texts in place of those of files, new and deleted files, and the directories outside of which
/// nothing is read. Copies share the texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct View {
    /// By real path; none for a deleted file.
    files: BTreeMap<PathBuf, Option<Arc<str>>>,
    /// The last parts of those paths.
    names: BTreeSet<OsString>,
    /// Real directories or files; without any, everything may be read.
    within: Vec<PathBuf>,
}

/// An edit of a file.
pub(super) enum Edited<'v> {
    /// A text in the place of a file, or a new file.
    Text(&'v Arc<str>),
    /// A file that counts as deleted.
    Deleted,
}

/// The real path. Of what does not exist, the real path of what exists above it and the rest.
#[must_use]
pub fn resolved(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        let shown = if above.as_os_str().is_empty() {
            Path::new(".")
        } else {
            above
        };
        if let (Ok(real), Ok(rest)) = (shown.canonicalize(), path.strip_prefix(above)) {
            return if rest.as_os_str().is_empty() {
                real
            } else {
                lexical(&real.join(rest))
            };
        }
    }
    lexical(path)
}

/// The path of a link itself, not of what it leads to.
fn unfollowed(path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolved(parent).join(name),
        _ => resolved(path),
    }
}

impl View {
    /// A view of these directories and files, and of nothing outside of them.
    #[must_use]
    pub fn within(roots: &[PathBuf]) -> Self {
        Self {
            within: roots.iter().map(|root| resolved(root)).collect(),
            ..Self::default()
        }
    }

    /// Whether a path may be read: links to what lies outside may not.
    #[must_use]
    pub fn may_read(&self, path: &Path) -> bool {
        self.within.is_empty() || {
            let real = resolved(path);
            self.within.iter().any(|root| real.starts_with(root))
        }
    }

    /// Puts a text in the place of a file, which need not exist.
    pub fn set(&mut self, path: &Path, text: impl Into<Arc<str>>) {
        self.put(resolved(path), Some(text.into()));
    }

    /// Leaves out a file; of a link the link, not what it leads to.
    pub fn delete(&mut self, path: &Path) {
        self.put(unfollowed(path), None);
    }

    fn put(&mut self, real: PathBuf, text: Option<Arc<str>>) {
        self.names.extend(real.file_name().map(OsStr::to_owned));
        self.files.insert(real, text);
    }

    /// Lets the file on the disk count again. Gives whether it did not.
    pub fn reset(&mut self, path: &Path) -> bool {
        let is_text = self.files.remove(&resolved(path)).is_some();
        let is_deleted = self.files.remove(&unfollowed(path)).is_some();
        is_text || is_deleted
    }

    /// Whether every file counts as it is on the disk.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.files.is_empty()
    }

    /// The real path of a file or directory, new ones among them.
    pub(super) fn real(&self, path: &Path) -> PathBuf {
        if self.is_plain() {
            path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
        } else {
            resolved(path)
        }
    }

    /// The edit that stands in for a file; `regular` is one that is known to be no link.
    pub(super) fn edited(&self, path: &Path, regular: bool) -> Option<Edited<'_>> {
        let may_be_known = || {
            let name = path.file_name();
            !regular || name.is_none_or(|name| self.names.contains(name))
        };
        if self.is_plain() || !may_be_known() {
            return None;
        }
        let known = |real: PathBuf| self.files.get(&real);
        match known(resolved(path)).or_else(|| known(unfollowed(path)))? {
            Some(text) => Some(Edited::Text(text)),
            None => Some(Edited::Deleted),
        }
    }

    /// Whether there is a file that is not on the disk, or none though the disk has it; nothing
    /// where the disk counts.
    #[must_use]
    pub fn has(&self, path: &Path) -> Option<bool> {
        let edited = self.edited(path, false)?;
        Some(matches!(edited, Edited::Text(_)))
    }

    /// The edits below a real directory.
    fn below(&self, directory: &Path) -> impl Iterator<Item = (&Path, &Option<Arc<str>>)> {
        let from = self.files.range(directory.to_path_buf()..);
        let below = from.map_while(move |(path, text)| {
            let rest = path.strip_prefix(directory).ok()?;
            Some((rest, text))
        });
        below.filter(|(rest, _)| !rest.as_os_str().is_empty())
    }

    /// Whether new files make a real directory.
    #[must_use]
    pub fn makes(&self, directory: &Path) -> bool {
        self.below(directory).any(|(_, text)| text.is_some())
    }

    /// The names that differ in a real directory, each with what it is now; none for a deleted
    /// file.
    pub(super) fn names(&self, directory: &Path) -> BTreeMap<OsString, Option<Kind>> {
        let mut names: BTreeMap<OsString, Option<Kind>> = BTreeMap::new();
        for (rest, text) in self.below(directory) {
            let mut parts = rest.iter();
            let Some(first) = parts.next() else {
                continue;
            };
            match (parts.next(), text) {
                // A file deleted further down says nothing about its directory.
                (Some(_), None) => {}
                (Some(_), Some(_)) => {
                    names.insert(first.to_owned(), Some(Kind::Directory));
                }
                (None, text) => {
                    let kind = text.as_ref().map(|_| Kind::File);
                    names.entry(first.to_owned()).or_insert(kind);
                }
            }
        }
        names
    }
}
