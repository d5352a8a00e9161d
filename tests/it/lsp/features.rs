//! What the editor can ask about a site: each question as a conversation over `fixtures/site`.

use std::path::Path;

use serde_json::{Value, json};

use super::Client;
use super::client::{all, uri_of};
use crate::support::{Folder, site};

/// A client with the sample site open.
fn sample() -> Client {
    let folder = Folder::new();
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/site");
    folder.copy(&home, "site");
    Client::new(folder, all())
}

/// An answer as text, with files by their names.
fn shown(client: &Client, value: &Value) -> String {
    let text = serde_json::to_string_pretty(value).unwrap();
    text.replace(&client.uri(""), "")
}

/// Places as `file:line:column` from 1.
fn places(client: &Client, value: &Value) -> Vec<String> {
    let list = value.as_array().unwrap_or_else(|| panic!("{value:#?}"));
    let mut places: Vec<String> = list
        .iter()
        .map(|one| {
            let start = &one["range"]["start"];
            let uri = one["uri"].as_str().unwrap().replace(&client.uri(""), "");
            let number = |value: &Value| value.as_u64().unwrap() + 1;
            format!(
                "{uri}:{}:{}",
                number(&start["line"]),
                number(&start["character"])
            )
        })
        .collect();
    places.sort();
    places
}

