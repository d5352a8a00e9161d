//! `mcp`.

use std::path::PathBuf;

use clap::Args;

/// The end of `mcp --help`.
const MCP: &str = "\
Tools: validate, plan, why, diff, risk, explain and schema. All only read: nothing is written, no
command of an advisor runs, nothing goes out to the network, and values of Secrets are not shown.
Files outside of DIR are not read, links that lead out included.

A client starts it; docs/agents.md has the settings of Claude Code, Cursor, VS Code, Zed and
Codex.";

/// `mcp`.
#[derive(Debug, Clone, Args)]
#[command(after_long_help = MCP)]
#[allow(missing_docs, reason = "each flag says what it does")]
pub struct McpArgs {
    /// The directories that may be read [default: .]
    #[arg(value_name = "DIR")]
    pub directories: Vec<PathBuf>,
    /// Use this planner.toml instead of the nearest one
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The site, where a repository holds several
    #[arg(long, value_name = "NAME")]
    pub site: Option<String>,
    /// Judge at this time instead of the clock's (RFC 3339)
    #[arg(long, value_name = "TIME")]
    pub now: Option<String>,
    /// Worker threads [default: one per core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
}
