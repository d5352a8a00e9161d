//! The arguments of `lsp`.
#![allow(missing_docs, reason = "each flag says what it does")]

use std::path::PathBuf;

use clap::Args;

/// `lsp`.
#[derive(Debug, Clone, Args)]
pub struct LspArgs {
    /// Speak over standard input and output, the only way there is; clients like to say so
    #[arg(long)]
    pub stdio: bool,
    /// The configuration file [default: the nearest planner.toml above each folder]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Which site to use if there are several
    #[arg(long, value_name = "NAME")]
    pub site: Option<String>,
    /// The time of the plan (RFC 3339) [default: the current time]
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,
    /// Worker threads [default: one per processor]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
}
