//! The command line: one definition for parsing, help, manual and completions.
#![allow(
    missing_docs,
    reason = "each flag says what it does; groups of flags are types of their own"
)]

use std::path::PathBuf;

use clap::error::ContextKind;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use crate::document::System;

use super::formats::{
    DiffFormat, ExplainFormat, GraphFormat, PlanFormat, ShowFormat, SimulateFormat, TestFormat,
    WhyFormat,
};

mod drift;
mod export;
mod help;
mod lsp;
mod mcp;
mod migrate;
mod render;
mod report;
mod risk;
mod shared;
mod validate;

pub use drift::{DriftArgs, DriftPart};
pub use export::{Engine, ExportArgs};
pub use lsp::LspArgs;
pub use mcp::McpArgs;
pub use migrate::MigrateArgs;
pub use render::RenderArgs;
pub use report::ReportArgs;
pub use risk::{RemediesArg, RiskArgs, RiskFailOn};
pub use shared::{
    CommonArgs, Compat, ConsentArgs, InputArgs, OrderArg, OutputArgs, WithoutArgs, common,
};
pub use validate::{FailOn, ValidateArgs};

/// An offline planner and linter for declarative YAML site documents.
///
/// A site repository describes in YAML what exists (clusters, nodes, regions) and what is wanted
/// (packages, applications, placements, deployment strategies). Before anything is deployed,
/// planner tells you whether the site is sound, what goes where and why, in which order, and what
/// breaks if something fails.
#[derive(Debug, Parser)]
#[command(
    name = "planner",
    version,
    max_term_width = 100,
    propagate_version = true
)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// The arguments of the process.
    ///
    /// # Errors
    /// The arguments cannot be understood, or ask for help or the version.
    pub fn read() -> Result<Self, clap::Error> {
        let mut command = command().long_version(env!("PLANNER_BUILD"));
        let read = command.try_get_matches_from_mut(std::env::args_os());
        let matches = read.map_err(|mut error| {
            // A tip to pass a flag as a value helps nobody.
            error.remove(ContextKind::Suggested);
            error
        })?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    help::overview(Cli::command()).mut_subcommands(shared::ending_with_common)
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Plan the site and, at a terminal, ask Proceed or Cancel
    Plan(PlanArgs),
    /// Check the site: every fault with its place and a suggested fix
    #[command(aliases = ["check", "lint"])]
    Validate(ValidateArgs),
    /// Run the deployment strategy with given faults
    Simulate(SimulateArgs),
    /// Print the graph of deployment groups and deliveries
    Graph(GraphArgs),
    /// Write the deployment strategy for Ansible, Airflow or Argo
    Export(ExportArgs),
    /// Run the site's PlanTest documents
    Test(TestArgs),
    /// Explain a decision: every reason for and against each candidate
    Why(WhyArgs),
    /// Simulate losing each cluster, node, rack and region
    Risk(RiskArgs),
    /// Write the plan as one HTML page
    Report(ReportArgs),
    /// Compare a hub with the documents: what changed, who changed it, and what the next sync does
    Drift(DriftArgs),
    /// Turn PlacementRules into Placements that select the same clusters
    Migrate(MigrateArgs),
    /// Print what a kustomization makes, or list those deployed
    #[command(alias = "build")]
    Render(RenderArgs),
    /// Print a saved plan
    Show(ShowArgs),
    /// Re-plan; if nothing changed, confirm and record
    #[command(alias = "apply")]
    Proceed(ProceedArgs),
    /// Show what moves between a saved plan and another, or the site
    Diff(DiffArgs),
    /// Print the page of a diagnostic code, or the list of codes
    Explain(ExplainArgs),
    /// Serve an agent: the Model Context Protocol over standard input and output
    Mcp(McpArgs),
    /// Write planner.toml, a CI job and a pre-commit hook
    Init(InitArgs),
    /// Serve an editor: diagnostics, fixes, explanations (Language Server Protocol)
    Lsp(LspArgs),
    /// Print a JSON Schema, or the list of schemas
    Schema(SchemaArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Write the manual pages
    Man(ManArgs),
}

/// The end of `plan --help`.
const PLAN: &str = "\
Marks:
  =  it stays
  +  it is new: placed, added or created
  ~  it changes: moved, or another number
  -  it is removed: withdrawn or deleted
  !  it cannot be placed or its rule cannot be read; nodes are deleted

  The mark is the first column of every table, and rows are sorted by it. At a terminal, more than
  50 rows with the same mark are grouped. --trace lists each one, --changes-only hides the = rows.";

/// `plan`.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = PLAN)]
pub struct PlanArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub output: OutputArgs<PlanFormat>,
    /// Plan only this Package (repeatable)
    #[arg(long, value_name = "NAME")]
    pub package: Vec<String>,
    /// Print only this section of the plan
    #[arg(long, value_name = "NAME")]
    pub section: Option<String>,
    /// Show full candidate lists
    #[arg(long)]
    pub trace: bool,
    /// Hide unchanged rows
    #[arg(long)]
    pub changes_only: bool,
    /// Compare with the plan of another state of the site: a directory, or a git revision of
    /// the same PATHs. planner does not ask
    ///
    /// Shows each change that moves something, with a line for each effect; --trace names all that
    /// moves. Formats: text, json, yaml, csv, tsv, markdown. DIR replaces the working directory
    /// if it has the PATHs, otherwise the only PATH.
    #[arg(long, value_name = "DIR|GIT-REV", conflicts_with_all = ["yes", "section"])]
    pub against: Option<String>,
    /// Plan as if this and everything in it were gone: cluster/NAME, node/NAME, rack/NAME,
    /// region/NAME, set/NAME or label/KEY[=VALUE] (repeatable)
    ///
    /// Shows what moves compared with the plan of the whole site. planner does not ask and writes
    /// nothing.
    #[arg(
        long,
        value_name = "KIND/NAME",
        conflicts_with_all = ["yes", "section", "against", "out"]
    )]
    pub without: Vec<String>,
    /// Save the plan to a file for `planner proceed` instead of asking
    ///
    /// The file contains the decisions, not the documents. A plan in which something cannot be
    /// placed is not saved.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["yes", "against", "section", "keep_going"]
    )]
    pub out: Option<PathBuf>,
    /// Exit with 2 instead of 0 if something would change
    #[arg(long)]
    pub detailed_exitcode: bool,
    /// Exit with 3 and write nothing if the plan removes too much: emptied, deleted, pages,
    /// removed[=N|P%], removed-each[=N|P%], removed-cluster[=N|P%], unplaceable, or none
    /// (repeatable)
    ///
    /// Compares with --against, or else with --hub. emptied: something that had clusters has none.
    /// deleted: something is gone, also a Placement or PlacementRule that something reads. pages:
    /// clusters are briefly in no PlacementDecision. removed: N, or P%, of all deliveries to
    /// clusters; Applications, hybrid rules and regions that lose their place count as well.
    /// removed-each: the same for one subject; removed-cluster: for one cluster. unplaceable:
    /// something has no place; it also holds by default and beside other conditions. none:
    /// nothing fails the plan; it overrides fail-on-plan in planner.toml.
    #[arg(long, value_name = "CONDITION", conflicts_with = "without")]
    pub fail_on: Vec<String>,
    #[command(flatten)]
    pub consent: ConsentArgs,
}

