//! `render`.

use std::path::PathBuf;

use clap::Args;

use super::super::formats::RenderFormat;
use super::{CommonArgs, OutputArgs};

/// The end of `render --help`.
const RENDER: &str = "\
planner builds a kustomization itself, as kustomize 5.8.1 does. It runs no program and fetches
nothing: charts, remote resources and generators that are programs are left out and named; a
kustomization with a transformer that is a program is not built.

Values of Secrets are printed as <hidden>.";

/// `render`.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = RENDER)]
#[allow(missing_docs, reason = "each flag says what it does")]
pub struct RenderArgs {
    /// The directory of a kustomization, or one with a single kustomization to deploy [default: .]
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
    #[command(flatten)]
    pub common: CommonArgs,
    #[command(flatten)]
    pub output: OutputArgs<RenderFormat>,
    /// Say behind each value from another file or line where it comes from
    #[arg(long)]
    pub origins: bool,
    /// List the kustomizations that are deployed, and what is planned beside them
    #[arg(long, conflicts_with = "origins")]
    pub list: bool,
}
