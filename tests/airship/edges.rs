//! The surprising cases of the two specifications.

use std::collections::BTreeMap;

use crate::{fixture, text};

/// The stream with every `@name` replaced by its block.
fn written(body: &str, blocks: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    for line in body.lines() {
        match blocks.get(line) {
            Some(block) => text.push_str(&written(block, blocks)),
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

#[test]
fn every_case_of_the_lists() {
    let file = std::fs::read_to_string(fixture("airship/edges.txt")).expect("the cases");
    let mut blocks = BTreeMap::new();
    let mut cases = 0;
    for (number, part) in file.split("\n=== ").skip(1).enumerate() {
        let (head, body) = part.split_once('\n').expect("a case");
        if head.starts_with('@') {
            blocks.insert(head.to_owned(), body.to_owned());
            continue;
        }
        cases += 1;
        let (got, found) = text(&written(body, &blocks));
        let mut words = head.split(' ');
        let what = words.next().expect("a word");
        let told: Vec<_> = found
            .iter()
            .map(|one| (one.rule.code, &one.message))
            .collect();
        if what == "valid" {
            assert_eq!(got["result"], "ready", "case {number}: {told:?}\n{body}");
            let wanted: Vec<&str> = words.filter(|word| *word != "-").collect();
            if head.contains(' ') {
                let nodes = &got["deploymentStrategy"]["groups"][0]["nodes"];
                assert_eq!(*nodes, serde_json::json!(wanted), "case {number}\n{body}");
            }
        } else {
            assert_eq!(got["result"], "invalid", "case {number} {what}\n{body}");
            let among = found
                .iter()
                .any(|one| one.is_error() && one.upstream.as_deref() == Some(what));
            assert!(among, "case {number}: {what} is not among {told:?}\n{body}");
        }
    }
    assert!(cases > 120, "{cases}");
}
