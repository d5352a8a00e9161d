//! The entries of a directory. The standard library aborts the program if it cannot close a
//! directory; nothing is lost then, so that does not matter here.

use std::ffi::OsString;
use std::io;
use std::path::Path;

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The name.
    pub name: OsString,
    /// The kind of thing that it names.
    pub kind: Kind,
}

/// The kind of thing that a name in a directory belongs to; links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A regular file.
    File,
    /// A device, a pipe or a socket.
    Special,
    /// The file system does not say, and it is gone again or cannot be looked at.
    Unknown,
}

/// The names in a directory, `.` and `..` left out.
///
/// # Errors
/// A directory that cannot be opened; its names are errors where reading it fails.
#[cfg(unix)]
pub fn names(directory: &Path) -> io::Result<impl Iterator<Item = io::Result<Listed>> + use<>> {
    use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, openat};
    use std::os::unix::ffi::OsStringExt as _;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = openat(CWD, directory, flags, Mode::empty())?;
    let directory = directory.to_path_buf();
    let entries = Dir::new(open)?.filter_map(move |entry| {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => return Some(Err(error.into())),
        };
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            return None;
        }
        let name = OsString::from_vec(name.to_vec());
        let kind = match entry.file_type() {
            FileType::Directory => Kind::Directory,
            FileType::Symlink => Kind::Link,
            FileType::RegularFile => Kind::File,
            FileType::Unknown => looked_at(&directory.join(&name)),
            _ => Kind::Special,
        };
        Some(Ok(Listed { name, kind }))
    });
    Ok(entries)
}

/// The names in a directory.
///
/// # Errors
/// A directory that cannot be opened; its names are errors where reading it fails.
#[cfg(not(unix))]
pub fn names(directory: &Path) -> io::Result<impl Iterator<Item = io::Result<Listed>> + use<>> {
    Ok(std::fs::read_dir(directory)?.map(|entry| {
        let entry = entry?;
        Ok(Listed {
            kind: looked_at(&entry.path()),
            name: entry.file_name(),
        })
    }))
}

fn looked_at(path: &Path) -> Kind {
    match path.symlink_metadata().map(|meta| meta.file_type()) {
        Ok(kind) if kind.is_dir() => Kind::Directory,
        Ok(kind) if kind.is_symlink() => Kind::Link,
        Ok(kind) if kind.is_file() => Kind::File,
        Ok(_) => Kind::Special,
        Err(_) => Kind::Unknown,
    }
}
