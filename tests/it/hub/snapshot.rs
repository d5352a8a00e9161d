//! Reading a snapshot: its age, its forms, and everything that one can be and should not.

use planner::load::{HubFile, Request, open};

use super::{BINDING, cluster, placement, stream};
use crate::support::Folder;

/// A folder with documents and this snapshot.
fn folder(hub: &str) -> Folder {
    let git = stream(&[BINDING, &placement("web", "{}")]);
    Folder::of(&[("git.yaml", git.as_str()), ("hub.yaml", hub)])
}

const PLAN: [&str; 4] = ["plan", "git.yaml", "--hub", "hub.yaml"];

/// The items of a list, as `kubectl get -o yaml` prints them.
fn list(kind: &str, items: &[String]) -> String {
    let items = items.iter().map(|item| {
        let lines: Vec<String> = item.lines().map(|line| format!("  {line}\n")).collect();
        lines.concat().replacen("  ", "- ", 1)
    });
    let items: Vec<String> = items.collect();
    format!("apiVersion: v1\nkind: {kind}\nitems:\n{}", items.concat())
}

#[test]
fn every_screen_begins_with_the_age_of_the_snapshot() {
    let taken = format!(
        "# planner-hub: 2025-12-31T22:00:00Z\n{}",
        cluster("oslo", "")
    );
    let folder = folder(&taken);
    let line = "Hub: hub.yaml, taken 2025-12-31 22:00 UTC (2 h before now), 1 cluster; 0 of \
                2 Git objects on the hub, 2 of kinds that the export lacks \
                (ManagedClusterSetBinding, Placement)";
    for command in ["plan", "validate", "drift", "risk"] {
        let answer = folder.at(&[command, "git.yaml", "--hub", "hub.yaml"]);
        assert!(answer.out.starts_with(line), "{command}: {answer:?}");
        let answer = folder.at(&[command, "git.yaml", "--hub", "hub.yaml", "-o", "json"]);
        let hub = answer.json()["hub"].clone();
        assert_eq!(hub["file"], "hub.yaml", "{command}");
        assert_eq!(hub["taken"], "2025-12-31T22:00:00Z", "{command}");
        assert_eq!(hub["objects"]["ManagedCluster"], 1, "{command}");
    }
    let answer = folder.at(&["why", "shop/web", "--in", "git.yaml", "--hub", "hub.yaml"]);
    assert!(answer.out.starts_with(line), "{answer:?}");
}

#[test]
fn an_old_snapshot_is_a_warning_that_decides_nothing() {
    let folder = folder(&format!(
        "# planner-hub: 2025-12-30T00:00:00Z\n{}",
        cluster("oslo", "")
    ));
    let found = folder.at(&[&PLAN[..], &["-o", "json"]].concat());
    assert!(
        found
            .ends(0)
            .codes()
            .contains(&"planner::ocm::hub_stale".to_owned())
    );
    folder.write("planner.toml", "hub-max-age = \"72h\"\n");
    let found = folder.at(&[&PLAN[..], &["-o", "json"]].concat());
    assert!(
        !found
            .codes()
            .contains(&"planner::ocm::hub_stale".to_owned())
    );
}

#[test]
fn the_configuration_names_it_relative_to_itself() {
    let git = stream(&[BINDING, &placement("web", "{}")]);
    let folder = Folder::of(&[
        ("site/git.yaml", git.as_str()),
        ("site/export/hub.yaml", &cluster("oslo", "")),
        ("site/planner.toml", "hub = \"export/hub.yaml\"\n"),
    ]);
    // It lies within the PATH and is read as the hub alone.
    let plan = folder.at(&["plan", "site", "-o", "json"]).ends(0).json();
    assert_eq!(plan["placements"][0]["decisions"][0], "oslo");
    assert_eq!(plan["hub"]["objects"]["ManagedCluster"], 1);
}

