//! `planner lsp`: the language server over standard input and output.

use std::env;
use std::io::{self, BufReader, IsTerminal as _};

use crate::lsp::{self, Host};

use super::args::LspArgs;
use super::exit::Exit;
use super::failure::Failure;
use super::session;

/// Runs the command.
///
/// # Errors
/// Bad arguments.
pub(super) fn run(args: &LspArgs) -> Result<Exit, Failure> {
    let now = args.now.as_deref().map(session::at_named).transpose()?;
    if io::stdin().is_terminal() {
        return Err(Failure::usage(
            "`planner lsp` speaks to an editor, which starts it; docs/editors.md says how",
        ));
    }
    let host = Host {
        config: args.config.clone(),
        site: args.site.clone(),
        now,
        clock: session::clock,
        program: env::current_exe().ok(),
        jobs: session::threads(args.jobs)?,
    };
    let ended = lsp::serve(BufReader::new(io::stdin()), io::stdout(), &host);
    Ok(if ended { Exit::Success } else { Exit::Fault })
}
