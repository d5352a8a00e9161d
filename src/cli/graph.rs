//! `planner graph`: the groups of a deployment strategy and their order.

use crate::plan;
use crate::render::{diagnostics, graph};
use crate::site;

use super::args::{GraphArgs, GraphFormat};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::session::Session;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration.
pub(super) fn run(args: &GraphArgs, console: &Console) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.input.paths, &args.common, console)?;
    session.options.systems.clear();
    let loaded = session.open(console)?;
    let checked = site::check(&loaded, &session.rules);
    let plan = plan::make(&checked, &session.options);
    let found = checked.report(&[&plan.findings]);
    console.err(&diagnostics::full(
        &found,
        &loaded.sources,
        console.look_on_stderr(),
    ));
    let Some(strategy) = &plan.strategy else {
        if plan.refused() {
            return Ok(Exit::Fault);
        }
        console.err("planner: nothing to draw: there is no deployment strategy\n");
        return Ok(Exit::NoInput);
    };
    let text = match args.format {
        GraphFormat::Dot => graph::dot(strategy),
        GraphFormat::Mermaid => graph::mermaid(strategy),
        GraphFormat::Json => graph::json(strategy),
    };
    console.out(&text)?;
    Ok(if plan.refused() {
        Exit::Fault
    } else {
        Exit::Success
    })
}