#[test]
fn a_list_a_stream_and_json_say_the_same() {
    let items = [cluster("oslo", "a: b"), cluster("riga", "")];
    let json = r#"{"apiVersion":"v1","kind":"List","items":[
        {"apiVersion":"cluster.open-cluster-management.io/v1","kind":"ManagedCluster",
         "metadata":{"name":"oslo","labels":{"a":"b"}},"spec":{"hubAcceptsClient":true}},
        {"apiVersion":"cluster.open-cluster-management.io/v1","kind":"ManagedCluster",
         "metadata":{"name":"riga"},"spec":{"hubAcceptsClient":true}}]}"#;
    let forms = [
        list("List", &items),
        list("ManagedClusterList", &items),
        items.join("---\n"),
        json.to_owned(),
    ];
    for form in forms {
        let plan = folder(&form)
            .at(&[&PLAN[..], &["-o", "json"]].concat())
            .json();
        let decided = plan["placements"][0]["decisions"]
            .as_array()
            .unwrap()
            .clone();
        assert_eq!(decided, ["oslo", "riga"], "{form}");
    }
    let piped = folder("").piped(
        &["plan", "git.yaml", "--hub", "-", "-o", "json", "--no-input"],
        list("List", &items),
    );
    assert_eq!(piped.json()["hub"]["objects"]["ManagedCluster"], 2);
}

/// Nothing of a Secret is shown, wherever it stands, whatever else is wrong.
#[test]
fn secrets_are_neither_kept_nor_shown() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: token}\n\
                  data:\n  password: aHVudGVyMg==\nstringData: {plain: hunter2}\n"
        .to_owned();
    let hidden = |answer: &crate::support::Answer| {
        for word in ["aHVudGVyMg", "hunter2", "password"] {
            assert!(
                !answer.out.contains(word) && !answer.err.contains(word),
                "{answer:?}"
            );
        }
    };
    for form in [
        list(
            "List",
            &[cluster("oslo", ""), secret.clone(), cluster("riga", "")],
        ),
        [cluster("oslo", ""), secret.clone(), cluster("riga", "")].join("---\n"),
    ] {
        for command in ["plan", "drift", "validate"] {
            let words = [command, "git.yaml", "--hub", "hub.yaml", "-o", "json"];
            let answer = folder(&form).at(&words);
            hidden(&answer);
            let found = answer.codes();
            assert!(
                found.contains(&"planner::ocm::hub_secret".to_owned()),
                "{found:?}"
            );
            assert_eq!(
                answer.json()["hub"]["objects"]["ManagedCluster"],
                2,
                "{form}"
            );
        }
    }
    let alone = folder(&list("List", std::slice::from_ref(&secret))).at(&PLAN);
    hidden(alone.ends(66).says("only Secret"));
    let broken = format!("{secret}  - broken: [\n");
    hidden(folder(&broken).at(&PLAN).ends(1));
    for value in [
        "*hunter2",
        "!hunter2 \"a",
        "\"hunter2\\q\"",
        "hunter2\n  b: [",
    ] {
        let broken = secret.replace("aHVudGVyMg==", value);
        let answer = folder(&list("List", &[cluster("oslo", ""), broken])).at(&PLAN);
        hidden(answer.ends(1).says("hub snapshot hub.yaml:"));
    }
}

#[test]
fn what_cannot_be_used_is_said_and_has_its_status() {
    folder("")
        .at(&["plan", "git.yaml", "--hub", "missing.yaml"])
        .ends(66)
        .says("cannot be read");
    folder("")
        .at(&PLAN)
        .ends(66)
        .says("the file contains no objects");
    let pods = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n";
    folder(pods).at(&PLAN).ends(66).says("only Pod");
    folder("a: [\n")
        .at(&PLAN)
        .ends(1)
        .says("hub snapshot hub.yaml:");
    let cut = list("List", &[cluster("oslo", "")]).replace("hubAcceptsClient: true}", "hubAcc");
    folder(&cut)
        .at(&PLAN)
        .ends(1)
        .says("hub snapshot hub.yaml:");
    let same = folder("").at(&["plan", "git.yaml", "--hub", "git.yaml"]);
    same.ends(64).says("the same file is a PATH");
    let twice = folder("").piped(&["plan", "-", "--hub", "-"], "");
    twice.ends(64).says("both a PATH and --hub");
    folder("")
        .at(&["plan", "git.yaml", "--no-prune"])
        .ends(64)
        .says("--no-prune needs --hub");
    folder("")
        .at(&["drift", "git.yaml"])
        .ends(64)
        .says("--hub FILE");
}

