//! Records of earlier plans: the data of an action, laid over the site's own.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::diagnostic::Sink;
use crate::document::{DocumentKind, Documents};
use crate::senlin::model::Action;

/// The annotation that names the file a record belongs to, seen from the directory that holds
/// the records' directory.
const FILE: &str = "planner/file";

/// The newest record of each file, by the file's name.
pub(super) fn newest<'a>(documents: &Documents<'a>) -> BTreeMap<String, Action<'a>> {
    let mut found: BTreeMap<String, (u64, Action<'a>)> = BTreeMap::new();
    for document in documents.of(DocumentKind::Senlin) {
        let Some(number) = document.record else {
            continue;
        };
        let file = document
            .node
            .at(&["metadata", "annotations", FILE])
            .and_then(|n| n.text());
        let Some(file) = file else { continue };
        // What a record says of form was judged when it was written.
        let Some(action) = super::action::lower(document.node, &mut Sink::default()) else {
            continue;
        };
        let home = home(&documents.sources.get(document.source).name);
        let file = joined(home, file);
        if found.get(&file).is_none_or(|(known, _)| *known < number) {
            found.insert(file, (number, action));
        }
    }
    found
        .into_iter()
        .map(|(file, (_, action))| (file, action))
        .collect()
}

/// A record answers one request: for another action or other inputs it says nothing.
pub(super) fn lay_over<'a>(action: &mut Action<'a>, record: &Action<'a>) {
    if action.name == record.name && action.asked == record.asked {
        action.data.clone_from(&record.data);
        action.creation = record.creation;
        action.deletion = record.deletion;
    }
}

/// The record of a file's action with its new data, as a document. `directory` is where records
/// lie, `number` the record's own.
pub(in crate::senlin) fn document(
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
        "metadata": {"annotations": {"planner/record": number, FILE: file}},
        "properties": {"action": action.name, "inputs": action.asked, "data": data},
    })
}

/// The directory that holds the directory of a record.
fn home(record: &str) -> &str {
    parent(parent(record))
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
            assert_eq!(joined(home(&record), file), path);
        }
        // From inside the directory the same record names the same file.
        assert_eq!(
            joined(home("planner-records/0001-site.yaml"), "web.yaml"),
            "web.yaml"
        );
    }
}
