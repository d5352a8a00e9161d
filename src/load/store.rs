//! Where files are: on the disk, or in a revision in memory. Both have the same interface, so that
//! a revision is read like a directory.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use ignore::Match;
use ignore::gitignore::Gitignore;

pub(super) use crate::kit::path::lexical;

use super::disk::{self, Content, Walked, WalkedFile, real, rules};
use super::list::Kind;
use super::view::{Edited, View};

/// Links followed from one name before it counts as a cycle.
const LINKS: usize = 16;

/// The object that a revision holds under a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Blob {
    /// A file.
    Bytes(Vec<u8>),
    /// A file over the limit on size: how many bytes it has.
    TooLarge(u64),
    /// A symbolic link and its target.
    Link(String),
}

/// The files of one revision of a git repository.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The top of the working tree, real.
    pub(super) top: PathBuf,
    /// The working directory, real; names are relative to it.
    pub(super) directory: PathBuf,
    /// Files by their names below the top, with `/`.
    pub(super) files: BTreeMap<String, Blob>,
    /// The repository's own list of what to ignore (`info/exclude`).
    pub(super) exclude: String,
}

impl Snapshot {
    /// The name below the top of a path of the working tree; `None` outside of it.
    #[must_use]
    pub fn relative(&self, path: &Path) -> Option<String> {
        let whole = lexical(&self.directory.join(path));
        let below = match whole.strip_prefix(&self.top) {
            Ok(below) => below.to_path_buf(),
            Err(_) => real(&whole).strip_prefix(&self.top).ok()?.to_path_buf(),
        };
        let parts = below.iter().map(|part| part.to_string_lossy());
        Some(parts.collect::<Vec<_>>().join("/"))
    }

    /// The file of a name, links followed as long as they stay in the repository.
    fn resolve(&self, name: &str) -> Option<(&str, &Blob)> {
        let mut name = name.to_owned();
        for _ in 0..LINKS {
            match self.files.get_key_value(&name)? {
                (_, Blob::Link(target)) => {
                    let home = Path::new("/").join(&name);
                    let target = lexical(&home.parent()?.join(target));
                    name = target.to_string_lossy().trim_start_matches('/').to_owned();
                }
                (name, blob) => return Some((name, blob)),
            }
        }
        None
    }

    /// The contents of the file of a path; nothing where there is none, or it is too large to be
    /// read.
    #[must_use]
    pub fn content(&self, path: &Path) -> Option<&[u8]> {
        match self.resolve(&self.relative(path)?)? {
            (_, Blob::Bytes(bytes)) => Some(bytes),
            _ => None,
        }
    }

    /// How many bytes the file of a path has.
    pub(super) fn bytes(&self, path: &Path) -> u64 {
        let name = self.relative(path);
        match name.as_deref().and_then(|name| self.resolve(name)) {
            Some((_, Blob::Bytes(bytes))) => bytes.len() as u64,
            _ => 0,
        }
    }

    /// Leaves out the files outside of real directories.
    pub fn keep_within(&mut self, roots: &[PathBuf]) {
        let top = &self.top;
        self.files.retain(|name, _| {
            let path = top.join(name);
            name.ends_with(".gitignore") || roots.iter().any(|root| path.starts_with(root))
        });
    }

