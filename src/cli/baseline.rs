//! The baseline's file: read before the findings, written only when asked.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::diagnostic::baseline::Baseline;
use crate::diagnostic::{Diagnostic, Identity, Sink};
use crate::document::{Documents, identities};
use crate::kit::plural::plural;
use crate::load::{display_name, read_file};
use crate::rules;
use crate::yaml::Limits;

use super::args::ValidateArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::write::{self, Readers};

/// The baseline of a run.
#[derive(Debug, Clone)]
pub(super) struct KnownFindings {
    pub(super) path: PathBuf,
    /// Whether there is a file.
    pub(super) exists: bool,
    baseline: Baseline,
    /// Notes about codes that have been renamed.
    renamed: Vec<String>,
}

/// The effect of a baseline on the findings.
#[derive(Debug, Default)]
pub(super) struct Applied {
    /// Entries without a finding, for people.
    pub(super) gone: Vec<String>,
    /// It was to be written and was not, because not everything could be read.
    pub(super) incomplete: bool,
}

/// Whether a finding says that something could not be read.
fn is_unread(found: &Diagnostic) -> bool {
    let code = found.rule.code;
    code.starts_with("planner::io::") || code == "planner::yaml::syntax"
}

fn fault(path: &Path, why: &str) -> Failure {
    let path = path.display();
    Failure::new(Exit::Config, why).context(format!("the baseline {path}"))
}

impl KnownFindings {
    /// Reads the baseline.
    ///
    /// # Errors
    /// A file that is not a baseline (78).
    pub(super) fn read(path: PathBuf) -> Result<Self, Failure> {
        let limit = Limits::default().file_bytes;
        let read = read_file(&path, limit).and_then(|bytes| {
            if bytes.len() as u64 > limit {
                Err(io::Error::other(format!("it is larger than {limit} bytes")))
            } else {
                String::from_utf8(bytes).map_err(io::Error::other)
            }
        });
        let baseline = match read {
            Ok(text) => Some(Baseline::parse(&text).map_err(|why| fault(&path, &why))?),
            Err(error) if error.kind() == ErrorKind::NotFound && path.is_symlink() => {
                return Err(fault(&path, "the link is broken"));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(fault(&path, &error.to_string())),
        };
        let exists = baseline.is_some();
        let mut baseline = baseline.unwrap_or_default();
        Ok(Self {
            path,
            exists,
            renamed: baseline.rename(&rules::codes()),
            baseline,
        })
    }

    /// Refuses a file that is not there.
    ///
    /// # Errors
    /// As it says (78).
    pub(super) fn must_exist(&self) -> Result<(), Failure> {
        let how = "there is no such file; create it with --update-baseline --grow";
        self.exists
            .then_some(())
            .ok_or_else(|| fault(&self.path, how))
    }

    /// Removes known findings; returns the known ones that were not found.
    pub(super) fn cover(&self, found: &mut Sink, documents: &Documents<'_>) -> Baseline {
        let identities = self.identities(found, documents);
        self.baseline.cover(found, identities)
    }

    /// Takes what is known out of the findings, says what is gone, and writes the file if that
    /// was asked and all documents but so many `unread` ones were read.
    ///
    /// # Errors
    /// A file that cannot be written (1).
    pub(super) fn apply(
        &self,
        sink: &mut Sink,
        documents: &Documents<'_>,
        unread: usize,
        args: &ValidateArgs,
        console: &Console,
    ) -> Result<Applied, Failure> {
        let mut applied = Applied::default();
        if !self.exists && !args.update_baseline {
            return Ok(applied);
        }
        if args.update_baseline && (unread > 0 || sink.diagnostics.iter().any(is_unread)) {
            let path = self.path.display();
            console.err(&format!(
                "The baseline {path} is unchanged: not everything could be read.\n"
            ));
            applied.incomplete = true;
            return Ok(applied);
        }
        for note in &self.renamed {
            console.note(&format!("{}: {note}\n", self.path.display()));
        }
        let gone = self.cover(sink, documents);
        sink.sort(documents.sources);
        if args.update_baseline {
            self.update(&gone, sink, documents, args, console)?;
            return Ok(applied);
        }
        applied.gone = gone.lines();
        if !applied.gone.is_empty() {
            let number = applied.gone.len();
            let entries = if number == 1 { "entry" } else { "entries" };
            let mut text = format!(
                "{}: {number} {entries} without a finding; remove them with --update-baseline:\n",
                self.path.display()
            );
            for line in &applied.gone {
                text.push_str(&format!("  {}\n", crate::render::clean(line)));
            }
            console.note(&text);
        }
        Ok(applied)
    }

    /// The identities of the sink's findings; paths are relative to the file's directory.
    fn identities(&self, sink: &Sink, documents: &Documents<'_>) -> Vec<Identity> {
        let directory = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let directory = directory.canonicalize().unwrap_or_default();
        let directory = directory.to_string_lossy();
        let path = |name: &str| {
            let real = Path::new(name).canonicalize();
            let path = real.map_or_else(|_| name.to_owned(), |p| p.to_string_lossy().into_owned());
            display_name(&path, &directory)
        };
        let findings: Vec<&Diagnostic> = sink.diagnostics.iter().collect();
        identities(documents, &findings, path).collect()
    }

    fn update(
        &self,
        gone: &Baseline,
        sink: &mut Sink,
        documents: &Documents<'_>,
        args: &ValidateArgs,
        console: &Console,
    ) -> Result<(), Failure> {
        let mut baseline = self.baseline.clone();
        baseline.remove(gone);
        if args.grow {
            let new = self.identities(sink, documents);
            baseline.add(new.clone());
            let mut added = Baseline::default();
            added.add(new.clone());
            added.cover(sink, new);
            sink.sort(documents.sources);
        }
        let same = baseline == self.baseline && self.renamed.is_empty();
        if same || (!self.exists && baseline.is_empty()) {
            console.note(if self.exists || args.grow {
                "The baseline is unchanged.\n"
            } else {
                "There is no baseline yet; create it with --update-baseline --grow.\n"
            });
            return Ok(());
        }
        let path = self.path.display().to_string();
        let text = baseline.text();
        write::replace(&self.path, Readers::AsBefore, |out| {
            out.write_all(text.as_bytes())
        })
        .map_err(|fault| fault.of(&path))?;
        let findings = plural(baseline.len(), "finding");
        console.note(&format!("Wrote {path}: {findings}.\n"));
        Ok(())
    }
}