/// The Markdown of a hover.
fn hover(client: &mut Client, name: &str, place: &str) -> String {
    let text = client.folder.read(name);
    let params = client.at(name, &text, place);
    let answer = client.ask("textDocument/hover", params);
    answer["contents"]["value"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_hover_explains_what_is_under_the_pointer() {
    let mut client = sample();
    let file = "site/hub/placements.yaml";
    client.open(file);
    let mut said = String::new();
    for place in ["audited", "level-1", "numberOfClusters", "halls", "kind"] {
        said.push_str(&format!(
            "== {place}\n{}\n",
            hover(&mut client, file, place)
        ));
    }
    let packages = "site/packages/analytics.yaml";
    client.open(packages);
    for place in ["warehouse", "tier", "project"] {
        said.push_str(&format!(
            "== {place}\n{}\n",
            hover(&mut client, packages, place)
        ));
    }
    let groups = "site/machines/strategy.yaml";
    client.open(groups);
    said.push_str(&format!(
        "== group\n{}\n",
        hover(&mut client, groups, "control\n")
    ));
    insta::assert_snapshot!(said);
    assert_eq!(hover(&mut client, file, "# The tills"), "");
}

#[test]
fn definitions_and_references_lead_to_each_other() {
    let mut client = sample();
    let mut said = String::new();
    let questions = [
        ("site/hub/placements.yaml", "stores]"),
        ("site/hub/placements.yaml", "pci"),
        ("site/hub/rollout.yaml", "tills\n    rolloutStrategy"),
        ("site/hub/rollout.yaml", "store-101"),
        ("site/packages/analytics.yaml", "lake, accessMode"),
        ("site/packages/analytics.yaml", "grocer"),
        ("site/machines/strategy.yaml", "time]\n    selectors"),
        ("site/machines/north.yaml", "control\n"),
    ];
    for (file, place) in questions {
        if !client.shown.contains_key(file) {
            client.open(file);
        }
        let text = client.folder.read(file);
        let at = client.at(file, &text, place);
        let defined = client.ask("textDocument/definition", at.clone());
        said.push_str(&format!(
            "== {file}: {place:?}\n{}\n",
            places(&client, &defined).join("\n")
        ));
        let mut params = at;
        params["context"] = json!({"includeDeclaration": false});
        let used = client.ask("textDocument/references", params);
        let used = places(&client, &used);
        said.push_str(&format!(
            "-- {} references\n{}\n",
            used.len(),
            used[..used.len().min(4)].join("\n")
        ));
    }
    insta::assert_snapshot!(said);
}

#[test]
fn policies_bindings_and_kustomizations_are_joined() {
    let policy = "apiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nmetadata: \
                  {name: pol, namespace: n}\nspec: {disabled: false, policy-templates: []}\n";
    let binding = "apiVersion: policy.open-cluster-management.io/v1\nkind: PlacementBinding\n\
                   metadata: {name: b, namespace: n}\nplacementRef: {apiGroup: \
                   cluster.open-cluster-management.io, kind: Placement, name: plc}\nsubjects:\n\
                   - {apiGroup: policy.open-cluster-management.io, kind: Policy, name: pol}\n";
    let placement = "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
                     metadata: {name: plc, namespace: n}\nspec: {}\n";
    let mut client = Client::of(&[
        (
            "kustomization.yaml",
            "resources: [policy.yaml, b.yaml, sub]\n",
        ),
        ("policy.yaml", policy),
        ("b.yaml", binding),
        ("sub/kustomization.yaml", "resources: [plc.yaml]\n"),
        ("sub/plc.yaml", placement),
    ]);
    client.open("b.yaml");
    client.open("kustomization.yaml");
    for (file, text, place, wanted) in [
        ("b.yaml", binding, "pol}", "policy.yaml:3:18"),
        ("b.yaml", binding, "plc}", "sub/plc.yaml:3:18"),
        (
            "kustomization.yaml",
            "resources: [policy.yaml, b.yaml, sub]\n",
            "b.yaml",
            "b.yaml:1:1",
        ),
        (
            "kustomization.yaml",
            "resources: [policy.yaml, b.yaml, sub]\n",
            "sub",
            "sub/kustomization.yaml:1:1",
        ),
    ] {
        let at = client.at(file, text, place);
        let found = client.ask("textDocument/definition", at);
        assert_eq!(places(&client, &found), [wanted], "{place}");
    }
    // The kind beside a name says which names fit.
    for (from, to, wanted) in [
        ("name: plc}", "name: ¦}", "plc"),
        ("name: pol}", "name: ¦}", "pol"),
    ] {
        let list = completions(&mut client, "b.yaml", &binding.replacen(from, to, 1));
        let names: Vec<&str> = list.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, [wanted]);
    }
}

#[test]
fn a_base_says_which_overlays_build_it() {
    let cluster = "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata: \
                   {name: c1}\nspec: {hubAcceptsClient: true}\n";
    let placement = "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
                     metadata: {name: p, namespace: n}\nspec: {}\n";
    let overlay = |name: &str| format!("namePrefix: {name}-\nresources: [../base]\n");
    let mut client = Client::of(&[
        ("clusters.yaml", cluster),
        ("base/p.yaml", placement),
        ("base/kustomization.yaml", "resources: [p.yaml]\n"),
        ("a/kustomization.yaml", &overlay("a")),
        ("b/kustomization.yaml", &overlay("b")),
    ]);
    client.open("base/kustomization.yaml");
    let titles = |client: &mut Client, name: &str| {
        let document = json!({"textDocument": {"uri": client.uri(name)}});
        let lenses = client.ask("textDocument/codeLens", document);
        let lenses = lenses.as_array().unwrap().iter();
        let titles = lenses.map(|lens| lens["command"]["title"].as_str().unwrap().to_owned());
        titles.collect::<Vec<_>>()
    };
    assert_eq!(
        titles(&mut client, "base/kustomization.yaml"),
        ["built by 2: a, b"]
    );
    assert_eq!(
        titles(&mut client, "a/kustomization.yaml"),
        ["→ 1 document"]
    );
    let shared = titles(&mut client, "base/p.yaml");
    assert_eq!(
        shared,
        ["n/a-p: → 0 of 1 cluster", "n/b-p: → 0 of 1 cluster"]
    );
}

#[test]
fn symbols_are_the_documents_and_what_lies_in_them() {
    let mut client = sample();
    client.open("site/machines/strategy.yaml");
    let document = json!({"textDocument": {"uri": client.uri("site/machines/strategy.yaml")}});
    let symbols = client.ask("textDocument/documentSymbol", document);
    let names: Vec<String> = symbols
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let inside = one["children"].as_array().map_or(0, Vec::len);
            format!("{} ({inside})", one["name"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        names,
        [
            "DeploymentConfiguration deployment-configuration (0)",
            "DeploymentStrategy deployment-strategy (9)"
        ]
    );
    let found = client.ask("workspace/symbol", json!({"query": "plc coll"}));
    let found = shown(&client, &found);
    assert!(
        found.contains("collectors") && found.contains("Placement of platform"),
        "{found}"
    );
    let none = client.ask("workspace/symbol", json!({"query": "zzz"}));
    assert_eq!(none, json!([]));
}

/// The completions at the end of a text put in the place of a mark.
fn completions(client: &mut Client, name: &str, text: &str) -> Vec<(String, String)> {
    let at = client.at(name, text, "¦");
    let text = text.replace('¦', "");
    client.change(name, &text);
    let list = client.ask("textDocument/completion", at);
    let list = list.as_array().unwrap_or_else(|| panic!("{list:#?}"));
    list.iter()
        .map(|one| {
            let detail = one["detail"].as_str().unwrap_or("");
            let written = one["textEdit"]["newText"].as_str().unwrap();
            (written.to_owned(), detail.to_owned())
        })
        .collect()
}

#[test]
fn completion_knows_the_site() {
    let mut client = sample();
    let file = "site/hub/placements.yaml";
    let text = client.folder.read(file);
    client.open(file);
    let first = |list: Vec<(String, String)>| list.into_iter().take(8).collect::<Vec<_>>();
    let mut said = String::new();
    let questions = [
        ("clusterSets: [stores]", "clusterSets: [¦"),
        ("matchLabels: {pci: level-1}", "matchLabels: {p¦"),
        ("matchLabels: {pci: level-1}", "matchLabels: {pci: ¦"),
        (
            "matchLabels: {pci: level-1}",
            "matchExpressions:\n        - {key: tier, operator: ¦",
        ),
        (
            "matchLabels: {pci: level-1}",
            "matchExpressions:\n        - key: tier\n          operator: In\n          values:\n          - ¦",
        ),
        ("mode: Exact", "mode: ¦"),
        ("numberOfClusters: 5", "n¦"),
        ("kind: Placement", "kind: Pl¦"),
    ];
    for (from, to) in questions {
        let list = first(completions(&mut client, file, &text.replacen(from, to, 1)));
        said.push_str(&format!("== {to}\n"));
        for (written, detail) in list {
            said.push_str(&format!("{written:?}  {detail}\n"));
        }
    }
    let shop = "site/packages/analytics.yaml";
    let text = client.folder.read(shop);
    client.open(shop);
    for (from, to) in [
        ("package: analytics", "package: ¦"),
        ("storageRequest: lake", "storageRequest: ¦"),
        ("{key: gpu, operator: Exists}", "{key: ¦"),
    ] {
        let list = first(completions(&mut client, shop, &text.replacen(from, to, 1)));
        said.push_str(&format!("== {to}\n"));
        for (written, detail) in list {
            said.push_str(&format!("{written:?}  {detail}\n"));
        }
    }
    insta::assert_snapshot!(said);
}

#[test]
fn a_hover_explains_a_function_of_templates() {
    let text = "apiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nmetadata: {name: \
                pol, namespace: n}\nspec:\n  disabled: false\n  policy-templates:\n  - \
                objectDefinition:\n      apiVersion: policy.open-cluster-management.io/v1\n      \
                kind: ConfigurationPolicy\n      metadata: {name: upper}\n      spec:\n        \
                object-templates-raw: '{{ fromSecret \"a\" \"b\" \"c\" | mustFirst }}'\n";
    let mut client = Client::of(&[("p.yaml", text)]);
    client.open("p.yaml");
    assert_eq!(
        hover(&mut client, "p.yaml", "Secret \"a"),
        "`fromSecret(string, string, string) string`\n\nA key of a Secret, in Base64: namespace, \
         name, key. Reads the hub in hub templates, else the cluster."
    );
    assert!(hover(&mut client, "p.yaml", "mustFirst").ends_with("A fault stops the template."));
    let field = hover(&mut client, "p.yaml", "object-templates-raw");
    assert!(field.starts_with("A template of the whole list"), "{field}");
    assert!(!hover(&mut client, "p.yaml", "upper").contains("capital"));
}

#[test]
fn completion_knows_the_functions_of_templates() {
    let text = "apiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nspec:\n  \
                policy-templates:\n  - objectDefinition:\n      spec:\n        a: '{{ fromCo¦\n";
    let mut client = Client::of(&[("a.yaml", "a: b\n")]);
    client.open("a.yaml");
    let list = completions(&mut client, "a.yaml", text);
    let own = list.iter().find(|(written, _)| written == "fromConfigMap");
    assert!(
        own.is_some_and(|(_, form)| form.starts_with("fromConfigMap(string, ")),
        "{own:?}"
    );
    assert!(list.iter().any(|(written, _)| written == "trimPrefix"));
}

/// The titles of the lenses of a file, by line from 1.
fn lenses(client: &mut Client, name: &str) -> Vec<String> {
    let document = json!({"textDocument": {"uri": client.uri(name)}});
    let lenses = client.ask("textDocument/codeLens", document);
    let lenses = lenses.as_array().unwrap();
    lenses
        .iter()
        .map(|lens| {
            let line = lens["range"]["start"]["line"].as_u64().unwrap() + 1;
            assert_eq!(lens["command"]["command"], "planner.why");
            format!("{line}: {}", lens["command"]["title"].as_str().unwrap())
        })
        .collect()
}

#[test]
fn a_lens_says_what_is_decided() {
    let mut client = sample();
    let mut said = String::new();
    for file in [
        "site/hub/placements.yaml",
        "site/packages/loyalty.yaml",
        "site/machines/strategy.yaml",
        "site/regions/edge-cache.yaml",
        "site/hub/dispatch.yaml",
    ] {
        client.open(file);
        said.push_str(&format!(
            "== {file}\n{}\n",
            lenses(&mut client, file).join("\n")
        ));
    }
    insta::assert_snapshot!(said);
}

#[test]
fn a_lens_compares_with_the_last_revision() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(args);
        assert!(
            git.current_dir(folder.path())
                .output()
                .unwrap()
                .status
                .success()
        );
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "a"]);
    let mut client = Client::new(folder, all());
    client.open("a.yaml");
    let before = lenses(&mut client, "a.yaml");
    assert_eq!(before.len(), 2, "{before:?}");
    assert!(
        before
            .iter()
            .all(|lens| lens.contains("→ oslo (") && !lens.contains("HEAD")),
        "{before:?}"
    );
    // Oslo becomes the dearer one.
    let text = site().replace("cost: \"5\"", "cost: \"9\"");
    client.edit("a.yaml", &text);
    let after = lenses(&mut client, "a.yaml");
    assert!(
        after
            .iter()
            .all(|lens| lens.contains("→ lyon (") && lens.ends_with("(HEAD: oslo)")),
        "{after:?}"
    );
    let at = client.at("a.yaml", &text, "web}");
    let hover = client.ask("textDocument/hover", at);
    let said = hover["contents"]["value"].as_str().unwrap();
    assert!(
        said.contains("since HEAD:\n+ lyon\n− oslo\nbecause Cluster oslo"),
        "{said}"
    );
}

