//! The surprising cases of the two specifications.

use std::collections::BTreeMap;

use super::{fixture, text};

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

#[test]
fn a_strategy_without_an_envelope_is_checked_as_one() {
    let codes = |written: &str| {
        let (_, found) = text(written);
        let refused = found.iter().any(|one| one.refuses);
        assert!(!refused, "Airship ignores the document: {found:?}");
        let codes = found.iter().map(|one| one.rule.code.to_owned());
        codes.collect::<Vec<_>>()
    };
    let unknown = "schema: shipyard/DeploymentStrategy/v1\nmetadata: {name: s}\ndata:\n  groups:\n  \
         - {name: a, critical: true, depends_on: [gone], selectors: []}\n";
    let wanted = [
        "planner::airship::ignored_document",
        "planner::airship::unknown_group",
    ];
    for code in wanted {
        assert!(codes(unknown).iter().any(|found| found == code), "{code}");
    }
    let wrong = unknown.replace("critical: true", "critical: 5");
    assert!(
        codes(&wrong)
            .iter()
            .any(|found| found == "planner::schema::type")
    );
    // Without any schema it is not ours; that it looks like one is said.
    let bare = "groups:\n- {name: a, critical: true, depends_on: [], selectors: []}\n";
    assert_eq!(codes(bare), ["planner::site::near_kind"]);
}
