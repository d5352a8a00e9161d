//! `migrate`.

use clap::Args;

use super::super::formats::MigrateFormat;
use super::{CommonArgs, InputArgs, OutputArgs};

/// The end of `migrate --help`.
const MIGRATE: &str = "\
Each PlacementRule becomes a Placement in the same place, called NAME-placement. PlacementBindings,
Subscriptions and ApplicationSets that name the rule name the Placement instead. Comments and all
other bytes of the files stay.

A rule is migrated only if the Placement selects the same clusters. planner plans both over
generated clusters, with every choice of labels, conditions and taints that could tell them apart,
and over the clusters of the documents or of --hub. For each rule that is not migrated it prints
the reason and the smallest set of clusters that shows the difference.";

/// `migrate`.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = MIGRATE)]
#[allow(missing_docs, reason = "each flag says what it does")]
pub struct MigrateArgs {
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub output: OutputArgs<MigrateFormat>,
    /// Write the files instead of printing a diff; all of them or none
    #[arg(long)]
    pub write: bool,
    /// Ask for available clusters by taints, not by conditions in CEL
    ///
    /// For hubs without CEL selectors. Rules without conditions are migrated the same way. For
    /// rules that ask for available clusters the result differs where a cluster has another taint
    /// or never reported whether it is available.
    #[arg(long)]
    pub by_taints: bool,
    /// Migrate this rule with clusterReplicas if the Placement selects the same clusters here
    /// (repeatable)
    #[arg(long, value_name = "[NAMESPACE/]NAME", value_delimiter = ',')]
    pub allow: Vec<String>,
    /// With --write: write even if files have uncommitted changes
    #[arg(long, requires = "write")]
    pub allow_dirty: bool,
    /// With --write: write even if files that may name a rule could not be read
    ///
    /// Such files have a syntax error, are templates, or cannot be opened. They may go on naming
    /// the PlacementRule, and planner lists them.
    #[arg(long, requires = "write")]
    pub allow_unread: bool,
}
