//! `planner graph`: the groups of a deployment strategy and their order.

use crate::render::{diagnostics, graph};
use crate::site;

use super::args::{GraphArgs, GraphFormat};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::session;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration.
pub(super) fn run(args: &GraphArgs, console: &Console) -> Result<Exit, Failure> {
    let mut session = session::open(&args.input.paths, &args.common, console)?;
    let mut sink = std::mem::take(&mut session.loaded.sink);
    let documents = session.loaded.documents();
    session.print_notes(&documents, console);
    let sources = documents.sources;
    let site = site::check(
        &documents,
        session.loaded.unreadable,
        &session.options,
        &mut sink,
    );
    session.report_foreign(&documents, &mut sink);
    session.config.apply(&mut sink);
    sink.sort(sources);
    console.err(&diagnostics::full(&sink, sources, console.look_on_stderr()));
    if site.airship.site.is_none() {
        if sink.refused() {
            return Ok(Exit::Fault);
        }
        console.err("planner: nothing to draw: there is no deployment strategy\n");
        return Ok(Exit::NoInput);
    }
    let text = match args.format {
        GraphFormat::Dot => graph::dot(&site.airship),
        GraphFormat::Mermaid => graph::mermaid(&site.airship),
        GraphFormat::Json => graph::json(&site.airship),
    };
    console.out(&text)?;
    Ok(if sink.refused() {
        Exit::Fault
    } else {
        Exit::Success
    })
}
