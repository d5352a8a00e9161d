//! The disk: files opened, directories walked. Whatever cannot be read is reported, never skipped.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, FileType};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::dotgit::{exclude_file, tracked};
use super::list::{self, Kind, Listed};
use super::view::{Edited, View};

/// The files and directories that a walk found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// The files.
    pub(super) files: Vec<WalkedFile>,
    /// The paths that could not be looked at, each with the reason.
    pub(super) closed: Vec<(PathBuf, String)>,
    /// The ignore files that were read.
    pub(super) ignores: Vec<PathBuf>,
    /// Links to directories elsewhere that are not followed.
    pub(super) leading_out: Vec<PathBuf>,
}

/// A file below a directory that was walked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WalkedFile {
    /// Its path.
    pub(super) path: PathBuf,
    /// The directory called it a regular file: no link, and no pipe or device either.
    pub(super) regular: bool,
}

/// The contents of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// These bytes, at most one more than the limit: a device may have no end.
    Bytes(Vec<u8>),
    /// So many bytes, more than the limit.
    TooLarge(u64),
}

/// The bytes of a regular file, at most one more than the limit. Streams that the caller opened
/// (`/dev/stdin`, `/dev/fd/N`) are read as files are.
///
/// # Errors
/// Any error from the operating system. A device, pipe or socket is an error too: reading it may
/// block or never end.
pub fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    judge(path, &fs::metadata(path)?)?;
    let file = open(path)?;
    let length = file.metadata()?.len();
    read_open(&file, length.min(limit.saturating_add(1)), limit)
}

impl View {
    /// The bytes of a file, at most one more than the limit.
    ///
    /// # Errors
    /// The error of the operating system, or that the file may not be read.
    pub fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        match self.edited(path, false) {
            Some(Edited::Text(text)) => Ok(text.as_bytes().to_vec()),
            Some(Edited::Deleted) => Err(ErrorKind::NotFound.into()),
            None if !self.may_read(path) => Err(outside()),
            None => read_file(path, limit),
        }
    }
}

/// The same, or how large the file is. What is called `regular` is not looked at before it is
/// opened.
pub(super) fn read(path: &Path, regular: bool, limit: u64, view: &View) -> io::Result<Content> {
    match view.edited(path, regular) {
        Some(Edited::Text(text)) => {
            return Ok(match text.len() as u64 {
                length if length > limit => Content::TooLarge(length),
                _ => Content::Bytes(text.as_bytes().to_vec()),
            });
        }
        Some(Edited::Deleted) => return Err(ErrorKind::NotFound.into()),
        None if !regular && !view.may_read(path) => return Err(outside()),
        None => {}
    }
    let file = if regular {
        open_at_once(path)?
    } else {
        judge(path, &fs::metadata(path)?)?;
        open(path)?
    };
    let meta = file.metadata()?;
    judge(path, &meta)?;
    match meta.len() {
        length if length > limit => Ok(Content::TooLarge(length)),
        length => read_open(&file, length, limit).map(Content::Bytes),
    }
}

/// The message about a file that may not be read.
fn outside() -> io::Error {
    io::Error::new(
        ErrorKind::PermissionDenied,
        "it lies outside of the directories that may be read",
    )
}

/// The names in a directory as they are on the disk and with edits; `real` is its real path.
pub(super) fn names(
    directory: &Path,
    real: &Path,
    view: &View,
) -> io::Result<impl Iterator<Item = io::Result<Listed>> + use<>> {
    let edited = if view.is_plain() {
        BTreeMap::new()
    } else {
        view.names(real)
    };
    let listed = match list::names(directory) {
        _ if !view.may_read(directory) => return Err(outside()),
        Err(error) if is_absent(&error) && !edited.is_empty() => None,
        listed => Some(listed?),
    };
    let new = edited.iter().filter_map(|(name, kind)| {
        let (name, kind) = (name.clone(), (*kind)?);
        Some(Ok(Listed { name, kind }))
    });
    let new: Vec<_> = new.collect();
    let listed = listed.into_iter().flatten();
    let as_before = listed.filter(move |entry| match entry {
        Ok(entry) => !edited.contains_key(&entry.name),
        Err(_) => true,
    });
    Ok(as_before.chain(new))
}

/// Opens a file that was judged. Some that count as regular wait for what the system has to say:
/// nothing waits for them. A stream that the caller opened may take its time.
fn open(path: &Path) -> io::Result<fs::File> {
    if is_open_stream(path) {
        fs::File::open(path)
    } else {
        open_at_once(path)
    }
}

/// Opens what should be a regular file; if it has become a pipe meanwhile, nothing waits for
/// its writer.
fn open_at_once(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    }
    options.open(path)
}

/// Refuses what cannot be read like a file.
fn judge(path: &Path, meta: &fs::Metadata) -> io::Result<()> {
    if meta.is_dir() {
        // What keeps it from being listed is the better answer.
        drop(list::names(path)?);
        return Err(io::Error::other("it is a directory"));
    }
    match special(meta.file_type()).filter(|_| !is_open_stream(path)) {
        Some(kind) => Err(io::Error::other(format!(
            "it is a {kind}, not a regular file"
        ))),
        None => Ok(()),
    }
}

