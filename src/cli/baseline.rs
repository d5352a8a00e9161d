//! The baseline of a command: its findings that are gone, and the file that is written when asked.

use std::path::Path;

use crate::diagnostic::baseline::Baseline;
use crate::diagnostic::{Diagnostic, Sink};
use crate::document::Documents;
use crate::kit::plural::plural;
use crate::workspace::KnownFindings;

use super::args::ValidateArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::write::{self, Readers};

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

/// Why a baseline cannot be used.
pub(super) fn fault(path: &Path, why: &str) -> Failure {
    let path = path.display();
    Failure::new(Exit::Config, why).context(format!("the baseline {path}"))
}

impl KnownFindings {
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
