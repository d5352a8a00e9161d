//! The `.git` of a repository, read as files: where its lists are, which files it tracks,
//! and what its remotes are called. No program is run for it.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Bytes of a path, in a file that holds nothing else.
const NAME: u64 = 1 << 16;

/// Bytes of a configuration.
const CONFIG: u64 = 1 << 20;

/// Bytes of an index: some 2 million files.
const INDEX: u64 = 256 << 20;

/// The bytes of a regular file that is no larger.
fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() || meta.len() > limit {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The `.git` of a working tree; the two differ where it is one of several trees.
struct Home {
    /// The directory of this tree.
    own: PathBuf,
    /// The directory that all trees share.
    common: PathBuf,
}

/// The directories that the `.git` of a directory is or names.
fn home(top: &Path) -> Option<Home> {
    let git = top.join(".git");
    if git.is_dir() {
        return Some(Home {
            own: git.clone(),
            common: git,
        });
    }
    let line = |file: &Path| {
        let text = String::from_utf8(read_file(file, NAME).ok()?).ok()?;
        Some(text.trim_end_matches(['\n', '\r']).to_owned())
    };
    let own = top.join(line(&git)?.strip_prefix("gitdir: ")?);
    let common = line(&own.join("commondir")).map(|common| own.join(common));
    Some(Home {
        common: common.unwrap_or_else(|| own.clone()),
        own,
    })
}

/// The repository's own list of what to ignore.
pub(super) fn exclude_file(top: &Path) -> Option<PathBuf> {
    Some(home(top)?.common.join("info/exclude"))
}

fn config(home: &Home) -> String {
    let bytes = read_file(&home.common.join("config"), CONFIG);
    String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
}

/// The addresses of a repository's remotes.
pub(super) fn remotes(top: &Path) -> Vec<String> {
    let text = home(top).map_or_else(String::new, |home| config(&home));
    let mut of_remote = false;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            of_remote = line.starts_with("[remote ");
        } else if let Some((key, value)) = line.split_once('=')
            && of_remote
            && key.trim() == "url"
        {
            found.push(value.trim().trim_matches('"').to_owned());
        }
    }
    found
}

/// The files that a repository tracks, by their names below its top, with `/`; none where the index
/// cannot be read.
pub(super) fn tracked(top: &Path) -> Vec<String> {
    let Some(home) = home(top) else {
        return Vec::new();
    };
    let Ok(bytes) = read_file(&home.own.join("index"), INDEX) else {
        return Vec::new();
    };
    let compact = |text: &str| text.to_lowercase().replace([' ', '\t'], "");
    let digest = if compact(&config(&home)).contains("objectformat=sha256") {
        32
    } else {
        20
    };
    names(&bytes, digest).unwrap_or_default()
}

/// The names of files in an index (git's `index-format`), versions 2 to 4.
fn names(bytes: &[u8], digest: usize) -> Option<Vec<String>> {
    /// Bytes of an entry before its object's name.
    const STAT: usize = 40;
    /// The type of an entry that is a repository of its own.
    const SUBMODULE: u32 = 0o16;
    let word = |at: usize| {
        let four: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_be_bytes(four))
    };
    let version = word(4)?;
    if !bytes.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let mut found = Vec::new();
    let mut at = 12;
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..word(8)? {
        let start = at;
        let is_submodule = word(start + 24)? >> 12 == SUBMODULE;
        at += STAT + digest;
        let is_extended = *bytes.get(at)? & 0x40 != 0;
        at += if is_extended { 4 } else { 2 };
        if version == 4 {
            let (cut, next) = varint(bytes, at)?;
            name.truncate(name.len().checked_sub(cut)?);
            at = next;
        } else {
            name.clear();
        }
        let rest = bytes.get(at..)?;
        let end = memchr::memchr(0, rest)?;
        name.extend_from_slice(&rest[..end]);
        at += end;
        // Entries end on a multiple of eight, with at least one zero; those of version 4 anywhere.
        at = match version {
            4 => at + 1,
            _ => start + (at - start + 8) / 8 * 8,
        };
        if !is_submodule && let Ok(name) = std::str::from_utf8(&name) {
            found.push(name.to_owned());
        }
    }
    Some(found)
}

/// A number of variable length, and where it ends.
fn varint(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 127);
    while byte & 128 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = (value + 1).checked_mul(128)? + usize::from(byte & 127);
    }
    Some((value, at + 1))
}

#[cfg(test)]
mod tests {
    use super::names;

    /// An index of these files.
    fn index(version: u32, files: &[&str], cut: &[u8]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(files.len()).unwrap().to_be_bytes());
        for (name, at) in files.iter().zip(0..) {
            let start = bytes.len();
            let mode = if *name == "module" {
                0o160_000
            } else {
                0o100_644_u32
            };
            bytes.extend([0; 24]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([0; 12 + 20]);
            bytes.extend([0, u8::try_from(name.len()).unwrap()]);
            bytes.extend(cut.get(at));
            bytes.extend(name.bytes());
            bytes.push(0);
            while version != 4 && !(bytes.len() - start).is_multiple_of(8) {
                bytes.push(0);
            }
        }
        bytes
    }

    #[test]
    fn an_index_is_read_in_each_of_its_forms() {
        let files = [
            "a.yaml",
            "dir/b.yaml",
            "dir/long-name-of-a-file.yaml",
            "module",
        ];
        let all = Some(files[..3].iter().map(|name| (*name).to_owned()).collect());
        assert_eq!(names(&index(2, &files, &[]), 20), all);
        let suffixes = ["a.yaml", "dir/b.yaml", "long-name-of-a-file.yaml", "module"];
        assert_eq!(names(&index(4, &suffixes, &[0, 6, 6, 28]), 20), all);
        let whole = index(2, &files, &[]);
        // Behind the last name only the bytes that fill its entry up may be missing.
        let name = whole.len() - whole.iter().rev().take_while(|byte| **byte == 0).count();
        for end in 0..=whole.len() {
            let cut = names(&whole[..end], 20);
            assert_eq!(cut == all, end > name, "{end}: {cut:?}");
        }
        assert_eq!(names(&index(5, &files, &[]), 20), None);
        // More is cut off than there is.
        assert_eq!(names(&index(4, &suffixes, &[1]), 20), None);
    }
}
