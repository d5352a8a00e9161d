//! The records to write: the data of each action, and the file that it belongs to.

use serde_json::{Value, json};

use super::engine::data::data;
use super::model::Action;
use super::{Planned, Regions};
use crate::document::record;

/// The annotation that names the file a record belongs to, seen from the directory that holds
/// the records' directory.
pub(super) const FILE: &str = "planner/file";

/// The records of a plan: for each file in which nodes are added or removed, its action with the
/// new data. `directory` is the display name of the directory of records, `number` the record's
/// own number.
#[must_use]
pub fn records(regions: &Regions<'_, '_>, directory: &str, number: &str) -> Vec<Value> {
    let changing = regions.planned.iter().filter(|planned| planned.changes());
    let record = |planned: &Planned<'_, '_>| {
        let data = data(planned.check, &planned.outcome);
        let (path, action) = (planned.set.path, planned.check.action);
        document(path, action, data, directory, number)
    };
    changing.map(record).collect()
}

/// The record of a file's action with its new data, as a document. `directory` is where records
/// lie, `number` the record's own.
fn document(
    path: &str,
    action: &Action<'_>,
    data: serde_json::Map<String, Value>,
    directory: &str,
    number: &str,
) -> Value {
    let file = seen_from(path, parent(directory));
    json!({
        "type": "senlin.action",
        "version": "1.0",
        "metadata": {"annotations": {record::ANNOTATION: number, FILE: file}},
        "properties": {"action": action.name, "inputs": action.asked, "data": data},
    })
}

/// The file that a record belongs to, by its annotation.
pub(super) fn file_of(record: &str, file: &str) -> String {
    joined(parent(parent(record)), file)
}

fn parent(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((parent, _)) => parent,
        None => "",
    }
}

/// A path relative to a directory as text, `..` taken out where it can be.
fn joined(home: &str, file: &str) -> String {
    if file.starts_with('/') || home.is_empty() {
        return file.to_owned();
    }
    let mut parts: Vec<&str> = home.split('/').collect();
    for part in file.split('/') {
        match part {
            ".." if parts
                .last()
                .is_some_and(|last| *last != ".." && !last.is_empty()) =>
            {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// A path as seen from a directory; absolute paths stay unless they lie below it.
fn seen_from(path: &str, home: &str) -> String {
    let below = path
        .strip_prefix(home.trim_end_matches('/'))
        .and_then(|rest| {
            if home.is_empty() {
                Some(rest)
            } else {
                rest.strip_prefix('/')
            }
        });
    if let Some(below) = below {
        return below.to_owned();
    }
    if path.starts_with('/') || home.starts_with('/') {
        return path.to_owned();
    }
    let (mut from, mut to) = (home.split('/').peekable(), path.split('/').peekable());
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let up = from.map(|_| "..");
    up.chain(to).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_found_again_from_wherever_the_program_runs() {
        for (path, directory, file) in [
            ("site/web.yaml", "site/planner-records", "web.yaml"),
            ("site/a/web.yaml", "site/planner-records", "a/web.yaml"),
            ("web.yaml", "planner-records", "web.yaml"),
            ("web.yaml", "web.records", "web.yaml"),
            (
                "/tmp/site/web.yaml",
                "/tmp/site/planner-records",
                "web.yaml",
            ),
            ("site/web.yaml", "out/records", "../site/web.yaml"),
            ("/tmp/web.yaml", "records", "/tmp/web.yaml"),
        ] {
            assert_eq!(seen_from(path, parent(directory)), file);
            let record = format!("{directory}/0001-site.yaml");
            assert_eq!(file_of(&record, file), path);
        }
        // From inside the directory the same record names the same file.
        assert_eq!(
            file_of("planner-records/0001-site.yaml", "web.yaml"),
            "web.yaml"
        );
    }
}
