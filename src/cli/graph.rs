//! `planner graph`: the groups of a deployment strategy and their order.

use std::io;

use crate::airship::Strategy;
use crate::render::graph;

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::GraphArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::GraphFormat;
use super::output::Outputs;
use super::session::Session;
use super::site::Site;

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration.
pub(super) fn run(args: &GraphArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = match args.format {
        Some(format) => Outputs::stdout(format),
        None => args.output.outputs()?,
    };
    let run = Run::new(&args.common, &args.input.paths, outputs, console);
    run.answer(|| {
        let mut session = Session::new(&args.input.paths, &args.common, console)?;
        session.options.systems.clear();
        let site = Site::read(session, &run)?;
        let plan = site.plan(console);
        let answer = match &plan.strategy {
            Some(strategy) if plan.refused() => Answer::new(Graph(strategy), Outcome::Fault),
            Some(strategy) => Answer::new(Graph(strategy), Outcome::Fine),
            None if plan.refused() => Answer::without_data(Outcome::Fault),
            None => Answer::without_data(Outcome::nothing(
                "nothing to draw: there is no deployment strategy",
            )),
        };
        Ok(answer.found(site.report(&[&plan.findings]), site.sources()))
    })
}

struct Graph(&'static Strategy<'static, 'static>);

impl Data<GraphFormat> for Graph {
    fn write(&self, format: GraphFormat, out: &mut Out<'_>) -> io::Result<()> {
        out.text(&match format {
            GraphFormat::Dot => graph::dot(self.0),
            GraphFormat::Mermaid => graph::mermaid(self.0),
            GraphFormat::Json => graph::json(self.0),
        })
    }
}
