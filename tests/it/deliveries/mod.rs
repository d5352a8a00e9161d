//! What reaches which cluster: the corpora of consumers of placements, and their screens.

mod applications;
mod chains;
mod changes;
mod faults;
mod graph;
mod hostile;
mod hub;
mod inside;
mod once;
mod policies;
mod readers;
mod rollouts;

use serde_json::Value;

use crate::support::Folder;

/// The plan of a file as data.
fn plan(path: &std::path::Path) -> Value {
    let path = path.to_str().unwrap();
    let words = [
        "plan",
        "-o",
        "json",
        "--trace",
        "--no-input",
        "--keep-going",
    ];
    Folder::new().run(&[&words[..], &[path]].concat()).json()
}

/// Holds rows against those that are wanted: the same ones, with these fields alike, and an error
/// where there is to be one.
fn same_rows(case: &str, got: &Value, want: &Value, fields: &[&str]) {
    let key = |row: &Value| {
        let text = |key: &str| row[key].as_str().unwrap_or("").to_owned();
        [text("kind"), text("namespace"), text("name")]
    };
    let rows = |all: &Value| all.as_array().cloned().unwrap_or_default();
    let (got, want) = (rows(got), rows(want));
    let (mut have, mut wanted): (Vec<_>, Vec<_>) = (
        got.iter().map(key).collect(),
        want.iter().map(key).collect(),
    );
    have.sort();
    wanted.sort();
    assert_eq!(have, wanted, "{case}");
    for want in &want {
        let row = got.iter().find(|row| key(row) == key(want)).unwrap();
        for field in fields {
            assert_eq!(row.get(field), want.get(field), "{case}: {field} of {row}");
        }
        let fails = |row: &Value| row.get("error").is_some();
        assert_eq!(fails(row), fails(want), "{case}: {row}");
    }
}
