//! The answers of the tools.

mod decision;
mod differences;
mod losses;
mod manual;
mod state;

pub(super) use decision::why;
pub(super) use differences::diff;
pub(super) use losses::risk;
pub(super) use manual::{explain, schema};
pub(super) use state::{plan, validate};

use serde_json::{Value, json};

use crate::diagnostic::{Severity, Sink};
use crate::workspace::{Fault, Snapshot};

use super::arguments::{Arguments, Mistake};
use super::sites::Sites;

/// How many findings of each severity there are.
fn counts(found: &Sink) -> Value {
    json!({
        "error": found.count(Severity::Error),
        "warning": found.count(Severity::Warning),
        "note": found.count(Severity::Note),
    })
}

/// The errors among the findings of a snapshot: they say why there is no plan.
fn errors(snapshot: &Snapshot) -> impl Iterator<Item = Value> + '_ {
    let found = snapshot.findings.diagnostics.iter();
    let errors = found.filter(|found| found.is_error());
    errors.map(|found| super::edits::finding(found, snapshot.sources()))
}

/// How many documents there are.
fn documents(snapshot: &Snapshot) -> Value {
    let counts = snapshot.plan().counts;
    json!({"read": counts.read, "planned": counts.planned, "notOurs": counts.not_ours})
}

/// The mistake for which there is no snapshot.
fn mistaken(sites: &Sites, arguments: Arguments<'_>, fault: &Fault) -> Mistake {
    let path = arguments.text("path").ok().flatten().unwrap_or(".");
    sites.mistake(path, fault)
}
