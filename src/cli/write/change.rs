//! Changes of files: only the text that was read is replaced; owner, mode and names stay.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::super::keep::keep;
use super::{Naming, OWNER, directory_of, made, sync};

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
    /// The error of the operating system, or why the file must stay as it is.
    Because(anyhow::Error),
    /// It was changed, but a power cut may undo that.
    Unsure(io::Error),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::Because(error.into())
    }
}

fn because(why: impl Into<String>) -> Refused {
    Refused::Because(anyhow::Error::msg(why.into()))
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
            return Err(because("it is not a regular file"));
        }
        if seen.permissions().readonly() {
            return Err(because("it is read-only"));
        }
        // Not everything that forbids writing shows in the mode.
        fs::OpenOptions::new().append(true).open(&path)?;
        let links = links(&seen);
        if links > 1 {
            return Err(because(format!(
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

    /// Puts the new text on the disk, beside the file.
    fn prepare(self, text: &[u8]) -> Result<Ready, Refused> {
        let file = made(directory_of(&self.path), OWNER, |out| out.write_all(text))?;
        keep(file.as_file(), &self.path, &self.seen).map_err(Refused::Because)?;
        file.as_file().sync_all()?;
        // Where files cannot be swapped the old text is needed to take the change back.
        let old = made(directory_of(&self.path), OWNER, |out| {
            out.write_all(&self.before)
        })?;
        keep(old.as_file(), &self.path, &self.seen).map_err(Refused::Because)?;
        Ok(Ready {
            change: self,
            file: file.into_temp_path(),
            old: old.into_temp_path(),
        })
    }
}

/// Writes new texts instead of old ones: all of them, or none. The first file that is refused is
/// named.
///
/// # Errors
/// A file that has changed since, and what the operating system says.
pub(in crate::cli) fn all<'n>(
    changes: Vec<(&'n str, Change, &[u8])>,
) -> Result<(), (&'n str, Refused)> {
    let mut ready = Vec::new();
    for (name, change, text) in changes {
        ready.push((name, change.prepare(text).map_err(|why| (name, why))?));
    }
    // What is known to fail fails before the first file changes.
    for (name, one) in &ready {
        one.change.check().map_err(|why| (*name, why))?;
    }
    let mut done: Vec<(&str, Done)> = Vec::new();
    let naming = Naming::begin();
    for (name, one) in ready {
        match one.change.check().and_then(|()| one.put()) {
            Ok(one) => done.push((name, one)),
            Err(why) => {
                done.into_iter().rev().for_each(|(_, one)| one.undo());
                return Err((name, why));
            }
        }
    }
    drop(naming);
    for (name, one) in done {
        let synced = sync(directory_of(&one.change.path));
        synced.map_err(|error| (name, Refused::Unsure(error)))?;
    }
    Ok(())
}

/// A change whose new text is on the disk, beside the file.
#[derive(Debug)]
struct Ready {
    change: Change,
    file: TempPath,
    /// The old text.
    old: TempPath,
}

/// A change that is made, and the file as it was.
#[derive(Debug)]
struct Done {
    change: Change,
    new: Vec<u8>,
    old: TempPath,
}

impl Ready {
    /// Replaces the old file with the new one. An editor may save the file at any moment:
    /// the file that comes out is read, and put back if it is not the one that was read.
    fn put(self) -> Result<Done, Refused> {
        let Self { change, file, old } = self;
        let new = fs::read(&file)?;
        if !exchange(&file, &change.path)? {
            file.persist(&change.path).map_err(|error| error.error)?;
            return Ok(Done { change, new, old });
        }
        let came_out = |wanted: &[u8]| fs::read(&file).is_ok_and(|text| text == wanted);
        if came_out(&change.before) {
            return Ok(Done {
                change,
                new,
                old: file,
            });
        }
        exchange(&file, &change.path)?;
        if !came_out(&new) {
            // Saved once more meanwhile: the last one counts.
            exchange(&file, &change.path)?;
        }
        Err(Refused::Changed)
    }
}

impl Done {
    /// Takes the change back, unless somebody has saved the file since.
    fn undo(self) {
        let Self { change, new, old } = self;
        if fs::read(&change.path).ok().as_ref() != Some(&new) {
            return;
        }
        // What cannot be taken back stays; the failure that led here is reported.
        let _ = old.persist(&change.path);
    }
}

/// Swaps two files; whether the system can do that at once.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(super) fn exchange(_one: &Path, _other: &Path) -> io::Result<bool> {
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
        fs::write(&path, "read").unwrap();
        let change = Change::of(&path, b"read").unwrap();
        let ready = change.prepare(b"fixed").unwrap();
        fs::write(&path, "saved").unwrap();
        let put = ready.put();
        assert!(matches!(put, Err(Refused::Changed)), "{put:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "saved");
        fs::write(&path, "read").unwrap();
        let change = Change::of(&path, b"read").unwrap();
        all(vec![("a.yaml", change, b"fixed")]).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "fixed");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn of_several_files_all_are_changed_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["a.yaml", "b.yaml"].map(|name| folder.path().join(name));
        for path in &paths {
            fs::write(path, "read").unwrap();
        }
        let ready = |path: &Path| {
            Change::of(path, b"read")
                .unwrap()
                .prepare(b"fixed")
                .unwrap()
        };
        let first = ready(&paths[0]).put().unwrap();
        assert_eq!(fs::read_to_string(&paths[0]).unwrap(), "fixed");
        first.undo();
        assert_eq!(fs::read_to_string(&paths[0]).unwrap(), "read");
        let changes = || {
            let both = ["a.yaml", "b.yaml"].into_iter().zip(&paths);
            let one = both.map(|(name, path)| {
                let change = Change::of(path, b"read").unwrap();
                (name, change, b"fixed".as_slice())
            });
            one.collect::<Vec<_>>()
        };
        let late = changes();
        fs::write(&paths[1], "saved").unwrap();
        let (name, why) = all(late).unwrap_err();
        assert!(
            name == "b.yaml" && matches!(why, Refused::Changed),
            "{name}: {why:?}"
        );
        assert_eq!(fs::read_to_string(&paths[0]).unwrap(), "read");
        fs::write(&paths[1], "read").unwrap();
        all(changes()).unwrap();
        assert_eq!(fs::read_to_string(&paths[1]).unwrap(), "fixed");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
