//! Patches: git applies those of every command, whatever the files are called.
#![cfg(unix)]

use std::process::Command;

use crate::support::{Folder, answer};

const CLUSTER: &str = "\
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: oslo, labels: {region: north, cluster.open-cluster-management.io/clusterset: default}}
spec: {hubAcceptsClient: true}
---
";

const RULE: &str = "\
apiVersion: apps.open-cluster-management.io/v1
kind: PlacementRule
metadata: {name: a, namespace: shop}
spec: {clusterSelector: {matchLabels: {region: north}}}
";

const PLACEMENT: &str = "\
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSetBinding
metadata: {name: default, namespace: shop}
spec: {clusterSet: default}
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {name: web, namespace: shop}
spec: {predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {region: south}}}}]}
";

const MISSPELT: &str = "\
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {name: web, namespace: shop}
spec: {numberOfCluster: 1}
";

const NAMES: [&str; 9] = [
    "a b.yaml",
    "a\nb.yaml",
    "a\tb.yaml",
    "a\rb.yaml",
    "a\u{1b}[31mb.yaml",
    "a\u{202e}b.yaml",
    "é\"q\\.yaml",
    "%0A d/-x.yaml",
    " a\u{85}\u{2028}.yaml",
];

#[test]
fn git_applies_the_patches_of_every_command_to_files_of_any_name() {
    let why = ["why", "shop/web", "oslo", ".", "--changes", "2", "--diff"];
    let commands: &[(&str, &[&str])] = &[
        (RULE, &["migrate", ".", "-o", "diff"]),
        (RULE, &["migrate", "."]),
        (PLACEMENT, &why),
        (MISSPELT, &["validate", ".", "--diff", "--unsafe-fixes"]),
    ];
    for name in NAMES {
        for (document, asked) in commands {
            let text = format!("{CLUSTER}{document}");
            let folder = Folder::of(&[(name, &text)]);
            let patch = folder.at(asked).out;
            folder.write("a.patch", &patch);
            let mut git = Command::new("git");
            git.args(["apply", "a.patch"]).current_dir(folder.path());
            assert_eq!(answer(&mut git).status, 0, "{name:?} {asked:?}: {patch}");
            assert_ne!(folder.read(name), text, "{name:?} {asked:?}: {patch}");
        }
    }
}

#[test]
fn commands_without_a_patch_say_so() {
    let folder = Folder::of(&[("site/a.yaml", CLUSTER)]);
    let nothing: &[(&[&str], &str)] = &[
        (&["migrate", "site", "-o", "diff"], "nothing to migrate"),
        (&["report", "docs", "-o", "page.html"], "nothing to plan"),
    ];
    folder.write("docs/a.yaml", "a: 1\n");
    for (asked, words) in nothing {
        folder.at(asked).ends(66).says(words);
    }
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    folder.run(&["init", "site"]).ends(0);
    let again = folder.run(&["init", "site", "--diff"]);
    again.ends(66).says("nothing to write");
    assert_eq!(again.out, "");
}

#[test]
fn commands_to_copy_quote_what_a_shell_would_read() {
    let folder = Folder::of(&[("site/a.yaml", &crate::support::site())]);
    let saved = folder.at(&["plan", "site", "--no-input", "--out", "$(touch x).json"]);
    let shown = format!("{}{}", saved.out, saved.err);
    assert!(shown.contains("planner show '$(touch x).json'"), "{shown}");
    assert!(
        shown.contains("planner proceed '$(touch x).json'"),
        "{shown}"
    );
}
