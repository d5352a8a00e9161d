//! `planner init`: what it writes, what it leaves, and that what it writes works.

use std::fs;

use crate::support::Folder;
use serde_json::Value;

const PLACEMENT: &str = "\
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {name: all, namespace: web}
spec: {}
";

fn repository(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::of(files);
    fs::create_dir_all(folder.path().join(".git")).unwrap();
    folder
}

#[test]
fn a_repository_gets_settings_a_job_and_a_hook() {
    let folder = repository(&[("site/a.yaml", PLACEMENT), (".github/CODEOWNERS", "")]);
    let run = folder.run(&["init", "site"]);
    run.ends(0);
    for words in [
        "Found 1 document.\n",
        "       1  Open Cluster Management\n",
        "no ManagedCluster",
        "kubectl api-resources --verbs=list",
        "Wrote site/planner.toml\nWrote .github/workflows/planner.yml\nWrote .pre-commit-config.yaml\n",
    ] {
        assert!(run.out.contains(words), "{words:?} in {}", run.out);
    }
    // The settings are settings that planner reads.
    folder.run(&["validate", "site", "--no-plan"]).ends(0);
    let workflow: Value =
        serde_yaml::from_str(&folder.read(".github/workflows/planner.yml")).unwrap();
    assert_eq!(workflow["jobs"]["site"]["env"]["SITE"], "site");
    let hooks: Value = serde_yaml::from_str(&folder.read(".pre-commit-config.yaml")).unwrap();
    let hook = &hooks["repos"][0]["hooks"][0];
    assert_eq!(hook["args"][0], "site");
    let version = format!("site-planner=={}", env!("CARGO_PKG_VERSION"));
    assert_eq!(hook["additional_dependencies"][0], version);
}

#[test]
fn nothing_is_overwritten() {
    let files = [
        ("a.yaml", PLACEMENT),
        ("planner.toml", "fail-on = \"note\"\n"),
        (".gitlab-ci.yml", "stages: [test]\n"),
        (".pre-commit-config.yaml", "repos: []\n"),
    ];
    let folder = repository(&files);
    let run = folder.run(&["init"]);
    run.ends(0);
    for (name, text) in files {
        assert_eq!(folder.read(name), text, "{name}");
    }
    assert!(
        run.out.contains("planner.toml already exists\n"),
        "{}",
        run.out
    );
    assert!(
        run.out.contains("- local: .gitlab/planner.yml"),
        "{}",
        run.out
    );
    assert!(run.out.contains("  - repo: local\n"), "{}", run.out);
    assert!(
        run.out.contains("Wrote .gitlab/planner.yml\n"),
        "{}",
        run.out
    );
    // A second run finds all of it.
    let again = folder.run(&["init"]);
    assert!(!again.out.contains("Wrote "), "{}", again.out);
}

#[cfg(unix)]
#[test]
fn a_link_leads_no_file_out_of_the_repository() {
    let folder = repository(&[("site/a.yaml", PLACEMENT), ("outside/readme.txt", "")]);
    let site = folder.path().join("site");
    std::fs::rename(folder.path().join(".git"), site.join(".git")).unwrap();
    std::fs::create_dir(site.join(".github")).unwrap();
    std::os::unix::fs::symlink("../../outside", site.join(".github/workflows")).unwrap();
    folder
        .run(&["init", "site"])
        .ends(1)
        .says("a link leads out of the directory");
    assert!(!folder.path().join("outside/planner.yml").exists());
}

#[cfg(unix)]
#[test]
fn a_dangling_link_is_left_alone() {
    let folder = repository(&[("a.yaml", PLACEMENT)]);
    let link = folder.path().join(".pre-commit-config.yaml");
    std::os::unix::fs::symlink("../elsewhere", &link).unwrap();
    folder.run(&["init"]).ends(0);
    assert!(!folder.path().parent().unwrap().join("elsewhere").exists());
}

#[test]
fn the_difference_is_shown_without_writing() {
    let folder = repository(&[("a.yaml", PLACEMENT), (".github/CODEOWNERS", "")]);
    let before = folder.files();
    let run = folder.run(&["init", "--diff"]);
    run.ends(0);
    assert!(run.out.contains("+++ b/planner.toml\n"), "{}", run.out);
    assert!(
        run.out.contains("+++ b/.github/workflows/planner.yml\n"),
        "{}",
        run.out
    );
    assert_eq!(folder.files(), before);
    folder.run(&["init", "nowhere"]).ends(64);
}

