//! The documents that a saved plan was made from, if git still has them. They show why a decision
//! has changed.

use crate::diagnostic::Sink;
use crate::diff::{self, Diff, State};
use crate::load::git::is_commit;
use crate::options::{CheckOptions, Options};
use crate::plan::{self, Plan};
use crate::render::json;
use crate::saved::{SavedPlan, Sections, essence};
use crate::site;
use crate::workspace::at_revision;

use super::super::console::Console;
use super::super::exit::Exit;
use super::super::failure::Failure;
use super::super::session::{self, Session, keep};

/// The sections of a plan as data.
///
/// # Errors
/// It cannot be written as data (1).
pub(super) fn outcome(plan: &Plan<'_, '_>) -> Result<Sections, Failure> {
    let failed = |error: anyhow::Error| Failure::of(Exit::Fault, error).context("cannot compare");
    let found = Sink::default();
    let answer = json::PlanAnswer::new(plan, &found, plan.site.documents.sources).saved(plan);
    let mut text = Vec::new();
    answer
        .write_json(1, &mut text)
        .map_err(|error| failed(error.into()))?;
    Sections::of_plan(&text).map_err(|error| failed(error.into()))
}

/// The moves between a saved plan and a later one, with their causes where the documents of the
/// saved one are at hand; `moved` are the moves without causes.
pub(super) fn explained(
    moved: Diff,
    saved: &SavedPlan,
    later: &Plan<'_, '_>,
    session: &Session,
    console: &Console,
) -> Diff {
    if moved.moves.is_empty() {
        return moved;
    }
    let mut diff = match plan_of(saved, session, console) {
        Some(earlier) => {
            let old = State::of(earlier);
            let new = State::of(later).keeping(earlier, later);
            diff::compare(&old, &new, &session.options)
        }
        None => moved,
    };
    diff.add_failures(later);
    diff
}

/// The plan of the documents a saved plan was made of. None where no revision has them, and where
/// planning them gives another result now: then they say nothing about the saved plan.
pub(super) fn plan_of(
    saved: &SavedPlan,
    session: &Session,
    console: &Console,
) -> Option<&'static Plan<'static, 'static>> {
    let revision = saved.revision.as_deref().filter(|name| is_commit(name))?;
    let request = at_revision(revision, &session.request).ok()?;
    let loaded = keep(session::open(&request, console).ok()?);
    let settings = keep(CheckOptions {
        now: saved.now.parse().ok()?,
        strict: false,
        ..session.settings.clone()
    });
    let checked = keep(site::check(loaded, settings));
    // Never run commands from the compared state.
    let options = Options {
        allow_commands: false,
        ..session.options.clone()
    };
    let plan = keep(plan::make(checked, &options));
    let same = essence(&outcome(plan).ok()?) == essence(&saved.outcome);
    (same && !plan.refused()).then_some(plan)
}
