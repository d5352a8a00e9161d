//! The attributes that a new file keeps of the file that it replaces: owner, mode and extended
//! attributes, including access control lists.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

use anyhow::Context as _;

/// Gives a new file what the one it is to replace has.
///
/// # Errors
/// Why the new file could not have it.
pub(super) fn keep(file: &File, path: &Path, seen: &Metadata) -> anyhow::Result<()> {
    owner(file, seen).context("it belongs to another user or group, which cannot be kept")?;
    file.set_permissions(seen.permissions())
        .context("its mode cannot be kept")?;
    attributes(file, path).context("its extended attributes cannot be kept")
}

#[cfg(unix)]
fn owner(file: &File, seen: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let made = file.metadata()?;
    if (made.uid(), made.gid()) == (seen.uid(), seen.gid()) {
        return Ok(());
    }
    std::os::unix::fs::fchown(file, Some(seen.uid()), Some(seen.gid()))
}

#[cfg(not(unix))]
fn owner(_file: &File, _seen: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn attributes(file: &File, path: &Path) -> io::Result<()> {
    use rustix::fs::{XattrFlags, fremovexattr, fsetxattr};
    let old = File::open(path)?;
    let wanted = listed(&old)?;
    // Those of users and access control lists; the system has others, which it sets itself.
    let ours = |name: &[u8]| {
        cfg!(not(target_os = "linux"))
            || name.starts_with(b"user.")
            || name.starts_with(b"system.posix_acl_")
    };
    for name in listed(file)? {
        // A directory may give its new files a list of its own.
        if ours(&name) && !wanted.contains(&name) {
            fremovexattr(file, &name[..])?;
        }
    }
    for name in wanted.iter().filter(|name| ours(name)) {
        let value = value(&old, name)?;
        fsetxattr(file, &name[..], &value, XattrFlags::empty())?;
    }
    Ok(())
}

/// Room for the longest list of names, and for the longest value, that the system has.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
const LONGEST: usize = 1 << 16;

/// The names of the extended attributes of a file; none where the file system has none.
#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn listed(file: &File) -> io::Result<Vec<Vec<u8>>> {
    use rustix::io::Errno;
    let mut names = Vec::with_capacity(LONGEST);
    match rustix::fs::flistxattr(file, rustix::buffer::spare_capacity(&mut names)) {
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
        result => result?,
    };
    let names = names.split(|byte| *byte == 0);
    Ok(names
        .filter(|name| !name.is_empty())
        .map(<[u8]>::to_vec)
        .collect())
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn value(file: &File, name: &[u8]) -> io::Result<Vec<u8>> {
    let mut value = Vec::with_capacity(LONGEST);
    rustix::fs::fgetxattr(file, name, rustix::buffer::spare_capacity(&mut value))?;
    Ok(value)
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn attributes(_file: &File, _path: &Path) -> io::Result<()> {
    Ok(())
}
