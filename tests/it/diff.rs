//! `planner plan --against`: what moves between two states of a site, and why; revisions read
//! like directories.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{self, Answer, BROKEN, Folder, PACKAGE, application, cluster, site};
use serde_json::{Value, json};

/// A folder under git, without anything of the machine's own configuration.
struct Repository {
    folder: Folder,
}

impl Repository {
    fn new() -> Self {
        let folder = Folder::new();
        let repository = Self { folder };
        repository.git(&["init", "-q", "-b", "main", "."]);
        repository
    }

    /// A repository whose last commit holds these files.
    fn of(files: &[(&str, &str)]) -> Self {
        let repository = Self::new();
        for (name, text) in files {
            repository.folder.write(name, text);
        }
        repository.commit("a state");
        repository
    }

    #[track_caller]
    fn git(&self, args: &[&str]) {
        let mut command = Command::new("git");
        command
            .args([
                "-c",
                "user.name=tests",
                "-c",
                "user.email=tests@example.com",
            ])
            .args(args)
            .current_dir(self.folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .stdin(Stdio::null());
        let output = command.output().expect("git");
        assert!(output.status.success(), "{args:?}: {output:?}");
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A", "-f"]);
        self.git(&["commit", "-q", "-m", message]);
    }

    /// Replaces text in a file; the text has to be there.
    #[track_caller]
    fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.folder.read(name);
        assert!(text.contains(from), "{name} has no {from:?}");
        self.folder.write(name, text.replacen(from, to, 1));
    }

    fn against(&self, revision: &str, more: &[&str]) -> Answer {
        let mut args = vec!["plan", "site", "--against", revision];
        args.extend(more);
        self.folder.at(&args)
    }

    fn moves(&self) -> Vec<Value> {
        moves(&self.against("HEAD", &["-o", "json"]))
    }
}

#[track_caller]
fn moves(answer: &Answer) -> Vec<Value> {
    answer.json()["moves"].as_array().expect("moves").clone()
}

/// Subject, before, after, and the causes as `OBJECT POINTER`.
fn short(moves: &[Value]) -> Vec<(String, Value, Value, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let cause = |cause: &Value| {
        let object = &cause["object"];
        format!(
            "{} {} {}",
            text(&object["kind"]),
            text(&object["name"]),
            text(&cause["pointer"])
        )
    };
    let one = |moved: &Value| {
        let causes = moved["because"].as_array().expect("causes").iter();
        let subject = format!("{} {}", text(&moved["system"]), text(&moved["subject"]));
        (
            subject,
            moved["from"].clone(),
            moved["to"].clone(),
            causes.map(cause).collect(),
        )
    };
    moves.iter().map(one).collect()
}

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name);
    fs::read_to_string(path).expect("a fixture")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            fs::copy(&path, to.join(name)).expect("a copy");
        }
    }
}

#[test]
fn a_change_of_the_retail_site_as_its_reviewer_sees_it() {
    let repository = Repository::new();
    let retail = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/retail");
    copy(&retail, &repository.folder.path().join("site"));
    repository.commit("the site");
    // Lyon is back and Oslo is cheaper; two slips come along.
    repository.edit("site/clusters/lyon.yaml", "phase: Down", "phase: Up");
    repository.edit("site/clusters/oslo.yaml", "cost: \"5\"", "cost: \"3\"");
    repository.edit("site/clusters/turin.yaml", "cost: ", "cost: about ");
    repository.edit(
        "site/shop.yaml",
        "cpu: 500m, memory: 256Mi}",
        "cpu: 500m, memroy: 256Mi}",
    );
    repository.commit("a change");
    let found = repository.folder.at(&["validate", "site", "-o", "github"]);
    insta::assert_snapshot!("review-validate", found.out);
    let diff = repository.against("HEAD~1", &["-o", "markdown"]);
    insta::assert_snapshot!("review-plan", diff.ends(0).out);
    let page = include_str!("../../docs/ci.md");
    assert!(
        page.contains(&found.out),
        "docs/ci.md quotes what validate says"
    );
    assert!(page.contains(&diff.out), "docs/ci.md quotes what moves");
    let diff = repository.against("HEAD~1", &[]);
    insta::assert_snapshot!("review-text", diff.ends(0).out);
}

/// Two Clusters and one Application, which goes to oslo.
fn two_clusters() -> String {
    [
        PACKAGE.to_owned(),
        cluster("lyon", 2021, 7, "Up"),
        cluster("oslo", 2022, 5, "Up"),
        application("web", "1", false),
    ]
    .concat()
}

