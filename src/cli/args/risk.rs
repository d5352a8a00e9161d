//! `risk`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::super::formats::RiskFormat;
use super::shared::SITE_FLAGS;
use super::{CommonArgs, InputArgs, OutputArgs};

/// The end of `risk --help`.
const RISK: &str = "\
In parts:
  planner risk SITE --pairs --now TIME --shard 1/2 -o json=1.json   on one machine
  planner risk SITE --pairs --now TIME --shard 2/2 -o json=2.json   on another one
  planner risk --merge 1.json 2.json                                the answer without --shard

  --merge refuses parts that are missing, duplicated, changed or from another sweep.";

/// `risk`.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = RISK)]
pub struct RiskArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub output: OutputArgs<RiskFormat>,
    /// Simulate losing every pair of things
    #[arg(long, conflicts_with = "triples")]
    pub pairs: bool,
    /// Simulate losing every set of three things
    #[arg(long)]
    pub triples: bool,
    /// The limit of losses in one run
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub limit: usize,
    /// Compute part K of N and write it as JSON for --merge; needs --now
    ///
    /// Run each part with the same documents, options and --now, on as many machines as you like.
    /// Parts take about the same time, not the same number of losses. Write them outside the PATHs.
    #[arg(long, value_name = "K/N", conflicts_with = "fail_on")]
    pub shard: Option<String>,
    /// Merge the parts of a sweep; the answer is that of a run without --shard
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["paths", "pairs", "triples", "limit", "shard"],
        conflicts_with_all = SITE_FLAGS
    )]
    pub merge: Vec<PathBuf>,
    /// Search for the smallest sets of edits that make each loss survivable; with all, also for one
    /// set for all losses of a kind
    ///
    /// Covers each loss that leaves something unplaced, or volumes behind. A set has at most 3
    /// edits and never edits the lost thing itself. planner proves each set by planning the edited
    /// site with and without the lost thing: with it, nothing may lose its place. Sets that change
    /// what is observed (status, labels that name a location such as region, zone or rack) come
    /// last; before them, sets that move nothing today come first. planner makes at most 400 plans
    /// per loss.
    #[arg(
        long,
        value_name = "all",
        num_args = 0..=1,
        default_missing_value = "each",
        value_parser = RemediesArg::read,
        conflicts_with_all = ["pairs", "triples", "shard", "merge"]
    )]
    pub remedies: Option<RemediesArg>,
    /// With --remedies all: print the edits as a patch for `git apply`; no file is written
    #[arg(long, requires = "remedies")]
    pub diff: bool,
    /// Exit with 3 if a loss has this impact
    #[arg(long, value_name = "WHAT")]
    pub fail_on: Option<RiskFailOn>,
    /// Show a row for each loss, and full lists of names
    #[arg(long)]
    pub trace: bool,
}

/// For which losses remedies are looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemediesArg {
    Each,
    All,
    /// The PATH that follows.
    Of(PathBuf),
}

impl RemediesArg {
    fn read(text: &str) -> Result<Self, String> {
        match text {
            "each" => Ok(Self::Each),
            "all" => Ok(Self::All),
            path if path == "-" || Path::new(path).exists() => Ok(Self::Of(PathBuf::from(path))),
            _ => Err("write --remedies or --remedies all".to_owned()),
        }
    }
}

/// Losses that can be made to fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RiskFailOn {
    /// Something cannot be placed any more
    Unplaceable,
    /// The same, or volumes are left behind
    Volume,
    /// The deployment or a critical group fails
    Critical,
}
