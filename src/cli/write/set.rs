//! Sets of files that are written together: all of them, or none.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::change::exchange;
use super::target::Target;
use super::{ANYONE, Fault, Naming, create_directory, directory_of, made, sync};

/// A file of a set.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Entry<'s> {
    pub(in crate::cli) path: &'s Path,
    pub(in crate::cli) text: &'s [u8],
    /// Whether a file that has the name stays, and the set is not written.
    pub(in crate::cli) is_new: bool,
}

/// A file on the disk that lacks its name.
struct Ready<'s> {
    entry: Entry<'s>,
    /// Its name, links followed.
    path: PathBuf,
    there: bool,
    file: TempPath,
}

/// The step that takes a written file back.
enum Done {
    /// There was none.
    Made(PathBuf),
    /// The file as it was, and its name.
    Swapped(TempPath, PathBuf),
    /// The system cannot swap files.
    Replaced,
}

/// Writes files, each whole, and all of them or none. The first that fails is named.
///
/// # Errors
/// See [`Fault`]; `AlreadyExists` if the name of a new one is taken.
pub(in crate::cli) fn replace_all<'s>(set: &[Entry<'s>]) -> Result<(), (&'s Path, Fault)> {
    // Directories that are made for nothing go again.
    let mut fresh = Vec::new();
    let result = written(set, &mut fresh);
    if result.is_err() {
        for directory in fresh.iter().rev() {
            // One that is used meanwhile is not empty.
            let _ = fs::remove_dir(directory);
        }
    }
    result
}

fn written<'s>(set: &[Entry<'s>], fresh: &mut Vec<PathBuf>) -> Result<(), (&'s Path, Fault)> {
    let mut ready = Vec::new();
    for entry in set {
        let prepared = prepared(*entry, fresh);
        ready.push(prepared.map_err(|error| (entry.path, error.into()))?);
    }
    let mut named = Vec::new();
    let naming = Naming::begin();
    for one in ready {
        let path = one.entry.path;
        match one.name() {
            Ok(done) => named.push(done),
            Err(error) => {
                named.into_iter().rev().for_each(Done::undo);
                return Err((path, error.into()));
            }
        }
    }
    drop(naming);
    for entry in set {
        sync(directory_of(entry.path)).map_err(|error| (entry.path, Fault::Unsure(error)))?;
    }
    Ok(())
}

fn prepared<'s>(entry: Entry<'s>, fresh: &mut Vec<PathBuf>) -> io::Result<Ready<'s>> {
    let missing = directory_of(entry.path).ancestors();
    let missing = missing.take_while(|above| !above.as_os_str().is_empty() && !above.is_dir());
    let mut missing: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
    missing.reverse();
    fresh.append(&mut missing);
    create_directory(directory_of(entry.path))?;
    let (path, there) = match Target::of(entry.path)? {
        Target::File { path, there } => (path, there),
        Target::Stream(_) => return Err(io::Error::other("it is not a regular file")),
    };
    let file = made(directory_of(&path), ANYONE, |out| out.write_all(entry.text))?;
    if let Some(mode) = there.as_ref().map(Metadata::permissions) {
        file.as_file().set_permissions(mode)?;
    }
    file.as_file().sync_all()?;
    Ok(Ready {
        entry,
        path,
        there: there.is_some(),
        file: file.into_temp_path(),
    })
}

impl Ready<'_> {
    fn name(self) -> io::Result<Done> {
        let Self { path, file, .. } = self;
        if self.entry.is_new || !self.there {
            file.persist_noclobber(&path).map_err(|error| error.error)?;
            return Ok(Done::Made(path));
        }
        if exchange(&file, &path)? {
            return Ok(Done::Swapped(file, path));
        }
        file.persist(&path).map_err(|error| error.error)?;
        Ok(Done::Replaced)
    }
}

impl Done {
    /// Takes a name back. What cannot be taken back stays; the failure that led here is reported.
    fn undo(self) {
        let _ = match self {
            Self::Made(path) => fs::remove_file(path),
            Self::Swapped(old, path) => old.persist(path).map_err(|error| error.error),
            Self::Replaced => Ok(()),
        };
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn of_a_set_all_files_are_written_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("old"), "old").unwrap();
        let (old, new, late) = (path("old"), path("new/a"), path("late/b"));
        let entry = |path, is_new| Entry {
            path,
            text: b"new",
            is_new,
        };
        fs::create_dir(path("late")).unwrap();
        fs::write(&late, "taken").unwrap();
        let set = [entry(&old, false), entry(&new, false), entry(&late, true)];
        let (name, fault) = replace_all(&set).unwrap_err();
        assert!(
            name == late && matches!(fault, Fault::Failed(_)),
            "{fault:?}"
        );
        assert_eq!(fs::read_to_string(&old).unwrap(), "old");
        assert!(!path("new").exists());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        replace_all(&set[..2]).unwrap();
        assert_eq!(fs::read_to_string(&old).unwrap(), "new");
        assert_eq!(fs::read_to_string(&new).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}
