//! `risk --remedies` as people run it: screens, arguments, the patch.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Answer, Folder};

fn fixture(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("fixtures").join(name).display().to_string()
}

/// A copy of a fixture as `site`.
fn copied(name: &str) -> Folder {
    let folder = Folder::new();
    let from = fixture(name);
    if Path::new(&from).is_dir() {
        folder.copy(Path::new(&from), "site");
    } else {
        drop(folder.write("site/all.yaml", std::fs::read(&from).unwrap()));
    }
    folder
}

fn screen(name: &str) -> String {
    let folder = copied(name);
    let answer = folder.at(&["risk", "site", "--remedies", "all"]);
    answer.ends(0).out.clone()
}

#[test]
fn the_screen_of_each_system() {
    insta::assert_snapshot!("ogc", screen("retail"));
    insta::assert_snapshot!("ocm", screen("remedies/ocm.yaml"));
    insta::assert_snapshot!("hybrid", screen("remedies/hybrid.yaml"));
    insta::assert_snapshot!("airship", screen("remedies/airship.yaml"));
    insta::assert_snapshot!("senlin", screen("remedies/senlin.yaml"));
}

/// A relabelled cluster would still be where it is.
#[test]
fn only_another_location_is_no_remedy() {
    insta::assert_snapshot!("location", screen("remedies/location.yaml"));
}

#[test]
fn markdown_has_a_column_and_data_has_every_set() {
    let folder = copied("remedies/ocm.yaml");
    let table = folder.at(&["risk", "site", "--remedies", "-o", "markdown"]);
    insta::assert_snapshot!("markdown", table.ends(0).out);
    let json = folder
        .at(&["risk", "site", "--remedies", "-o", "json"])
        .json();
    let losses = json["losses"].as_array().unwrap();
    let arden = losses.iter().find(|loss| loss["name"] == "arden").unwrap();
    assert_eq!(arden["class"], "unplaceable");
    let sets = arden["remedies"].as_array().unwrap();
    assert!(sets.len() > 1, "{arden:#}");
    assert_eq!(sets[0]["movesToday"], 0, "{arden:#}");
    assert!(
        sets.iter()
            .all(|set| set["proven"] == true && set["cost"] == 1)
    );
    let none = losses.iter().find(|loss| loss["class"] == "none").unwrap();
    assert_eq!(none.get("remedies"), None);
    assert_eq!(json.get("together"), None);
    let json = folder
        .at(&["risk", "site", "--remedies", "all", "-o", "json"])
        .json();
    let all = &json["together"][0];
    assert_eq!(
        (&all["kind"], &all["all"], &all["survived"], &all["before"]),
        (&json!("cluster"), &json!(3), &json!(3), &json!(1))
    );
    assert_eq!(all["edits"].as_array().unwrap().len(), 2, "{all:#}");
}

#[test]
fn what_follows_is_a_path_or_all() {
    let folder = copied("remedies/senlin.yaml");
    let all = folder.at(&["risk", "--remedies", "site"]);
    assert_eq!(
        all.ends(0).out,
        folder.at(&["risk", "site", "--remedies"]).out
    );
    let wrong = folder.at(&["risk", "site", "--remedies", "al"]);
    wrong.ends(64).says("write --remedies or --remedies all");
    folder
        .at(&["risk", "site", "--remedies", "--pairs"])
        .ends(64);
    folder.at(&["risk", "site", "--diff"]).ends(64);
    let each = folder.at(&["risk", "site", "--remedies", "--diff"]);
    each.ends(64).says("--diff needs --remedies all");
}

fn apply(folder: &Folder, patch: &str) {
    let mut git = Command::new("git")
        .args(["apply", "-"])
        .current_dir(folder.path())
        .env("GIT_CEILING_DIRECTORIES", folder.path().parent().unwrap())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = git.stdin.take().unwrap();
    std::io::Write::write_all(&mut to, patch.as_bytes()).unwrap();
    drop(to);
    assert!(git.wait().unwrap().success(), "{patch}");
}

