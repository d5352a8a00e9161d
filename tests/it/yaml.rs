//! YAML as the original readers see it: files beside what PyYAML makes of them.

use std::fs;
use std::path::Path;

use planner::yaml::{Dialect, Limits, Node, cut, json, parse_as};
use serde_json::Value;

/// Equal, numbers by their value.
fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |((a, x), (b, y)): ((&String, &Value), _)| a == b && alike(x, y);
            a.len() == b.len() && a.iter().zip(b).all(same)
        }
        (a, b) => a == b,
    }
}

#[test]
fn every_file_is_read_as_by_the_original_reader() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/yaml");
    let mut read = 0;
    for entry in fs::read_dir(&folder).expect("the files") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "yaml") {
            continue;
        }
        read += 1;
        let text = fs::read_to_string(&path).expect("text");
        let wanted = fs::read_to_string(path.with_extension("json")).expect("what it means");
        let mut wanted: Vec<Value> = serde_json::from_str(&wanted).expect("JSON");
        // An empty document is none.
        wanted.retain(|document| !document.is_null());
        for size in [text.len(), 1] {
            let mut found = Vec::new();
            for piece in cut(&text, size) {
                let limits = Limits::default();
                let family = |_: Node<'_>| Some(Dialect::PyYaml);
                let parsed = parse_as(Default::default(), &text, piece, limits, &family);
                assert!(
                    parsed.faults.is_empty(),
                    "{}: {:?}",
                    path.display(),
                    parsed.faults
                );
                let roots = parsed.documents.iter();
                let roots = roots.map(|root| parsed.tree.node(&text, *root));
                found.extend(roots.map(|root| json(root, Dialect::PyYaml)));
            }
            assert_eq!(found.len(), wanted.len(), "{}: {found:?}", path.display());
            for (found, wanted) in found.iter().zip(&wanted) {
                let name = path.display();
                assert!(
                    alike(found, wanted),
                    "{name}:\n{found:#}\nis not\n{wanted:#}"
                );
            }
        }
    }
    assert!(read >= 15, "{read}");
}
