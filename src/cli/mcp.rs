//! `planner mcp`: the server for agents on standard input and output.

use std::io;
use std::path::PathBuf;

use crate::mcp::{Settings, serve};

use super::args::McpArgs;
use super::exit::Exit;
use super::failure::Failure;
use super::session;

/// Runs the command.
///
/// # Errors
/// Bad arguments.
pub(super) fn run(args: &McpArgs) -> Result<Exit, Failure> {
    let mut roots = args.directories.clone();
    if roots.is_empty() {
        roots.push(PathBuf::from("."));
    }
    if let Some(root) = roots.iter().find(|root| !root.is_dir()) {
        let root = root.display();
        return Err(Failure::usage(format!("{root} is not a directory")));
    }
    let settings = Settings {
        roots,
        config: args.config.clone(),
        site: args.site.clone(),
        now: args.now.as_deref().map(session::at_named).transpose()?,
        clock: session::clock,
        jobs: session::threads(args.jobs)?,
    };
    let input = io::BufReader::with_capacity(1 << 16, io::stdin());
    let served = serve(settings, input, io::stdout());
    served.map_err(|fault| Failure::usage(fault.to_string()))?;
    Ok(Exit::Success)
}