#[test]
fn a_name_is_data() {
    let folder = repository(&[
        ("$(touch x) \"q\"/a.yaml", PLACEMENT),
        (".github/CODEOWNERS", ""),
    ]);
    folder.run(&["init", "$(touch x) \"q\""]).ends(0);
    let workflow: Value =
        serde_yaml::from_str(&folder.read(".github/workflows/planner.yml")).unwrap();
    assert_eq!(workflow["jobs"]["site"]["env"]["SITE"], "$(touch x) \"q\"");
    let folder = repository(&[("${{ x }}/a.yaml", PLACEMENT)]);
    folder.run(&["init", "${{ x }}"]).ends(64);
    assert!(!folder.has("${{ x }}/planner.toml"));
}

#[test]
fn a_hook_that_is_there_is_not_asked_for_again() {
    let folder = repository(&[("a.yaml", PLACEMENT)]);
    let first = folder.run(&["init"]);
    first.ends(0);
    assert!(
        first.out.contains("\nNo CI job: there is no .github"),
        "{}",
        first.out
    );
    let again = folder.run(&["init"]);
    let there = ".pre-commit-config.yaml already has the step\n";
    assert!(again.out.contains(there), "{}", again.out);
}

#[test]
fn where_agents_work_their_paragraph_is_offered() {
    let folder = repository(&[("site/a.yaml", PLACEMENT), ("CLAUDE.md", "Be brief.\n")]);
    let run = folder.run(&["init", "site"]);
    run.ends(0);
    assert!(run.out.contains("Wrote AGENTS.md\n"), "{}", run.out);
    let text = folder.read("AGENTS.md");
    assert!(text.contains("planner mcp site`"), "{text}");
    // The manual shows what is written.
    let manual = include_str!("../../docs/agents.md");
    assert!(manual.contains(&text), "{text}");
    let again = folder.run(&["init", "site"]);
    assert!(
        again.out.contains("AGENTS.md already has the step\n"),
        "{}",
        again.out
    );
    folder.write("AGENTS.md", "# Ours\n");
    let beside = folder.run(&["init", "site"]);
    assert!(
        beside.out.contains("AGENTS.md already exists; add to it:"),
        "{}",
        beside.out
    );
    assert_eq!(folder.read("AGENTS.md"), "# Ours\n");
    // Without a sign of agents there is no such file.
    let plain = repository(&[("a.yaml", PLACEMENT)]);
    plain.run(&["init"]).ends(0);
    assert!(!plain.has("AGENTS.md"));
}

#[test]
fn the_jobs_install_where_python_finds_no_module_of_a_change() {
    let folder = repository(&[
        ("a.yaml", PLACEMENT),
        (".github/CODEOWNERS", ""),
        (".gitlab-ci.yml", "stages: [test]\n"),
    ]);
    folder.run(&["init"]).ends(0);
    let github = folder.read(".github/workflows/planner.yml");
    assert!(
        github.contains("working-directory: ${{ runner.temp }}"),
        "{github}"
    );
    let gitlab = folder.read(".gitlab/planner.yml");
    assert!(gitlab.contains("(cd / && pip install"), "{gitlab}");
}

#[test]
fn sites_are_named_in_the_settings() {
    let overlay = |count: u32| {
        format!(
            "resources: [../../base]\npatches:\n- target: {{kind: Placement}}\n  \
             patch: '[{{\"op\": \"add\", \"path\": \"/spec/numberOfClusters\", \"value\": {count}}}]'\n"
        )
    };
    let (dev, prod) = (overlay(1), overlay(2));
    let folder = repository(&[
        ("site/base/kustomization.yaml", "resources: [all.yaml]\n"),
        ("site/base/all.yaml", PLACEMENT),
        ("site/more/kustomization.yaml", "resources: [one.yaml]\n"),
        ("site/more/one.yaml", &PLACEMENT.replace("all", "one")),
        ("site/overlays/dev/kustomization.yaml", &dev),
        ("site/overlays/prod/kustomization.yaml", &prod),
    ]);
    let listed = |folder: &Folder| {
        folder
            .run(&["render", "site", "--list", "-o", "json"])
            .json()
    };
    let before = listed(&folder);
    let run = folder.run(&["init", "site"]);
    run.ends(0);
    assert!(run.out.contains("\n2 sites: dev, prod."), "{}", run.out);
    let settings = folder.read("site/planner.toml");
    let dev = "[[site]]\nname = \"dev\"\nroots = [\"more\", \"overlays/dev\"]\n";
    assert!(settings.contains(dev), "{settings}");
    // They are the sites that were there before.
    assert_eq!(listed(&folder)["sites"], before["sites"]);
    folder
        .run(&["plan", "site", "--site", "prod", "--no-input"])
        .ends(66);
}