#[test]
fn each_kind_of_change_is_named() {
    let base = two_clusters();
    let cases: [(&str, &str, &str, &str); 6] = [
        ("phase: Up", "phase: Up", "", ""),
        (
            "labels: {cost: \"5\"}",
            "labels: {cost: \"9\"}",
            "lyon",
            "Cluster oslo /metadata/labels/cost",
        ),
        (
            "status: {phase: Up}\n---\napiVersion: planner/v1\nkind: Application",
            "status: {phase: Down}\n---\napiVersion: planner/v1\nkind: Application",
            "lyon",
            "Cluster oslo /status/phase",
        ),
        (
            "operator: MinOf",
            "operator: MaxOf",
            "lyon",
            "Package shop /spec/rules/0/operator",
        ),
        (
            "  - {key: cost, operator: MinOf}",
            "  - {key: cost, operator: MinOf}\n  - {key: cost, operator: NotEquals, values: [\"5\"]}",
            "lyon",
            "Package shop /spec/rules/1",
        ),
        (
            "containers:\n",
            "rules: [{key: cost, operator: Equals, values: [\"7\"]}]\n  containers:\n",
            "lyon",
            "Application web /spec/rules",
        ),
    ];
    for (from, to, cluster, cause) in cases {
        let repository = Repository::of(&[("site/site.yaml", &base)]);
        repository.edit("site/site.yaml", from, to);
        let found = short(&repository.moves());
        if cluster.is_empty() {
            assert!(found.is_empty());
            continue;
        }
        let wanted = (
            "ogc shop/web".to_owned(),
            json!("oslo"),
            json!(cluster),
            vec![cause.to_owned()],
        );
        assert_eq!(found, [wanted], "{to}");
    }
}

#[test]
fn documents_that_come_and_go_are_causes() {
    let lyon = cluster("lyon", 2021, 7, "Up");
    let base = [PACKAGE.to_owned(), lyon, application("web", "1", false)].concat();
    let repository = Repository::of(&[("site/site.yaml", &base)]);
    // Where a document lies is not a change; that there is another cluster is one.
    repository
        .folder
        .write("site/oslo.yaml", cluster("oslo", 2022, 5, "Up"));
    repository
        .folder
        .write("site/db.yaml", application("db", "1", false));
    let found = repository.moves();
    let wanted = [
        (
            "ogc shop/db".into(),
            Value::Null,
            json!("oslo"),
            vec!["Application db ".into(), "Cluster oslo ".into()],
        ),
        (
            "ogc shop/web".into(),
            json!("lyon"),
            json!("oslo"),
            vec!["Cluster oslo ".into()],
        ),
    ];
    assert_eq!(short(&found), wanted);
    assert_eq!(found[1]["because"][0]["what"], "cluster");
    assert_eq!(found[1]["because"][0]["before"], Value::Null);
    repository.commit("more");
    fs::remove_file(repository.folder.path().join("site/oslo.yaml")).expect("removed");
    fs::remove_file(repository.folder.path().join("site/db.yaml")).expect("removed");
    let found = short(&repository.moves());
    assert_eq!(
        found[0],
        (
            "ogc shop/db".into(),
            json!("oslo"),
            Value::Null,
            // Without oslo it would be on lyon: the whole answer takes both.
            vec!["Application db ".into(), "Cluster oslo ".into()]
        )
    );
    assert_eq!(
        found[1],
        (
            "ogc shop/web".into(),
            json!("oslo"),
            json!("lyon"),
            vec!["Cluster oslo ".into()]
        )
    );
}

#[test]
fn of_two_changes_that_would_each_do_both_are_named() {
    let base = two_clusters();
    let repository = Repository::of(&[("site/site.yaml", &base)]);
    repository.edit("site/site.yaml", "cost: \"5\"", "cost: \"9\"");
    repository.edit("site/site.yaml", "cost: \"7\"", "cost: \"1\"");
    repository.edit("site/site.yaml", "example.com/web:1", "example.com/web:2");
    let found = repository.moves();
    let both = [
        "Cluster lyon /metadata/labels/cost",
        "Cluster oslo /metadata/labels/cost",
    ];
    assert_eq!(short(&found)[0].3, both);
    assert_eq!(found[0]["confirmed"], true);
}

