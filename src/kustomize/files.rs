//! Where the files of kustomizations are: seen through a trait, so that a revision is read like a
//! directory.

use std::path::{Path, PathBuf};

/// A file or a directory, links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    File,
    /// A directory.
    Directory,
}

/// Why a file has no content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadFault {
    /// It cannot be read; the reason.
    Unreadable(String),
    /// It is larger than the limit, which is this many bytes.
    TooLarge(u64),
}

/// The files that kustomizations are made of.
pub trait Files: Sync {
    /// The kind of what stands under a path, links followed; none if nothing does.
    fn kind(&self, path: &Path) -> Option<Kind>;

    /// The path without links.
    fn real(&self, path: &Path) -> PathBuf;

    /// The content of a file.
    ///
    /// # Errors
    /// A file that cannot be read.
    fn read(&self, path: &Path) -> Result<Vec<u8>, ReadFault>;

    /// The names in a directory, each with whether it is a directory.
    fn names(&self, directory: &Path) -> Vec<(String, bool)>;

    /// The name of a path in messages.
    fn name(&self, path: &Path) -> String;
}

/// The names of kustomization files.
pub const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Whether a file is fetched over the network.
pub(super) fn is_url(path: &str) -> bool {
    let scheme = path.split_once("://").map_or("", |(scheme, _)| scheme);
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// Whether a resource is fetched over the network: a URL, or a name that git clones.
pub(super) fn is_remote(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let path = match lower.strip_prefix("git::") {
        Some(rest) => &path[path.len() - rest.len()..],
        None => path,
    };
    if is_url(path) {
        return true;
    }
    let lower = path.to_ascii_lowercase();
    let path = path.split('?').next().unwrap_or(path);
    let schemes = ["ssh://", "file://"];
    let scheme = schemes.into_iter().find(|scheme| lower.starts_with(scheme));
    let rest = path.get(scheme.map_or(0, str::len)..).unwrap_or("");
    let user = rest.split_once('@').filter(|(user, _)| {
        user.starts_with(|first: char| first.is_ascii_alphabetic())
            && user
                .chars()
                .all(|sign| sign.is_ascii_alphanumeric() || sign == '-')
    });
    let host = user.map_or(rest, |(_, host)| host);
    let github = {
        let host = host.to_ascii_lowercase();
        host.starts_with("github.com/") || host.starts_with("github.com:")
    };
    if scheme.is_none() && user.is_none() && !github {
        return false;
    }
    if scheme == Some("file://") {
        return true;
    }
    let mut end = host.find('/');
    if scheme.is_none()
        && let Some(colon) = host.find(':').filter(|at| *at > 0)
    {
        end = Some(end.map_or(colon, |slash| slash.min(colon)));
    }
    let Some(end) = end else { return false };
    let repository = &host[end + 1..];
    let marked = ["_git/", "//", ".git"]
        .iter()
        .any(|mark| repository.contains(mark));
    !repository.is_empty() && (marked || repository.split('/').count() >= 2)
}

#[cfg(test)]
mod tests {
    use super::is_remote;

    #[test]
    fn remote_resources_are_known_by_their_spelling() {
        for remote in [
            "https://example.com/a.yaml",
            "github.com/org/repository/path?ref=main",
            "git@github.com:org/repository.git",
            "ssh://git@example.com/org/repository",
            "git::https://example.com/org/repository",
            "org-1@host:team/repository",
        ] {
            assert!(is_remote(remote), "{remote}");
        }
        for local in [
            "../base",
            "a.yaml",
            "github.com/org",
            "base?ref=main",
            "a@b",
            "x//y",
        ] {
            assert!(!is_remote(local), "{local}");
        }
    }
}
