//! `drift`.

use clap::{Args, ValueEnum};

use super::super::formats::DriftFormat;
use super::{CommonArgs, InputArgs, OutputArgs};

/// The end of `drift --help`.
const DRIFT: &str = "\
Changes at the next sync are not drift; with --detailed-exitcode they exit with 2 as well.";

/// `drift`.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = DRIFT)]
pub struct DriftArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub output: OutputArgs<DriftFormat>,
    /// Print only these parts
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    pub only: Vec<DriftPart>,
    /// Exit with 0 even if there is drift
    #[arg(long)]
    pub exit_zero: bool,
    /// Also exit with 2 if the next sync changes a decision
    #[arg(long, conflicts_with = "exit_zero")]
    pub detailed_exitcode: bool,
}

/// The parts of what `drift` finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DriftPart {
    /// Fields that differ on the hub
    Fields,
    /// Objects that are missing on the hub, or about to be deleted
    Missing,
    /// Decisions that contradict the hub's objects
    Decisions,
    /// The changes of the next sync
    Next,
}
