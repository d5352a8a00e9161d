//! Changes of files: only the text that was read is replaced; owner, mode and names stay.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::super::keep::keep;
use super::{OWNER, directory_of, made, sync};

/// A file to change, examined before anything is written.
#[derive(Debug)]
pub(in crate::cli) struct Change {
    path: PathBuf,
    before: Vec<u8>,
    seen: Metadata,
}

/// Why a file is not changed.
#[derive(Debug)]
pub(in crate::cli) enum Refused {
    /// Another program has changed it.
    Changed,
    /// What the operating system says, or why the file must stay as it is.
    Because(String),
    /// It was changed, but a power cut may undo that.
    Unsure(io::Error),
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
    pub(in crate::cli) fn of(path: &Path, before: &[u8]) -> Result<Self, Refused> {
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
                "it has {links} hard links, and only one of them would change; replace it with a \
                 separate file first"
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
    pub(in crate::cli) fn write(self, text: &[u8]) -> Result<(), Refused> {
        let file = made(directory_of(&self.path), OWNER, |out| out.write_all(text))?;
        keep(file.as_file(), &self.path, &self.seen).map_err(Refused::Because)?;
        file.as_file().sync_all()?;
        self.check()?;
        self.put(file.into_temp_path())?;
        sync(directory_of(&self.path)).map_err(Refused::Unsure)
    }

    /// Replaces the old file with the new one. An editor may save the file at any moment:
    /// the file that comes out is read, and put back if it is not the one that was read.
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
