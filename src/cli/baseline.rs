//! The baseline's file: read before the findings, written only when asked.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::diagnostic::baseline::Baseline;
use crate::diagnostic::{Diagnostic, Identity, Sink};
use crate::document::{Documents, Locator};
use crate::kit::plural::plural;
use crate::load::{display_name, read_file};
use crate::yaml::Limits;

use super::args::ValidateArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::write;

/// The baseline of a run.
#[derive(Debug)]
pub(super) struct Known {
    path: PathBuf,
    /// Whether there is a file.
    exists: bool,
    baseline: Baseline,
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

/// Reads the baseline.
///
/// # Errors
/// A file that was named and is not there, and one that is not a baseline (78).
pub(super) fn open(args: &ValidateArgs, path: &Path) -> Result<Known, Failure> {
    let path = path.to_path_buf();
    let fault = |why: String| {
        let path = path.display();
        Failure::new(Exit::Config, format!("the baseline {path}: {why}"))
    };
    let limit = Limits::default().file_bytes;
    let read = read_file(&path, limit).and_then(|bytes| match bytes.len() as u64 > limit {
        true => Err(io::Error::other(format!("it has more than {limit} bytes"))),
        false => String::from_utf8(bytes).map_err(io::Error::other),
    });
    let baseline = match read {
        Ok(text) => Some(Baseline::parse(&text).map_err(fault)?),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if args.baseline.is_some() && !args.grow {
                let how = "there is no such file; --update-baseline --grow makes it";
                return Err(fault(how.into()));
            }
            None
        }
        Err(error) => return Err(fault(error.to_string())),
    };
    Ok(Known {
        path,
        exists: baseline.is_some(),
        baseline: baseline.unwrap_or_default(),
        gone: Vec::new(),
        incomplete: false,
    })
}

impl Known {
    /// Takes what is known out of the findings, says what is gone, and writes the file if that
    /// was asked and all documents but so many `unread` ones were read.
    ///
    /// # Errors
    /// A file that cannot be written (1).
    pub(super) fn apply(
        &mut self,
        sink: &mut Sink,
        documents: &Documents<'_>,
        unread: usize,
        args: &ValidateArgs,
        console: &Console,
    ) -> Result<(), Failure> {
        if !self.exists && !args.update_baseline {
            return Ok(());
        }
        if args.update_baseline && (unread > 0 || sink.diagnostics.iter().any(is_unread)) {
            let path = self.path.display();
            console.err(&format!(
                "The baseline {path} stays as it is: not everything could be read.\n"
            ));
            self.incomplete = true;
            return Ok(());
        }
        let identities = self.identities(sink, documents);
        let gone = self.baseline.cover(sink, identities);
        sink.sort(documents.sources);
        if args.update_baseline {
            return self.update(&gone, sink, documents, args, console);
        }
        self.gone = gone.lines();
        if !self.gone.is_empty() {
            let entries = if self.gone.len() == 1 {
                "entry"
            } else {
                "entries"
            };
            let mut text = format!(
                "{}: {} {entries} without a finding; --update-baseline removes them:\n",
                self.path.display(),
                self.gone.len()
            );
            for line in &self.gone {
                text.push_str(&format!("  {}\n", crate::render::clean(line)));
            }
            console.note(&text);
        }
        Ok(())
    }

    /// The identities of the sink's findings; paths are relative to the file's directory.
    fn identities(&self, sink: &Sink, documents: &Documents<'_>) -> Vec<Identity> {
        let directory = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let directory = directory.canonicalize().unwrap_or_default();
        let name = |found: &Diagnostic| {
            let place = found.primary.as_ref()?.place;
            let name = &documents.sources.get(place.source).name;
            let real = Path::new(name).canonicalize();
            let path = real.map_or_else(|_| name.clone(), |p| p.to_string_lossy().into_owned());
            Some(display_name(&path, &directory.to_string_lossy()))
        };
        let findings: Vec<&Diagnostic> = sink.diagnostics.iter().collect();
        let locator = Locator::new(documents, &findings);
        findings
            .iter()
            .enumerate()
            .map(|(at, found)| locator.identity(at, found, || name(found)))
            .collect()
    }

    fn update(
        &mut self,
        gone: &Baseline,
        sink: &mut Sink,
        documents: &Documents<'_>,
        args: &ValidateArgs,
        console: &Console,
    ) -> Result<(), Failure> {
        let before = self.baseline.clone();
        self.baseline.remove(gone);
        if args.grow {
            let new = self.identities(sink, documents);
            self.baseline.add(new.clone());
            let mut added = Baseline::default();
            added.add(new.clone());
            added.cover(sink, new);
            sink.sort(documents.sources);
        }
        if self.baseline == before || (!self.exists && self.baseline.is_empty()) {
            console.note(match self.exists || args.grow {
                true => "The baseline stays as it is.\n",
                false => "There is no baseline yet; --update-baseline --grow makes one.\n",
            });
            return Ok(());
        }
        let path = self.path.display().to_string();
        write::replace(&self.path, |out| {
            out.write_all(self.baseline.text().as_bytes())
        })
        .map_err(|error| Failure::new(Exit::Fault, format!("cannot write {path}: {error}")))?;
        let findings = plural(self.baseline.len(), "finding");
        console.note(&format!("Wrote {path}: {findings}.\n"));
        Ok(())
    }
}