/// `show`.
#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// The saved plan
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The site it was made from: also report whether the plan is stale
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub output: OutputArgs<ShowFormat>,
    /// The Package it was made for (repeatable)
    #[arg(long, value_name = "NAME")]
    pub package: Vec<String>,
}

/// `proceed`.
#[derive(Debug, Clone, Args)]
pub struct ProceedArgs {
    /// The saved plan
    ///
    /// planner plans again and records the result only if it is the same. Nothing is deployed. Give
    /// the options that the plan was saved with again; `plan --out` prints the complete command.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The PATHs it was made from (optional; they must be the same)
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub output: OutputArgs<PlanFormat>,
    /// The Package it was made for (repeatable)
    #[arg(long, value_name = "NAME")]
    pub package: Vec<String>,
    /// The digest of the approved plan, as printed by `plan --out`
    #[arg(long, value_name = "sha256:…")]
    pub digest: Option<String>,
    #[command(flatten)]
    pub consent: ConsentArgs,
}

/// `diff`.
#[derive(Debug, Clone, Args)]
pub struct DiffArgs {
    /// The saved plan to start from
    #[arg(value_name = "A")]
    pub old: PathBuf,
    /// Another saved plan, or the PATHs of a site
    #[arg(value_name = "B", default_value = ".")]
    pub new: Vec<PathBuf>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub output: OutputArgs<DiffFormat>,
    /// The Package it was made for (repeatable)
    #[arg(long, value_name = "NAME")]
    pub package: Vec<String>,
    /// Exit with 2 instead of 0 if something moves
    #[arg(long)]
    pub detailed_exitcode: bool,
}

/// `test`.
#[derive(Debug, Clone, Args)]
pub struct TestArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub without: WithoutArgs,
    #[command(flatten)]
    pub output: OutputArgs<TestFormat>,
}

