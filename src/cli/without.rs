//! `planner plan --without`: what moves against the plan of the whole site. A preview: nothing is
//! asked or written.

use std::io;

use serde_json::Value;

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::diff::{self, Diff, FoundIn};
use crate::render::csv::{self, Form};
use crate::render::{Review, json, markdown, text};

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::PlanArgs;
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::WithoutFormat;
use super::output::Outputs;
use super::session::Session;
use super::site::{Planned, Site};

/// Runs the command.
///
/// # Errors
/// Bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &PlanArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = Outputs::parse(&args.output.words)?;
    let run = Run::new(&args.common, &args.input.paths, outputs, console);
    run.answer(|| {
        let mut session = Session::new(&args.input.paths, &args.common, console)?;
        session.options.trace = args.trace;
        session.options.packages.clone_from(&args.package);
        let whole = Site::read(session, &run)?;
        whole.check_packages(&args.package)?;
        let left = whole.without(&args.without)?;
        let (before, after) = (whole.plan(console), left.plan(console));
        let found = left.report(&[&after.findings]);
        let diff = diff::without(before, after, &args.without, &whole.session.options);
        let outcome = if whole.is_nothing(before) {
            Outcome::nothing(super::plan::NOTHING)
        } else {
            let changes = args.detailed_exitcode && !diff.moves.is_empty();
            Outcome::of(after.verdict(), changes)
        };
        // What was found before, and what only remarks that something is gone, is not said.
        let (new, _) = diff::findings(
            FoundIn {
                sink: &whole.report(&[&before.findings]),
                documents: &whole.checked.documents,
            },
            FoundIn {
                sink: &found.filtered(Diagnostic::is_error),
                documents: &left.checked.documents,
            },
        );
        let moved = Moved {
            names: args.without.clone(),
            before,
            after,
            diff,
            found,
        };
        Ok(Answer::new(moved, outcome)
            .found(new, left.sources())
            .of_hub(left.checked))
    })
}

struct Moved {
    names: Vec<String>,
    before: Planned,
    after: Planned,
    diff: Diff,
    found: Sink,
}

impl Moved {
    fn data(&self) -> io::Result<Value> {
        let sources = self.after.site.documents.sources;
        let answer = json::PlanAnswer::new(self.after, &self.found, sources);
        let mut value = serde_json::to_value(&answer)?;
        value["without"] = self.names.as_slice().into();
        value["moves"] = json::moves(&self.diff).into();
        Ok(value)
    }
}

impl Data<WithoutFormat> for Moved {
    fn write(&self, format: WithoutFormat, out: &mut Out<'_>) -> io::Result<()> {
        let title = |names: &[String]| format!("Plan without {}", names.join(", "));
        let shown = self.after.shown().map(|_| &self.diff);
        match (format, shown) {
            (WithoutFormat::Json, _) => out.json(&self.data()?),
            (WithoutFormat::Yaml, _) => out.yaml(&self.data()?),
            (WithoutFormat::Csv, diff) => csv::diff(diff, Form::Csv, out.bare()),
            (WithoutFormat::Tsv, diff) => csv::diff(diff, Form::Tsv, out.bare()),
            (WithoutFormat::Markdown, Some(diff)) => {
                let names: Vec<String> = self.names.iter().map(|one| markdown::code(one)).collect();
                out.text(&markdown::titled(diff, &title(&names)))
            }
            (WithoutFormat::Markdown, None) => {
                let errors = self.found.count(Severity::Error);
                let title = title(&self.names);
                out.text(&markdown::invalid(&title, errors, &Review::default()))
            }
            (WithoutFormat::Text, Some(diff)) => {
                let mut page = text::titled(diff, &title(&self.names), &out.screen);
                for line in diff::remarks(self.before, self.after, diff) {
                    page.line(line);
                }
                out.page(&page)
            }
            (WithoutFormat::Text, None) => out.page(&text::invalid(&self.found, &out.screen)),
        }
    }
}
