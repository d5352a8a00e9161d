//! `validate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::super::formats::ValidateFormat;
use super::{CommonArgs, InputArgs, OutputArgs};

/// The end of `validate --help`.
const VALIDATE: &str = "\
Ignores:
  A comment hides the findings on its line. A comment on a line of its own hides those on the next
  line that is not a comment. Date and reason are optional; the date is inclusive.

      # planner: ignore[CODE, CODE] until 2027-01-01: reason

  An ignore that matches nothing, has expired or cannot be read is itself a finding.

Baseline:
  --update-baseline --grow records the current findings in planner-baseline.json, one per line,
  identified by code, object and field. From then on only new findings are reported. Resolved
  ones are listed until --update-baseline removes them.

Fixes:
  --diff shows the edits that cannot change what a document means, and --fix writes them. Comments
  and layout stay. --unsafe-fixes includes the other edits.

Configuration:
  planner.toml, in the directory of the site or above it, sets include, exclude, fail-on,
  require-reason, advisor-environment, [rules] (the level of a code: error, warning, note, off)
  and [limits]. See planner.toml(5); `planner schema config` prints its schema.";

/// `validate`.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = VALIDATE)]
pub struct ValidateArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub output: OutputArgs<ValidateFormat>,
    /// The lowest severity that fails
    #[arg(long, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
    /// Exit with 0 even if there are findings
    #[arg(long)]
    pub exit_zero: bool,
    /// Also report findings that ignore comments hide
    #[arg(long)]
    pub no_ignores: bool,
    /// File of known findings [default: planner-baseline.json beside planner.toml]
    ///
    /// Findings in the baseline are counted but not reported. planner writes the file only with
    /// --update-baseline.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Remove resolved findings from the baseline
    #[arg(long)]
    pub update_baseline: bool,
    /// With --update-baseline: also add new findings
    #[arg(long, requires = "update_baseline")]
    pub grow: bool,
    /// Write the edits that cannot change what a document means
    #[arg(long)]
    pub fix: bool,
    /// Print the edits as a unified diff instead of the findings
    #[arg(long)]
    pub diff: bool,
    /// Include edits that can change what a document means
    #[arg(long)]
    pub unsafe_fixes: bool,
    /// Do not plan: skip the findings that need a plan
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
