//! Files that the program writes: whole or not at all, and on the disk before it says so.

use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tempfile::{NamedTempFile, TempPath};

use super::keep::keep;

/// What the names of files in the making begin with.
const PREFIX: &str = ".planner-";
/// A file in the making that is older than this was left behind by a run that was killed.
const LEFT_BEHIND: Duration = Duration::from_secs(3600);
/// How often and how long to wait for another run that writes in a directory.
const TRIES: usize = 100;
const PAUSE: Duration = Duration::from_millis(50);
/// Symbolic links followed from one name.
const LINKS: usize = 40;

/// Who may read and write a new file, before the user's mask.
const ANYONE: u32 = 0o666;
const OWNER: u32 = 0o600;

/// Set when a file has been written.
static WRITTEN: AtomicBool = AtomicBool::new(false);

/// What a run that records nothing may say of itself.
pub(super) fn nothing_else() -> &'static str {
    if WRITTEN.load(Ordering::SeqCst) {
        "No record was written."
    } else {
        "Nothing was written."
    }
}

/// Writes a file whole or not at all. A link stays a link; a device or a pipe is written to as
/// it is.
///
/// # Errors
/// What the operating system says.
pub(super) fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let there = fs::metadata(path).ok();
    WRITTEN.store(true, Ordering::SeqCst);
    if let Some(stream) = stream(path, there.as_ref())? {
        let mut out = io::BufWriter::new(stream);
        return write(&mut out).and_then(|()| out.flush());
    }
    let path = followed(path)?;
    let file = made(directory_of(&path), ANYONE, write)?;
    if let Some(there) = there {
        file.as_file().set_permissions(there.permissions())?;
    }
    finish(file, &path)
}

/// What a name leads to that is written to as it is: a device, a pipe, or a stream that the
/// caller opened (`/dev/stdout`, `/dev/fd/N`), be it a file.
fn stream(path: &Path, there: Option<&Metadata>) -> io::Result<Option<Box<dyn Write>>> {
    let streams = ["/dev/fd", "/proc/self/fd"].map(Path::new);
    let stdout = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
    if stdout.map(Path::new).contains(&path) {
        return Ok(Some(Box::new(io::stdout())));
    }
    let opened = path == Path::new("/dev/stderr")
        || path
            .parent()
            .is_some_and(|parent| streams.contains(&parent));
    if !opened && there.is_none_or(Metadata::is_file) {
        return Ok(None);
    }
    let file = fs::OpenOptions::new().append(true).open(path)?;
    Ok(Some(Box::new(file)))
}

/// Writes a file whole or not at all that nobody else may read, instead of whatever had its name.
///
/// # Errors
/// What the operating system says.
pub(super) fn private(path: &Path, text: &[u8]) -> io::Result<()> {
    let path = followed(path)?;
    let file = made(directory_of(&path), OWNER, |out| out.write_all(text))?;
    finish(file, &path)
}

/// Writes a new file; never over another one.
///
/// # Errors
/// What the operating system says; `AlreadyExists` if the name is taken.
pub(super) fn create(path: &Path, text: &[u8]) -> io::Result<()> {
    let directory = directory_of(path);
    let file = made(directory, ANYONE, |out| out.write_all(text))?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    sync(directory)
}

/// Makes a directory and those above it, and has their names on the disk.
///
/// # Errors
/// What the operating system says.
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

/// A file that is to be changed: looked at before anything is written.
#[derive(Debug)]
pub(super) struct Change {
    path: PathBuf,
    before: Vec<u8>,
    seen: Metadata,
}

/// Why a file is not changed.
#[derive(Debug)]
pub(super) enum Refused {
    /// Another program has changed it.
    Changed,
    /// What the operating system says, or why the file must stay as it is.
    Because(String),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::Because(error.to_string())
    }
}

impl Change {
    /// Checks that a file still holds what was read, and that it can be changed without losing
    /// its owner, its mode or its other names.
    ///
    /// # Errors
    /// If not.
    pub(super) fn of(path: &Path, before: &[u8]) -> Result<Self, Refused> {
        // A link stays a link: what it points at is written.
        let path = fs::canonicalize(path)?;
        let seen = fs::metadata(&path)?;
        if !seen.is_file() {
            return Err(Refused::Because("it is not a regular file".into()));
        }
        if seen.permissions().readonly() {
            return Err(Refused::Because("it is read-only".into()));
        }
        // Not everything that forbids writing shows in the mode.
        fs::OpenOptions::new().append(true).open(&path)?;
        let links = links(&seen);
        if links > 1 {
            return Err(Refused::Because(format!(
                "it has {links} hard links, and only one of them would \
             change; replace it with a separate file first"
            )));
        }
        let change = Self {
            path,
            before: before.to_vec(),
            seen,
        };
        change.check()?;
        Ok(change)
    }

