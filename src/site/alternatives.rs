//! Objects of one name in several directories: demos, overlays, hubs side by side.
//!
//! Within one directory a second object of a name is a fault. In another one it is an
//! alternative: sound by itself, but a plan needs one of them.

use crate::diagnostic::{Diagnostic, Severity, Sink};
use crate::document::Documents;
use crate::source::{Place, SourceId};

/// The codes of second objects of one name.
const CODES: [&str; 4] = [
    "planner::airship::duplicate_document",
    "planner::hybrid::duplicate_identity",
    "planner::ocm::duplicate",
    "planner::ogc::duplicate_identity",
];

/// Whether a finding says that an object is an alternative to another one.
pub(crate) fn is_alternative(found: &Diagnostic) -> bool {
    CODES.contains(&found.rule.code) && found.severity == Severity::Warning
}

/// Says of second objects in another directory what they are, and how both are told apart.
pub(super) fn judge(documents: &Documents<'_>, validating: bool, sink: &mut Sink) {
    for found in &mut sink.diagnostics {
        let Some((again, first)) = places(found) else {
            continue;
        };
        let file = |source: SourceId| documents.sources.get(source).name.as_str();
        let directory = |source| {
            let name: &str = file(source);
            name.rsplit_once('/').map_or("", |(directory, _)| directory)
        };
        let (again, first) = (again.source, first.source);
        if directory(again) == directory(first) || of_one_site(documents, found, file(again)) {
            continue;
        }
        let object = found.object.as_ref();
        let what = object.map_or_else(
            || "the object".to_owned(),
            |object| format!("{} `{}`", object.kind, object.name),
        );
        found.message = format!("{what} is in {} and in {}", file(first), file(again));
        found.help = Some(
            "`planner plan` needs one of them: give it one directory, or leave the other out with \
             `exclude` in planner.toml"
                .to_owned(),
        );
        found.fix = None;
        if validating {
            found.severity = Severity::Warning;
            found.refuses = false;
        }
    }
}

/// The places of the second and the first object.
fn places(found: &Diagnostic) -> Option<(Place, Place)> {
    if !CODES.contains(&found.rule.code) {
        return None;
    }
    let again = found.primary.as_ref()?.place;
    let first = found.related.first()?.place;
    Some((again, first))
}

/// The directories of an Airship site make one set of documents.
fn of_one_site(documents: &Documents<'_>, found: &Diagnostic, file: &str) -> bool {
    found.rule.code == CODES[0]
        && documents.repositories.iter().any(|repository| {
            let files = repository.files.iter();
            files
                .into_iter()
                .any(|path| path.to_string_lossy().ends_with(file))
        })
}