/// Two states of a site may hold different numbers of files: the snapshot comes behind them.
#[test]
fn a_snapshot_is_read_once_for_all_states_of_a_site() {
    let folder = folder(&cluster("oslo", ""));
    let hub = HubFile::new(folder.path().join("hub.yaml"), None, 86_400);
    let state = |names: &[&str]| {
        let paths = names.iter().map(|name| folder.path().join(name));
        let mut request = Request::of(paths.collect());
        request.hub = Some(hub.clone());
        open(&request).unwrap()
    };
    let first = state(&["git.yaml"]);
    folder.write("more.yaml", BINDING);
    folder.write("hub.yaml", "");
    let states = [first, state(&["git.yaml", "more.yaml"])];
    let sources = states.each_ref().map(|loaded| {
        let hub = loaded.hub.as_ref().unwrap();
        let source = loaded.sources.get(hub.source);
        assert!(source.name.ends_with("hub.yaml"), "{}", source.name);
        let objects: Vec<_> = hub.documents(&source.text).collect();
        assert_eq!(objects.len(), 1);
        assert_eq!(objects[0].node.place().source, hub.source);
        hub.source
    });
    assert_ne!(sources[0], sources[1]);
}

/// kubectl writes the kind of a list last.
#[test]
fn a_list_that_is_cut_off_is_refused_wherever_it_ends() {
    let items = ["oslo", "riga"].map(|name| cluster(name, "region: north"));
    let whole = list("List", &items).replace("kind: List\n", "");
    let lines: Vec<&str> = whole.lines().collect();
    let folder = folder("");
    for end in 0..=lines.len() {
        folder.write("hub.yaml", lines[..end].join("\n") + "\n");
        let answer = folder.at(&PLAN);
        assert_eq!(answer.out, "", "{end}: {answer:#?}");
        match end {
            0..3 => answer.ends(66),
            _ => answer.ends(1).says("hub snapshot hub.yaml:"),
        };
    }
    folder.write("hub.yaml", whole + "kind: List\n");
    assert!(folder.at(&PLAN).ends(0).out.contains("2 clusters"));
}

#[test]
fn a_snapshot_none_of_which_can_be_read_names_its_objects() {
    let hub: Vec<String> = ["a", "b", "c", "d", "e", "f", "g"]
        .map(|name| cluster(name, "").replace("true}", "perhaps}"))
        .into();
    let hub: Vec<&str> = hub.iter().map(String::as_str).collect();
    let answer = folder(&stream(&hub)).at(&PLAN);
    answer.ends(66).says(
        "none of the objects in the file can be read: ManagedCluster a, ManagedCluster b, \
         ManagedCluster c, ManagedCluster d, ManagedCluster e and 2 more",
    );
}

#[test]
fn a_snapshot_beyond_the_limit_is_refused() {
    let folder = folder(&cluster("oslo", ""));
    folder.write("planner.toml", "[limits]\nfile-bytes = 100\n");
    folder.write("git.yaml", "{}\n");
    folder.at(&PLAN).ends(1).says("more than the limit of 100");
}

#[test]
fn objects_that_stand_twice_or_cannot_be_read_are_counted() {
    let hub = stream(&[
        &cluster("oslo", "a: b"),
        &cluster("oslo", "a: c"),
        &cluster("riga", "").replace("true}", "perhaps}"),
    ]);
    let folder = folder(&hub);
    let answer = folder.at(&[&PLAN[..], &["-o", "json"]].concat());
    let plan = answer.json();
    assert_eq!(plan["hub"]["objects"]["ManagedCluster"], 1);
    let notes = plan["diagnostics"].as_array().unwrap().clone();
    let note = notes
        .iter()
        .find(|one| one["code"] == "planner::ocm::hub_unreadable")
        .unwrap();
    let message = note["message"].as_str().unwrap();
    assert!(message.contains("ManagedCluster riga"), "{message}");
    assert!(
        message.contains("1 object of the hub is in the snapshot twice"),
        "{message}"
    );
}

