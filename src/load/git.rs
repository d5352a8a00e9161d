//! The files of a git revision, read by the program `git` and held in memory.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{self, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::process::Group;

use super::disk::read_file;
use super::disk::{has_known_ending, real};
use super::store::{Blob, Snapshot};

/// Why a revision could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitFault {
    /// The program cannot be started.
    NoGit(String),
    /// The directory is in no repository.
    NoRepository(PathBuf),
    /// There is no such revision.
    NoRevision,
    /// A path lies outside of the repository.
    Outside(PathBuf),
    /// `git` said nothing for too long, and was ended.
    Hangs,
    /// `git` failed in the middle of its work.
    Broken(String),
}

impl From<io::Error> for GitFault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::TimedOut => Self::Hangs,
            _ => Self::Broken(error.to_string()),
        }
    }
}

/// How long `git` may be silent.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The program `git`, and how long it may be silent.
#[derive(Debug, Clone)]
pub struct Git {
    /// Its name or path.
    pub program: PathBuf,
    /// How long it may be silent.
    pub patience: Duration,
}

impl Default for Git {
    fn default() -> Self {
        Self {
            program: "git".into(),
            patience: PATIENCE,
        }
    }
}

impl Git {
    /// Runs it in a directory, to its end; nothing if it fails.
    fn output<'a>(
        &self,
        directory: &Path,
        arguments: impl IntoIterator<Item = &'a OsStr>,
    ) -> Result<Option<Vec<u8>>, GitFault> {
        let mut command = self.command(directory);
        let mut program = Program::start(command.args(arguments), None, self.patience)?;
        let mut output = Vec::new();
        program.answers.read_to_end(&mut output)?;
        Ok(program.succeeds()?.then_some(output))
    }

    fn command(&self, directory: &Path) -> Command {
        let mut command = Command::new(&self.program);
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
            .stderr(Stdio::null());
        command
    }

    /// Reads what a revision holds of the PATHs, with everything that decides which files count.
    /// Files of more than `limit` bytes are known by their size alone.
    ///
    /// # Errors
    /// See [`GitFault`].
    pub fn read(
        &self,
        revision: &str,
        paths: &[PathBuf],
        directory: &Path,
        limit: u64,
    ) -> Result<Snapshot, GitFault> {
        let home = home(paths, directory);
        let asked = ["rev-parse", "--show-toplevel", "--git-path", "info/exclude"];
        let Some(answer) = self.output(&home, asked.iter().map(OsStr::new))? else {
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
        let Some(listing) = self.output(&snapshot.top, listing.iter().map(OsStr::new))? else {
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
            let reached =
                roots.iter().any(below) && (entry.link || has_known_ending(Path::new(name)));
            named || reached || name.rsplit('/').next() == Some(".gitignore")
        };
        self.fetch(&mut snapshot, entries.iter().filter(wanted), limit)?;
        // Where links lead is known only now.
        if snapshot
            .files
            .values()
            .any(|blob| matches!(blob, Blob::Link(_)))
        {
            let missing = |entry: &&Entry| !snapshot.files.contains_key(&entry.name);
            let known = |entry: &&Entry| entry.link || has_known_ending(Path::new(&entry.name));
            let rest: Vec<&Entry> = entries.iter().filter(missing).filter(known).collect();
            self.fetch(&mut snapshot, rest.into_iter(), limit)?;
        }
        Ok(snapshot)
    }

    /// The commit of which the PATHs are, if they lie in a repository and nothing in them has
    /// changed.
    #[must_use]
    pub fn commit(&self, paths: &[PathBuf], directory: &Path) -> Option<String> {
        let home = home(paths, directory);
        let status = ["status", "--porcelain", "--untracked-files=all", "--"];
        let paths: Vec<PathBuf> = paths.iter().map(|path| directory.join(path)).collect();
        let status = status.iter().map(OsStr::new);
        let changed = self.output(
            &home,
            status.chain(paths.iter().map(|path| path.as_os_str())),
        );
        if !changed.ok()??.is_empty() {
            return None;
        }
        let head = ["rev-parse", "--verify", "HEAD"];
        let commit = self.output(&home, head.iter().map(OsStr::new)).ok()??;
        Some(String::from_utf8_lossy(&commit).trim().to_owned())
    }

    fn fetch<'e>(
        &self,
        snapshot: &mut Snapshot,
        entries: impl Iterator<Item = &'e Entry>,
        limit: u64,
    ) -> Result<(), GitFault> {
        let entries: Vec<&Entry> = entries.collect();
        let questions = entries.iter().map(|entry| format!("{}\n", entry.object));
        let mut command = self.command(&snapshot.top);
        command.args(["cat-file", "--batch"]);
        let mut program = Program::start(&mut command, Some(questions.collect()), self.patience)?;
        let mut answers = BufReader::new(&mut program.answers);
        for entry in &entries {
            let blob = blob(&mut answers, entry, limit)?;
            snapshot.files.insert(entry.name.clone(), blob);
        }
        if program.succeeds()? {
            Ok(())
        } else {
            Err(GitFault::Broken("git cat-file failed".into()))
        }
    }
}

