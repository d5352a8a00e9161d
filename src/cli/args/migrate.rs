//! `migrate`.

use clap::Args;

use super::super::formats::MigrateFormat;
use super::{CommonArgs, InputArgs, OutputArgs};

/// What `migrate --help` says below the flags.
const MIGRATE: &str = "\
Each PlacementRule becomes a Placement in its place, called NAME-placement, and what refers to the
rule refers to it: PlacementBindings, Subscriptions and ApplicationSets. Comments and all other
bytes of the files stay.

A rule is taken over only if the Placement comes to the same clusters. Both are planned over
invented clusters with every choice of labels, conditions and taints that either could tell apart,
and over the clusters of the documents or of --hub. Of a rule that stays, the reason is printed
with the fewest clusters that show it.";

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
    /// For hubs that do not know selectors in CEL. It is the same for rules without conditions. For
    /// rules that ask for available clusters it differs where a cluster has another taint or never
    /// reported whether it is available.
    #[arg(long)]
    pub by_taints: bool,
    /// Take over this rule with clusterReplicas if it comes to the same clusters here (repeatable)
    #[arg(long, value_name = "[NAMESPACE/]NAME", value_delimiter = ',')]
    pub allow: Vec<String>,
    /// With --write: also if files have uncommitted changes
    #[arg(long, requires = "write")]
    pub allow_dirty: bool,
}
