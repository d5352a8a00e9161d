//! What may be typed: one definition for parsing, help, manual and completions.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use crate::document::System;

use super::formats::{
    DiffFormat, ExplainFormat, GraphFormat, PlanFormat, RiskFormat, ShowFormat, SimulateFormat,
    TestFormat, ValidateFormat, WhyFormat,
};

mod shared;

pub use shared::{
    CommonArgs, Compat, ConsentArgs, InputArgs, OrderArg, OutputArgs, WithoutArgs, common,
};

/// An offline planner and linter for declarative YAML site documents.
///
/// A site repository says in YAML what there is (clusters, nodes, regions) and what is wanted
/// (packages, applications, placements, deployment strategies). planner answers, before anything
/// is touched: is the site sound, what would go where and why, in which order, and what breaks
/// if something fails.
#[derive(Debug, Parser)]
#[command(
    name = "planner",
    version,
    max_term_width = 100,
    propagate_version = true
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// What the process was started with.
    ///
    /// # Errors
    /// What cannot be understood; the help and the version, where they are asked for.
    pub fn read() -> Result<Self, clap::Error> {
        let mut command = command().long_version(env!("PLANNER_BUILD"));
        let matches = command.try_get_matches_from_mut(std::env::args_os())?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }
}

/// The definition of the command line.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command().mut_subcommands(shared::ending_with_common)
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Plan the site, print the plan and, at a terminal, ask Proceed or Cancel
    Plan(PlanArgs),
    /// Check the site and print every fault with its place, code and a way out
    #[command(aliases = ["check", "lint"])]
    Validate(ValidateArgs),
    /// Run the deployment strategy with given faults and report how it ends
    Simulate(SimulateArgs),
    /// Print the graph of deployment groups
    Graph(GraphArgs),
    /// Try the expectations that lie beside the site (kind: PlanTest)
    Test(TestArgs),
    /// Say why something went where it did: every reason for and against
    Why(WhyArgs),
    /// Lose each cluster, node, rack and region in turn and say what comes of it
    Risk(RiskArgs),
    /// Print a saved plan
    Show(ShowArgs),
    /// Plan again and, if it comes to what was saved, ask and record it
    Apply(ApplyArgs),
    /// Show what moves between a saved plan and another one, or the site as it is
    Diff(DiffArgs),
    /// Print the page of a diagnostic code, or the list of codes
    Explain(ExplainArgs),
    /// Print a JSON Schema, or the list of schemas
    Schema(SchemaArgs),
    /// Print shell completions
    Completions(CompletionsArgs),
    /// Write the manual pages
    Man(ManArgs),
}

/// What `plan --help` says below the flags.
const PLAN: &str = "\
Marks:
  =  it stays as it is
  +  it is new: placed, added or created
  ~  it becomes another: moved, or another number
  -  it goes: withdrawn, removed or deleted
  !  there is no answer for it: it cannot be placed, or its rule cannot be read

  They stand in the first column of every table, in this order. At a terminal, more than 50 rows
  with one mark are put together; --trace lists each one, --changes-only leaves out the = rows.";

/// `plan`.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = PLAN)]
pub struct PlanArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs<PlanFormat>,
    /// Plan only this Package (repeatable)
    #[arg(long, value_name = "NAME")]
    pub package: Vec<String>,
    /// Print only this section of the plan
    #[arg(long, value_name = "NAME")]
    pub section: Option<String>,
    /// Give full candidate lists
    #[arg(long)]
    pub trace: bool,
    /// Leave what does not change to the count
    #[arg(long)]
    pub changes_only: bool,
    /// Show what differs from the plan of another state of the site: a directory, or a
    /// git revision of the same PATHs; nothing is asked
    ///
    /// One line for each decision that is another one, with the rule, label, node or status that
    /// made it so. Formats: text, json, yaml, markdown. A DIR stands for the working directory
    /// where it holds the PATHs, else for the only PATH.
    #[arg(long, value_name = "DIR|GIT-REV", conflicts_with_all = ["yes", "section", "trace"])]
    pub against: Option<String>,
    /// Leave this out, and what lies in it: cluster/NAME, node/NAME, rack/NAME, region/NAME,
    /// set/NAME or label/KEY[=VALUE] (repeatable)
    ///
    /// Shows what moves against the plan of the whole site; nothing is asked or written.
    #[arg(
        long,
        value_name = "KIND/NAME",
        conflicts_with_all = ["yes", "section", "against", "out"]
    )]
    pub without: Vec<String>,
    /// Save the plan to a file in place of asking; `planner apply` carries it out
    ///
    /// The file holds what was decided, no text of documents. A plan in which something cannot be
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
    #[command(flatten)]
    #[allow(missing_docs)]
    pub consent: ConsentArgs,
}

