//! Proceed or Cancel: asks at a terminal, and records what was approved.

use std::path::Path;

use crate::document::record;
use crate::load::display_name;
use crate::plan::{Plan, Quality};
use crate::records::RecordHead;
use crate::render::text;
use crate::systems;

use super::answer::Run;
use super::args::ConsentArgs;
use super::confirm::{self, Choice, Question};
use super::exit::Exit;
use super::failure::Failure;
use super::formats::PlanFormat;
use super::records;
use super::session::Session;
use super::site::Planned;
use super::write;

/// A plan that may be approved.
pub(super) struct Proceed {
    pub(super) consent: ConsentArgs,
    pub(super) plan: Planned,
    pub(super) session: &'static Session,
    /// The PATHs that a record names as its origin.
    pub(super) origin: String,
}

/// Whether there is anything that Proceed would record.
pub(super) fn can_proceed(plan: &Plan<'_, '_>) -> bool {
    plan.verdict() == Quality::Ready && plan.recordable
}

/// The file that Proceed writes, if there is anything to record and a place for it.
pub(super) fn record_name(plan: &Plan<'_, '_>, session: &Session) -> Option<String> {
    let directory = session.request.records.as_deref()?;
    if !can_proceed(plan) {
        return None;
    }
    let number = records::next(directory, session.seen).ok()?;
    let path = records::path(directory, number, plan.record_name());
    Some(path.to_string_lossy().into_owned())
}

/// Whether a person will be asked. Then what is at stake stands directly above the question, below
/// all findings.
pub(super) fn asks(
    consent: ConsentArgs,
    plan: &Plan<'_, '_>,
    run: &Run<'_, PlanFormat>,
    session: &Session,
) -> bool {
    let records = session.request.records.as_deref();
    !consent.yes && can_proceed(plan) && why_not_ask(consent, run, records).is_none()
}

impl Proceed {
    /// Asks, or says why it cannot; records what was approved.
    pub(super) fn confirm(&self, run: &Run<'_, PlanFormat>, status: Exit) -> Result<Exit, Failure> {
        if !can_proceed(self.plan) {
            return Ok(status);
        }
        let (console, session) = (run.console, self.session);
        let directory = session.request.records.as_deref();
        let number = match directory {
            Some(directory) => records::next(directory, session.seen)?,
            None => 0,
        };
        if !self.consent.yes {
            if let Some(why) = why_not_ask(self.consent, run, directory) {
                console.note(&format!(
                    "Not recorded: {why}. {} Use --yes to proceed.\n",
                    write::nothing_else()
                ));
                return Ok(status);
            }
            let question = Question {
                text: "Proceed and save this plan?",
                whole_word: systems::stake(self.plan).loses(),
            };
            if let Some(record) = record_name(self.plan, session) {
                let screen = console.screen();
                let page = text::proceed(&systems::stake(self.plan), &record, &screen);
                console.err(&page.write(&screen));
            }
            console.err("\n");
            if confirm::at_terminal(console, question) == Choice::Cancel {
                console.err(&format!("Cancelled. {}\n", write::nothing_else()));
                return Ok(Exit::NotApproved);
            }
        }
        let Some(directory) = directory else {
            return Ok(status);
        };
        let here = std::env::current_dir().unwrap_or_default();
        let recorded = self.plan.records(&RecordHead {
            number,
            directory: &display_name(&directory.to_string_lossy(), &here.to_string_lossy()),
            origin: &self.origin,
        });
        let unchanged = || session.unchanged(self.plan.site.loaded);
        unchanged()?;
        confirm::claim_writing();
        let path = records::write(directory, session.seen, &recorded, unchanged)?;
        let name = crate::render::clean(&path.to_string_lossy()).into_owned();
        let number = record::shown(number);
        console.note(&format!(
            "Wrote {name}\nRecorded as {number}. Nothing is deployed.\n"
        ));
        Ok(status)
    }
}

/// Why a person cannot be asked here.
fn why_not_ask(
    consent: ConsentArgs,
    run: &Run<'_, PlanFormat>,
    records: Option<&Path>,
) -> Option<&'static str> {
    let console = run.console;
    if !run.outputs.for_people() {
        Some("standard output is for a program")
    } else if consent.no_input {
        Some("--no-input is set")
    } else if console.environment.ci {
        Some("CI is set")
    } else if records.is_none() {
        Some("the documents came from standard input")
    } else if !console.can_ask() {
        Some("no terminal to ask on")
    } else {
        None
    }
}