    /// The names below a directory.
    fn below<'s>(&'s self, directory: &str) -> impl Iterator<Item = &'s String> {
        let prefix = if directory.is_empty() {
            String::new()
        } else {
            format!("{directory}/")
        };
        let from = self.files.range(prefix.clone()..);
        from.map(|(name, _)| name)
            .take_while(move |name| name.starts_with(&prefix))
    }

    fn is_dir(&self, path: &Path) -> bool {
        self.relative(path)
            .is_some_and(|name| name.is_empty() || self.below(&name).next().is_some())
    }

    fn gitignore(&self, directory: &str) -> Option<Gitignore> {
        let name = join(directory, ".gitignore");
        let Some((_, Blob::Bytes(bytes))) = self.resolve(&name) else {
            return None;
        };
        Some(rules(
            &self.top.join(directory),
            &String::from_utf8_lossy(bytes),
        ))
    }

    /// The files below a directory that a walk of it reaches: none hidden, unless a `.gitignore`
    /// asks for it.
    fn walk(&self, root: &str, filtered: bool) -> Vec<PathBuf> {
        let exclude = filtered.then(|| rules(&self.top, &self.exclude));
        let mut ignores: BTreeMap<String, Option<Gitignore>> = BTreeMap::new();
        let mut verdicts: BTreeMap<String, bool> = BTreeMap::new();
        let mut reached = Vec::new();
        for name in self.below(root) {
            let ends = name.match_indices('/').map(|(at, _)| at);
            let skip = if root.is_empty() { 0 } else { root.len() + 1 };
            let directories = ends.filter(|at| *at > skip).map(|at| (&name[..at], true));
            let mut parts = directories.chain(std::iter::once((name.as_str(), false)));
            let left_out = parts.any(|(part, is_dir)| {
                if let Some(known) = verdicts.get(part) {
                    return *known;
                }
                let path = self.top.join(part);
                let mut ruling = Match::None;
                if let Some(exclude) = &exclude {
                    let mut home = parent(part);
                    while let Some(directory) = home {
                        let ignore = ignores
                            .entry(directory.to_owned())
                            .or_insert_with(|| self.gitignore(directory));
                        if let Some(found) = ignore {
                            ruling = found.matched(&path, is_dir).map(|_| ());
                        }
                        if !ruling.is_none() {
                            break;
                        }
                        home = parent(directory);
                    }
                    if ruling.is_none() {
                        ruling = exclude.matched(&path, is_dir).map(|_| ());
                    }
                }
                let base = part.rsplit('/').next().unwrap_or(part);
                // All that a revision holds is tracked: ignore files leave nothing of it out.
                let out = !ruling.is_whitelist() && base.starts_with('.');
                if is_dir {
                    verdicts.insert(part.to_owned(), out);
                }
                out
            });
            if !left_out {
                reached.push(self.top.join(name));
            }
        }
        reached
    }
}

fn join(directory: &str, name: &str) -> String {
    if directory.is_empty() {
        name.to_owned()
    } else {
        format!("{directory}/{name}")
    }
}

/// The directory that holds a name; the top is empty and has none above it.
fn parent(name: &str) -> Option<&str> {
    if name.is_empty() {
        return None;
    }
    Some(name.rsplit_once('/').map_or("", |(parent, _)| parent))
}