/// The losses that are worse than volumes left behind.
fn fatal(answer: &Answer) -> Vec<String> {
    let json = answer.json();
    let losses = json["losses"].as_array().unwrap().iter();
    let bad = losses.filter(|loss| loss["class"] == "fatal" || loss["class"] == "unplaceable");
    bad.map(|loss| loss["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn git_applies_the_patch_and_every_loss_is_survived() {
    for name in [
        "retail",
        "remedies/ocm.yaml",
        "remedies/hybrid.yaml",
        "remedies/airship.yaml",
        "remedies/senlin.yaml",
        "remedies/gitops.yaml",
    ] {
        let folder = copied(name);
        let risk = ["risk", "site", "-o", "json"];
        assert!(!fatal(&folder.at(&risk)).is_empty(), "{name}");
        let before = folder.files();
        let diff = folder.at(&["risk", "site", "--remedies", "all", "--diff"]);
        assert_eq!(folder.files(), before, "{name}");
        apply(&folder, &diff.ends(0).out);
        assert_eq!(fatal(&folder.at(&risk)), Vec::<String>::new(), "{name}");
        folder
            .at(&["risk", "site", "--fail-on", "unplaceable"])
            .ends(0);
    }
}

/// Each Placement keeps a cluster, but not the same: one more in either will do.
#[test]
fn what_is_delivered_nowhere_is_remedied_too() {
    let folder = copied("remedies/gitops.yaml");
    let (loss, edits) = remedies_of(&folder, "cluster", "oslo");
    assert_eq!(loss["class"], "unplaceable");
    assert_eq!(
        loss["deliveries"]["unreached"],
        json!(["ApplicationSet/argocd/web"])
    );
    let wanted = |label: &str| (format!("/metadata/labels/{label}"), json!("yes"));
    assert!(edits.contains(&wanted("web")), "{edits:?}");
    assert!(edits.contains(&wanted("known")), "{edits:?}");
}

#[test]
fn without_a_fatal_loss_there_is_nothing_to_show() {
    let folder = copied("senlin/grow.yaml");
    let diff = folder.at(&["risk", "site", "--remedies", "all", "--diff"]);
    assert_eq!(diff.ends(0).out, "");
    diff.says("No edits to show.");
}

#[test]
fn a_report_shows_the_remedies() {
    let folder = copied("remedies/ocm.yaml");
    let page = folder.at(&["report", "site", "-o", "-", "--risk"]);
    let page = &page.ends(0).out;
    assert!(page.contains("<th scope=\"col\">Remedy</th>"), "{page}");
    assert!(page.contains("remedy (moves nothing today): "), "{page}");
}

/// A Cluster of two nodes that are machines of a deployment, too; the second could be larger.
fn with_machines(volume: bool) -> Folder {
    machines(volume, |_| ())
}

/// The same with documents that `change` changes.
fn machines(volume: bool, change: impl Fn(&mut Vec<Value>)) -> Folder {
    let folder = Folder::new();
    let metadata = |name: &str| {
        json!({"schema": "metadata/Document/v1", "name": name, "storagePolicy": "cleartext",
               "layeringDefinition": {"abstract": false, "layer": "site"}})
    };
    let mut all = vec![
        json!({"schema": "shipyard/DeploymentConfiguration/v1", "metadata": metadata("deployment-configuration"),
               "data": {"physical_provisioner": {"deployment_strategy": "s"}, "armada": {"manifest": "m"}}}),
        json!({"schema": "shipyard/DeploymentStrategy/v1", "metadata": metadata("s"),
               "data": {"groups": [{"name": "g", "critical": false, "depends_on": [], "selectors": []}]}}),
        json!({"schema": "drydock/HardwareProfile/v1", "metadata": metadata("hw"),
               "data": {"vendor": "v", "boot_mode": "bios", "bootstrap_protocol": "pxe", "pxe_interface": 0}}),
        json!({"apiVersion": "planner/v1", "kind": "Project", "metadata": {"name": "r"}}),
        json!({"apiVersion": "planner/v1", "kind": "Package", "metadata": {"name": "p"},
               "spec": {"project": "r", "storageRequests": [{"name": "d", "type": "StandardSSD", "capacity": "1Gi"}]}}),
        json!({"apiVersion": "planner/v1", "kind": "Application", "metadata": {"name": "a"},
               "spec": {"package": "p", "containers": [{"name": "c", "image": "i:1", "requests": {"cpu": "4"},
                   "mounts": [{"path": "/d", "storageRequest": "d", "accessMode": "ReadWriteOnce"}]}]}}),
    ];
    let cluster = |name: &str, nodes: Value| {
        json!({"apiVersion": "planner/v1", "kind": "Cluster",
               "metadata": {"name": name, "creationTimestamp": "2024-01-01T00:00:00Z"},
               "spec": {"projects": ["r"], "nodes": nodes, "volumeProviders": [{"name": "v", "type": "StandardSSD"}]},
               "status": {"phase": "Up"}})
    };
    let node =
        |name: &str, cpu: &str| json!({"name": name, "allocatable": {"cpu": cpu, "memory": "4Gi"}});
    all.push(cluster("oslo", json!([node("n1", "4"), node("n2", "2")])));
    if volume {
        all.push(cluster("riga", json!([node("r1", "8")])));
        all.push(json!({"apiVersion": "planner/v1", "kind": "Deployment",
            "metadata": {"name": "p-1", "creationTimestamp": "2025-01-01T00:00:00Z"},
            "spec": {"package": "p"}, "status": {"phase": "Running", "workloads": [
                {"application": "a", "cluster": "oslo", "persistentResources":
                    [{"kind": "PersistentVolumeClaim", "name": "d-a-0", "storageRequest": "d"}]}]}}));
    }
    for name in ["n1", "n2"] {
        all.push(
            json!({"schema": "drydock/BaremetalNode/v1", "metadata": metadata(name),
                   "data": {"hardware_profile": "hw", "addressing": [{"network": "o", "address": "dhcp"}]}}),
        );
    }
    change(&mut all);
    folder.write("site/all.yaml", super::text(&all));
    folder
}

fn remedies_of(folder: &Folder, kind: &str, name: &str) -> (Value, Vec<(String, Value)>) {
    let json = folder
        .at(&["risk", "site", "--remedies", "-o", "json"])
        .json();
    let losses = json["losses"].as_array().unwrap();
    let loss = losses
        .iter()
        .find(|loss| loss["kind"] == kind && loss["name"] == name);
    let loss = loss.unwrap();
    let sets = loss["remedies"].as_array().unwrap();
    let first = sets.iter().map(|set| {
        let edit = &set["edits"][0];
        (
            edit["pointer"].as_str().unwrap().to_owned(),
            edit["after"].clone(),
        )
    });
    (loss.clone(), first.collect())
}

/// Without the first node the second is the first: the edit is said of the documents as they are.
#[test]
fn an_edit_of_a_list_counts_what_is_lost() {
    let (loss, edits) = remedies_of(&with_machines(false), "node", "n1");
    assert_eq!(loss["class"], "unplaceable");
    let wanted = ("/spec/nodes/1/allocatable/cpu".to_owned(), json!("4"));
    assert!(edits.contains(&wanted), "{edits:?}");
    assert!(
        edits
            .iter()
            .all(|(pointer, _)| !pointer.starts_with("/spec/nodes/0")),
        "{edits:?}"
    );
}

/// Volumes stay where a larger node keeps their Application; with their Cluster they are gone.
#[test]
fn volumes_are_kept_where_their_cluster_stays() {
    let folder = with_machines(true);
    let (loss, edits) = remedies_of(&folder, "node", "n1");
    assert_eq!(loss["class"], "volumes");
    assert!(!edits.is_empty(), "{loss:#}");
    let (loss, edits) = remedies_of(&folder, "cluster", "oslo");
    assert_eq!(loss["class"], "volumes");
    assert!(edits.is_empty() && loss["noneUpTo"].is_null(), "{loss:#}");
    let screen = folder.at(&["risk", "site", "--remedies"]);
    let said = "    no remedy: its volumes are lost with it\n";
    assert!(screen.out.contains(said), "{}", screen.out);
}

/// The remedies of a loss: of each the name and the pointer of its edits.
fn sets(loss: &Value) -> Vec<Vec<String>> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let edit = |edit: &Value| {
        format!(
            "{} {}",
            text(&edit["object"]["name"]),
            text(&edit["pointer"])
        )
    };
    let sets = loss["remedies"].as_array().unwrap().iter();
    let edits = sets.map(|set| set["edits"].as_array().unwrap().iter().map(edit).collect());
    edits.collect()
}

/// A Placement of role b, what it delivers to the clusters that are registered, and one of role a.
fn roles(of_b: &str) -> Folder {
    let folder = Folder::new();
    let mut text = String::new();
    for (name, labels) in [
        ("oslo", "role: a"),
        ("riga", "role: b, known: 'yes'"),
        ("lyon", "role: b"),
    ] {
        text.push_str(&format!(
            "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
             metadata: {{name: {name}, labels: {{{labels}}}}}\nspec: {{hubAcceptsClient: true}}\n---\n"
        ));
    }
    for (name, label, number) in [
        ("a", "role: a", ""),
        ("b", "role: b", of_b),
        ("known", "known: 'yes'", ""),
    ] {
        text.push_str(&format!(
            "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
             metadata: {{name: {name}, namespace: argocd}}\nspec:\n  \
             predicates: [{{requiredClusterSelector: {{labelSelector: {{matchLabels: {{{label}}}}}}}}}]\n\
             {number}---\n"
        ));
    }
    text.push_str(
        "apiVersion: cluster.open-cluster-management.io/v1beta2\nkind: ManagedClusterSetBinding\n\
         metadata: {name: global, namespace: argocd}\nspec: {clusterSet: global}\n---\n\
         apiVersion: apps.open-cluster-management.io/v1beta1\nkind: GitOpsCluster\n\
         metadata: {name: all, namespace: argocd}\nspec:\n  argoServer: {argoNamespace: argocd}\n  \
         placementRef: {kind: Placement, apiVersion: cluster.open-cluster-management.io/v1beta1, name: known}\n---\n\
         apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: b, namespace: argocd}\nspec:\n  \
         generators:\n  - clusterDecisionResource:\n      configMapRef: acm-placement\n      \
         labelSelector: {matchLabels: {cluster.open-cluster-management.io/placement: b}}\n  \
         template:\n    metadata: {name: 'b-{{name}}'}\n    spec:\n      project: default\n      \
         source: {repoURL: 'https://git.example/b.git', path: b}\n      \
         destination: {server: '{{server}}', namespace: b}\n",
    );
    folder.write("site/all.yaml", text);
    folder
}

/// Nothing loses its place for a remedy, not even today: a Placement keeps as many clusters as it
/// wants, and what is delivered reaches one.
#[test]
fn no_remedy_costs_another_its_place() {
    let label = |name: &str| vec![format!("{name} /metadata/labels/role")];
    let (loss, _) = remedies_of(&roles(""), "cluster", "oslo");
    assert_eq!(loss["class"], "unplaceable");
    let found = sets(&loss);
    assert!(found.contains(&label("lyon")), "{found:?}");
    assert!(!found.contains(&label("riga")), "{found:?}");
    let (loss, _) = remedies_of(&roles("  numberOfClusters: 2\n"), "cluster", "oslo");
    let found = sets(&loss);
    assert!(!found.is_empty(), "{loss:#}");
    assert!(!found.contains(&label("lyon")), "{found:?}");
}

/// Two Applications, each in its region; the first has a volume.
#[test]
fn no_remedy_leaves_volumes_behind_today() {
    let folder = Folder::new();
    let planner = "planner/v1";
    let cluster = |name: &str, region: &str| {
        json!({"apiVersion": planner, "kind": "Cluster",
               "metadata": {"name": name, "creationTimestamp": "2024-01-01T00:00:00Z",
                   "labels": {"region": region}},
               "spec": {"projects": ["r"], "nodes": [{"name": "n1", "allocatable": {"cpu": "8", "memory": "8Gi"}}],
                   "volumeProviders": [{"name": "v", "type": "StandardSSD"}]},
               "status": {"phase": "Up"}})
    };
    let application = |name: &str, region: &str, mounts: Value| {
        json!({"apiVersion": planner, "kind": "Application", "metadata": {"name": name},
               "spec": {"package": "p", "rules": [{"key": "region", "operator": "Equals", "values": [region]}],
                   "containers": [{"name": "c", "image": "i:1", "mounts": mounts}]}})
    };
    let all = [
        json!({"apiVersion": planner, "kind": "Project", "metadata": {"name": "r"}}),
        json!({"apiVersion": planner, "kind": "Package", "metadata": {"name": "p"},
               "spec": {"project": "r", "storageRequests": [{"name": "d", "type": "StandardSSD", "capacity": "1Gi"}]}}),
        application(
            "a",
            "south",
            json!([{"path": "/d", "storageRequest": "d", "accessMode": "ReadWriteOnce"}]),
        ),
        application("b", "north", json!([])),
        cluster("oslo", "south"),
        cluster("lyon", "south"),
        cluster("riga", "north"),
        json!({"apiVersion": planner, "kind": "Deployment",
            "metadata": {"name": "p-1", "creationTimestamp": "2025-01-01T00:00:00Z"},
            "spec": {"package": "p"}, "status": {"phase": "Running", "workloads": [
                {"application": "a", "cluster": "oslo", "persistentResources":
                    [{"kind": "PersistentVolumeClaim", "name": "d-a-0", "storageRequest": "d"}]},
                {"application": "b", "cluster": "riga"}]}}),
    ];
    folder.write("site/all.yaml", super::text(&all));
    let (loss, _) = remedies_of(&folder, "cluster", "riga");
    assert_eq!(loss["class"], "unplaceable");
    let found = sets(&loss);
    let region = |name: &str| vec![format!("{name} /metadata/labels/region")];
    assert!(found.contains(&region("lyon")), "{found:?}");
    assert!(!found.contains(&region("oslo")), "{found:?}");
}

/// The classes of a loss with its remedies.
fn classes(loss: &Value) -> Vec<&str> {
    let sets = loss["remedies"].as_array().unwrap().iter();
    sets.map(|set| set["class"].as_str().unwrap()).collect()
}

/// What has a place again may leave its volumes on the lost Cluster; where they alone are at
/// stake, a remedy keeps them.
#[test]
fn a_remedy_betters_the_class() {
    let folder = machines(true, |all| {
        all[7]["spec"]["nodes"][0]["allocatable"]["cpu"] = json!("2");
    });
    let (loss, _) = remedies_of(&folder, "cluster", "oslo");
    assert_eq!(loss["class"], "unplaceable");
    let found = classes(&loss);
    assert!(found.contains(&"volumes"), "{loss:#}");
    // One needs a larger Node, another one with more memory: either alone keeps the class.
    let folder = machines(true, |all| {
        let mut other = all[5].clone();
        other["metadata"]["name"] = json!("b");
        other["spec"]["containers"][0]["requests"] = json!({"cpu": "1", "memory": "4Gi"});
        all.push(other);
        all[6]["spec"]["nodes"][1]["allocatable"]["memory"] = json!("2Gi");
        let workloads = all[8]["status"]["workloads"].as_array_mut().unwrap();
        let mut other = workloads[0].clone();
        other["application"] = json!("b");
        other["persistentResources"][0]["name"] = json!("d-b-0");
        workloads.push(other);
    });
    let (loss, _) = remedies_of(&folder, "node", "n1");
    assert_eq!(
        (&loss["class"], loss["volumes"].as_array().unwrap().len()),
        (&json!("volumes"), 2)
    );
    let found = classes(&loss);
    assert!(!found.is_empty() && !found.contains(&"volumes"), "{loss:#}");
    // A deployment that ends well is not enough for what has no place.
    let folder = machines(false, |all| {
        let group = &mut all[1]["data"]["groups"][0];
        group["critical"] = json!(true);
        group["success_criteria"] = json!({"minimum_successful_nodes": 2});
    });
    let (loss, _) = remedies_of(&folder, "node", "n1");
    assert_eq!(loss["class"], "fatal");
    let found = classes(&loss);
    assert!(
        !found.is_empty() && !found.contains(&"unplaceable"),
        "{loss:#}"
    );
}

/// The patch has the edits for every kind of thing that can be lost.
#[test]
fn the_patch_is_for_all_kinds() {
    let folder = copied("remedies/ocm.yaml");
    let regions = std::fs::read(fixture("remedies/senlin.yaml")).unwrap();
    folder.write("site/regions.yaml", regions);
    let risk = ["risk", "site", "-o", "json"];
    let kinds = |answer: &Answer| -> BTreeSet<String> {
        let json = answer.json();
        let losses = json["losses"].as_array().unwrap().iter();
        let bad = losses.filter(|loss| loss["class"] == "fatal" || loss["class"] == "unplaceable");
        bad.map(|loss| loss["kind"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(kinds(&folder.at(&risk)).len(), 2);
    let diff = folder.at(&["risk", "site", "--remedies", "all", "--diff"]);
    apply(&folder, &diff.ends(0).out);
    assert_eq!(kinds(&folder.at(&risk)), BTreeSet::new());
}

/// What a hub alone has is in no file that could be edited.
#[test]
fn no_remedy_edits_a_hub() {
    let folder = Folder::new();
    let text = std::fs::read_to_string(fixture("remedies/ocm.yaml")).unwrap();
    let (clusters, others): (Vec<&str>, Vec<&str>) = text
        .split("---\n")
        .partition(|text| text.contains("kind: ManagedCluster\n"));
    folder.write("site/all.yaml", others.join("---\n"));
    folder.write("hub.yaml", clusters.join("---\n"));
    let args = [
        "risk",
        "site",
        "--hub",
        "hub.yaml",
        "--remedies",
        "-o",
        "json",
    ];
    let json = folder.at(&args).json();
    let mut losses = json["losses"].as_array().unwrap().iter();
    let loss = losses.find(|loss| loss["class"] == "unplaceable").unwrap();
    let sets = loss["remedies"].as_array().unwrap().iter();
    let edits: Vec<&Value> = sets
        .flat_map(|set| set["edits"].as_array().unwrap())
        .collect();
    assert!(!edits.is_empty(), "{loss:#}");
    assert!(
        edits.iter().all(|edit| edit["path"] == "site/all.yaml"),
        "{loss:#}"
    );
}

/// Fewer nodes that have to succeed, a group that may fail, and a node more, of those that no group
/// has.
#[test]
fn a_group_withstands_in_several_ways() {
    let folder = machines(false, |all| {
        let group = |name: &str, nodes: Value, least: usize| {
            json!({"name": name, "critical": true, "depends_on": [], "selectors": [{"node_names": nodes}],
                   "success_criteria": {"minimum_successful_nodes": least}})
        };
        let groups = [
            group("g", json!(["n1", "n2"]), 2),
            group("h", json!(["n3", "n5"]), 1),
        ];
        all[1]["data"]["groups"] = json!(groups);
        let node = all.pop().unwrap();
        all.drain(3..7);
        all.push(node.clone());
        for name in ["n3", "n4", "n5"] {
            let mut node = node.clone();
            node["metadata"]["name"] = json!(name);
            all.push(node);
        }
    });
    let (loss, edits) = remedies_of(&folder, "node", "n1");
    assert_eq!(loss["class"], "fatal");
    let least = "/data/groups/0/success_criteria/minimum_successful_nodes";
    let wanted = [
        (least, json!(1)),
        ("/data/groups/0/critical", json!(false)),
        ("/data/groups/0/selectors/-", json!({"node_names": ["n4"]})),
    ];
    let wanted = wanted.map(|(pointer, after)| (pointer.to_owned(), after));
    assert_eq!(edits, wanted, "{loss:#}");
}