/// The bytes of a file that has so many; a stream, of which that is not known, up to one more
/// than the limit.
fn read_open(file: &fs::File, length: u64, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    // With nothing left to ask for, nothing is asked to learn that the file ends.
    let most = match length {
        0 => limit.saturating_add(1),
        length => length,
    };
    match file.take(most).read_to_end(&mut bytes) {
        Err(error) if error.kind() == ErrorKind::WouldBlock => {
            Err(io::Error::other("it is a device: it has no end to read to"))
        }
        read => read.map(|_| bytes),
    }
}

/// A name for a stream that the caller has opened, as process substitution gives it.
fn is_open_stream(path: &Path) -> bool {
    path == Path::new("/dev/stdin")
        || ["/dev/fd", "/proc/self/fd"]
            .iter()
            .any(|home| path.parent() == Some(Path::new(home)))
}

/// The noun for a file that is neither a regular one nor a directory.
#[cfg(unix)]
fn special(kind: FileType) -> Option<&'static str> {
    use std::os::unix::fs::FileTypeExt as _;
    if kind.is_fifo() {
        Some("named pipe")
    } else if kind.is_socket() {
        Some("socket")
    } else if kind.is_char_device() || kind.is_block_device() {
        Some("device")
    } else {
        None
    }
}

#[cfg(not(unix))]
fn special(_kind: FileType) -> Option<&'static str> {
    None
}

/// The ignore files that hold in a directory: its own, then those above it in the repository.
struct Level {
    /// The rules of this directory's `.gitignore`.
    own: Gitignore,
    /// The level of the directory above.
    above: Option<Rc<Self>>,
}

impl Level {
    fn ruling(&self, path: &Path, is_dir: bool) -> Match<()> {
        let mut level = Some(self);
        while let Some(here) = level {
            let ruling = here.own.matched(path, is_dir).map(|_| ());
            if !ruling.is_none() {
                return ruling;
            }
            level = here.above.as_deref();
        }
        Match::None
    }
}

/// A directory still to be listed.
struct Open {
    /// As messages call it.
    path: PathBuf,
    /// Without links, as ignore files see it.
    real: PathBuf,
    /// The rules of the directory above.
    level: Option<Rc<Level>>,
}

struct Walker<'v> {
    view: &'v View,
    limit: u64,
    filtered: bool,
    walked: Walked,
    /// Whether an ignore file left something out.
    ignored: bool,
    /// Links to directories.
    links: Vec<Open>,
    /// The directories listed so far, without links.
    listed: BTreeSet<PathBuf>,
}

/// The files below a directory, hidden ones left out and, if `filtered`, those that `.gitignore`
/// names. Ignore files count up to the directory that holds `.git`; outside of a repository
/// those from `root` on. Links to directories elsewhere are followed if they lie below `follow`.
pub(super) fn walk(
    root: &Path,
    filtered: bool,
    follow: Option<&Path>,
    limit: u64,
    view: &View,
) -> Walked {
    let mut walker = Walker {
        view,
        limit,
        filtered,
        walked: Walked::default(),
        ignored: false,
        links: Vec::new(),
        listed: BTreeSet::new(),
    };
    let home = view.real(root);
    let mut open = vec![Open {
        level: walker.above(&home),
        path: root.to_path_buf(),
        real: home.clone(),
    }];
    loop {
        while let Some(directory) = open.pop() {
            if walker.listed.insert(directory.real.clone()) {
                walker.list(directory, &mut open);
            }
        }
        // What can be reached without links is called by that name.
        let mut links = std::mem::take(&mut walker.links);
        links.sort_by(|a, b| b.path.cmp(&a.path));
        if links.is_empty() {
            walker.tracked(root, &home);
            return walker.walked;
        }
        for link in links {
            let mut within = [Some(home.as_path()), follow].into_iter().flatten();
            if within.any(|top| link.real.starts_with(top)) {
                open.push(link);
            } else {
                walker.walked.leading_out.push(link.path);
            }
        }
    }
}

