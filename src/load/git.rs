//! The files of a git revision, read by the program `git` and held in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::env::consts::EXE_SUFFIX;
use std::env::split_paths;
use std::ffi::OsStr;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::kustomize::NAMES;
use crate::process::Group;

use super::disk::{has_known_ending, read_file, real, repository};
use super::store::{Blob, Snapshot};

/// Why a revision could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitFault {
    /// The program cannot be started.
    NoGit(String),
    /// The directory is in no repository.
    NoRepository(PathBuf),
    /// The directory lies in a repository of another user, which `git` does not open.
    OtherOwner(PathBuf),
    /// The revision holds more than is read: what it has more of than it may have.
    TooLarge(String),
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

/// Variables that lead `git` to another repository, index or set of objects than that of the
/// directory. Hooks are run with some of them set.
const CLEARED: [&str; 15] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_DEFAULT_HASH",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Settings that keep a repository from naming programs to be run, and from posing as one that
/// the user has not entered.
const SETTINGS: [&str; 3] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "safe.bareRepository=explicit",
];

/// How much of a revision is read.
#[derive(Debug, Clone, Copy)]
struct Most {
    /// Files of the whole revision.
    files: usize,
    /// Bytes of their list.
    listing: u64,
    /// Bytes of the files that are read.
    bytes: u64,
}

const MOST: Most = Most {
    files: 500_000,
    listing: 128 << 20,
    bytes: 1 << 30,
};

/// The program `git`, and how long it may be silent.
#[derive(Debug, Clone)]
pub struct Git {
    /// Its name or path.
    pub program: PathBuf,
    /// How long it may be silent.
    pub patience: Duration,
    /// The directories in which a name is looked for.
    search: Vec<PathBuf>,
    most: Most,
}

impl Git {
    /// The program of this search path (`PATH`).
    #[must_use]
    pub fn on(search: Option<&OsStr>) -> Self {
        Self {
            program: "git".into(),
            patience: PATIENCE,
            search: search.map_or_else(Vec::new, |search| split_paths(search).collect()),
            most: MOST,
        }
    }

    /// Where the program lies for work in a directory: never in the repository of that directory,
    /// which may belong to a stranger, nor anywhere that depends on where the run starts.
    fn found(&self, directory: &Path) -> io::Result<PathBuf> {
        if self.program.components().count() > 1 {
            return Ok(self.program.clone());
        }
        let home = real(directory);
        let top = repository(&home).unwrap_or(&home);
        let outside = |entry: &&PathBuf| {
            entry.is_absolute() && (top.parent().is_none() || !real(entry).starts_with(top))
        };
        let mut name = self.program.clone().into_os_string();
        name.push(EXE_SUFFIX);
        let files = self.search.iter().filter(outside);
        let mut files = files.map(|entry| entry.join(&name));
        let not_found = || io::Error::new(io::ErrorKind::NotFound, "it is not on the search path");
        files.find(|file| is_program(file)).ok_or_else(not_found)
    }

    /// Runs it in a directory to its end: its output, or why it fails.
    fn output(
        &self,
        directory: &Path,
        arguments: &[&str],
    ) -> Result<Result<Vec<u8>, String>, GitFault> {
        let mut command = self.command(directory)?;
        let mut program = Program::start(command.args(arguments), None, self.patience)?;
        let mut output = Vec::new();
        program.answers.read_to_end(&mut output)?;
        Ok(if program.succeeds()? {
            Ok(output)
        } else {
            Err(program.said())
        })
    }

    /// The program as it is always run: about the repository of a directory and no other, and
    /// running nothing that this repository names. Only commands are given to it that look at no
    /// file of the working tree: for those it would run filters, and look into submodules.
    fn command(&self, directory: &Path) -> Result<Command, GitFault> {
        let program = self.found(directory);
        let program = program.map_err(|error| GitFault::NoGit(error.to_string()))?;
        let mut command = Command::new(program);
        command.arg("-C").arg(directory);
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        for name in CLEARED {
            command.env_remove(name);
        }
        // Objects that a partial clone lacks are not fetched: nothing here touches the network.
        command
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C");
        Ok(command)
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
        let answer = self.output(&home, &asked)?.map_err(|why| {
            // Older versions call such a repository unsafe.
            if why.contains("dubious ownership") || why.contains("unsafe repository") {
                GitFault::OtherOwner(home.clone())
            } else {
                GitFault::NoRepository(home.clone())
            }
        })?;
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
        let entries = self.entries(&snapshot.top, revision)?;
        let names = entries.iter().map(|entry| entry.name.as_str());
        let homes: BTreeSet<&str> = names.filter_map(home_of_kustomization).collect();
        // The bases of a kustomization that is a PATH may lie anywhere, and its files may have any
        // ending.
        let is_built = roots.iter().any(|root| homes.contains(root.as_str()));
        let wanted = |entry: &&Entry| {
            let name = entry.name.as_str();
            let below = |root: &String| {
                let rest = name.strip_prefix(root.as_str());
                rest.is_some_and(|rest| root.is_empty() || rest.is_empty() || rest.starts_with('/'))
            };
            let named = roots.iter().any(|root| root == name);
            let may_be_listed = || {
                let mut above = Path::new(name).ancestors().skip(1);
                above.any(|above| above.to_str().is_some_and(|above| homes.contains(above)))
            };
            let reached = (is_built || roots.iter().any(below))
                && (entry.link || has_known_ending(Path::new(name)) || may_be_listed());
            named || reached || name.rsplit('/').next() == Some(".gitignore")
        };
        let mut left = self.most.bytes;
        self.fetch(
            &mut snapshot,
            entries.iter().filter(wanted),
            limit,
            &mut left,
        )?;
        // Where links lead is known only now.
        if snapshot
            .files
            .values()
            .any(|blob| matches!(blob, Blob::Link(_)))
        {
            let missing = |entry: &&Entry| !snapshot.files.contains_key(&entry.name);
            let known = |entry: &&Entry| entry.link || has_known_ending(Path::new(&entry.name));
            let rest: Vec<&Entry> = entries.iter().filter(missing).filter(known).collect();
            self.fetch(&mut snapshot, rest.into_iter(), limit, &mut left)?;
        }
        Ok(snapshot)
    }