/// `simulate`.
#[derive(Debug, Clone, Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub without: WithoutArgs,
    #[command(flatten)]
    pub output: OutputArgs<SimulateFormat>,
    /// A file with the faults to simulate (repeatable)
    #[arg(long, value_name = "FILE")]
    pub faults: Vec<PathBuf>,
    /// Fail this node in prepare, or keep this Application, or all on this cluster, from becoming
    /// healthy (repeatable)
    #[arg(long, value_name = "NAME")]
    pub fail: Vec<String>,
    /// Fail all nodes of this rack in prepare (repeatable)
    #[arg(long, value_name = "RACK")]
    pub fail_rack: Vec<String>,
    /// Compare the planner-result.json of an exported run with the plan
    ///
    /// Prints what failed, what that made impossible and which groups can be resumed.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["faults", "fail", "fail_rack", "weakest"]
    )]
    pub result: Option<PathBuf>,
    /// With --result: print only the command that resumes the run
    #[arg(long, requires = "result", conflicts_with = "words")]
    pub resume: bool,
    /// Find the smallest sets of failures that fail each critical group
    #[arg(long)]
    pub weakest: bool,
    /// The limit of runs and sets for --weakest
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub bound: u64,
    /// Show full lists of names
    #[arg(long)]
    pub trace: bool,
}

/// `graph`.
#[derive(Debug, Clone, Args)]
pub struct GraphArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub output: OutputArgs<GraphFormat>,
    /// The same as --output
    #[arg(long, value_name = "FORMAT", hide = true, conflicts_with = "words")]
    pub format: Option<GraphFormat>,
}

/// `why`.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = include_str!("why.txt"))]
pub struct WhyArgs {
    /// The thing to explain; without it, print the names of all that can be explained
    #[arg(help = subject_help())]
    pub subject: Option<String>,
    /// One candidate: a cluster or a node. A file or directory that is not a candidate is read as
    /// PATH
    pub candidate: Option<String>,
    /// Files or directories to read [default: .]
    ///
    /// A PATH may follow the subject directly: `planner why web site`. If a candidate has the same
    /// name, planner explains the candidate; write `./site` or `--in site` to read the directory.
    #[arg(value_name = "PATH")]
    pub more: Vec<PathBuf>,
    /// Files or directories to read (repeatable) [default: .]
    #[arg(long = "in", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Search for the smallest sets of up to K changes that select a candidate; 0 turns the
    /// search off [default: 3 with CANDIDATE or if nothing could be placed, otherwise 0]
    #[arg(long, value_name = "K")]
    pub changes: Option<usize>,
    /// Whose documents the changes may edit
    #[arg(long, value_enum, default_value_t, value_name = "WHOSE")]
    pub may: MayArg,
    /// Show the first set of changes as a patch for `git apply`; no file is written
    #[arg(long)]
    pub diff: bool,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub without: WithoutArgs,
    #[command(flatten)]
    pub output: OutputArgs<WhyFormat>,
}

fn subject_help() -> String {
    let systems = System::ALL.map(|system| format!("{}:", system.name()));
    let (last, others) = (systems.last(), &systems[..systems.len() - 1]);
    format!(
        "What to explain: PACKAGE/APPLICATION, NAMESPACE/NAME of a placement, a deployment group, \
         a node or the file of a region policy; prefix with {} or {} if the name is ambiguous. \
         Without it, planner prints all these names",
        others.join(" "),
        last.map_or("", String::as_str)
    )
}

/// The side whose documents a change may touch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum MayArg {
    /// The candidate's: labels, capacity, taints, scores …
    Candidate,
    /// The subject's: rules, requests, selectors, numbers …
    Subject,
    /// Both
    #[default]
    Both,
}

/// `explain`.
#[derive(Debug, Clone, Args)]
pub struct ExplainArgs {
    /// The code; the prefix planner:: is optional, and so is the system, as in `unplaceable`. A
    /// system, or a word of codes such as `placement`, lists those
    pub code: Option<String>,
    /// Output format: text or json
    #[arg(long, short, value_name = "FORMAT", hide_possible_values = true)]
    pub output: Option<ExplainFormat>,
}

/// `schema`.
#[derive(Debug, Clone, Args)]
pub struct SchemaArgs {
    /// A kind (`Placement`), a schema's name (`ocm-placement`), `site`, `config`, or the JSON
    /// answer of a command (`output/plan`)
    pub kind: Option<String>,
}

/// `init`.
#[derive(Debug, Clone, Args)]
pub struct InitArgs {
    /// The directory that holds the site [default: .]
    ///
    /// planner.toml goes there; the CI job and the hook go to the root of its repository. planner
    /// never changes an existing file; it prints what to add instead.
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Print what would be written as a unified diff, and write nothing
    #[arg(long)]
    pub diff: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
}

/// `completions`.
#[derive(Debug, Clone, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// `man`.
#[derive(Debug, Clone, Args)]
pub struct ManArgs {
    /// Where to write the pages [default: print planner(1)]
    pub directory: Option<PathBuf>,
}