/// A cluster as it stands on a hub.
fn on_hub(name: &str, tier: &str) -> String {
    format!(
        "---\napiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata: {{name: \
         {name}, labels: {{tier: {tier}}}}}\nspec: {{hubAcceptsClient: true}}\n"
    )
}

#[test]
fn a_snapshot_of_the_hub_is_the_fleet() {
    let placement = "apiVersion: cluster.open-cluster-management.io/v1beta2\nkind: \
                     ManagedClusterSetBinding\nmetadata: {name: global, namespace: shop}\nspec: \
                     {clusterSet: global}\n---\napiVersion: \
                     cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: {name: web, \
                     namespace: shop}\nspec:\n  predicates:\n  - requiredClusterSelector:\n      \
                     labelSelector:\n        matchLabels: {tier: core}\n";
    let taken = "# planner-hub: 2026-01-01T00:00:00Z\n";
    let hub = |clusters: &[String]| format!("{taken}{}", clusters.concat());
    let two = hub(&[on_hub("oslo", "core"), on_hub("riga", "edge")]);
    let mut client = Client::of(&[
        ("planner.toml", "hub = \"export/hub.yaml\"\n"),
        ("export/hub.yaml", &two),
        ("fleet.yaml", placement),
    ]);
    assert_eq!(client.open("fleet.yaml"), Vec::<Value>::new());
    let lens = lenses(&mut client, "fleet.yaml");
    assert!(
        lens.iter().any(|lens| lens.contains("→ 1 of 2 clusters")),
        "{lens:?}"
    );
    let written = completions(&mut client, "fleet.yaml", &placement.replace("core}", "¦}"));
    assert_eq!(
        written,
        [
            ("core".to_owned(), "carried by 1 of 2 clusters".to_owned()),
            ("edge".to_owned(), "carried by 1 of 2 clusters".to_owned()),
        ]
    );
    client.edit("fleet.yaml", placement);
    // A later snapshot has a cluster more.
    let three = hub(&[
        on_hub("oslo", "core"),
        on_hub("riga", "edge"),
        on_hub("bern", "core"),
    ]);
    client.folder.write("export/hub.yaml", three);
    let uri = client.uri("export/hub.yaml");
    client.notify(
        "workspace/didChangeWatchedFiles",
        json!({"changes": [{"uri": uri, "type": 2}]}),
    );
    client.edit("fleet.yaml", &format!("{placement}# the end\n"));
    let lens = lenses(&mut client, "fleet.yaml");
    assert!(
        lens.iter().any(|lens| lens.contains("→ 2 of 3 clusters")),
        "{lens:?}"
    );
}