    /// The commit that is checked out where the PATHs are.
    #[must_use]
    pub fn head(&self, paths: &[PathBuf], directory: &Path) -> Option<String> {
        let home = home(paths, directory);
        let head = self.output(&home, &["rev-parse", "--verify", "HEAD"]);
        let head = String::from_utf8(head.ok()?.ok()?).ok()?;
        Some(head.trim().to_owned()).filter(|head| is_commit(head))
    }

    /// The files and links of a revision.
    fn entries(&self, top: &Path, revision: &str) -> Result<Vec<Entry>, GitFault> {
        let listing = ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options"];
        let mut command = self.command(top)?;
        command.args(listing).arg(revision);
        let mut program = Program::start(&mut command, None, self.patience)?;
        let mut lines = BufReader::new(&mut program.answers).take(self.most.listing);
        let mut entries = Vec::new();
        let mut line = Vec::new();
        for count in 0.. {
            line.clear();
            let read = lines.read_until(0, &mut line)?;
            if lines.limit() == 0 || (count == self.most.files && read > 0) {
                let most = self.most.files;
                return Err(GitFault::TooLarge(format!(
                    "it has too many files; planner reads revisions of {most} at most"
                )));
            }
            if read == 0 {
                break;
            }
            line.pop();
            entries.extend(entry(&String::from_utf8_lossy(&line)));
        }
        if program.succeeds()? {
            Ok(entries)
        } else {
            Err(GitFault::NoRevision)
        }
    }

    fn fetch<'e>(
        &self,
        snapshot: &mut Snapshot,
        entries: impl Iterator<Item = &'e Entry>,
        limit: u64,
        left: &mut u64,
    ) -> Result<(), GitFault> {
        let entries: Vec<&Entry> = entries.collect();
        let questions = entries.iter().map(|entry| format!("{}\n", entry.object));
        let mut command = self.command(&snapshot.top)?;
        command.args(["cat-file", "--batch"]);
        let mut program = Program::start(&mut command, Some(questions.collect()), self.patience)?;
        let mut answers = BufReader::new(&mut program.answers);
        for entry in &entries {
            let blob = blob(&mut answers, entry, limit.min(*left))?;
            match &blob {
                Blob::Bytes(bytes) => *left -= bytes.len() as u64,
                Blob::TooLarge(size) if *size <= limit => {
                    let most = self.most.bytes;
                    return Err(GitFault::TooLarge(format!(
                        "its files are too large; planner reads {most} bytes of a revision at most"
                    )));
                }
                _ => {}
            }
            snapshot.files.insert(entry.name.clone(), blob);
        }
        if program.succeeds()? {
            Ok(())
        } else {
            Err(GitFault::Broken("git cat-file failed".into()))
        }
    }
}

/// The directory of a kustomization file.
fn home_of_kustomization(name: &str) -> Option<&str> {
    let (home, file) = name.rsplit_once('/').unwrap_or(("", name));
    NAMES.contains(&file).then_some(home)
}

/// A program at work, ended with all it started when it is dropped.
struct Program {
    child: Child,
    group: Group,
    answers: Answers,
    /// The beginning of what it writes to standard error, once it has ended.
    words: Receiver<String>,
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
            .start(
                command
                    .stdin(stdin)
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped()),
            )
            .map_err(|error| GitFault::NoGit(error.to_string()))?;
        let (Some(mut stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
            return Err(GitFault::Broken("no pipes".into()));
        };
        let ask = child.stdin.take();
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
        let (tell, words) = mpsc::sync_channel(1);
        thread::Builder::new().spawn(move || {
            let mut said = Vec::new();
            let mut start = stderr.take(PART as u64);
            let read = start.read_to_end(&mut said);
            let _ = tell.send(String::from_utf8_lossy(&said).into_owned());
            // A full pipe must not block the program.
            let _ = read.and_then(|_| io::copy(&mut start.into_inner(), &mut io::sink()));
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
            words,
        })
    }

    /// Its error output, after its end.
    fn said(&self) -> String {
        let words = self.words.recv_timeout(self.answers.patience);
        words.unwrap_or_default()
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

/// The output of a program; a long silence is an error.
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

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let meta = file.metadata();
    meta.is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
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

/// A file or link in a line of `git ls-tree -r -z`.
fn entry(line: &str) -> Option<Entry> {
    let (head, name) = line.split_once('\t')?;
    let mut head = head.split(' ');
    let (mode, kind, object) = (head.next()?, head.next()?, head.next()?);
    (kind == "blob").then(|| Entry {
        name: name.to_owned(),
        object: object.to_owned(),
        link: mode == "120000",
    })
}

/// Whether a text is the full name of a commit, and no other name for one.
#[must_use]
pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
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
            search: Vec::new(),
            most: MOST,
        }
    }

    #[test]
    fn a_git_that_hangs_is_ended_with_all_it_started() {
        for says in ["", "/tmp\\n.git/info/exclude\\n"] {
            let folder = tempfile::tempdir().expect("a folder");
            let git = hanging(folder.path(), says);
            let read = git.read("HEAD", &[".".into()], folder.path(), 1 << 20);
            assert_eq!(read.expect_err("nothing is read"), GitFault::Hangs);
            assert_eq!(git.head(&[".".into()], folder.path()), None);
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
