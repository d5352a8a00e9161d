//! `planner graph`: the groups of a deployment strategy and their order, and what leads to what is
//! delivered.

use std::io;

use crate::airship::Strategy;
use crate::delivery;
use crate::document::System;
use crate::render::graph::{self, Drawing};

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
        None if args.output.words.is_empty() && console.stdout => {
            Outputs::stdout(GraphFormat::Text)
        }
        None => args.output.outputs()?,
    };
    let run = Run::new(&args.common, &args.input.paths, outputs, console);
    run.answer(|| {
        let mut session = Session::new(&args.input.paths, &args.common, console)?;
        session.options.systems = vec![System::Ocm];
        let site = Site::read(session, &run)?;
        let plan = site.plan(console);
        let deliveries = plan.deliveries.iter().filter(|all| !all.rows.is_empty());
        let graph = Graph {
            strategy: plan.strategy.as_ref(),
            deliveries: deliveries
                .map(|all| delivery::graph::graph(&plan.site.delivery, all))
                .next(),
        };
        let answer = match (
            graph.strategy.is_some() || graph.deliveries.is_some(),
            plan.refused(),
        ) {
            (true, true) => Answer::new(graph, Outcome::Fault),
            (true, false) => Answer::new(graph, Outcome::Fine),
            (false, true) => Answer::without_data(Outcome::Fault),
            (false, false) => Answer::without_data(Outcome::nothing(
                "nothing to draw: there is no deployment strategy and there are no deliveries",
            )),
        };
        let found = site.report(&[&plan.findings]);
        Ok(answer.found(found, site.sources()).of_hub(site.checked))
    })
}

struct Graph {
    strategy: Option<&'static Strategy<'static, 'static>>,
    deliveries: Option<delivery::graph::Graph<'static>>,
}

impl Data<GraphFormat> for Graph {
    fn write(&self, format: GraphFormat, out: &mut Out<'_>) -> io::Result<()> {
        let drawing = Drawing {
            strategy: self.strategy,
            deliveries: self.deliveries.as_ref(),
        };
        match format {
            GraphFormat::Dot => {
                out.commented("//")?;
                out.text(&graph::dot(drawing))
            }
            GraphFormat::Mermaid => {
                out.commented("%%")?;
                out.text(&graph::mermaid(drawing))
            }
            GraphFormat::Text => out.page(&graph::text(drawing, &out.screen)),
            GraphFormat::Json => out.indented(&graph::json(drawing)),
        }
    }
}