#[test]
fn completion_knows_the_names_of_the_kind_that_stands_beside_them() {
    let policy = |name: &str| {
        format!(
            "---\napiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nmetadata: {{name: {name}, \
             namespace: n}}\nspec: {{disabled: false, policy-templates: []}}\n"
        )
    };
    let set = "---\napiVersion: policy.open-cluster-management.io/v1beta1\nkind: PolicySet\nmetadata: {name: \
               base, namespace: n}\nspec: {policies: [audit]}\n";
    let placement = "---\napiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata: \
                     {name: fleet, namespace: n}\nspec: {}\n";
    let files = [
        policy("audit"),
        policy("backup"),
        set.to_owned(),
        placement.to_owned(),
    ]
    .concat();
    let mut client = Client::of(&[("a.yaml", &files), ("b.yaml", "a: b\n")]);
    client.open("b.yaml");
    let head = "apiVersion: policy.open-cluster-management.io/v1\nkind: PlacementBinding\nmetadata: {name: b, \
                namespace: n}\n";
    let cases: [(&str, &[&str]); 4] = [
        (
            "placementRef: {apiGroup: x, kind: Placement, name: ¦}\n",
            &["fleet"],
        ),
        (
            "subjects:\n- apiGroup: x\n  kind: Policy\n  name: ¦\n",
            &["audit", "backup"],
        ),
        (
            "subjects:\n- {apiGroup: x, kind: PolicySet, name: b¦}\n",
            &["base"],
        ),
        (
            "subjects:\n- name: ¦\n  kind: Policy\n  apiGroup: x\n",
            &["audit", "backup"],
        ),
    ];
    for (rest, wanted) in cases {
        let written = completions(&mut client, "b.yaml", &format!("{head}{rest}"));
        let written: Vec<&str> = written
            .iter()
            .map(|(written, _)| written.as_str())
            .collect();
        assert_eq!(written, wanted, "{rest}");
    }
}

