//! The steps of the action and the script of the GitLab component, run over real repositories
//! against a forge on this machine: a pull request with three commits, as a runner sees it.
#![cfg(unix)]

mod forge;
mod hostile;
mod release;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{Folder, PLANNER};
use forge::Forge;
use serde_json::{Value, json};

const REPOSITORY: &str = env!("CARGO_MANIFEST_DIR");

/// A site with two clusters and a placement; the region that it wants varies.
fn site(region: &str) -> String {
    format!(
        "apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata:
  name: oslo
  labels: {{region: north, cluster.open-cluster-management.io/clusterset: all}}
spec: {{hubAcceptsClient: true}}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata:
  name: riga
  labels: {{region: east, cluster.open-cluster-management.io/clusterset: all}}
spec: {{hubAcceptsClient: true}}
---
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSet
metadata: {{name: all}}
---
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSetBinding
metadata: {{name: all, namespace: web}}
spec: {{clusterSet: all}}
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {{name: shop, namespace: web}}
spec:
  predicates:
  - requiredClusterSelector:
      labelSelector:
        matchLabels: {{region: {region}}}
"
    )
}

/// A repository on a runner: `main` with the site, and a pull request that is merged into it for
/// the check, as forges do.
struct Runner {
    folder: Folder,
    forge: Forge,
}

impl Runner {
    fn new(forge: Forge) -> Option<Self> {
        if Command::new("python3").arg("--version").output().is_err() {
            // Nothing can be tried without it.
            return None;
        }
        let runner = Self {
            folder: Folder::new(),
            forge,
        };
        runner.git(&["init", "--quiet", "--initial-branch", "main"]);
        runner.commit("site/a.yaml", &site("north"), "The site");
        runner.git(&["checkout", "--quiet", "-b", "change"]);
        let program = runner.temp().join("planner/bin/planner");
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        symlink(PLANNER, program).unwrap();
        let event = json!({"pull_request": {"number": 7}}).to_string();
        fs::write(runner.temp().join("event.json"), event).unwrap();
        Some(runner)
    }

    fn temp(&self) -> PathBuf {
        self.folder.path().join("temp")
    }

