//! `planner graph`: the groups of a deployment strategy and their order.

use crate::render::{diagnostics, graph};

use super::args::GraphArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::GraphFormat;
use super::output::Outputs;
use super::progress;
use super::session::Session;
use super::unanswered::Inputs;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration.
pub(super) fn run(args: &GraphArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = Outputs::stdout(args.format);
    let inputs = Inputs::of(&args.common, &args.input.paths);
    outputs.answer(&inputs, console, || draw(args, &outputs, console))
}

fn draw(
    args: &GraphArgs,
    outputs: &Outputs<GraphFormat>,
    console: &Console,
) -> Result<Exit, Failure> {
    let mut session = Session::new(&args.input.paths, &args.common, console)?;
    session.options.systems.clear();
    let loaded = session.open(console)?;
    let checked = progress::check(&loaded, &session.rules, console);
    let plan = progress::plan(&checked, &session.options, console);
    let found = checked.report(&[&plan.findings]);
    console.err(&diagnostics::full(
        &found,
        &loaded.sources,
        console.look_on_stderr(),
    ));
    let Some(strategy) = &plan.strategy else {
        if plan.refused() {
            return Err(Failure::said(Exit::Fault, found, loaded.sources.clone()));
        }
        console.err("planner: nothing to draw: there is no deployment strategy\n");
        return Err(Failure::said(Exit::NoInput, found, loaded.sources.clone()));
    };
    for output in outputs.answered() {
        let text = match output.format {
            GraphFormat::Dot => graph::dot(strategy),
            GraphFormat::Mermaid => graph::mermaid(strategy),
            GraphFormat::Json => graph::json(strategy),
        };
        output.emit(console, |out| out.write_all(text.as_bytes()))?;
    }
    Ok(if plan.refused() {
        Exit::Fault
    } else {
        Exit::Success
    })
}