#[test]
fn commands_answer_with_text_and_write_nothing() {
    let mut client = Client::of(&[("a.yaml", &site())]);
    client.open("a.yaml");
    let files = client.folder.files();
    let uri = client.uri("a.yaml");
    let plan = json!({"command": "planner.plan", "arguments": [uri]});
    let plan = client.ask("workspace/executeCommand", plan);
    assert!(
        plan.as_str().unwrap().starts_with("Plan for Package shop"),
        "{plan}"
    );
    let why = json!({"command": "planner.why", "arguments": [uri, "shop/web"]});
    let why = client.ask("workspace/executeCommand", why);
    assert!(why.as_str().unwrap().starts_with("shop/web: oslo"), "{why}");
    let unknown = json!({"command": "planner.why", "arguments": [uri, "shop/wep"]});
    let unknown = client.request("workspace/executeCommand", unknown);
    let (_, said) = client.answer(unknown).unwrap_err();
    assert!(said.contains("did you mean"), "{said}");
    let other = json!({"command": "rm\u{202e}"});
    let other = client.request("workspace/executeCommand", other);
    let (code, said) = client.answer(other).unwrap_err();
    assert_eq!(code, -32602);
    assert!(!said.contains('\u{202e}'), "{said}");
    assert_eq!(client.folder.files(), files);
}