#[test]
fn causes_are_found_among_many_changes() {
    let mut base = [PACKAGE.to_owned(), application("web", "1", false)].concat();
    for number in 0..300 {
        base.push_str(&cluster(&format!("c{number}"), 2000, 1000 + number, "Up"));
    }
    let repository = Repository::of(&[("site/site.yaml", &base)]);
    // Every cluster changes its cost; only one of them becomes the cheapest, and without its
    // change alone it still would be: what was the cheapest has to be that again.
    let text = base
        .replace("cost: \"1", "cost: \"2")
        .replace("cost: \"2207\"", "cost: \"1\"");
    repository.folder.write("site/site.yaml", text);
    let found = short(&repository.moves());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].2, json!("c207"));
    let both = ["c0", "c207"].map(|name| format!("Cluster {name} /metadata/labels/cost"));
    assert_eq!(found[0].3, both);
}

#[test]
fn the_other_systems_move_too() {
    let board = ["answers", "clusters", "policy", "rule"];
    let files: Vec<(String, String)> = board
        .iter()
        .map(|name| {
            (
                format!("site/board/{name}.yaml"),
                fixture(&format!("hybrid/board/{name}.yaml")),
            )
        })
        .chain([("site/grow.yaml".into(), fixture("senlin/grow.yaml"))])
        .chain([(
            "site/strategy.yaml".into(),
            fixture("corpus/airship/seed-example-1-all-succeed.yaml"),
        )])
        .collect();
    let repository = Repository::new();
    for (name, text) in &files {
        repository.folder.write(name, text);
    }
    repository.commit("a site");
    repository.edit(
        "site/grow.yaml",
        "RegionTwo\n      weight: 30",
        "RegionTwo\n      weight: 300",
    );
    repository.edit(
        "site/strategy.yaml",
        "node_tags: [monitoring]",
        "node_tags: [compute]",
    );
    repository.edit(
        "site/board/policy.yaml",
        "{clustername: oslo, compliant: Compliant}",
        "{clustername: oslo, compliant: NonCompliant}",
    );
    repository.edit(
        "site/board/clusters.yaml",
        "name: toronto\n  labels: {cloud: IBM",
        "name: toronto\n  labels: {cloud: AWS",
    );
    let found = short(&repository.moves());
    let named = |start: &str| {
        found
            .iter()
            .filter(|moved| moved.0.starts_with(start))
            .collect::<Vec<_>>()
    };
    let regions = named("senlin site/grow.yaml/");
    assert!(!regions.is_empty(), "{found:#?}");
    for region in regions {
        assert_eq!(region.3.len(), 1);
        assert!(
            region.3[0].ends_with("/properties/regions/1/weight"),
            "{region:?}"
        );
    }
    let groups = named("airship monitoring-nodes");
    assert_eq!(groups.len(), 1, "{found:#?}");
    assert!(groups[0].3[0].starts_with("DeploymentStrategy deployment-strategy /data/groups/"));
    let rules = named("hybrid shop/checkout");
    assert_eq!(rules.len(), 1, "{found:#?}");
    assert!(!rules[0].3.is_empty());
}

const PLACEMENT: &str = "\
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {name: web, namespace: shop}
spec:
  numberOfClusters: 1
  predicates:
  - requiredClusterSelector: {labelSelector: {matchLabels: {tier: gold}}}
---
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSetBinding
metadata: {name: all, namespace: shop}
spec: {clusterSet: all}
---
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSet
metadata: {name: all}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata:
  name: lyon
  labels: {cluster.open-cluster-management.io/clusterset: all, tier: gold}
spec: {hubAcceptsClient: true}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata:
  name: oslo
  labels: {cluster.open-cluster-management.io/clusterset: all, tier: iron}
spec: {hubAcceptsClient: true}
";

#[test]
fn placements_move() {
    let repository = Repository::of(&[("site/ocm.yaml", PLACEMENT)]);
    repository.edit("site/ocm.yaml", "tier: gold}\nspec", "tier: iron}\nspec");
    repository.edit(
        "site/ocm.yaml",
        "clusterset: all, tier: iron}\nspec: {hubAcceptsClient: true}\n---",
        "clusterset: all, tier: lead}\nspec: {hubAcceptsClient: true}\n---",
    );
    repository.edit("site/ocm.yaml", "tier: iron}", "tier: gold}");
    let found = short(&repository.moves());
    let causes = [
        "ManagedCluster lyon /metadata/labels/tier",
        "ManagedCluster oslo /metadata/labels/tier",
    ];
    assert_eq!(found.len(), 1);
    assert_eq!(
        (&found[0].1, &found[0].2),
        (&json!(["lyon"]), &json!(["oslo"]))
    );
    assert_eq!(found[0].3, causes);
}

