//! The target of an output name: a file to replace, or something to write to directly.

use std::fs::{self, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::directory_of;

/// Symbolic links followed from one name.
const LINKS: usize = 40;

/// The target of an output.
pub(super) enum Target {
    /// A device, a pipe, or a stream that the caller opened (`/dev/stdout`, `/dev/fd/N`), be it a
    /// file.
    Stream(Box<dyn Write>),
    /// A file, which need not be there.
    File {
        /// Its name, links followed.
        path: PathBuf,
        /// The file that is there now.
        there: Option<Metadata>,
    },
}

impl Target {
    /// The target of a name.
    ///
    /// # Errors
    /// Any error from the operating system; a target that cannot be written.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        if let Some(why) = unfit(path) {
            return Err(io::Error::other(why));
        }
        let there = fs::metadata(path).ok();
        if let Some(stream) = stream(path, there.as_ref())? {
            return Ok(Self::Stream(stream));
        }
        let path = followed(path)?;
        Ok(Self::File { path, there })
    }
}

/// Why a file of a directory that is written as a whole must not be written: a link on the way to
/// it leads out of the directory, or to nothing. Whoever can put links there may not be allowed to
/// write where they lead.
pub(in crate::cli) fn leads_out(directory: &Path, name: &Path) -> io::Result<Option<&'static str>> {
    let Ok(home) = directory.canonicalize() else {
        // There are no links in what is made now.
        return Ok(None);
    };
    let mut path = directory.to_path_buf();
    for part in name.components() {
        path.push(part);
        match path.symlink_metadata() {
            Ok(meta) if !meta.is_symlink() => {}
            Ok(_) => match path.canonicalize() {
                Ok(target) if target.starts_with(&home) => {}
                Ok(_) => return Ok(Some("a link leads out of the directory")),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return Ok(Some("a link is broken"));
                }
                Err(error) => return Err(error),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => break,
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

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

/// Why a name cannot be written to, known before anything is written.
pub(in crate::cli) fn unfit(path: &Path) -> Option<&'static str> {
    let there = fs::metadata(path).ok();
    let kind = there.as_ref().map(Metadata::file_type);
    if kind.is_some_and(|kind| kind.is_dir()) {
        return Some("it is a directory");
    }
    #[cfg(unix)]
    if kind.is_some_and(|kind| std::os::unix::fs::FileTypeExt::is_socket(&kind)) {
        return Some("it is a socket");
    }
    in_git(path).then_some("it is inside .git")
}

/// Whether a name leads into `.git`, or is `.git` itself.
fn in_git(path: &Path) -> bool {
    let path = followed(path).unwrap_or_else(|_| path.to_path_buf());
    let home = directory_of(&path);
    let home = home.canonicalize().unwrap_or_else(|_| home.to_path_buf());
    let mut parts = home.iter().chain(path.file_name());
    // Some file systems ignore case.
    parts.any(|part| part.eq_ignore_ascii_case(".git"))
}

/// The file that a name leads to, whether or not it exists yet.
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