#[test]
fn a_snapshot_inside_the_site_is_read_as_the_hub_alone() {
    let folder = Folder::of(&[
        ("site/git.yaml", &*placement("web", "{}")),
        ("site/binding.yaml", super::BINDING),
        ("site/hub.yaml", &cluster("oslo", "")),
    ]);
    let words = [
        "plan",
        "site",
        "--hub",
        "site/hub.yaml",
        "-o",
        "json",
        "--no-input",
    ];
    let plan = folder.at(&words).json();
    assert_eq!(plan["documents"]["read"], 3, "{plan}");
    assert_eq!(
        plan["placements"][0]["decisions"],
        serde_json::json!(["oslo"])
    );
    let drift = folder
        .at(&["drift", "site", "--hub", "site/hub.yaml", "-o", "json"])
        .json();
    assert_eq!(drift["hubOnly"]["ManagedCluster"], 1);
}

#[test]
fn another_version_of_the_api_is_the_same_object() {
    let of_hub = placement("web", "{numberOfClusters: 1}").replace("v1beta1", "v1alpha1");
    let hub = stream(&[&of_hub, &cluster("oslo", ""), &cluster("riga", "")]);
    let folder = Folder::of(&[
        (
            "git.yaml",
            &*stream(&[super::BINDING, &placement("web", "{numberOfClusters: 2}")]),
        ),
        ("hub.yaml", &hub),
    ]);
    let plan = folder.at(&[&PLAN[..], &["-o", "json"]].concat()).json();
    assert_eq!(plan["placements"].as_array().unwrap().len(), 1);
    assert_eq!(
        plan["placements"][0]["decisions"],
        serde_json::json!(["oslo", "riga"])
    );
}

/// A cluster whose label somebody changed by hand.
const BY_HAND: &str = "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
                       metadata:\n  name: oslo\n  labels:\n    region: south\n  managedFields:\n  - \
                       {manager: kubectl-edit, operation: Update, time: '2025-11-20T09:30:00Z', \
                       fieldsType: FieldsV1, fieldsV1: {'f:metadata': {'f:labels': {'f:region': \
                       {}}}}}\nspec: {hubAcceptsClient: true}\n";

#[test]
fn a_reason_names_who_wrote_what_it_stands_on() {
    let north = "{predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {region: \
                 north}}}}]}";
    let git = stream(&[super::BINDING, &placement("web", north)]);
    let folder = Folder::of(&[("git.yaml", &*git), ("hub.yaml", BY_HAND)]);
    let words = [
        "why", "shop/web", "oslo", "--in", "git.yaml", "--hub", "hub.yaml",
    ];
    let answer = folder.at(&[&words[..], &["--changes", "0"]].concat());
    assert!(answer.out.contains("hub.yaml:6:"), "{answer:?}");
    assert!(
        answer.out.contains("(kubectl-edit, 2025-11-20)"),
        "{answer:?}"
    );
    let data = folder.at(&[&words[..], &["-o", "json"]].concat()).out;
    assert!(data.contains("(kubectl-edit, 2025-11-20)"), "{data}");
}

#[test]
fn graph_and_report_say_which_snapshot_they_were_made_with() {
    let folder = folder(&cluster("oslo", ""));
    let report = ["report", "git.yaml", "--hub", "hub.yaml", "-o", "page.html"];
    folder.at(&report);
    assert!(folder.read("page.html").contains("Hub: hub.yaml, "));
    let fleet = crate::support::sites::airship(3);
    folder.write("git.yaml", fleet);
    let graph = ["graph", "git.yaml", "--hub", "hub.yaml", "-o"];
    for (format, mark) in [("dot", "// Hub: hub.yaml"), ("mermaid", "%% Hub: hub.yaml")] {
        let answer = folder.at(&[&graph[..], &[format]].concat());
        assert!(answer.out.starts_with(mark), "{answer:?}");
    }
    let data = folder.at(&[&graph[..], &["json"]].concat()).json();
    assert_eq!(data["hub"]["file"], "hub.yaml");
}

