//! The output formats of each command: an enum a command, so that a format without its arm in the
//! command does not compile.

use std::env;
use std::fmt::Debug;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::ValueEnum;

use crate::render::diagnostics::{self, Findings};

/// The output formats of one command; the first goes to standard output unless another one does.
pub trait Format: ValueEnum + Copy + Eq + Debug + Send + Sync + 'static {
    /// The `kind` of the command's answer as data.
    const KIND: &'static str;

    /// How other programs read it; `None` if it is for people.
    fn program(self) -> Option<Program>;

    /// Its word on the command line.
    #[must_use]
    fn word(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// A format that other programs read.
#[derive(Debug, Clone, Copy)]
pub enum Program {
    /// The answer as JSON.
    Json,
    /// The answer as YAML.
    Yaml,
    /// The rows of the answer.
    Table,
    /// The findings alone, as another tool reads them.
    Tool(Tool),
}

/// Another tool that reads findings.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Its format.
    pub write: fn(Findings<'_, '_>, &mut dyn Write) -> io::Result<()>,
    /// The variable that names the root of the repository, where it wants files named from there.
    pub workspace: Option<&'static str>,
}

/// The enums: the command, the `kind` of its answer, its formats and who reads them.
macro_rules! formats {
    ($($(#[$doc:meta])* $name:ident $kind:literal {
        $($(#[$what:meta])* $format:ident: $program:expr,)+
    })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
        #[allow(missing_docs, unreachable_pub, reason = "each is called what it is")]
        pub enum $name { $($(#[$what])* $format,)+ }

        impl Format for $name {
            const KIND: &'static str = $kind;

            fn program(self) -> Option<Program> {
                match self { $(Self::$format => $program,)+ }
            }
        }
    )+};
}

const PEOPLE: Option<Program> = None;
const JSON: Option<Program> = Some(Program::Json);
const YAML: Option<Program> = Some(Program::Yaml);
const TABLE: Option<Program> = Some(Program::Table);

/// SARIF.
pub(super) const SARIF: Tool = Tool {
    write: diagnostics::sarif,
    workspace: Some("GITHUB_WORKSPACE"),
};
/// Annotations of GitHub.
pub(super) const GITHUB: Tool = Tool {
    write: diagnostics::github,
    workspace: Some("GITHUB_WORKSPACE"),
};
/// A code quality report of GitLab.
pub(super) const GITLAB: Tool = Tool {
    write: diagnostics::gitlab,
    workspace: Some("CI_PROJECT_DIR"),
};
/// JUnit XML.
pub(super) const JUNIT: Tool = Tool {
    write: diagnostics::junit,
    workspace: None,
};
/// Reviewdog.
pub(super) const RDJSON: Tool = Tool {
    write: diagnostics::rdjson,
    workspace: None,
};

formats! {
    /// `plan`, and `proceed`, which plans again.
    PlanFormat "Plan" {
        Text: PEOPLE,
        Json: JSON,
        Yaml: YAML,
        Csv: TABLE,
        Tsv: TABLE,
        Sarif: Some(Program::Tool(SARIF)),
        Github: Some(Program::Tool(GITHUB)),
    }

    /// `plan --without`: the plan, and what moves.
    WithoutFormat "Plan" {
        Text: PEOPLE,
        Json: JSON,
        Yaml: YAML,
        Csv: TABLE,
        Tsv: TABLE,
        Markdown: PEOPLE,
    }

    /// `plan --against`: what moves, or what is found in the state that is planned.
    AgainstFormat "PlanDiff" {
        Text: PEOPLE,
        Json: JSON,
        Yaml: YAML,
        Csv: TABLE,
        Tsv: TABLE,
        Markdown: PEOPLE,
        Sarif: Some(Program::Tool(SARIF)),
        Github: Some(Program::Tool(GITHUB)),
    }

    /// `diff`: what moves.
    DiffFormat "PlanDiff" {
        Text: PEOPLE,
        Json: JSON,
        Yaml: YAML,
        Csv: TABLE,
        Tsv: TABLE,
        Markdown: PEOPLE,
    }

    /// `show`.
    ShowFormat "Plan" { Text: PEOPLE, Json: JSON, Yaml: YAML, }

    /// `validate`.
    ValidateFormat "Validation" {
        Full: PEOPLE,
        Concise: PEOPLE,
        Json: JSON,
        Sarif: Some(Program::Tool(SARIF)),
        Github: Some(Program::Tool(GITHUB)),
        Gitlab: Some(Program::Tool(GITLAB)),
        Junit: Some(Program::Tool(JUNIT)),
        Rdjson: Some(Program::Tool(RDJSON)),
    }

    /// `simulate`.
    SimulateFormat "Simulation" { Text: PEOPLE, Json: JSON, Yaml: YAML, }

    /// `why`.
    WhyFormat "Why" { Text: PEOPLE, Json: JSON, Yaml: YAML, }

    /// `test`.
    TestFormat "TestReport" { Text: PEOPLE, Json: JSON, Junit: Some(Program::Tool(JUNIT)), }

    /// `risk`.
    RiskFormat "Risk" {
        Text: PEOPLE,
        Json: JSON,
        Yaml: YAML,
        Csv: TABLE,
        Tsv: TABLE,
        Markdown: PEOPLE,
    }

    /// `report`.
    ReportFormat "Report" { Html: PEOPLE, }

    /// `drift`.
    DriftFormat "Drift" {
        Text: PEOPLE,
        Json: JSON,
        Yaml: YAML,
        Csv: TABLE,
        Tsv: TABLE,
        Markdown: PEOPLE,
        Sarif: Some(Program::Tool(SARIF)),
        Github: Some(Program::Tool(GITHUB)),
    }

    /// `migrate`.
    MigrateFormat "Migration" {
        Text: PEOPLE,
        Json: JSON,
        Yaml: YAML,
        /// The changes alone, for `git apply`
        Diff: PEOPLE,
    }

    /// `render`.
    RenderFormat "Rendered" {
        /// The documents
        Yaml: PEOPLE,
        /// Data: the documents, where each value comes from, and what is left out
        Json: JSON,
    }

    /// `graph`.
    GraphFormat "Graph" {
        /// Graphviz
        Dot: PEOPLE,
        /// Mermaid
        Mermaid: PEOPLE,
        /// Data
        Json: JSON,
        /// Lines to read, at a terminal the default
        Text: PEOPLE,
    }

    /// `explain`.
    ExplainFormat "Rule" { Text: PEOPLE, Json: JSON, }
}

impl Tool {
    /// Writes the findings as the tool reads them, files named as it wants them.
    ///
    /// # Errors
    /// Any error from the writer.
    pub fn write(self, findings: Findings<'_, '_>, to: &mut dyn Write) -> io::Result<()> {
        let prefix = self.workspace.map_or_else(String::new, below);
        let findings = Findings {
            prefix: &prefix,
            ..findings
        };
        (self.write)(findings, to)
    }
}

/// The way from the directory a variable names to the current one, `a/b/`; empty unless the
/// current directory lies below it.
fn below(variable: &str) -> String {
    let real = |path: PathBuf| path.canonicalize().ok();
    let root = env::var_os(variable).map(PathBuf::from).and_then(real);
    let here = env::current_dir().ok().and_then(real);
    let (Some(root), Some(here)) = (root, here) else {
        return String::new();
    };
    match here.strip_prefix(&root) {
        Ok(rest) if !rest.as_os_str().is_empty() => {
            let parts: Vec<_> = rest.iter().map(|part| part.to_string_lossy()).collect();
            format!("{}/", parts.join("/"))
        }
        _ => String::new(),
    }
}