/// `risk`.
#[derive(Debug, Clone, Args)]
pub struct RiskArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs<RiskFormat>,
    /// Lose two things at a time; of at most 200
    #[arg(long)]
    pub pairs: bool,
    /// Exit with 3 if something can be lost only at this price
    #[arg(long, value_name = "WHAT")]
    pub fail_on: Option<RiskFailOn>,
}

/// Losses that can be made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RiskFailOn {
    /// Something is left without a place
    Unplaceable,
    /// Volumes are left behind, too
    Volume,
    /// The deployment or a critical group fails
    Critical,
}

/// `show`.
#[derive(Debug, Clone, Args)]
pub struct ShowArgs {
    /// The saved plan
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The site it was made of: say whether it is stale
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs<ShowFormat>,
}

/// `apply`.
#[derive(Debug, Clone, Args)]
pub struct ApplyArgs {
    /// The saved plan
    ///
    /// It is only compared: what is written is what planning gives now. Options and PATHs are
    /// those it was saved with; --allow-commands must be given again.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The PATHs it was made of, if they are to be typed again
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs<PlanFormat>,
    /// The digest of the plan that was approved, as `plan --out` printed it
    #[arg(long, value_name = "sha256:…")]
    pub digest: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub consent: ConsentArgs,
}

/// `diff`.
#[derive(Debug, Clone, Args)]
pub struct DiffArgs {
    /// The saved plan to start from
    #[arg(value_name = "A")]
    pub old: PathBuf,
    /// Another saved plan, or the PATHs of a site
    #[arg(value_name = "B", required = true)]
    pub new: Vec<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs<DiffFormat>,
    /// Exit with 2 instead of 0 if something moves
    #[arg(long)]
    pub detailed_exitcode: bool,
}

/// `test`.
#[derive(Debug, Clone, Args)]
pub struct TestArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub without: WithoutArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs<TestFormat>,
}

/// What `validate --help` says below the flags.
const VALIDATE: &str = "\
Ignores:
  A comment covers the findings of its line; one that has a line to itself those of the next
  line that is not a comment. Date and reason may be left out; the day itself still counts.

      # planner: ignore[CODE, CODE] until 2027-01-01: reason

  What covers nothing, has expired or cannot be read is a finding itself.

Baseline:
  --update-baseline --grow records what is found today in planner-baseline.json, one finding
  a line, known by its code, object and field. From then on only new findings are reported, and
  those that are gone are listed until --update-baseline removes them.

Fixes:
  --diff shows the edits that cannot change what a document means, --fix writes them; comments
  and layout stay. --unsafe-fixes takes the others too.

planner.toml, beside the site or above it:
  include, exclude, fail-on, require-reason, advisor-environment, [rules] with a level for a
  code (error, warning, note, off), [limits]; `planner schema config` prints its schema.";