impl Walker<'_> {
    /// The rules that hold above the directory where the walk begins.
    fn above(&mut self, home: &Path) -> Option<Rc<Level>> {
        if !self.filtered || has_git(home) {
            return None;
        }
        let mut within: Vec<&Path> = home.ancestors().skip(1).collect();
        let top = within.iter().position(|directory| has_git(directory))?;
        within.truncate(top + 1);
        let mut level = None;
        for directory in within.into_iter().rev() {
            level = self.level(directory, directory, level);
        }
        level
    }

    /// The rules in a directory; `shown` is what messages call it.
    fn level(
        &mut self,
        shown: &Path,
        directory: &Path,
        above: Option<Rc<Level>>,
    ) -> Option<Rc<Level>> {
        let mut level = above;
        let add = |rules: Option<Gitignore>, level: Option<Rc<Level>>| match rules {
            Some(own) => Some(Rc::new(Level { own, above: level })),
            None => level,
        };
        if has_git(directory) {
            // A repository of its own knows nothing of what lies above it.
            let exclude = exclude_file(directory).and_then(|file| self.rules(&file, directory));
            level = add(exclude, None);
        }
        let own = self.rules(&shown.join(".gitignore"), directory);
        add(own, level)
    }

    /// The rules of an ignore file; nothing where there is none.
    fn rules(&mut self, file: &Path, directory: &Path) -> Option<Gitignore> {
        // Which files count is decided by the whole repository, whatever else may be read.
        let read = match self.view.has(file) {
            Some(_) => self.view.read(file, self.limit),
            None => read_file(file, self.limit),
        };
        let bytes = match read {
            Ok(bytes) if bytes.len() as u64 > self.limit => {
                let why = format!("it is larger than the limit of {} bytes", self.limit);
                self.walked.closed.push((file.to_path_buf(), why));
                return None;
            }
            Ok(bytes) => bytes,
            Err(error) if is_absent(&error) || file.is_dir() => return None,
            Err(error) => {
                self.walked
                    .closed
                    .push((file.to_path_buf(), reason(&error)));
                return None;
            }
        };
        self.walked.ignores.push(file.to_path_buf());
        Some(rules(directory, &String::from_utf8_lossy(&bytes)))
    }

    /// Takes the files that git tracks although an ignore file names them: they are part of the
    /// repository.
    fn tracked(&mut self, root: &Path, home: &Path) {
        let Some(top) = repository(home).filter(|_| self.ignored) else {
            return;
        };
        let known: BTreeSet<PathBuf> = self
            .walked
            .files
            .iter()
            .map(|file| file.path.clone())
            .collect();
        for name in tracked(top) {
            let whole = top.join(&name);
            let Ok(below) = whole.strip_prefix(home) else {
                continue;
            };
            let hidden = |part: &std::ffi::OsStr| part.as_encoded_bytes().starts_with(b".");
            let path = root.join(below);
            if !has_known_ending(&path) || below.iter().any(hidden) || known.contains(&path) {
                continue;
            }
            let is_gone = matches!(self.view.edited(&path, false), Some(Edited::Deleted));
            let Ok(meta) = path.symlink_metadata() else {
                continue;
            };
            if !is_gone && self.view.may_read(&path) {
                let regular = meta.is_file();
                self.walked.files.push(WalkedFile { path, regular });
            }
        }
    }

    fn list(&mut self, directory: Open, open: &mut Vec<Open>) {
        let entries = match names(&directory.path, &directory.real, self.view) {
            Ok(entries) => entries,
            Err(error) => {
                self.walked.closed.push((directory.path, reason(&error)));
                return;
            }
        };
        let level = if self.filtered {
            self.level(&directory.path, &directory.real, directory.level.clone())
        } else {
            None
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    let closed = &mut self.walked.closed;
                    closed.push((directory.path.clone(), reason(&error)));
                    continue;
                }
            };
            let (name, kind) = (entry.name, entry.kind);
            let path = directory.path.join(&name);
            let is_dir = kind == Kind::Directory;
            if kind == Kind::Unknown {
                if let Err(error) = path.symlink_metadata()
                    && !is_absent(&error)
                {
                    self.walked.closed.push((path, reason(&error)));
                }
                continue;
            }
            if !is_dir && kind != Kind::Link && !has_known_ending(&path) {
                continue;
            }
            let place = || directory.real.join(&name);
            let ruling = match &level {
                Some(level) => level.ruling(&place(), is_dir),
                None => Match::None,
            };
            let hidden = name.as_encoded_bytes().starts_with(b".");
            if ruling.is_ignore() || (hidden && !ruling.is_whitelist()) {
                self.ignored |= ruling.is_ignore() && !hidden;
                continue;
            }
            if is_dir {
                open.push(Open {
                    path,
                    real: place(),
                    level: level.clone(),
                });
            } else if kind == Kind::Link && path.is_dir() {
                self.links.push(Open {
                    real: real(&path),
                    path,
                    level: level.clone(),
                });
            } else {
                // What is not a regular file, or a link to nothing, fails when it is read.
                let regular = kind == Kind::File;
                if has_known_ending(&path) {
                    self.walked.files.push(WalkedFile { path, regular });
                }
            }
        }
    }
}

/// Whether there is nothing of a name.
pub(super) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The root of the git repository that a path lies in.
#[must_use]
pub fn repository(path: &Path) -> Option<&Path> {
    path.ancestors().find(|above| has_git(above))
}

fn has_git(directory: &Path) -> bool {
    directory.join(".git").symlink_metadata().is_ok()
}

/// The real path, as far as it exists.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// The rules of an ignore file.
pub(super) fn rules(root: &Path, text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new(root);
    for line in text.trim_start_matches('\u{feff}').lines() {
        // A line that is not a glob is passed over, as in a walk of the disk.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The operating system's words without its number.
pub(super) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error")
        .next()
        .unwrap_or_default()
        .to_lowercase()
}

/// Whether a file below a directory is read, by its name.
#[must_use]
pub fn has_known_ending(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("yaml" | "yml" | "json"))
}
