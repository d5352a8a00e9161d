//! The recipes for CI: `docs/hub.md` shows them, and their commands run.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use serde_yaml::Value as Yaml;

use super::{BINDING, cluster, placement, stream};
use crate::support::{Answer, Folder, PLANNER, answer};

fn recipe(name: &str) -> String {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/recipes/hub");
    std::fs::read_to_string(home.join(name)).unwrap()
}

/// A repository whose last commit empties what the one before delivered, and a hub that has both.
fn repository() -> Folder {
    let oslo = cluster("oslo", "region: north");
    let site = |strategy: &str| {
        let addon = format!(
            "apiVersion: addon.open-cluster-management.io/v1alpha1\nkind: \
             ClusterManagementAddOn\nmetadata: {{name: search}}\nspec: {{installStrategy: \
             {{{strategy}}}}}\n"
        );
        stream(&[BINDING, &placement("web", "{}"), &oslo, &addon])
    };
    let follows = site("type: Placements, placements: [{name: web, namespace: shop}]");
    let folder = Folder::of(&[("hub.yaml", &follows), ("fleet/a.yaml", &follows)]);
    let git = |words: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(folder.path());
        command.args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        let answer = command.args(words).output().unwrap();
        assert!(answer.status.success(), "{answer:?}");
    };
    git(&["init", "-q"]);
    git(&["remote", "add", "origin", "."]);
    git(&["add", "fleet"]);
    git(&["commit", "-qm", "one"]);
    git(&["tag", "base"]);
    folder.write("fleet/a.yaml", site("type: Manual"));
    git(&["commit", "-qam", "two"]);
    folder
}

/// Runs lines of a job as its runner does.
fn run(folder: &Folder, lines: &[&str], variables: &[(&str, &str)]) -> Answer {
    let path = std::env::var("PATH").unwrap();
    let own = Path::new(PLANNER).parent().unwrap().display().to_string();
    let mut command = Command::new("sh");
    command
        .current_dir(folder.path())
        .arg("-ec")
        .arg(lines.join("\n"));
    command.env("PATH", format!("{own}:{path}"));
    command.envs(variables.iter().copied());
    answer(&mut command)
}

/// The commands of a job on GitHub that are planner's.
fn of_github(name: &str, job: &str) -> Vec<String> {
    let workflow: Yaml = serde_yaml::from_str(&recipe(name)).unwrap();
    let steps = workflow["jobs"][job]["steps"]
        .as_sequence()
        .unwrap()
        .clone();
    let lines = steps.iter().filter_map(|step| step["run"].as_str());
    let own = lines.filter(|line| line.starts_with("planner "));
    own.map(str::to_owned).collect()
}

#[test]
fn the_page_shows_the_recipes() {
    let page = include_str!("../../../docs/hub.md");
    for name in ["drift.github.yml", "guard.github.yml", "gitlab-ci.yml"] {
        let text = recipe(name);
        let lines = text.lines().skip_while(|line| line.starts_with('#'));
        let body = lines.collect::<Vec<_>>().join("\n");
        assert!(page.contains(&format!("```yaml\n{body}\n```")), "{name}");
    }
    let command = planner::ocm::EXPORT.strip_suffix(" > hub.yaml").unwrap();
    assert!(recipe("export-hub.sh").contains(command));
    assert!(page.contains(planner::ocm::EXPORT));
}

/// The command asks for what the hub serves and nothing else: not for kinds that it lacks, for
/// other kinds of the same name, or for Secrets.
#[test]
fn the_export_asks_for_the_kinds_that_the_hub_serves() {
    let folder = Folder::of(&[(
        "kubectl",
        "#!/bin/sh\nif [ \"$1\" = api-resources ]; then cat served; else echo \"items: [$2]\" && \
         echo \"# $3 $4 $5 $6\"; fi\n",
    )]);
    let served = [
        "secrets",
        "managedclusters.cluster.open-cluster-management.io",
        "managedclusters.clusterview.open-cluster-management.io",
        "manifestworks.work.open-cluster-management.io",
        "policies.policy.open-cluster-management.io",
        "policies.kyverno.io",
        "subscriptions.operators.coreos.com",
        "subscriptions.apps.open-cluster-management.io",
        "applications.argoproj.io",
        "applicationsets.argoproj.io",
        "drpolicies.ramendr.openshift.io",
    ];
    folder.write("served", served.join("\n"));
    let lines = [
        "chmod +x kubectl",
        "PATH=.:$PATH",
        planner::ocm::EXPORT,
        "cat hub.yaml",
    ];
    let exported = run(&folder, &lines, &[]);
    let asked = [served[1], served[4], served[7], served[9], served[10]].join(",");
    assert!(
        exported.out.starts_with("# planner-hub: 20"),
        "{exported:?}"
    );
    assert!(
        exported.out.contains(&format!("items: [{asked}]")),
        "{exported:?}"
    );
    assert!(exported.out.contains("# -A -o yaml --show-managed-fields"));
}

#[test]
fn the_jobs_on_github_run() {
    let folder = repository();
    let temporary = folder.path().display().to_string();
    let nightly = of_github("drift.github.yml", "drift");
    let nightly: Vec<&str> = nightly.iter().map(String::as_str).collect();
    assert_eq!(nightly.len(), 1);
    let home = [
        ("RUNNER_TEMP", &*temporary),
        ("GITHUB_STEP_SUMMARY", "sum.md"),
    ];
    let drifted = run(&folder, &nightly, &home);
    assert!(drifted.ends(2).out.contains("drift_field"), "{drifted:?}");
    assert!(folder.read("sum.md").starts_with("### Drift: 1 field"));
    let guard = of_github("guard.github.yml", "guard");
    let guard: Vec<&str> = guard.iter().map(String::as_str).collect();
    for (condition, status) in [("emptied,removed=5%", 3), ("none", 0)] {
        let variables = [("GUARD", condition), ("GITHUB_STEP_SUMMARY", "sum.md")];
        let answer = run(&folder, &guard, &variables);
        answer.ends(status);
        for part in [
            "::error file=fleet/a.yaml,line=",
            "it no longer follows Placement shop/web",
        ] {
            assert_eq!(answer.out.contains(part), condition != "none", "{answer:?}");
        }
    }
    assert!(!folder.read("sum.md").contains("Refused by"));
}

#[test]
fn the_jobs_on_gitlab_run() {
    let jobs: Yaml = serde_yaml::from_str(&recipe("gitlab-ci.yml")).unwrap();
    let script = |job: &str| -> Vec<String> {
        let lines = jobs[job]["script"].as_sequence().unwrap().iter();
        let lines = lines.map(|line| line.as_str().unwrap().to_owned());
        lines
            .filter(|line| !line.starts_with("./export-hub.sh"))
            .collect()
    };
    let folder = repository();
    let drift = script("drift");
    let drift: Vec<&str> = drift.iter().map(String::as_str).collect();
    assert!(
        run(&folder, &drift, &[])
            .ends(2)
            .out
            .contains("Changed on the hub: 1 field")
    );
    let guard = script("guard");
    let guard: Vec<&str> = guard.iter().map(String::as_str).collect();
    for (labels, refused) in [("", true), ("docs,deletes", false), ("deletes-not", true)] {
        let variables = [
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "base"),
            ("CI_MERGE_REQUEST_LABELS", labels),
        ];
        let answer = run(&folder, &guard, &variables);
        assert_eq!(
            answer.out.contains("Refused by --fail-on"),
            refused,
            "{answer:?}"
        );
    }
}