const STRATEGY: &str = "\
schema: shipyard/DeploymentStrategy/v1
metadata:
  schema: metadata/Document/v1
  name: deployment-strategy
  layeringDefinition: {abstract: false, layer: site}
  storagePolicy: cleartext
data:
  groups:
";

fn groups(names: &[&str]) -> String {
    let group = |name: &&str| {
        format!("  - {{name: {name}, critical: false, depends_on: [], selectors: []}}\n")
    };
    let groups: String = names.iter().map(group).collect();
    let configuration = "---\nschema: shipyard/DeploymentConfiguration/v1\nmetadata:\n  schema: \
                         metadata/Document/v1\n  name: deployment-configuration\n  \
                         layeringDefinition: {abstract: false, layer: site}\n  storagePolicy: \
                         cleartext\ndata:\n  physical_provisioner: {deployment_strategy: \
                         deployment-strategy}\n  armada: {manifest: full-site}\n";
    format!("{STRATEGY}{groups}{configuration}")
}

#[test]
fn a_group_in_front_moves_nothing_but_itself() {
    let repository = Repository::of(&[("site/s.yaml", &groups(&["a", "b", "c"]))]);
    repository
        .folder
        .write("site/s.yaml", groups(&["new", "a", "b", "c"]));
    let answer = repository.against("HEAD", &["-o", "json"]);
    let found = short(&moves(&answer));
    assert_eq!(found.len(), 1, "{answer:?}");
    assert_eq!(found[0].0, "airship new");
    assert_eq!(answer.json()["unchanged"], 3);
    repository
        .folder
        .write("site/s.yaml", groups(&["c", "a", "b"]));
    let found = short(&repository.moves());
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "airship c");
    assert_eq!(
        found[0].3,
        ["DeploymentStrategy deployment-strategy /data/groups"]
    );
}

#[test]
fn a_revision_is_read_by_the_rules_of_a_directory() {
    let extra = |name: &str| application(name, "1", false);
    let site = site();
    let files: [(&str, &str); 9] = [
        (".gitignore", "*.draft.yaml\n"),
        ("planner.toml", "exclude = [\"site/old/\"]\n"),
        ("site/site.yaml", &site),
        ("site/.hidden.yaml", &extra("hidden")),
        ("site/a.draft.yaml", &extra("draft")),
        ("site/.gitignore", "/private/\n"),
        ("site/private/p.yaml", &extra("private")),
        ("site/old/o.yaml", &extra("old")),
        ("site/notes.txt", "no document"),
    ];
    let repository = Repository::of(&files);
    // What is tracked is read on both sides, whatever ignore files say.
    let tracked = repository.against("HEAD", &["-o", "json", "--detailed-exitcode"]);
    assert_eq!(tracked.ends(0).json()["unchanged"], 4);
    let ignored = ["site/a.draft.yaml", "site/private/p.yaml"];
    repository.git(&[&["rm", "-q", "--cached"][..], &ignored].concat());
    repository.git(&["commit", "-q", "-m", "without what is ignored"]);
    let same = repository.against("HEAD", &["-o", "json", "--detailed-exitcode"]);
    assert_eq!(same.ends(0).json()["unchanged"], 2);
    assert!(moves(&same).is_empty());
    // A copy as a directory says the same as the revision, whatever has changed since.
    copy(
        &repository.folder.path().join("site"),
        &repository.folder.path().join("before"),
    );
    repository.edit("site/site.yaml", "cost: \"5\"", "cost: \"9\"");
    let by_revision = repository.against("HEAD", &["-o", "json"]).json();
    let by_directory = repository.against("before", &["-o", "json"]).json();
    assert_eq!(by_revision["moves"], by_directory["moves"]);
    assert_eq!(by_revision["unchanged"], by_directory["unchanged"]);
    // In a hook git has set these.
    let mut hook = repository
        .folder
        .command(&["plan", "site", "--against", "HEAD"]);
    hook.env("GIT_DIR", ".git")
        .env("GIT_INDEX_FILE", ".git/index");
    support::answer(&mut hook).ends(0);
    // From a folder below the top the same PATHs are meant.
    let mut below = repository
        .folder
        .command(&["plan", ".", "--against", "HEAD", "-o", "json"]);
    below.current_dir(repository.folder.path().join("site"));
    let below = support::answer(&mut below).json();
    assert_eq!(
        short(below["moves"].as_array().unwrap()),
        short(by_revision["moves"].as_array().unwrap())
    );
}