/// A rule with an advisor whose command makes the file `ran`.
#[cfg(unix)]
const ADVISED: &str = "apiVersion: core.hybridapp.io/v1alpha1\nkind: PlacementRule\nmetadata: {name: \
     one, namespace: default}\nspec: {replicas: 1, advisors: [{name: s}]}\n---\napiVersion: \
     cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata: {name: a}\n---\n\
     apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata: {name: \
     b}\n---\napiVersion: planner/v1\nkind: AdvisorAnswers\nmetadata: {name: answers}\nspec: \
     {advisors: [{name: s, command: {argv: [touch, ran]}}]}\n";

/// Asks for all that a plan is made for.
#[cfg(unix)]
fn ask_for_plans(client: &mut Client) {
    client.open("a.yaml");
    lenses(client, "a.yaml");
    let plan = json!({"command": "planner.plan", "arguments": [client.uri("a.yaml")]});
    let plan = client.ask("workspace/executeCommand", plan);
    assert!(plan.as_str().unwrap().contains("default/one"), "{plan}");
}

#[cfg(unix)]
#[test]
fn no_command_of_an_advisor_is_started() {
    let toml = "advisor-environment = [\"PATH\"]\n";
    let mut client = Client::of(&[("a.yaml", ADVISED), ("planner.toml", toml)]);
    ask_for_plans(&mut client);
    assert!(!client.folder.path().join("ran").exists());
    let allowed = client
        .folder
        .run(&["plan", "a.yaml", "--no-input", "--allow-commands"]);
    assert!(client.folder.path().join("ran").exists(), "{allowed:?}");
}

#[cfg(unix)]
#[test]
fn commands_of_advisors_are_started_where_the_user_allows_it() {
    for (allow, runs) in [
        (json!(true), true),
        (json!(false), false),
        (json!("yes"), false),
    ] {
        let folder = Folder::of(&[("a.yaml", ADVISED)]);
        let params = json!({
            "processId": null,
            "capabilities": all(),
            "workspaceFolders": [{"uri": uri_of(&folder, ""), "name": "site"}],
            "initializationOptions": {"allowAdvisors": allow},
        });
        let mut client = Client::started(folder, params);
        ask_for_plans(&mut client);
        assert_eq!(client.folder.path().join("ran").exists(), runs, "{allow}");
    }
}

#[test]
fn ranges_come_from_the_tree() {
    let mut client = Client::of(&[("a.yaml", &site())]);
    client.open("a.yaml");
    let text = "# one\n# two\na:\n  b: 1\n  c: 2\nd: |\n  x\n  y\n---\ne: {f: [g, h]}\n";
    client.edit("a.yaml", text);
    let document = json!({"textDocument": {"uri": client.uri("a.yaml")}});
    let folds = client.ask("textDocument/foldingRange", document);
    let folds: Vec<(u64, u64)> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["startLine"].as_u64().unwrap(),
                one["endLine"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(folds, [(0, 1), (2, 7), (5, 7)]);
    let mut at = client.at("a.yaml", text, "h]");
    at["positions"] = json!([at["position"]]);
    let ranges = client.ask("textDocument/selectionRange", at);
    let mut texts = Vec::new();
    let mut range = &ranges[0];
    let line: Vec<&str> = text.lines().collect();
    while range.is_object() {
        let (start, end) = (&range["range"]["start"], &range["range"]["end"]);
        if start["line"] == end["line"] {
            let column =
                |value: &Value| usize::try_from(value["character"].as_u64().unwrap()).unwrap();
            let row = line[usize::try_from(start["line"].as_u64().unwrap()).unwrap()];
            texts.push(&row[column(start)..column(end)]);
        }
        range = &range["parent"];
    }
    assert_eq!(
        texts,
        ["h", "[g, h]", "f: [g, h]", "{f: [g, h]}", "e: {f: [g, h]}"]
    );
}
