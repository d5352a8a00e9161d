//! A run that ends before it has an answer: formats for programs say so too, in the shape of the
//! answer, with what was found.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::diagnostic::{Severity, baseline};
use crate::document::Documents;
use crate::load::has_known_ending;
use crate::render::diagnostics::Findings;
use crate::render::json::{self, Unanswered};

use super::args::CommonArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::{Format, Program};
use super::output::{Output, Outputs};
use super::session;

/// What a run was to read, as far as that is known before it has read anything.
#[derive(Debug)]
pub(super) struct Inputs<'r> {
    common: &'r CommonArgs,
    /// The PATHs and other directories, as they really lie.
    roots: Vec<PathBuf>,
    /// Files that were named.
    files: Vec<PathBuf>,
}

impl<'r> Inputs<'r> {
    /// The PATHs of a command.
    pub(super) fn of(common: &'r CommonArgs, paths: &[PathBuf]) -> Self {
        let here = [PathBuf::from(".")];
        let roots = match paths {
            [] => here.as_slice(),
            paths => paths,
        };
        let inputs = Self {
            common,
            roots: Vec::new(),
            files: Vec::new(),
        };
        let more = [&common.config, &common.records];
        let more = more.into_iter().flatten();
        inputs.and(roots.iter().chain(more))
    }

    /// Other files and directories that are read.
    pub(super) fn and(mut self, more: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        for path in more {
            let Ok(real) = path.as_ref().canonicalize() else {
                continue;
            };
            match real.is_dir() {
                true => self.roots.push(real),
                false => self.files.push(real),
            }
        }
        self
    }

    /// Whether a file is in no case an input.
    fn is_free(&self, file: &Path) -> bool {
        let Ok(real) = file.canonicalize() else {
            return true;
        };
        let name = real.file_name().unwrap_or_default();
        let settings = ["planner.toml", baseline::FILE_NAME, ".gitignore"];
        let below = || self.roots.iter().any(|root| real.starts_with(root));
        if self.files.contains(&real)
            || settings.iter().any(|own| name == *own)
            || real.components().any(|part| part.as_os_str() == ".git")
        {
            return false;
        }
        !real.is_file() || !has_known_ending(&real) || !below() || is_answer(&real)
    }
}

/// Whether a file holds an answer of an earlier run.
fn is_answer(file: &Path) -> bool {
    let mut start = Vec::new();
    let Ok(file) = fs::File::open(file) else {
        return false;
    };
    if file.take(256).read_to_end(&mut start).is_err() {
        return false;
    }
    let start = String::from_utf8_lossy(&start);
    let has = |words| start.contains(words);
    has("planner/v1") && has("formatVersion") && !has("SavedPlan")
}

impl<F: Format> Outputs<F> {
    /// Runs a command. Where it fails without an answer of its own, bad arguments and an interrupt
    /// apart, each format for programs gets one that says so.
    ///
    /// # Errors
    /// Those of the command.
    pub(super) fn answer(
        &self,
        inputs: &Inputs<'_>,
        console: &Console,
        run: impl FnOnce() -> Result<Exit, Failure>,
    ) -> Result<Exit, Failure> {
        let result = run();
        let Err(failure) = &result else {
            return result;
        };
        if matches!(failure.exit, Exit::Usage | Exit::Interrupted) {
            return result;
        }
        for output in self.unanswered() {
            let Some(program) = output.format.program() else {
                continue;
            };
            if let Some(file) = &output.file
                && !self.are_guarded()
                && !inputs.is_free(file)
            {
                let file = file.display().to_string();
                let file = crate::render::clean(&file);
                console.err(&format!(
                    "planner: {file} was left as it is: it may be one of the inputs\n"
                ));
                continue;
            }
            // The first failure is the one that counts.
            let _ = write(output, program, failure, inputs, console);
        }
        result
    }
}

fn write<F: Format>(
    output: &Output<F>,
    program: Program,
    failure: &Failure,
    inputs: &Inputs<'_>,
    console: &Console,
) -> Result<(), Failure> {
    let (sink, sources) = failure.findings();
    let now = session::now(inputs.common)?;
    let answer = Unanswered::new(F::KIND, now, &sink, &sources);
    let made = OnceLock::new();
    let documents = Documents {
        sources: &sources,
        made: &made,
        repositories: Vec::new(),
        all: Vec::new(),
    };
    let findings = Findings {
        sink: &sink,
        documents: &documents,
        prefix: "",
        fails: Severity::Error,
    };
    output.emit(console, |out| match program {
        Program::Json => json::write_json(&answer, out),
        Program::Yaml => json::write_yaml(&answer, out),
        Program::Tool(tool) => out.write_all(tool.text(findings).as_bytes()),
    })
}