/// A program at work, ended with all it started when it is dropped.
struct Program {
    child: Child,
    group: Group,
    answers: Answers,
}

impl Program {
    /// Starts a program and writes to it what it is asked.
    fn start(
        command: &mut Command,
        questions: Option<String>,
        patience: Duration,
    ) -> Result<Self, GitFault> {
        let stdin = if questions.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        let mut group = Group::new(None);
        let mut child = group
            .start(command.stdin(stdin).stdout(Stdio::piped()))
            .map_err(|error| GitFault::NoGit(error.to_string()))?;
        let (Some(mut stdout), ask) = (child.stdout.take(), child.stdin.take()) else {
            return Err(GitFault::Broken("no pipes".into()));
        };
        if let (Some(mut ask), Some(questions)) = (ask, questions) {
            // `git` answers while it is asked: one thread alone could wait for ever.
            thread::Builder::new().spawn(move || ask.write_all(questions.as_bytes()))?;
        }
        let (send, parts) = mpsc::sync_channel(PARTS);
        thread::Builder::new().spawn(move || {
            let mut part = vec![0; PART];
            loop {
                let read = stdout.read(&mut part).map(|length| part[..length].to_vec());
                let last = !matches!(&read, Ok(part) if !part.is_empty());
                if send.send(read).is_err() || last {
                    return;
                }
            }
        })?;
        let (part, patience) = (io::Cursor::default(), patience);
        let answers = Answers {
            parts,
            part,
            patience,
        };
        Ok(Self {
            child,
            group,
            answers,
        })
    }

    /// Waits for the end, which is due once nothing more is written.
    fn succeeds(&mut self) -> Result<bool, GitFault> {
        for _ in 0..=self.answers.patience.as_millis() {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status.success());
            }
            thread::sleep(Duration::from_millis(1));
        }
        Err(GitFault::Hangs)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.group.end();
        // Where there are no groups.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Bytes that are read at once, and how many such parts may wait to be looked at.
const PART: usize = 1 << 16;
const PARTS: usize = 16;

/// What a program writes; a long silence is an error.
struct Answers {
    parts: Receiver<io::Result<Vec<u8>>>,
    part: io::Cursor<Vec<u8>>,
    patience: Duration,
}

impl io::Read for Answers {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.part.read(buffer)?;
        if read > 0 || buffer.is_empty() {
            return Ok(read);
        }
        match self.parts.recv_timeout(self.patience) {
            Ok(part) => self.part = io::Cursor::new(part?),
            Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::TimedOut.into()),
            Err(RecvTimeoutError::Disconnected) => return Ok(0),
        }
        self.part.read(buffer)
    }
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

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A `git` that says what is given and then nothing more, from a process of its own.
    fn hanging(directory: &Path, says: &str) -> Git {
        let program = directory.join("git");
        let script = format!(
            "#!/bin/sh\nprintf '{says}'\nsleep 600 & echo $! > {}\nwait\n",
            directory.join("pid").display()
        );
        fs::write(&program, script).expect("a script");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("made executable");
        Git {
            program,
            patience: Duration::from_millis(100),
        }
    }

    #[test]
    fn a_git_that_hangs_is_ended_with_all_it_started() {
        for says in ["", "/tmp\\n.git/info/exclude\\n"] {
            let folder = tempfile::tempdir().expect("a folder");
            let git = hanging(folder.path(), says);
            let read = git.read("HEAD", &[".".into()], folder.path(), 1 << 20);
            assert_eq!(read.expect_err("nothing is read"), GitFault::Hangs);
            assert_eq!(git.commit(&[".".into()], folder.path()), None);
            let pid = fs::read_to_string(folder.path().join("pid")).expect("it was started");
            let proc = Path::new("/proc").join(pid.trim());
            let gone = (0..400).any(|_| {
                thread::sleep(Duration::from_millis(5));
                let status = fs::read_to_string(proc.join("stat"));
                status.is_ok_and(|status| status.contains(") Z ")) || !proc.exists()
            });
            assert!(gone, "{} still runs", proc.display());
        }
    }
}