#[test]
fn records_of_the_revision_are_read() {
    let repository = Repository::of(&[("site/site.yaml", &site())]);
    repository.folder.at(&["plan", "site", "--yes"]).ends(0);
    repository.commit("deployed");
    // The volume holds `db` where it is, in both states alike.
    repository.edit("site/site.yaml", "cost: \"5\"", "cost: \"9\"");
    let found = short(&repository.moves());
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "ogc shop/web");
}

#[test]
fn statuses_are_those_of_plan() {
    let repository = Repository::of(&[("site/site.yaml", &site())]);
    repository.against("HEAD", &["--detailed-exitcode"]).ends(0);
    repository.edit("site/site.yaml", "cost: \"5\"", "cost: \"9\"");
    repository.against("HEAD", &[]).ends(0);
    repository.against("HEAD", &["--detailed-exitcode"]).ends(2);
    repository
        .folder
        .write("site/big.yaml", application("big", "100", false));
    repository.against("HEAD", &["--detailed-exitcode"]).ends(3);
    fs::remove_file(repository.folder.path().join("site/big.yaml")).expect("removed");
    repository.folder.write("site/bad.yaml", BROKEN);
    let refused = repository.against("HEAD", &["-o", "json"]);
    assert_eq!(refused.ends(1).json()["result"], "invalid");
    assert!(moves(&refused).is_empty());
    repository.commit("broken");
    fs::remove_file(repository.folder.path().join("site/bad.yaml")).expect("removed");
    let refused = repository.against("HEAD", &[]);
    refused.ends(1).says("HEAD:site/bad.yaml");
    repository.against("HEAD", &["-o", "markdown"]).ends(1);
    repository
        .against("nowhere", &[])
        .ends(64)
        .says("no such git revision");
    repository.against("--upload-pack=touch x", &[]).ends(64);
    repository.against("HEAD", &["--yes"]).ends(64);
    repository.against("HEAD", &["-o", "junit"]).ends(64);
    repository
        .folder
        .at(&["plan", "-", "--against", "HEAD"])
        .ends(64);
    let elsewhere = Folder::of(&[("site.yaml", &site())]);
    let outside = elsewhere.path().to_str().expect("a path");
    let outside = repository
        .folder
        .at(&["plan", "site", outside, "--against", "HEAD"]);
    outside.ends(64).says("is outside the git repository");
    let lone = Folder::of(&[("site.yaml", &site())]);
    lone.at(&["plan", "site.yaml", "--against", "HEAD"])
        .ends(64)
        .says("not in a git repository");
    assert!(
        !repository.folder.has("site/planner-records"),
        "nothing is written"
    );
}

#[test]
fn a_site_that_is_new_comes_from_nothing() {
    let repository = Repository::of(&[("readme.txt", "soon")]);
    repository.folder.write("site/site.yaml", site());
    let found = repository.against("HEAD", &["-o", "json"]);
    assert_eq!(moves(found.ends(0)).len(), 2);
    assert_eq!(found.json()["unchanged"], 0);
}

#[test]
fn text_of_documents_cannot_break_out_of_markdown() {
    let evil = "a|b`c<img src=x>@all\u{1b}[31m\\n[x](http://x)";
    let quoted = evil.replace('\\', "\\\\").replace('\u{1b}', "\\e");
    let rule = |label: &str| {
        format!("[{{key: cost, operator: Equals, values: [\"{label}\"]}}]\n  containers:\n")
    };
    let base = [
        PACKAGE.to_owned(),
        cluster("lyon", 2021, 7, "Up"),
        application("web", "1", false).replace("containers:\n", &format!("rules: {}", rule("7"))),
    ]
    .concat();
    let repository = Repository::of(&[("site/site.yaml", &base)]);
    repository.edit(
        "site/site.yaml",
        "values: [\"7\"]",
        &format!("values: [\"{quoted}\"]"),
    );
    let answer = repository.against("HEAD", &["-o", "markdown"]);
    let row = answer
        .out
        .lines()
        .find(|line| line.contains("shop/web"))
        .expect("a row");
    assert_eq!(row.matches('|').count(), 7, "{row}");
    assert!(!row.contains('<') || !row.contains("<img"), "{row}");
    assert!(!answer.out.contains('\u{1b}'), "{row}");
    for outside in row
        .split("<code>")
        .map(|part| part.split("</code>").last().unwrap_or(""))
    {
        assert!(!outside.contains('@') && !outside.contains("]("), "{row}");
    }
}