#[test]
fn a_saved_plan_is_stale_with_another_snapshot() {
    let git = stream(&[super::BINDING, &placement("web", "{}")]);
    let folder = Folder::of(&[("git.yaml", &*git), ("hub.yaml", &cluster("oslo", ""))]);
    folder
        .at(&[&PLAN[..], &["--out", "p.json"]].concat())
        .ends(0);
    let show = ["show", "p.json", "git.yaml"];
    folder
        .at(&show)
        .ends(64)
        .says("--hub hub.yaml; give it again");
    let show = [&show[..], &["--hub", "hub.yaml"]].concat();
    let answer = folder.at(&show);
    assert!(
        answer.out.contains("up to date") || answer.err.contains("up to date"),
        "{answer:?}"
    );
    folder.write(
        "hub.yaml",
        stream(&[&cluster("oslo", ""), &cluster("riga", "")]),
    );
    let answer = folder.at(&show);
    assert!(
        answer.out.contains("stale") || answer.err.contains("stale"),
        "{answer:?}"
    );
    let proceed = ["proceed", "p.json", "--hub", "hub.yaml", "--yes"];
    folder.at(&proceed).ends(1);
    folder.write("other.yaml", cluster("oslo", ""));
    folder
        .at(&["proceed", "p.json", "--hub", "other.yaml", "--yes"])
        .ends(64);
    let piped = ["plan", "git.yaml", "--hub", "-", "--out", "q.json"];
    folder
        .piped(&piped, cluster("oslo", ""))
        .says("--out needs --hub FILE");
}

/// What is decided may be the same; what it replaces and what it was chosen from are not.
#[test]
fn a_saved_plan_is_stale_where_the_snapshot_has_other_clusters_or_decisions() {
    let page = |cluster: &str| {
        format!(
            "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: PlacementDecision\n\
             metadata: {{name: web-decision-1, namespace: shop, labels: \
             {{cluster.open-cluster-management.io/placement: web}}}}\n\
             status: {{decisions: [{{clusterName: {cluster}, reason: \"\"}}]}}\n"
        )
    };
    let chosen = placement(
        "web",
        "{clusterSets: [global], predicates: [{requiredClusterSelector: {labelSelector: \
         {matchLabels: {region: north}}}}]}",
    );
    let git = stream(&[super::BINDING, &chosen]);
    let north = cluster("oslo", "region: north");
    let hub = stream(&[&north, &cluster("riga", ""), &page("oslo")]);
    let folder = Folder::of(&[("git.yaml", &*git), ("hub.yaml", &*hub)]);
    folder
        .at(&[&PLAN[..], &["--out", "p.json"]].concat())
        .ends(0);
    let proceed = ["proceed", "p.json", "--hub", "hub.yaml", "--yes"];
    let newer = format!("# planner-hub: 2025-12-31T00:00:00Z\n{hub}");
    folder.write("hub.yaml", newer);
    folder
        .at(&proceed)
        .ends(0)
        .says("but the decisions have not");
    for changed in [
        [&*north, &cluster("rome", ""), &page("oslo")],
        [&*north, &cluster("riga", ""), &page("riga")],
    ] {
        folder.write("hub.yaml", stream(&changed));
        folder
            .at(&proceed)
            .ends(1)
            .says("the snapshot has other clusters or other current decisions");
    }
}

#[test]
fn a_hub_without_anything_in_common_is_said() {
    let answer = folder(&cluster("oslo", "")).at(&PLAN);
    assert!(
        answer.out.contains("none in common: it may be another hub"),
        "{answer:?}"
    );
}

#[test]
fn an_output_never_replaces_the_snapshot() {
    let folder = folder(&cluster("oslo", ""));
    let answer = folder.at(&[&PLAN[..], &["-o", "json=hub.yaml"]].concat());
    answer.ends(64);
    assert!(folder.read("hub.yaml").contains("oslo"));
}

#[test]
fn printed_commands_name_the_snapshot() {
    let git = stream(&[BINDING, &placement("web", "{numberOfClusters: 2}")]);
    let hub = cluster("oslo", "");
    let folder = Folder::of(&[("git.yaml", &*git), ("hub.yaml", &hub)]);
    let answer = folder.at(&PLAN).ends(3).out.clone();
    let why = "planner why shop/web --in git.yaml --hub hub.yaml";
    assert!(answer.contains(why), "{answer}");
}
