//! Add-ons, works, and clusters in no page for a moment.

use serde_json::Value;

use super::{plan, same_rows};
use crate::support::corpus;

#[test]
fn the_corpus_agrees() {
    let cases = corpus("hub");
    assert!(cases.len() >= 20, "{}", cases.len());
    for (path, case, wanted) in cases {
        let got = plan(&path);
        if let Some(pages) = wanted.get("pages") {
            let rows = got["pages"].as_array().cloned().unwrap_or_default();
            let bare = |row: &Value| {
                let field = |name: &str| (name.to_owned(), row[name].clone());
                Value::Object(
                    ["namespace", "placement", "clusters"]
                        .map(field)
                        .into_iter()
                        .collect(),
                )
            };
            let rows: Vec<Value> = rows.iter().map(bare).collect();
            assert_eq!(&Value::from(rows), pages, "{case}");
            continue;
        }
        let fields = ["clusters", "was", "added", "removed", "via", "configs"];
        same_rows(&case, &got["deliveries"], &wanted["deliveries"], &fields);
    }
}

#[test]
fn the_readme_shows_the_screen() {
    let folder = crate::support::Folder::new();
    folder.write(
        "fleet.yaml",
        include_str!("../../../fixtures/deliveries/fleet.yaml"),
    );
    let words = [
        "plan",
        "fleet.yaml",
        "--section",
        "deliveries",
        "--no-input",
    ];
    let screen = folder.run(&words).out;
    let (screen, _) = screen.split_once("\n\nAt stake").unwrap();
    let page = include_str!("../../../docs/systems.md");
    assert!(
        page.contains(&format!("```text\n{screen}\n```")),
        "{screen}"
    );
}