    fn checkout(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn git(&self, args: &[&str]) {
        fs::create_dir_all(self.checkout()).unwrap();
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=A",
                "-c",
                "user.email=a@b.invalid",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(args)
            .current_dir(self.checkout())
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {output:?}");
    }

    fn commit(&self, name: &str, text: &str, message: &str) {
        let path = self.checkout().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self.git(&["add", "."]);
        self.git(&["commit", "--quiet", "-m", message]);
    }

    /// What the pull request would be once merged is checked out.
    fn merge(&self) {
        self.git(&["checkout", "--quiet", "--detach", "main"]);
        self.git(&["merge", "--quiet", "--no-ff", "-m", "Merge", "change"]);
    }

    fn step(&self, step: &str, more: &[(&str, &str)]) -> Output {
        let mut command = Command::new("/bin/bash");
        command
            .arg(Path::new(REPOSITORY).join("packaging/ci/steps"))
            .arg(step)
            .current_dir(self.checkout())
            .env("RUNNER_TEMP", self.temp())
            .env("GITHUB_API_URL", &self.forge.address)
            .env("GITHUB_REPOSITORY", "shop/site")
            .env("GITHUB_EVENT_PATH", self.temp().join("event.json"))
            .env("GITHUB_OUTPUT", self.temp().join("output"))
            .env("GITHUB_STEP_SUMMARY", self.temp().join("summary.md"))
            .env("GITHUB_BASE_REF", "main")
            .env("GITHUB_REF", "refs/pull/7/merge")
            .env("GITHUB_SHA", "0123456789012345678901234567890123456789")
            .env("PLANNER_PATH", "site")
            .env("PLANNER_TOKEN", "secret")
            .env("PLANNER_COMMENT", self.temp().join("planner-comment.md"))
            .envs(more.iter().copied());
        command.output().unwrap()
    }

    /// All steps as the action runs them; the status of the first that fails.
    fn run(&self) -> i32 {
        let mut failed = 0;
        for step in ["validate", "compare", "upload", "comment"] {
            let output = self.step(step, &[]);
            assert!(
                output.status.success() || step == "validate",
                "{step}: {output:?}"
            );
            if failed == 0 {
                failed = output.status.code().unwrap();
            }
        }
        failed
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.temp().join(name)).unwrap()
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_pull_request_has_one_comment_that_is_kept_up_to_date() {
    let others: Vec<String> = (0..60).map(|n| format!("comment {n}")).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let Some(runner) = Runner::new(Forge::new(&others, false)) else {
        return;
    };
    // The first commit moves a decision: a comment comes.
    runner.commit("site/a.yaml", &site("east"), "Go east");
    runner.merge();
    assert_eq!(runner.run(), 0);
    let first = runner.forge.state.lock().unwrap().comments.clone();
    assert_eq!(first.len(), 61);
    assert!(
        first[60].starts_with("<!-- planner:site -->\n"),
        "{}",
        first[60]
    );
    assert!(first[60].contains("riga"), "{}", first[60]);
    assert!(runner.read("summary.md").contains("riga"));
    // The second commit breaks a document: the check fails, the report says it, and the comment,
    // by now on the second page, is replaced.
    runner.git(&["checkout", "--quiet", "change"]);
    runner.commit(
        "site/b.yaml",
        "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: {name: B_, namespace: web}\n",
        "Break it",
    );
    runner.merge();
    assert_eq!(runner.run(), 1);
    let second = runner.forge.state.lock().unwrap().comments.clone();
    assert_eq!(second.len(), 61);
    assert_ne!(first[60], second[60]);
    // The third commit takes all back: nothing moves any more, and the comment says so.
    runner.git(&["checkout", "--quiet", "change"]);
    runner.git(&["rm", "--quiet", "site/b.yaml"]);
    runner.commit("site/a.yaml", &site("north"), "Stay north");
    runner.merge();
    assert_eq!(runner.run(), 0);
    let state = runner.forge.state.lock().unwrap();
    assert_eq!(state.comments.len(), 61);
    assert!(
        !state.comments[60].contains("riga"),
        "{}",
        state.comments[60]
    );
    let written = state.calls.iter().filter(|call| !call.starts_with("GET"));
    let written: Vec<&str> = written.map(String::as_str).collect();
    let sarif = "POST /repos/shop/site/code-scanning/sarifs";
    let update = "PATCH /repos/shop/site/issues/comments/60";
    assert_eq!(
        written,
        [
            sarif,
            "POST /repos/shop/site/issues/7/comments",
            sarif,
            update,
            sarif,
            update
        ]
    );
    assert_eq!(state.reports.len(), 3);
    assert_eq!(state.reports[0]["ref"], "refs/pull/7/merge");
}

#[test]
fn the_comment_is_found_however_long_the_pages_are() {
    let others: Vec<String> = (0..120).map(|n| format!("comment {n}")).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    for most in [0, 7] {
        let Some(runner) = Runner::new(Forge::paged(&others, false, most)) else {
            return;
        };
        runner.commit("site/a.yaml", &site("east"), "Go east");
        runner.merge();
        assert_eq!(runner.run(), 0);
        assert_eq!(runner.run(), 0);
        let state = runner.forge.state.lock().unwrap();
        assert_eq!(state.comments.len(), 121, "pages of {most}");
        let last = state.calls.last().unwrap();
        assert_eq!(last, "PATCH /repos/shop/site/issues/comments/120");
    }
}

#[test]
fn the_recipes_name_this_version() {
    let version = env!("CARGO_PKG_VERSION");
    for (recipe, words) in [
        ("pre-commit-config.yaml", format!("rev: v{version}\n")),
        ("gitlab-ci.yml", format!("planner@{version}\n")),
        ("github-workflow.yml", format!(" # v{version}\n")),
    ] {
        let path = Path::new(REPOSITORY).join("fixtures/recipes").join(recipe);
        let text = fs::read_to_string(path).unwrap();
        assert!(text.contains(&words), "{recipe} does not have {words:?}");
    }
}

#[test]
fn the_report_is_written_when_clean() {
    let Some(runner) = Runner::new(Forge::new(&[], false)) else {
        return;
    };
    let output = runner.step("validate", &[]);
    assert!(output.status.success(), "{output:?}");
    let report = fs::read_to_string(runner.checkout().join("planner.sarif")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["runs"][0]["results"], json!([]));
}

#[test]
fn a_token_that_may_not_write_fails_nothing() {
    let Some(runner) = Runner::new(Forge::new(&[], true)) else {
        return;
    };
    runner.commit("site/a.yaml", &site("east"), "Go east");
    runner.merge();
    for step in ["validate", "compare"] {
        assert!(runner.step(step, &[]).status.success());
    }
    for step in ["upload", "comment"] {
        let output = runner.step(step, &[]);
        assert!(output.status.success(), "{output:?}");
        assert!(said(&output).starts_with("::notice "), "{output:?}");
        assert!(said(&output).contains("HTTP 403"), "{output:?}");
    }
}

#[test]
fn a_comment_of_a_stranger_is_never_adopted() {
    let mark = "<!-- planner:site -->\nAll is well";
    let forge = Forge::new(&[mark, mark], false);
    forge.state.lock().unwrap().strangers = vec![0, 1];
    let Some(runner) = Runner::new(forge) else {
        return;
    };
    runner.commit("site/a.yaml", &site("east"), "Go east");
    runner.merge();
    for _ in 0..2 {
        assert_eq!(runner.run(), 0);
        assert!(component(&runner, &[]).status.success());
    }
    let state = runner.forge.state.lock().unwrap();
    assert_eq!(state.comments[..2], [mark, mark]);
    assert_eq!(state.comments.len(), 3, "{:?}", state.comments);
    let last = state.calls.last().unwrap();
    assert_eq!(last, "PUT /projects/9/merge_requests/3/notes/2");
}

#[test]
fn pages_without_an_end_are_left() {
    let forge = Forge::new(&[], false);
    forge.state.lock().unwrap().endless = true;
    let Some(runner) = Runner::new(forge) else {
        return;
    };
    runner.commit("site/a.yaml", &site("east"), "Go east");
    runner.merge();
    assert_eq!(runner.run(), 0);
    assert!(component(&runner, &[]).status.success());
    let state = runner.forge.state.lock().unwrap();
    assert_eq!(state.comments.len(), 2);
    assert!(state.calls.len() < 500, "{}", state.calls.len());
}

#[test]
fn without_the_base_nothing_is_compared() {
    let Some(runner) = Runner::new(Forge::new(&[], false)) else {
        return;
    };
    let output = runner.step("compare", &[("GITHUB_BASE_REF", "gone")]);
    assert!(output.status.success(), "{output:?}");
    assert!(said(&output).contains("fetch-depth"), "{output:?}");
    let output = runner.step("comment", &[("PLANNER_COMMENT", "")]);
    assert!(output.status.success(), "{output:?}");
    assert!(runner.forge.state.lock().unwrap().calls.is_empty());
}

#[test]
fn conditions_that_cannot_be_checked_fail() {
    let Some(runner) = Runner::new(Forge::new(&[], false)) else {
        return;
    };
    let gone = ("GITHUB_BASE_REF", "gone");
    let none = ("GITHUB_BASE_REF", "");
    let asked = ("PLANNER_FAIL_ON", "error\nemptied\n");
    for more in [
        [gone, ("GITHUB_EVENT_NAME", "pull_request")],
        [none, ("GITHUB_EVENT_NAME", "merge_group")],
    ] {
        let output = runner.step("compare", &[asked, more[0], more[1]]);
        assert_eq!(output.status.code(), Some(64), "{output:?}");
        assert!(said(&output).starts_with("::error "), "{output:?}");
        assert!(said(&output).contains("fetch-depth: 2"), "{output:?}");
    }
    // After a push nothing is proposed any more.
    let output = runner.step("compare", &[asked, none, ("GITHUB_EVENT_NAME", "push")]);
    assert!(output.status.success(), "{output:?}");
    assert!(said(&output).starts_with("::notice "), "{output:?}");
}

#[test]
fn every_condition_counts_however_they_are_separated() {
    let Some(runner) = Runner::new(Forge::new(&[], false)) else {
        return;
    };
    // The placement had a cluster and has none.
    runner.commit("site/a.yaml", &site("west"), "Go west");
    runner.merge();
    for (asked, wanted) in [
        ("error", 0),
        ("error,emptied", 3),
        ("error\nemptied\n", 3),
        ("pages\r\n  removed=50%\n", 3),
        ("- ,\t\n", 64),
        (" \n", 0),
    ] {
        let output = runner.step("compare", &[("PLANNER_FAIL_ON", asked)]);
        assert_eq!(output.status.code(), Some(wanted), "{asked:?}: {output:?}");
    }
    // At once: before a document is read.
    for word in ["emptyed", "error\nremoved=0", "warnings"] {
        for step in ["validate", "compare"] {
            let more = [("PLANNER_FAIL_ON", word), ("GITHUB_BASE_REF", "")];
            let output = runner.step(step, &more);
            assert_eq!(output.status.code(), Some(64), "{word:?}: {output:?}");
            assert!(said(&output).starts_with("::error "), "{output:?}");
        }
    }
}

#[test]
fn the_least_severity_counts() {
    let Some(runner) = Runner::new(Forge::new(&[], false)) else {
        return;
    };
    // A warning: nothing matches.
    runner.commit("site/a.yaml", &site("west"), "Go west");
    for (asked, wanted) in [
        ("error", 0),
        ("warning", 1),
        ("warning, error", 1),
        ("error\nnote", 1),
    ] {
        let output = runner.step("validate", &[("PLANNER_FAIL_ON", asked)]);
        assert_eq!(output.status.code(), Some(wanted), "{asked:?}: {output:?}");
    }
}

#[test]
fn a_merge_in_the_change_is_not_taken_for_its_base() {
    let Some(runner) = Runner::new(Forge::new(&[], false)) else {
        return;
    };
    // The last commit of the change is a merge whose first parent moves the placement already.
    runner.commit("site/a.yaml", &site("west"), "Go west");
    runner.git(&["checkout", "--quiet", "-b", "aside", "main"]);
    runner.commit("site/note.txt", "x", "Aside");
    runner.git(&["checkout", "--quiet", "change"]);
    runner.git(&["merge", "--quiet", "--no-ff", "-m", "Merge", "aside"]);
    runner.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    let head = fs::read_to_string(runner.checkout().join(".git/refs/heads/change")).unwrap();
    let event = json!({"pull_request": {"number": 7, "head": {"sha": head.trim()}}});
    fs::write(runner.temp().join("event.json"), event.to_string()).unwrap();
    let output = runner.step("compare", &[("PLANNER_FAIL_ON", "emptied")]);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

#[test]
fn inputs_are_never_shell_code() {
    let Some(runner) = Runner::new(Forge::new(&[], false)) else {
        return;
    };
    let evil = "$(touch evil)`touch evil`; touch evil -->";
    for step in ["validate", "compare", "comment"] {
        runner.step(
            step,
            &[
                ("PLANNER_PATH", evil),
                ("PLANNER_AGAINST", evil),
                ("PLANNER_FAIL_ON", evil),
            ],
        );
    }
    assert!(!runner.checkout().join("evil").exists());
    for comment in &runner.forge.state.lock().unwrap().comments {
        let (mark, _) = comment.split_once('\n').unwrap();
        assert_eq!(mark.matches("-->").count(), 1, "{mark}");
    }
}

#[test]
fn only_a_release_with_its_hash_is_installed() {
    let Some(runner) = Runner::new(Forge::new(&[], false)) else {
        return;
    };
    let lock = runner.temp().join("lock");
    fs::write(&lock, "# nothing\n").unwrap();
    let output = runner.step("install", &[("PLANNER_LOCK", lock.to_str().unwrap())]);
    assert_eq!(output.status.code(), Some(64), "{output:?}");
    assert!(said(&output).contains("no release"), "{output:?}");
    for version in ["latest", "0.1.0", "0.1.0 --hash=sha256:12; touch evil"] {
        let output = runner.step("install", &[("PLANNER_VERSION", version)]);
        assert_eq!(output.status.code(), Some(64), "{version}: {output:?}");
    }
}

/// The script of the component, with a `python3` that makes an environment without the network.
fn component(runner: &Runner, more: &[(&str, &str)]) -> Output {
    let text = fs::read_to_string(Path::new(REPOSITORY).join("templates/planner.yml")).unwrap();
    let (_, job) = text.split_once("\n---\n").unwrap();
    let job: Value = serde_yaml::from_str(job).unwrap();
    let script = job["planner"]["script"][0].as_str().unwrap();
    let tools = runner.temp().join("tools");
    fs::create_dir_all(&tools).unwrap();
    let python = "#!/bin/sh
if [ \"$1 $2 $3\" = '-I -m venv' ]; then
  mkdir -p \"$4/bin\"
  ln -sf \"$PLANNER\" \"$4/bin/planner\"
  printf '#!/bin/sh\\nexit 0\\n' > \"$4/bin/python\"
  chmod +x \"$4/bin/python\"
else
  PATH=\"$REST\" exec python3 \"$@\"
fi
";
    fs::write(tools.join("python3"), python).unwrap();
    fs::set_permissions(tools.join("python3"), fs::Permissions::from_mode(0o755)).unwrap();
    let rest = std::env::var("PATH").unwrap();
    let version = format!("0.1.0 --hash=sha256:{}", "0".repeat(64));
    Command::new("/bin/sh")
        .args(["-c", script])
        .current_dir(runner.checkout())
        .env("PATH", format!("{}:{rest}", tools.display()))
        .env("REST", &rest)
        .env("PLANNER", PLANNER)
        .env("PLANNER_PATH", "site")
        .env("PLANNER_AGAINST", "")
        .env("PLANNER_FAIL_ON", "error")
        .env("PLANNER_VERSION", version)
        .env("CI_MERGE_REQUEST_IID", "3")
        .env("CI_PROJECT_ID", "9")
        .env("CI_API_V4_URL", &runner.forge.address)
        .env("PLANNER_TOKEN", "secret")
        .env("CI_MERGE_REQUEST_DIFF_BASE_SHA", "main")
        .envs(more.iter().copied())
        .output()
        .unwrap()
}

#[test]
fn the_component_keeps_one_note_and_passes_the_status_on() {
    let Some(runner) = Runner::new(Forge::new(&["first"], false)) else {
        return;
    };
    runner.commit("site/a.yaml", &site("east"), "Go east");
    for _ in 0..2 {
        let output = component(&runner, &[]);
        assert!(output.status.success(), "{output:?}");
    }
    let state = runner.forge.state.lock().unwrap();
    assert_eq!(state.comments.len(), 2);
    assert!(state.comments[1].starts_with("<!-- planner:site -->\n"));
    assert!(state.comments[1].contains("riga"));
    assert_eq!(
        state.calls.last().unwrap(),
        "PUT /projects/9/merge_requests/3/notes/1"
    );
    drop(state);
    runner.commit("site/b.yaml", "kind: Placement\napiVersion: cluster.open-cluster-management.io/v1beta1\nmetadata: {name: B_, namespace: web}\n", "Break it");
    let output = component(&runner, &[("PLANNER_TOKEN", "")]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let report = runner.checkout().join("gl-code-quality-report.json");
    assert!(fs::read_to_string(report).unwrap().contains("site/b.yaml"));
    let closed = Forge::new(&[], true);
    let output = component(&runner, &[("CI_API_V4_URL", &closed.address)]);
    assert!(said(&output).contains("HTTP 403"), "{output:?}");
    let output = component(&runner, &[("PLANNER_VERSION", "")]);
    assert_eq!(output.status.code(), Some(64), "{output:?}");
}

#[test]
fn a_comment_has_a_block_for_each_site_and_equal_ones_once() {
    let Some(runner) = Runner::new(Forge::new(&[], false)) else {
        return;
    };
    let base = |region: &str| {
        format!(
            "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
             metadata: {{name: web, namespace: shop}}\n\
             spec: {{predicates: [{{requiredClusterSelector: {{labelSelector: {{matchLabels: \
             {{region: {region}}}}}}}}}]}}\n"
        )
    };
    let fleet = "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
                 metadata: {name: oslo, labels: {region: north}}\n---\n\
                 apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
                 metadata: {name: riga, labels: {region: east}}\n---\n\
                 apiVersion: cluster.open-cluster-management.io/v1beta2\n\
                 kind: ManagedClusterSetBinding\nmetadata: {name: global, namespace: shop}\n\
                 spec: {clusterSet: global}\n";
    let overlay = |patch: &str| format!("resources: [../base]\n{patch}");
    let owned = |owner: &str| overlay(&format!("commonAnnotations: {{owner: {owner}}}\n"));
    let other = overlay(
        "patches:\n- target: {kind: Placement}\n  \
         patch: '[{\"op\": \"replace\", \"path\": \"/spec\", \"value\": {}}]'\n",
    );
    runner.git(&["checkout", "--quiet", "main"]);
    for (name, text) in [
        (
            "fleet/base/kustomization.yaml",
            "resources: [web.yaml]\n".to_owned(),
        ),
        ("fleet/base/web.yaml", base("north")),
        ("fleet/fleet.yaml", fleet.to_owned()),
        ("fleet/dev/kustomization.yaml", owned("dev")),
        ("fleet/stage/kustomization.yaml", owned("stage")),
        ("fleet/prod/kustomization.yaml", other),
    ] {
        runner.commit(name, &text, "Add the fleet");
    }
    runner.git(&["checkout", "--quiet", "-B", "change"]);
    runner.commit("fleet/base/web.yaml", &base("east"), "Go east");
    runner.merge();
    let path = ("PLANNER_PATH", "fleet");
    assert!(runner.step("compare", &[path]).status.success());
    let comment = runner.read("planner-comment.md");
    assert_eq!(comment.matches("### Plan of ").count(), 1, "{comment}");
    assert!(comment.contains("2 sites against"), "{comment}");
    assert!(
        comment.contains("the same in `dev` and `stage`"),
        "{comment}"
    );
    assert!(comment.contains("Nothing moves in `prod`.\n"), "{comment}");
    // One site alone is compared as such, and may be held against conditions.
    let asked = [
        path,
        ("PLANNER_SITE", "dev"),
        ("PLANNER_FAIL_ON", "removed"),
    ];
    let output = runner.step("compare", &asked);
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    // The component keeps a note for all of them, and one for the site that is named.
    for site in ["", "prod", "dev"] {
        let output = component(&runner, &[path, ("PLANNER_SITE", site)]);
        assert!(output.status.success(), "{output:?}");
    }
    let notes = &runner.forge.state.lock().unwrap().comments;
    let [all, prod, dev] = &notes[..] else {
        panic!("{notes:?}");
    };
    assert!(all.starts_with("<!-- planner:fleet -->\n"), "{all}");
    assert!(all.contains("2 sites against"), "{all}");
    assert!(prod.starts_with("<!-- planner:fleet_prod -->\n"), "{prod}");
    assert!(prod.contains("Nothing moves"), "{prod}");
    assert!(dev.starts_with("<!-- planner:fleet_dev -->\n"), "{dev}");
    assert!(dev.contains("riga") && !dev.contains("sites"), "{dev}");
}
