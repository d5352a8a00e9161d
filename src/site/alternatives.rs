//! Objects of one name in several files: demos, overlays, hubs side by side.
//!
//! Within one file a second object of a name is a fault. In another directory, and with objects of
//! Kubernetes in another file, it is an alternative: sound by itself, but a plan needs one of them.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Diagnostic, Severity, Sink, Tells};
use crate::document::Documents;
use crate::source::{Place, SourceId, Sources};

/// Names of objects that one finding tells.
const NAMED: usize = 3;

/// Whether a finding says that a name is taken.
pub(super) fn is_duplicate(found: &Diagnostic) -> bool {
    found.rule.tells.is_twin()
}

/// Whether a finding is about objects that a plan can do without.
pub(super) fn is_left_out(found: &Diagnostic) -> bool {
    found.rule.tells == Tells::SpareTwin
}

/// Whether a finding says that an object is an alternative to another one.
pub(crate) fn is_alternative(found: &Diagnostic) -> bool {
    is_duplicate(found) && found.severity == Severity::Warning
}

/// Reports second objects in another file, and how to tell both apart. A review
/// says it once per directory.
pub(super) fn judge(documents: &Documents<'_>, validating: bool, sink: &mut Sink) {
    let mut directories: BTreeMap<(&str, &str), Vec<Diagnostic>> = BTreeMap::new();
    let file = |source: SourceId| documents.sources.get(source).name.as_str();
    let directory = |source: SourceId| {
        let name: &str = file(source);
        name.rsplit_once('/').map_or("", |(directory, _)| directory)
    };
    sink.diagnostics.retain_mut(|found| {
        let Some((again, first)) = places(found) else {
            return true;
        };
        let (again, first) = (again.source, first.source);
        let together = directory(again) == directory(first);
        let apart = if together {
            again != first && matches!(found.rule.tells, Tells::AppliedTwin | Tells::SpareTwin)
        } else {
            !of_one_site(documents, found, file(again))
        };
        if !apart {
            return true;
        }
        found.message = format!(
            "{} is in both {} and {}",
            named(found),
            file(first),
            file(again)
        );
        let one = if together { "file" } else { "directory" };
        let needs = if is_left_out(found) {
            "leaves both out"
        } else {
            "needs exactly one"
        };
        found.help = Some(
            format!(
                "`planner plan` {needs}: pass one {one}, or leave the other out with `exclude` in \
             planner.toml"
            )
            .into(),
        );
        found.fix = None;
        if validating {
            found.severity = Severity::Warning;
            found.refuses = false;
            let known = directories.entry((directory(again), found.rule.code));
            known.or_default().push(found.clone());
        }
        !validating
    });
    for ((directory, _), found) in directories {
        sink.diagnostics.extend(once(directory, found));
    }
}

/// The object of a finding.
fn named(found: &Diagnostic) -> String {
    let object = found.object.as_ref();
    object.map_or_else(
        || "the object".to_owned(),
        |object| format!("{} `{}`", object.kind, object.name),
    )
}

/// The finding for all second objects of a directory.
fn once(directory: &str, all: Vec<Diagnostic>) -> Option<Diagnostic> {
    let names: BTreeSet<String> = all.iter().map(named).collect();
    let count = all.len();
    let mut found = all.into_iter().next()?;
    if count > 1 {
        let mut shown: Vec<&str> = names.iter().map(String::as_str).take(NAMED).collect();
        if names.len() > NAMED {
            shown.push("…");
        }
        let here = if directory.is_empty() { "." } else { directory };
        let shown = shown.join(", ");
        found.message = format!("{count} objects in {here} are also in other files: {shown}");
        let needs = if is_left_out(&found) {
            "leaves them all out"
        } else {
            "needs exactly one of each"
        };
        found.help = Some(
            format!(
                "`planner plan` {needs}: pass one of the files or directories, or leave the others \
             out with `exclude` in planner.toml"
            )
            .into(),
        );
    }
    Some(found)
}

/// The places of the second and the first object.
fn places(found: &Diagnostic) -> Option<(Place, Place)> {
    if !is_duplicate(found) {
        return None;
    }
    let again = found.primary.as_ref()?.place;
    let first = found.related.first()?.place;
    Some((again, first))
}

/// The directories that hold the same objects, sorted, where most errors say so: a PATH that holds
/// several sites side by side. Empty otherwise.
#[must_use]
pub fn twins(sink: &Sink, sources: &Sources) -> Vec<String> {
    let mut directories = BTreeSet::new();
    let (mut errors, mut doubled) = (0, 0);
    for found in &sink.diagnostics {
        errors += usize::from(found.severity == Severity::Error);
        let Some((again, first)) = places(found) else {
            continue;
        };
        let [again, first] = [again, first].map(|place| sources.get(place.source).name.as_str());
        if let Some((again, first)) = apart(again, first) {
            doubled += 1;
            directories.extend([again, first]);
        }
    }
    if 2 * doubled <= errors || directories.len() > doubled {
        return Vec::new();
    }
    directories.into_iter().map(str::to_owned).collect()
}

/// Two files of one name in two directories, without what their paths end in alike.
fn apart<'f>(again: &'f str, first: &'f str) -> Option<(&'f str, &'f str)> {
    let alike = again.rsplit('/').zip(first.rsplit('/'));
    let alike = alike.take_while(|(one, other)| one == other);
    let end: usize = alike.map(|(part, _)| part.len() + 1).sum();
    let whole = |name: &'f str| name.len().checked_sub(end).map(|at| &name[..at]);
    let both = (whole(again)?, whole(first)?);
    (end > 0).then_some(both)
}

/// The directories of an Airship site make one set of documents.
fn of_one_site(documents: &Documents<'_>, found: &Diagnostic, file: &str) -> bool {
    found.rule.tells == Tells::SiteTwin
        && documents.repositories.iter().any(|repository| {
            let files = repository.files.iter();
            files
                .into_iter()
                .any(|path| path.to_string_lossy().ends_with(file))
        })
}

#[cfg(test)]
mod tests {
    use super::apart;

    #[test]
    fn directories_are_what_paths_do_not_share_at_their_end() {
        let both = apart("sites/west/clusters/a.yaml", "sites/east/clusters/a.yaml");
        assert_eq!(both, Some(("sites/west", "sites/east")));
        assert_eq!(apart("b/a.yaml", "a.yaml"), None);
        assert_eq!(apart("b/a.yaml", "b/c.yaml"), None);
    }
}
