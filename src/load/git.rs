//! The files of a git revision, read by the program `git` and held in memory.

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use super::disk::read_file;
use super::disk::{has_known_ending, real};
use super::store::{Blob, Snapshot};

/// Why a revision could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitFault {
    /// The program cannot be started.
    NoGit(String),
    /// The directory lies in no repository.
    NoRepository(PathBuf),
    /// There is no such revision.
    NoRevision,
    /// A path lies outside of the repository.
    Outside(PathBuf),
    /// `git` failed in the middle of its work.
    Broken(String),
}

impl From<io::Error> for GitFault {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

fn git(directory: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory);
    // Hooks are run with these set, relative to another directory.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    // Objects that a partial clone lacks are not fetched: nothing here touches the network.
    command
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn output(command: &mut Command) -> Result<Option<Vec<u8>>, GitFault> {
    let output = command
        .output()
        .map_err(|error| GitFault::NoGit(error.to_string()))?;
    Ok(output.status.success().then_some(output.stdout))
}

/// Reads what a revision holds of the PATHs, with everything that decides which files count.
/// Files of more than `limit` bytes are known by their size alone.
///
/// # Errors
/// See [`GitFault`].
pub fn read(
    revision: &str,
    paths: &[PathBuf],
    directory: &Path,
    limit: u64,
) -> Result<Snapshot, GitFault> {
    let home = home(paths, directory);
    let asked = ["rev-parse", "--show-toplevel", "--git-path", "info/exclude"];
    let Some(answer) = output(git(&home).args(asked))? else {
        return Err(GitFault::NoRepository(home));
    };
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (top, exclude) = answer
        .trim_end_matches('\n')
        .split_once('\n')
        .unwrap_or((&answer, ""));
    let mut snapshot = Snapshot {
        top: real(Path::new(top)),
        directory: real(directory),
        files: BTreeMap::new(),
        exclude: excluded(&home.join(exclude), limit)?,
    };
    let mut roots = Vec::new();
    for path in paths {
        let root = snapshot.relative(path);
        roots.push(root.ok_or_else(|| GitFault::Outside(path.clone()))?);
    }
    let listing = [
        "ls-tree",
        "-r",
        "-z",
        "--full-tree",
        "--end-of-options",
        revision,
    ];
    let Some(listing) = output(git(&snapshot.top).args(listing))? else {
        return Err(GitFault::NoRevision);
    };
    let entries = entries(&listing);
    let wanted = |entry: &&Entry| {
        let name = entry.name.as_str();
        let below = |root: &String| {
            let rest = name.strip_prefix(root.as_str());
            rest.is_some_and(|rest| root.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        let named = roots.iter().any(|root| root == name);
        let reached = roots.iter().any(below) && (entry.link || has_known_ending(Path::new(name)));
        named || reached || name.rsplit('/').next() == Some(".gitignore")
    };
    fetch(&mut snapshot, entries.iter().filter(wanted), limit)?;
    // Where links lead is known only now.
    if snapshot
        .files
        .values()
        .any(|blob| matches!(blob, Blob::Link(_)))
    {
        let missing = |entry: &&Entry| !snapshot.files.contains_key(&entry.name);
        let known = |entry: &&Entry| entry.link || has_known_ending(Path::new(&entry.name));
        let rest: Vec<&Entry> = entries.iter().filter(missing).filter(known).collect();
        fetch(&mut snapshot, rest.into_iter(), limit)?;
    }
    Ok(snapshot)
}

/// The commit of which the PATHs are, if they lie in a repository and nothing in them has changed.
#[must_use]
pub fn commit(paths: &[PathBuf], directory: &Path) -> Option<String> {
    let home = home(paths, directory);
    let mut status = git(&home);
    status.args(["status", "--porcelain", "--untracked-files=all", "--"]);
    status.args(paths.iter().map(|path| directory.join(path)));
    let changed = output(&mut status).ok()??;
    if !changed.is_empty() {
        return None;
    }
    let commit = output(git(&home).args(["rev-parse", "--verify", "HEAD"])).ok()??;
    Some(String::from_utf8_lossy(&commit).trim().to_owned())
}

/// The text of `info/exclude`, which need not be there.
fn excluded(file: &Path, limit: u64) -> Result<String, GitFault> {
    match read_file(file, limit) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => {
            let file = file.display();
            Err(GitFault::Broken(format!("{file} cannot be read: {error}")))
        }
    }
}

/// A directory that exists, from which the repository is found.
fn home(paths: &[PathBuf], directory: &Path) -> PathBuf {
    let first = directory.join(paths.first().map_or(Path::new("."), PathBuf::as_path));
    let found = first.ancestors().find(|path| path.is_dir());
    found.unwrap_or(directory).to_path_buf()
}

struct Entry {
    name: String,
    object: String,
    link: bool,
}

/// The files and links of `git ls-tree -r -z`.
fn entries(listing: &[u8]) -> Vec<Entry> {
    let listing = String::from_utf8_lossy(listing);
    let entry = |line: &str| {
        let (head, name) = line.split_once('\t')?;
        let mut head = head.split(' ');
        let (mode, kind, object) = (head.next()?, head.next()?, head.next()?);
        (kind == "blob").then(|| Entry {
            name: name.to_owned(),
            object: object.to_owned(),
            link: mode == "120000",
        })
    };
    listing.split('\0').filter_map(entry).collect()
}

fn fetch<'e>(
    snapshot: &mut Snapshot,
    entries: impl Iterator<Item = &'e Entry>,
    limit: u64,
) -> Result<(), GitFault> {
    let entries: Vec<&Entry> = entries.collect();
    let mut child = git(&snapshot.top)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| GitFault::NoGit(error.to_string()))?;
    let questions: String = entries
        .iter()
        .map(|entry| format!("{}\n", entry.object))
        .collect();
    let (Some(mut ask), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(GitFault::Broken("no pipes".into()));
    };
    let files = &mut snapshot.files;
    let read = thread::scope(|scope| {
        // `git` answers while it is asked: one thread alone could wait for ever.
        scope.spawn(move || ask.write_all(questions.as_bytes()));
        let mut answers = BufReader::new(answers);
        let mut taken = Ok(());
        for entry in &entries {
            match blob(&mut answers, entry, limit) {
                Ok(blob) => drop(files.insert(entry.name.clone(), blob)),
                Err(error) => {
                    taken = Err(GitFault::from(error));
                    break;
                }
            }
        }
        taken
    });
    let status = child.wait()?;
    read?;
    if status.success() {
        Ok(())
    } else {
        Err(GitFault::Broken("git cat-file failed".into()))
    }
}

/// One answer: `OBJECT blob SIZE`, the bytes, a line break.
fn blob(answers: &mut impl io::BufRead, entry: &Entry, limit: u64) -> io::Result<Blob> {
    let mut head = String::new();
    answers.read_line(&mut head)?;
    let size = head.trim_end().rsplit(' ').next();
    let Some(size) = size.and_then(|size| size.parse::<u64>().ok()) else {
        let name = &entry.name;
        return Err(io::Error::other(format!("git does not have {name}")));
    };
    let mut part = answers.take(size);
    let blob = if size > limit {
        io::copy(&mut part, &mut io::sink())?;
        Blob::TooLarge(size)
    } else {
        let mut bytes = Vec::new();
        part.read_to_end(&mut bytes)?;
        if entry.link {
            Blob::Link(String::from_utf8_lossy(&bytes).into_owned())
        } else {
            Blob::Bytes(bytes)
        }
    };
    answers.read_exact(&mut [0])?;
    Ok(blob)
}
