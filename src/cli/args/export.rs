//! The flags of `export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{CommonArgs, InputArgs, WithoutArgs};

/// The end of `export --help`.
const EXPORT: &str = "\
Files:
  DIR gets everything that the engine needs, and a README.md with the commands to run it. You write
  the actions (how to prepare and to deploy a node): they start as tasks that do nothing, and
  planner never changes them. Each export rewrites the other files, but refuses to replace one that
  was edited, unless --force is given.

Result:
  A run writes planner-result.json. `planner simulate --result FILE` compares it with the plan, and
  --resume prints the command that continues a failed or interrupted run.";

/// `export`.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = EXPORT)]
pub struct ExportArgs {
    /// The engine that runs the plan
    pub engine: Engine,
    #[command(flatten)]
    pub input: InputArgs,
    /// The directory to write
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// Ansible: reach each node at its address on this network
    #[arg(long, value_name = "NAME")]
    pub network: Option<String>,
    /// Airflow: the DAG's id. Argo: the prefix of workflow names [default: planner]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Replace files that were edited
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub without: WithoutArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// The engine that runs a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// ansible-core 2.16 or newer
    Ansible,
    /// Apache Airflow 3
    Airflow,
    /// Argo Workflows 3.6 or newer
    Argo,
}