    /// Whether the file is still the one that was read.
    fn check(&self) -> Result<(), Refused> {
        if fs::read(&self.path)? != self.before {
            return Err(Refused::Changed);
        }
        self.check_identity()
    }

    fn check_identity(&self) -> Result<(), Refused> {
        let now = fs::metadata(&self.path)?;
        if same(&now, &self.seen) {
            Ok(())
        } else {
            Err(Refused::Changed)
        }
    }

    /// Writes the new text instead of the old one.
    ///
    /// # Errors
    /// A file that has changed since, and what the operating system says.
    pub(super) fn write(self, text: &[u8]) -> Result<(), Refused> {
        let file = made(directory_of(&self.path), OWNER, |out| out.write_all(text))?;
        keep(file.as_file(), &self.path, &self.seen).map_err(Refused::Because)?;
        file.as_file().sync_all()?;
        self.check()?;
        self.put(file.into_temp_path())?;
        sync(directory_of(&self.path))?;
        Ok(())
    }

    /// Puts the new file in the place of the old one. An editor may save the file at any moment:
    /// what comes out is looked at, and goes back if it is not what was read.
    fn put(&self, file: TempPath) -> Result<(), Refused> {
        let new = fs::read(&file)?;
        if !exchange(&file, &self.path)? {
            file.persist(&self.path).map_err(|error| error.error)?;
            return Ok(());
        }
        let came_out = |wanted: &[u8]| fs::read(&file).is_ok_and(|text| text == wanted);
        if came_out(&self.before) {
            return Ok(());
        }
        exchange(&file, &self.path)?;
        if !came_out(&new) {
            // Saved once more meanwhile: the last one counts.
            exchange(&file, &self.path)?;
        }
        Err(Refused::Changed)
    }
}

/// Swaps two files; whether the system can do that at once.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn exchange(_one: &Path, _other: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Holds a directory for one writer until it is dropped; the system lets go of it when the
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

/// Removes files in the making that killed runs have left in a directory.
pub(super) fn sweep(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let old = || {
            let meta = entry.metadata().ok().filter(Metadata::is_file)?;
            let age = meta.modified().ok()?.elapsed().ok()?;
            Some(age > LEFT_BEHIND)
        };
        if ours && old() == Some(true) {
            // A file that cannot be removed does no harm.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file in the making beside the one it is to become.
fn made(
    directory: &Path,
    mode: u32,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<NamedTempFile> {
    sweep(directory);
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    let mode = <fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(mode);
    #[cfg(unix)]
    builder.permissions(mode);
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = builder.tempfile_in(directory)?;
    {
        let mut out = io::BufWriter::with_capacity(1 << 16, file.as_file_mut());
        write(&mut out)?;
        out.flush()?;
    }
    Ok(file)
}

fn finish(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync(directory_of(path))
}

/// Has the names in a directory on the disk.
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

/// What a name leads to, whether or not there is a file yet.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match fs::symlink_metadata(&path) {
            Ok(meta) if meta.is_symlink() => path = directory_of(&path).join(fs::read_link(&path)?),
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

#[cfg(unix)]
fn links(meta: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(meta)
}

#[cfg(not(unix))]
fn links(_meta: &Metadata) -> u64 {
    1
}

#[cfg(unix)]
fn same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let all = |meta: &Metadata| {
        let time = (meta.mtime(), meta.mtime_nsec());
        (meta.dev(), meta.ino(), meta.len(), time, meta.nlink())
    };
    all(a) == all(b)
}

#[cfg(not(unix))]
fn same(a: &Metadata, b: &Metadata) -> bool {
    a.len() == b.len() && a.modified().ok() == b.modified().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_an_editor_saved_after_the_last_look_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.yaml");
        let made = || made(folder.path(), OWNER, |out| out.write_all(b"fixed"));
        fs::write(&path, "read").unwrap();
        let change = Change::of(&path, b"read").unwrap();
        fs::write(&path, "saved").unwrap();
        let put = change.put(made().unwrap().into_temp_path());
        assert!(matches!(put, Err(Refused::Changed)), "{put:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "saved");
        fs::write(&path, "read").unwrap();
        change.put(made().unwrap().into_temp_path()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "fixed");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