/// Where the files of a request are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Store<'r> {
    Disk(&'r View),
    Revision(&'r Snapshot),
}

impl Store<'_> {
    pub(super) fn is_dir(self, path: &Path) -> bool {
        match self {
            Self::Disk(view) => path.is_dir() || (!view.is_plain() && view.makes(&view.real(path))),
            Self::Revision(snapshot) => snapshot.is_dir(path),
        }
    }

    pub(super) fn is_file(self, path: &Path) -> bool {
        match self {
            Self::Disk(view) => match view.edited(path, false) {
                Some(Edited::Text(_)) => true,
                Some(Edited::Deleted) => false,
                None => path.is_file(),
            },
            Self::Revision(snapshot) => snapshot
                .relative(path)
                .is_some_and(|name| snapshot.resolve(&name).is_some()),
        }
    }

    /// Whether nothing of the name is there. On the disk that is a fault to report; a revision
    /// simply does not have it yet.
    pub(super) fn lacks(self, path: &Path) -> bool {
        match self {
            Self::Disk(_) => false,
            Self::Revision(_) => !self.is_dir(path) && !self.is_file(path),
        }
    }

    /// The identity of a file.
    pub(super) fn identity(self, path: &Path) -> PathBuf {
        match self {
            Self::Disk(view) => view.real(path),
            Self::Revision(snapshot) => {
                let Some(name) = snapshot.relative(path) else {
                    return real(path);
                };
                let real = snapshot
                    .resolve(&name)
                    .map_or(name.as_str(), |(real, _)| real);
                snapshot.top.join(real)
            }
        }
    }

    /// The names in a directory, each with whether it is one itself.
    ///
    /// # Errors
    /// A directory that cannot be listed.
    pub(super) fn names(self, directory: &Path) -> io::Result<Vec<(String, bool)>> {
        match self {
            Self::Disk(view) => {
                let mut names = Vec::new();
                for entry in disk::names(directory, &view.real(directory), view)? {
                    let entry = entry?;
                    let link_to_one =
                        || entry.kind == Kind::Link && directory.join(&entry.name).is_dir();
                    let is_dir = entry.kind == Kind::Directory || link_to_one();
                    if let Ok(name) = entry.name.into_string() {
                        names.push((name, is_dir));
                    }
                }
                Ok(names)
            }
            Self::Revision(snapshot) => {
                let Some(directory) = snapshot.relative(directory) else {
                    return Ok(Vec::new());
                };
                let skip = if directory.is_empty() {
                    0
                } else {
                    directory.len() + 1
                };
                let first = |name: &String| match name[skip..].split_once('/') {
                    Some((first, _)) => (first.to_owned(), true),
                    None => (name[skip..].to_owned(), false),
                };
                let names: BTreeMap<String, bool> = snapshot.below(&directory).map(first).collect();
                Ok(names.into_iter().collect())
            }
        }
    }

    /// The files below a directory, hidden ones left out and, if `filtered`, those that
    /// `.gitignore` names. Ignore files of more than `limit` bytes are not read.
    /// Links to directories elsewhere are followed on the disk if they lie below `follow`.
    pub(super) fn walk(
        self,
        root: &Path,
        filtered: bool,
        follow: Option<&Path>,
        limit: u64,
    ) -> Walked {
        match self {
            Self::Disk(view) => disk::walk(root, filtered, follow, limit, view),
            Self::Revision(snapshot) => {
                let Some(name) = snapshot.relative(root) else {
                    return Walked::default();
                };
                let real = snapshot.top.join(&name);
                let walked = snapshot.walk(&name, filtered);
                let given = |path: PathBuf| match path.strip_prefix(&real) {
                    Ok(below) => root.join(below),
                    Err(_) => path,
                };
                Walked {
                    files: walked
                        .into_iter()
                        .map(given)
                        .filter(|path| self.is_file(path))
                        .map(|path| WalkedFile {
                            path,
                            regular: false,
                        })
                        .collect(),
                    ..Walked::default()
                }
            }
        }
    }

    /// The contents of a file; `regular` as [`WalkedFile`] has it.
    pub(super) fn read(self, path: &Path, regular: bool, limit: u64) -> io::Result<Content> {
        let snapshot = match self {
            Self::Disk(view) => return disk::read(path, regular, limit, view),
            Self::Revision(snapshot) => snapshot,
        };
        let name = snapshot.relative(path);
        match name.as_deref().and_then(|name| snapshot.resolve(name)) {
            Some((_, Blob::Bytes(bytes))) => Ok(Content::Bytes(bytes.clone())),
            Some((_, Blob::TooLarge(size))) => Ok(Content::TooLarge(*size)),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(files: &[(&str, &str)]) -> Snapshot {
        let blob = |text: &str| match text.strip_prefix("-> ") {
            Some(target) => Blob::Link(target.into()),
            None => Blob::Bytes(text.into()),
        };
        let files = files.iter();
        Snapshot {
            top: "/top".into(),
            directory: "/top/sub".into(),
            files: files
                .map(|(name, text)| ((*name).to_owned(), blob(text)))
                .collect(),
            exclude: "private.yaml\n".into(),
        }
    }

    #[test]
    fn a_revision_is_walked_like_a_directory() {
        let held = snapshot(&[
            (".gitignore", "*.tmp.yaml\n/sub/out/\n!.shown.yaml\n"),
            ("sub/.gitignore", "b.yaml\n"),
            ("sub/.hidden/c.yaml", ""),
            ("sub/.shown.yaml", ""),
            ("sub/a.tmp.yaml", ""),
            ("sub/a.yaml", ""),
            ("sub/b.yaml", ""),
            ("sub/deep/b.yaml", ""),
            ("sub/deep/e.yaml", ""),
            ("sub/out/d.yaml", ""),
            ("sub/private.yaml", ""),
            ("subway/x.yaml", ""),
        ]);
        let walked = Store::Revision(&held).walk(Path::new("."), true, None, 1 << 20);
        let names: Vec<_> = walked
            .files
            .iter()
            .map(|found| found.path.to_string_lossy())
            .collect();
        let all = [
            "./.shown.yaml",
            "./a.tmp.yaml",
            "./a.yaml",
            "./b.yaml",
            "./deep/b.yaml",
            "./deep/e.yaml",
            "./out/d.yaml",
            "./private.yaml",
        ];
        assert_eq!(names, all);
    }

    #[test]
    fn links_are_followed_inside_the_repository_only() {
        let held = snapshot(&[
            ("real/a.yaml", "a: 1\n"),
            ("sub/link.yaml", "-> ../real/a.yaml"),
            ("sub/out.yaml", "-> ../../etc/passwd"),
            ("sub/loop.yaml", "-> loop.yaml"),
        ]);
        let store = Store::Revision(&held);
        assert!(store.read(Path::new("link.yaml"), false, 9).is_ok());
        assert_eq!(
            store.identity(Path::new("link.yaml")),
            Path::new("/top/real/a.yaml")
        );
        assert!(!store.is_file(Path::new("out.yaml")) && !store.is_file(Path::new("loop.yaml")));
        assert!(store.lacks(Path::new("no.yaml")) && !store.lacks(Path::new("../real")));
    }
}
