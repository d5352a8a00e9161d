//! Files that the program writes: whole or not at all, and on the disk before it says so.

mod change;
mod set;
mod target;

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tempfile::NamedTempFile;

use super::failure::Failure;
use crate::load::list;
pub(super) use change::{Change, Refused, all};
pub(super) use set::{Entry, replace_all};
use target::Target;
pub(super) use target::{leads_out, unfit};

/// The beginning of the names of unfinished files.
const PREFIX: &str = ".planner-";
/// An unfinished file older than this was left behind by a run that was killed.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);
/// How often and how long to wait for another run that writes in a directory.
const TRIES: usize = 100;
const PAUSE: Duration = Duration::from_millis(50);

/// The mode of a new file, before the user's mask.
const ANYONE: u32 = 0o666;
const OWNER: u32 = 0o600;

/// Set when a file has been written.
static WRITTEN: AtomicBool = AtomicBool::new(false);

/// The unfinished files of this run.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Held while a file, or a set of files, gets its names: a signal waits until the set is whole or
/// undone.
pub(super) struct Naming(MutexGuard<'static, Vec<PathBuf>>);

impl Naming {
    /// Begins. Does not return where a signal came first.
    pub(super) fn begin() -> Self {
        Self(UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Removes what is unfinished and lets nobody begin any more; for a signal, which must end the
/// program next.
pub(super) fn abandon() {
    let naming = Naming::begin();
    for file in naming.0.iter() {
        // Most are finished, and so gone.
        let _ = fs::remove_file(file);
    }
    std::mem::forget(naming);
}

/// The sentence of a run that records nothing.
pub(super) fn nothing_else() -> &'static str {
    if WRITTEN.load(Ordering::SeqCst) {
        "No record was written."
    } else {
        "Nothing was written."
    }
}

/// Why a file is not as it should be.
#[derive(Debug)]
pub(super) enum Fault {
    /// It was not written.
    Failed(io::Error),
    /// It has its name, but a power cut may lose it.
    Unsure(io::Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl Fault {
    /// The failure for a file of this name (1).
    pub(super) fn of(self, name: &str) -> Failure {
        match self {
            Self::Failed(error) => Failure::system(error, format!("cannot write {name}")),
            Self::Unsure(error) => Failure::system(error, unsure(name)),
        }
    }
}

/// The message for a file whose directory could not be synced to the disk.
pub(super) fn unsure(name: &str) -> String {
    format!("{name} was written, but may not be on the disk yet")
}

/// The users that may read a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readers {
    /// Everyone who could read the file it replaces; for a new file, whom the user's mask allows.
    AsBefore,
    /// The user alone.
    Owner,
}

/// Writes a file whole or not at all. A link stays a link; a device or a pipe is written to as
/// it is.
///
/// # Errors
/// See [`Fault`].
pub(super) fn replace(
    path: &Path,
    readers: Readers,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Fault> {
    replace_with(path, readers, Box::new(write))
}

/// Writes the content of a file.
type Content<'a> = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'a>;

fn replace_with(path: &Path, readers: Readers, write: Content<'_>) -> Result<(), Fault> {
    WRITTEN.store(true, Ordering::SeqCst);
    let (path, there) = match Target::of(path)? {
        Target::Stream(stream) => {
            let mut out = io::BufWriter::new(stream);
            return Ok(write(&mut out).and_then(|()| out.flush())?);
        }
        Target::File { path, there } => (path, there),
    };
    let mode = match readers {
        Readers::AsBefore => ANYONE,
        Readers::Owner => OWNER,
    };
    let file = made_with(directory_of(&path), mode, write)?;
    if let Some(there) = there.filter(|_| readers == Readers::AsBefore) {
        file.as_file().set_permissions(there.permissions())?;
    }
    file.as_file().sync_all()?;
    let naming = Naming::begin();
    file.persist(&path).map_err(|error| error.error)?;
    drop(naming);
    sync(directory_of(&path)).map_err(Fault::Unsure)
}

/// A new file that is on the disk and lacks its name.
#[derive(Debug)]
pub(super) struct New<'p> {
    file: NamedTempFile,
    path: &'p Path,
}

impl<'p> New<'p> {
    /// Writes the file without giving it its name.
    ///
    /// # Errors
    /// Any error from the operating system.
    pub(super) fn of(path: &'p Path, text: &[u8]) -> io::Result<Self> {
        let file = made(directory_of(path), ANYONE, |out| out.write_all(text))?;
        file.as_file().sync_all()?;
        Ok(Self { file, path })
    }

    /// The contents on the disk.
    ///
    /// # Errors
    /// Any error from the operating system.
    pub(super) fn text(&self) -> io::Result<String> {
        fs::read_to_string(self.file.path())
    }

    /// Gives it its name, unless another file has it.
    ///
    /// # Errors
    /// See [`Fault`]; `AlreadyExists` if the name is taken.
    pub(super) fn create(self) -> Result<(), Fault> {
        let path = self.path;
        let naming = Naming::begin();
        let named = self.file.persist_noclobber(path);
        named.map_err(|error| error.error)?;
        drop(naming);
        sync(directory_of(path)).map_err(Fault::Unsure)
    }
}

/// Makes a directory and those above it, and syncs their names to the disk.
///
/// # Errors
/// Any error from the operating system.
pub(super) fn create_directory(directory: &Path) -> io::Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    let above = directory_of(directory);
    create_directory(above)?;
    match fs::create_dir(directory) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists || !directory.is_dir() => Err(error),
        _ => sync(above),
    }
}

/// Locks a directory for one writer until it is dropped; the system unlocks it when the
/// program is killed. `None` where the file system knows no locks.
///
/// # Errors
/// A directory that cannot be opened, and one that another run does not let go of.
pub(super) fn lock(directory: &Path) -> io::Result<Option<File>> {
    let file = match File::open(directory) {
        Ok(file) => file,
        // Some systems open no directories.
        Err(_) if cfg!(not(unix)) => return Ok(None),
        Err(error) => return Err(error),
    };
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
    Err(io::Error::new(
        ErrorKind::TimedOut,
        "another run is writing there",
    ))
}

/// Removes unfinished files that killed runs have left in a directory.
pub(super) fn sweep(directory: &Path) {
    let Ok(entries) = list::names(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let ours = entry.name.to_string_lossy().starts_with(PREFIX);
        let path = directory.join(&entry.name);
        let old = || {
            let meta = fs::symlink_metadata(&path).ok()?;
            let age = meta.modified().ok()?.elapsed().ok()?;
            Some(meta.is_file() && age > LEFT_BEHIND)
        };
        if ours && old() == Some(true) {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(&path);
        }
    }
}

/// An unfinished file beside the one that it will become.
fn made(
    directory: &Path,
    mode: u32,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<NamedTempFile> {
    made_with(directory, mode, Box::new(write))
}

fn made_with(directory: &Path, mode: u32, write: Content<'_>) -> io::Result<NamedTempFile> {
    sweep(directory);
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    // Opened here: errors of `tempfile_in` would name the unfinished file.
    let open = |path: &Path| {
        let mut naming = Naming::begin();
        let file = options.open(path)?;
        naming.0.push(path.to_path_buf());
        Ok(file)
    };
    let mut file = tempfile::Builder::new()
        .prefix(PREFIX)
        .make_in(directory, open)?;
    {
        let mut out = io::BufWriter::with_capacity(1 << 16, file.as_file_mut());
        write(&mut out)?;
        out.flush()?;
    }
    Ok(file)
}

/// Syncs the names in a directory to the disk.
fn sync(directory: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(directory).and_then(|directory| directory.sync_all()) {
        // Some file systems cannot; a directory may be writable and not readable.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported | ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        result => result,
    }
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
