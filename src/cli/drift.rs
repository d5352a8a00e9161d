//! `planner drift`: what on a hub differs from the documents.

use std::io;

use crate::diagnostic::{Severity, Sink};
use crate::document::System;
use crate::drift::{self, Drift, Parts};
use crate::options::CheckOptions;
use crate::render::csv::{self, Form};
use crate::render::diagnostics::Findings;
use crate::render::{self, json, markdown_drift, text};

use super::answer::{Answer, Data, Out, Outcome, Run};
use super::args::{DriftArgs, DriftPart};
use super::console::Console;
use super::exit::Exit;
use super::failure::Failure;
use super::formats::{DriftFormat, GITHUB, SARIF};
use super::progress;
use super::session::{Session, keep};
use super::site::{Planned, Site};

/// Runs the command.
///
/// # Errors
/// No snapshot (64), bad arguments, a bad configuration, an output that cannot be written.
pub(super) fn run(args: &DriftArgs, console: &Console) -> Result<Exit, Failure> {
    let outputs = args.output.outputs()?;
    let run = Run::new(&args.common, &args.input.paths, outputs, console);
    run.answer(|| {
        let mut session = Session::new(&args.input.paths, &args.common, console)?;
        if session.request.hub.is_none() {
            return Err(Failure::usage(
                "drift compares with a hub: pass its snapshot with --hub FILE",
            ));
        }
        session.options.systems = vec![System::Ocm];
        session.options.keep_going = true;
        let site = Site::read(session, &run)?;
        let plan = site.plan(console);
        let drift = compared(args, site, plan, console);
        let found = site.report(&[&plan.findings]);
        let outcome = outcome(args, drift.as_ref(), found.refused());
        let answer = Drifted {
            site,
            plan,
            drift,
            found: found.clone(),
        };
        Ok(Answer::new(answer, outcome)
            .errors(&found, site.sources())
            .of_hub(site.checked))
    })
}

fn compared(args: &DriftArgs, site: Site, plan: Planned, console: &Console) -> Option<Drift> {
    let now = site.session.settings.now;
    let hub = site.loaded.hub.as_ref()?;
    // The hub decided at its own time.
    let at = keep(CheckOptions {
        ignores: None,
        strict: false,
        ..CheckOptions {
            now: hub.as_of().unwrap_or(now),
            ..site.session.settings.clone()
        }
    });
    let compare = || drift::drift(site.loaded, plan, at, &site.session.options, parts(args));
    progress::watch(
        console,
        || progress::Doing::from("Comparing with the hub…"),
        compare,
    )
}

fn parts(args: &DriftArgs) -> Parts {
    if args.only.is_empty() {
        return Parts::ALL;
    }
    let has = |part| args.only.contains(&part);
    Parts {
        fields: has(DriftPart::Fields),
        missing: has(DriftPart::Missing),
        decisions: has(DriftPart::Decisions),
        next: has(DriftPart::Next),
    }
}

fn outcome(args: &DriftArgs, drift: Option<&Drift>, refused: bool) -> Outcome {
    let Some(drift) = drift else {
        return Outcome::nothing("nothing to compare: there is no snapshot");
    };
    let merged = &drift.hub;
    if merged.both == 0 && merged.fresh.is_empty() && !refused {
        let kinds: Vec<&str> = merged.left_out().into_keys().collect();
        if kinds.is_empty() {
            return Outcome::nothing(
                "nothing to compare: these documents contain no object that a hub has",
            );
        }
        if drift.next.is_empty() {
            return Outcome::nothing(format!(
                "nothing to compare: the export holds no object of the kinds in these documents \
                 ({}); `planner explain ocm::no_hub` has the command that exports all",
                kinds.join(", ")
            ));
        }
    }
    let due = args.detailed_exitcode && !drift.next.is_empty();
    match () {
        () if refused => Outcome::Fault,
        () if args.exit_zero => Outcome::Fine,
        () if drift.is_drift() || due => Outcome::Changes,
        () => Outcome::Fine,
    }
}

/// The drift of a hub, and the plan that it was found with.
struct Drifted {
    site: Site,
    plan: Planned,
    drift: Option<Drift>,
    found: Sink,
}

impl Drifted {
    /// The drift as findings, with the errors that the documents have.
    fn findings(&self) -> Sink {
        let mut sink = match &self.drift {
            Some(drift) => self.site.judged(render::drift::findings(drift)),
            None => Sink::default(),
        };
        sink.append(
            self.found
                .filtered(|found| found.severity == Severity::Error),
        );
        sink.sort(self.site.sources());
        sink
    }
}

impl Data<DriftFormat> for Drifted {
    fn write(&self, format: DriftFormat, out: &mut Out<'_>) -> io::Result<()> {
        let sources = self.site.sources();
        let found = self.findings();
        let data = || json::DriftAnswer::new(self.drift.as_ref(), self.plan, &self.found, sources);
        let findings = Findings {
            fails: Severity::Warning,
            ..self.site.findings(&found)
        };
        match (format, &self.drift) {
            (DriftFormat::Json, _) => out.json(&data()),
            (DriftFormat::Yaml, _) => out.yaml(&data()),
            (DriftFormat::Sarif, _) => out.tool(SARIF, findings),
            (DriftFormat::Github, _) => out.tool(GITHUB, findings),
            (DriftFormat::Csv, drift) => csv::drift(drift.as_ref(), sources, Form::Csv, out.bare()),
            (DriftFormat::Tsv, drift) => csv::drift(drift.as_ref(), sources, Form::Tsv, out.bare()),
            (_, None) => Ok(()),
            (DriftFormat::Text, Some(drift)) => {
                out.page(&text::drift(drift, self.plan, &out.screen))
            }
            (DriftFormat::Markdown, Some(drift)) => {
                let head = text::hub(&drift.hub, sources, self.plan.now);
                out.text(&markdown_drift::drift(drift, &head))
            }
        }
    }
}