#[test]
fn the_answer_never_depends_on_threads() {
    let repository = Repository::of(&[("site/site.yaml", &site())]);
    repository.edit("site/site.yaml", "cost: \"5\"", "cost: \"9\"");
    repository
        .folder
        .write("site/more.yaml", cluster("kiel", 2023, 1, "Up"));
    let one = repository.against("HEAD", &["-o", "json", "--jobs", "1"]);
    assert_eq!(
        one.out,
        repository
            .against("HEAD", &["-o", "json", "--jobs", "7"])
            .out
    );
    let yaml = repository.against("HEAD", &["-o", "yaml"]);
    assert!(
        yaml.out
            .starts_with("apiVersion: planner/v1\nkind: PlanDiff\n"),
        "{yaml:?}"
    );
}

#[test]
fn what_moves_for_one_cause_is_said_once() {
    let clusters: String = ["lyon", "oslo", "riga"].map(|name| format!(
        "---\napiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata:\n  name: {name}\n  \
         labels: {{ring: pilot, tier: store}}\n"
    )).concat();
    let placement = |name: &str, label: &str| {
        let selector = format!("{{labelSelector: {{matchLabels: {{{label}}}}}}}");
        format!(
            "---\napiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: \
             {{name: {name}, namespace: shop}}\nspec: {{predicates: [{{requiredClusterSelector: {selector}}}]}}\n"
        )
    };
    let binding = "apiVersion: cluster.open-cluster-management.io/v1beta2\nkind: \
                   ManagedClusterSetBinding\nmetadata: {name: global, namespace: shop}\nspec: \
                   {clusterSet: global}\n";
    let placements: String = ["canary", "pilot", "pilots", "ring"]
        .map(|name| placement(name, "ring: pilot"))
        .concat();
    let old = format!("{binding}{clusters}{placements}");
    let new = old.replacen("ring: pilot, tier", "ring: main, tier", 1);
    let folder = Folder::of(&[("old/a.yaml", old.as_str()), ("new/a.yaml", &new)]);
    let args = ["plan", "new", "--against", "old"];
    let screen = folder.at(&args).ends(0).out.clone();
    insta::assert_snapshot!("one-cause-text", screen);
    let comment = folder.at(&[&args[..], &["-o", "markdown"]].concat()).out;
    insta::assert_snapshot!("one-cause-comment", comment);
    let all = folder.at(&[&args[..], &["--trace"]].concat()).out;
    for name in ["canary", "pilot", "pilots", "ring"] {
        assert!(all.contains(&format!("shop/{name}")), "{all}");
    }
}

#[test]
fn a_long_comment_is_cut_and_counts_the_rest() {
    let names: Vec<String> = (0..1500).map(|at| format!("application-{at:04}")).collect();
    let all: String = names
        .iter()
        .map(|name| application(name, "1m", false))
        .collect();
    let state = |cost| format!("{PACKAGE}{}{all}", cluster("oslo", 2022, cost, "Up"));
    let folder = Folder::of(&[("old/a.yaml", PACKAGE), ("new/a.yaml", &state(5))]);
    let args = ["plan", "new", "--against", "old", "-o", "markdown"];
    let comment = folder.at(&args).out;
    assert!(comment.chars().count() <= 60_000, "{}", comment.len());
    let rows = names.iter().filter(|name| {
        let row = format!("| `+` | ogc | `shop/{name}` |");
        comment.contains(&row)
    });
    let rest = format!("{} more rows not shown", names.len() - rows.count());
    assert!(comment.contains(&rest), "no {rest:?} in {comment}");
}

#[test]
fn a_comment_lists_the_findings_of_refused_documents() {
    let folder = Folder::of(&[("old/a.yaml", &site()), ("new/a.yaml", BROKEN)]);
    let args = ["plan", "new", "--against", "old", "-o", "markdown"];
    let comment = folder.at(&args).out;
    assert!(comment.contains("No plan: documents were refused (1 error)"));
    assert!(comment.contains("**Findings**\n\n- "), "{comment}");
    assert!(comment.contains("a.yaml:11"), "{comment}");
}