/// `validate`.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = VALIDATE)]
pub struct ValidateArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs<ValidateFormat>,
    /// The least severity that fails
    #[arg(long, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
    /// Exit with 0 even if there are findings
    #[arg(long)]
    pub exit_zero: bool,
    /// Report what ignore comments cover too
    #[arg(long)]
    pub no_ignores: bool,
    /// Findings that are known [default: planner-baseline.json beside planner.toml]
    ///
    /// What the baseline knows is counted and not reported. It is never written unless asked.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Remove what is gone from the baseline
    #[arg(long)]
    pub update_baseline: bool,
    /// With --update-baseline: add what is new to it, too
    #[arg(long, requires = "update_baseline")]
    pub grow: bool,
    /// Write the edits that cannot change what a document means
    #[arg(long)]
    pub fix: bool,
    /// Print the edits as a unified diff in place of the findings
    #[arg(long)]
    pub diff: bool,
    /// Take edits that can change what a document means, too
    #[arg(long)]
    pub unsafe_fixes: bool,
    /// Do not report what a plan could not place
    #[arg(long)]
    pub no_plan: bool,
}

/// Severities that can be made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Errors only
    Error,
    /// Warnings too
    Warning,
    /// Notes too
    Note,
}

/// `simulate`.
#[derive(Debug, Clone, Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub without: WithoutArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs<SimulateFormat>,
    /// What goes wrong, as a file (repeatable)
    #[arg(long, value_name = "FILE")]
    pub faults: Vec<PathBuf>,
    /// This node fails in prepare (repeatable)
    #[arg(long, value_name = "NODE")]
    pub fail: Vec<String>,
    /// All nodes of this rack fail in prepare (repeatable)
    #[arg(long, value_name = "RACK")]
    pub fail_rack: Vec<String>,
    /// Find the smallest sets of failures that fail each critical group
    #[arg(long)]
    pub weakest: bool,
    /// How many runs and sets --weakest may take
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub bound: u64,
    /// Give full lists of names
    #[arg(long)]
    pub trace: bool,
}

/// `graph`.
#[derive(Debug, Clone, Args)]
pub struct GraphArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
    /// For Graphviz, for Mermaid, or as data
    #[arg(long, value_name = "FORMAT", default_value = "dot")]
    pub format: GraphFormat,
}

/// `why`.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = include_str!("why.txt"))]
pub struct WhyArgs {
    /// What is asked about, one of several names with its system before it
    #[arg(help = subject_help())]
    pub subject: String,
    /// One candidate: a cluster or a node
    pub candidate: Option<String>,
    /// Files or directories to read (repeatable) [default: .]
    #[arg(long = "in", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Look for the smallest sets of up to K changes with which a candidate would be chosen; 0
    /// leaves them out [default: 3 with CANDIDATE or where nothing could be placed, else 0]
    #[arg(long, value_name = "K")]
    pub changes: Option<usize>,
    /// Whose documents these changes may touch
    #[arg(long, value_enum, default_value_t, value_name = "WHOSE")]
    pub may: MayArg,
    /// Show the changes as differences of the files, for `git apply`; no file is written
    #[arg(long)]
    pub diff: bool,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub common: CommonArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub without: WithoutArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs<WhyFormat>,
}

fn subject_help() -> String {
    let systems = System::ALL.map(|system| format!("{}:", system.name()));
    let (last, others) = (systems.last(), &systems[..systems.len() - 1]);
    format!(
        "What is asked about: PACKAGE/APPLICATION, NAMESPACE/NAME of a placement, a deployment \
         group, a node, a region policy's file; {} or {} before it where one name means several \
         things",
        others.join(" "),
        last.map_or("", String::as_str)
    )
}

/// Whose documents a change may touch.
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
    /// The code; its leading planner:: may be left out
    pub code: Option<String>,
    /// Output format: text or json
    #[arg(long, short, value_name = "FORMAT", hide_possible_values = true)]
    pub output: Option<ExplainFormat>,
}

/// `schema`.
#[derive(Debug, Clone, Args)]
pub struct SchemaArgs {
    /// A kind (`Placement`), a schema's name (`ocm-placement`), `site` or `config`
    pub kind: Option<String>,
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
    /// Where to write the pages; without it planner(1) is printed
    pub directory: Option<PathBuf>,
}
