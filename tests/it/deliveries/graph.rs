//! What leads to what is delivered, in all formats.

use serde_json::json;

use crate::support::Folder;

/// Policies that wait for others, one of them where the other does not go.
const WAITING: &str = r#"
---
apiVersion: policy.open-cluster-management.io/v1
kind: Policy
metadata: {name: first, namespace: gov}
spec: {disabled: false, remediationAction: enforce, policy-templates: []}
---
apiVersion: policy.open-cluster-management.io/v1
kind: Policy
metadata: {name: second, namespace: gov}
spec:
  disabled: false
  remediationAction: enforce
  dependencies:
    - {apiVersion: policy.open-cluster-management.io/v1, kind: Policy, name: first, compliance: Compliant}
    - {apiVersion: policy.open-cluster-management.io/v1, kind: Policy, name: quotas, compliance: Compliant}
  policy-templates: []
---
apiVersion: policy.open-cluster-management.io/v1
kind: PlacementBinding
metadata: {name: waiting, namespace: gov}
placementRef: {apiGroup: cluster.open-cluster-management.io, kind: Placement, name: prod}
subjects:
  - {apiGroup: policy.open-cluster-management.io, kind: Policy, name: first}
  - {apiGroup: policy.open-cluster-management.io, kind: Policy, name: second}
"#;

fn folder() -> Folder {
    let folder = Folder::new();
    let ways = include_str!("../../../fixtures/deliveries/ways.yaml");
    folder.write("site.yaml", format!("{}{WAITING}", ways.trim_end()));
    folder
}

#[test]
fn every_format_draws_the_ways() {
    let folder = folder();
    for format in ["dot", "mermaid", "json"] {
        let answer = folder.run(&["graph", "site.yaml", "-o", format]);
        insta::assert_snapshot!(format!("graph-{format}"), answer.ends(0).out);
    }
}

#[test]
fn policies_wait_in_vain_where_the_other_does_not_go() {
    let folder = folder();
    let graph = folder.run(&["graph", "site.yaml", "-o", "json"]).json();
    let edges = graph["deliveries"]["edges"].as_array().unwrap();
    let waits: Vec<_> = edges.iter().filter(|edge| edge["waits"] == true).collect();
    let (first, quotas, second) = ("Policy/gov/first", "Policy/gov/quotas", "Policy/gov/second");
    assert_eq!(
        json!(waits),
        json!([
            {"from": first, "to": second, "waits": true},
            {"from": quotas, "to": second, "waits": true, "hollow": true},
        ])
    );
}

#[test]
fn names_are_harmless_in_graphs() {
    let folder = Folder::new();
    let site = include_str!("../../../fixtures/deliveries/ways.yaml");
    folder.write(
        "site.yaml",
        site.replace("quotas", "\"q\\e[31m\\u202e\\\"]-->x\""),
    );
    for format in ["dot", "mermaid", "json"] {
        let answer = folder.run(&["graph", "site.yaml", "-o", format]);
        let bad = |c: char| matches!(c, '\u{1b}' | '\u{202e}');
        assert!(!answer.out.contains(bad), "{format}: {}", answer.out);
        if format == "mermaid" {
            assert!(!answer.out.contains("\"]-->x"), "{}", answer.out);
        }
    }
}
