//! `planner export`: what it writes and what it leaves alone. `tests/engines/run` runs it.

use std::collections::BTreeSet;

use crate::support::{self, Folder, corpus_folder};
use serde_json::Value;
use serde_yaml::Value as Yaml;

const ENGINES: [&str; 3] = ["ansible", "airflow", "argo"];

/// Names of groups that mean something to engines, shells, templates or YAML.
const HOSTILE: &[&str] = &[
    "{{ lookup('pipe', 'id') }}",
    "{% raw %}",
    "{{workflow.name}}",
    "!unsafe x",
    "$(id)",
    "\"\"\" ''' \\",
    "a\nb: [",
    "never",
    "report",
    "1st",
    "A",
    "a",
    "\u{2028}\u{85}é😀",
    "../../etc/passwd",
    "-oProxyCommand=id",
    "@PLAN@ @TASKS@ #CORE",
];

fn document(schema: &str, name: &str, data: &str) -> String {
    format!(
        "---\nschema: {schema}\nmetadata:\n  schema: metadata/Document/v1\n  name: {name}\n  \
         layeringDefinition: {{abstract: false, layer: site}}\n  storagePolicy: cleartext\n\
         data: {data}\n"
    )
}

/// A text as a double-quoted scalar.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        ' '..='~' if c != '"' && c != '\\' => c.to_string(),
        _ => format!("\\U{:08x}", u32::from(c)),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// A site with a group of one node for each name, and a node of its own for each address.
fn site(groups: &[&str], addresses: &[&str]) -> String {
    let rows = groups.iter().map(|name| {
        format!(
            "{{name: {}, critical: true, depends_on: [], selectors: [{{node_names: [n0]}}]}}",
            quoted(name)
        )
    });
    let rows: Vec<String> = rows.collect();
    let mut text = [
        document(
            "shipyard/DeploymentConfiguration/v1",
            "deployment-configuration",
            "{physical_provisioner: {deployment_strategy: s}, armada: {manifest: m}}",
        ),
        document(
            "shipyard/DeploymentStrategy/v1",
            "s",
            &format!("{{groups: [{}]}}", rows.join(", ")),
        ),
        document("drydock/HardwareProfile/v1", "hw", "{vendor: x}"),
    ]
    .concat();
    for (at, address) in addresses.iter().enumerate() {
        let data = format!(
            "{{hardware_profile: hw, addressing: [{{network: oam, address: {}}}], \
             metadata: {{rack: r1, tags: [\"{{{{ tag }}}}\"], \
             owner_data: {{\"{{{{ key }}}}\": \"{{% v %}}\"}}}}}}",
            quoted(address)
        );
        text.push_str(&document(
            "drydock/BaremetalNode/v1",
            &format!("n{at}"),
            &data,
        ));
    }
    text
}

fn names(plan: &Value) -> BTreeSet<&str> {
    let groups = plan["groups"].as_array().unwrap();
    groups
        .iter()
        .map(|group| group["name"].as_str().unwrap())
        .collect()
}

fn yaml(folder: &Folder, name: &str) -> Yaml {
    let text = folder.read(name);
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"))
}

#[test]
fn names_arrive_as_data_and_as_nothing_else() {
    let long = "x".repeat(300);
    let mut groups = HOSTILE.to_vec();
    groups.push(&long);
    let folder = Folder::of(&[("site.yaml", &site(&groups, &["10.0.0.1"]))]);
    let wanted: BTreeSet<&str> = groups.iter().copied().collect();
    for engine in ENGINES {
        folder
            .at(&["export", engine, "site.yaml", "--to", engine])
            .ends(0);
    }
    let files = folder.files();
    assert!(
        files.iter().all(|name| name.is_ascii() && name.len() < 60),
        "{files:?}"
    );

    // Ansible: the plan is JSON, the names in the playbook are scalars that are no templates.
    let plan: Value = serde_json::from_str(&folder.read("ansible/planner/plan.json")).unwrap();
    assert_eq!(names(&plan), wanted);
    let playbook = folder.read("ansible/site.yml");
    for line in playbook.lines().filter(|line| line.contains("{{")) {
        let ours = ["planner_serial | default", "planner_turn.stdout"];
        let unsafe_ = line.trim_start().starts_with("planner_group: !unsafe \"");
        assert!(
            unsafe_ || ours.iter().any(|one| line.contains(one)),
            "{line}"
        );
    }
    let inventory = folder.read("ansible/inventory.yml");
    for line in inventory.lines().filter(|line| line.contains('{')) {
        assert!(
            line.contains("!unsafe \"") || line.ends_with("{}"),
            "{line}"
        );
    }
    // A key is a value for whoever loops over the labels.
    assert!(inventory.contains("        !unsafe \"{{ key }}\": !unsafe \""));
    let named = yaml(&folder, "ansible/site.yml");
    let named: Vec<&Yaml> = named.as_sequence().unwrap().iter().collect();
    let group = |play: &&Yaml| {
        let name = play.get("vars")?.get("planner_group")?;
        let name = match name {
            Yaml::Tagged(tagged) => &tagged.value,
            other => other,
        };
        name.as_str().map(str::to_owned)
    };
    let found: BTreeSet<String> = named.iter().filter_map(group).collect();
    assert_eq!(
        found.iter().map(String::as_str).collect::<BTreeSet<_>>(),
        wanted
    );

    // Airflow: literals of one line each; nothing of a name is outside of quotes.
    let dag = folder.read("airflow/planner_dag.py");
    assert!(dag.is_ascii());
    let rows: Vec<&str> = dag
        .lines()
        .filter(|line| line.starts_with("    {\"name\": \""))
        .collect();
    assert_eq!(rows.len(), wanted.len());
    assert!(dag.contains(r#"{"name": "a\x0ab: [", "#), "{dag}");
    assert!(dag.contains(r#"{"name": "\u2028\x85\xe9\U0001f600", "#));

    // Argo: whatever its templates are made of is ours, and the plan is one artifact.
    let text = folder.read("argo/workflow.yaml");
    for open in text.split("{{").skip(1) {
        let name = open.split("}}").next().unwrap();
        let ours = [
            "inputs.parameters.",
            "workflow.parameters.",
            "tasks.report.outputs.",
        ];
        assert!(ours.iter().any(|one| name.starts_with(one)), "{name}");
    }
    let workflow = yaml(&folder, "argo/workflow.yaml");
    let templates = workflow["spec"]["templates"].as_sequence().unwrap();
    let step = templates.iter().find(|one| one["name"] == "step").unwrap();
    let plan = step["inputs"]["artifacts"][0]["raw"]["data"]
        .as_str()
        .unwrap();
    let plan: Value = serde_json::from_str(plan).unwrap();
    assert_eq!(names(&plan), wanted);
    let tasks = templates[0]["dag"]["tasks"].as_sequence().unwrap();
    assert_eq!(tasks.len(), 2 * wanted.len() + 2);
    let mut seen = BTreeSet::new();
    for task in tasks {
        let name = task["name"].as_str().unwrap();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(name.chars().all(plain) && name.starts_with(|c: char| c.is_ascii_lowercase()));
        assert!(name.len() <= 48 && seen.insert(name), "{name}");
    }
}

#[test]
fn a_dependency_is_one_in_every_engine() {
    let site = corpus_folder("airship").join("seed-example-1-all-succeed.yaml");
    let site = site.to_str().unwrap();
    let folder = Folder::new();
    for engine in ENGINES {
        folder.at(&["export", engine, site, "--to", engine]).ends(0);
    }
    let workflow = yaml(&folder, "argo/workflow.yaml");
    let tasks = workflow["spec"]["templates"][0]["dag"]["tasks"]
        .as_sequence()
        .unwrap();
    let depends = |name: &str| {
        let task = tasks.iter().find(|task| task["name"] == name).unwrap();
        task["depends"].as_str().unwrap_or_default().to_owned()
    };
    let ended = "(ntp-node-deploy.Succeeded || ntp-node-deploy.Failed || ntp-node-deploy.Errored || \
                 ntp-node-deploy.Omitted)";
    assert_eq!(depends("monitoring-nodes-prepare"), "");
    assert_eq!(
        depends("control-nodes-prepare"),
        format!("{ended} && ntp-node-deploy.Succeeded")
    );
    assert_eq!(
        depends("control-nodes-deploy"),
        "control-nodes-prepare.Succeeded"
    );
    assert_eq!(
        depends("verdict"),
        "report.Succeeded && ntp-node-deploy.Succeeded && control-nodes-deploy.Succeeded"
    );
    // The plays are in the order of the plan, a turn before each and one at the end.
    let plays = yaml(&folder, "ansible/site.yml");
    let hosts = plays
        .as_sequence()
        .unwrap()
        .iter()
        .map(|play| play["hosts"].as_str().unwrap());
    let hosts: Vec<&str> = hosts.collect();
    assert_eq!(hosts.len(), 21);
    assert_eq!(
        hosts[..6],
        [
            "all",
            "g1_monitoring_nodes",
            "all",
            "g1_monitoring_nodes",
            "all",
            "g2_ntp_node"
        ]
    );
    assert!(folder.read("airflow/planner_dag.py").contains(
        "\"name\": \"control-nodes\", \"place\": 0, \"critical\": True, \
         \"depends_on\": [\"ntp-node\"]"
    ));
}

#[test]
fn files_of_the_user_stay() {
    let folder = Folder::of(&[("site.yaml", &site(&["g"], &["10.0.0.1"]))]);
    for (engine, own, ours) in [
        ("ansible", "actions/prepare.yml", "site.yml"),
        ("airflow", "planner_actions.py", "planner_dag.py"),
        ("argo", "actions.yaml", "workflow.yaml"),
    ] {
        let args = ["export", engine, "site.yaml", "--to", engine];
        folder.at(&args).ends(0);
        let (own, ours) = (format!("{engine}/{own}"), format!("{engine}/{ours}"));
        let first = folder.read(&ours);
        folder.write(&own, "# mine\n");
        let again = folder.at(&args);
        assert!(
            again.ends(0).out.contains(&format!("Same  {ours}")),
            "{again:?}"
        );
        assert_eq!(
            (folder.read(&own), folder.read(&ours)),
            ("# mine\n".into(), first.clone())
        );

        // An edited file is not replaced, and nothing else is written then.
        folder.write(&ours, format!("{first}# mine\n"));
        folder.write("site.yaml", site(&["g", "h"], &["10.0.0.1"]));
        let readme = folder.read(&format!("{engine}/README.md"));
        folder
            .at(&args)
            .ends(1)
            .says("nothing was written")
            .says(&ours)
            .says("--force");
        assert!(folder.read(&ours).ends_with("# mine\n"));
        assert_eq!(folder.read(&format!("{engine}/README.md")), readme);
        let mut forced = args.to_vec();
        forced.push("--force");
        folder.at(&forced).ends(0);
        assert!(!folder.read(&ours).contains("# mine") && folder.read(&ours) != first);
        assert_eq!(folder.read(&own), "# mine\n");

        // What planner wrote and nobody edited is replaced without a word.
        folder.write("site.yaml", site(&["g"], &["10.0.0.1"]));
        folder.at(&args).ends(0);
        assert_eq!(folder.read(&ours), first);
    }
    // A file that was never planner's is not replaced either.
    folder.write("other/README.md", "# Other\n");
    folder
        .at(&["export", "argo", "site.yaml", "--to", "other"])
        .ends(1)
        .says("README.md");
    assert!(!folder.has("other/workflow.yaml"));
}

#[cfg(unix)]
#[test]
fn a_link_leads_no_file_out_of_the_directory() {
    use std::os::unix::fs::symlink;

    for (target, name, why) in [
        ("../mine.txt", "out/site.yml", "leads out of the directory"),
        ("../new.txt", "out/site.yml", "is broken"),
        ("../mine", "out/actions", "leads out of the directory"),
        ("/dev/zero", "out/README.md", "leads out of the directory"),
    ] {
        let folder = Folder::of(&[
            ("site.yaml", &site(&["g"], &["10.0.0.1"])),
            ("mine.txt", "mine"),
            ("mine/own.txt", ""),
            ("out/notes.txt", ""),
        ]);
        symlink(target, folder.path().join(name)).unwrap();
        let args = ["export", "ansible", "site.yaml", "--to", "out", "--force"];
        folder
            .at(&args)
            .ends(1)
            .says("nothing was written")
            .says(why);
        assert_eq!(folder.read("mine.txt"), "mine");
        assert!(!folder.has("new.txt") && !folder.has("mine/prepare.yml"));
    }
    // One that stays inside is followed.
    let folder = Folder::of(&[
        ("site.yaml", &site(&["g"], &["10.0.0.1"])),
        ("out/kept/notes.txt", ""),
    ]);
    symlink("kept", folder.path().join("out/actions")).unwrap();
    let args = ["export", "ansible", "site.yaml", "--to", "out"];
    folder.at(&args).ends(0);
    assert!(folder.has("out/kept/prepare.yml"));
}

#[test]
fn hosts_are_reached_at_their_addresses_and_at_nothing_else() {
    let addresses = ["10.0.0.1", "dhcp", "-oProxyCommand=id", "2001:db8::1"];
    let folder = Folder::of(&[("site.yaml", &site(&["g"], &addresses))]);
    let args = ["export", "ansible", "site.yaml", "--to", "out"];
    folder.at(&args).ends(0);
    let quiet = folder.at(&[&args[..], &["-q"]].concat());
    assert_eq!(quiet.ends(0).out, "");
    assert!(!folder.read("out/inventory.yml").contains("ansible_host"));
    let near = [&args[..], &["--network", "oan"]].concat();
    folder.at(&near).ends(64).says("\"oan\"").says("oam");
    let named = [&args[..], &["--network", "oam"]].concat();
    let said = folder.at(&named);
    assert!(
        said.ends(0).out.contains("reaches them by name: n1, n2\n"),
        "{said:?}"
    );
    let inventory = folder.read("out/inventory.yml");
    let hosts: Vec<&str> = inventory
        .lines()
        .filter(|line| line.contains("ansible_host"))
        .collect();
    assert_eq!(
        hosts,
        [
            "      ansible_host: \"10.0.0.1\"",
            "      ansible_host: \"2001:db8::1\""
        ]
    );
    folder
        .at(&[
            "export",
            "argo",
            "site.yaml",
            "--to",
            "x",
            "--network",
            "oam",
        ])
        .ends(64);
    folder
        .at(&["export", "ansible", "site.yaml", "--to", "x", "--name", "a"])
        .ends(64);
    folder
        .at(&["export", "argo", "site.yaml", "--to", "x", "--name", "A_b"])
        .ends(64);
    folder
        .at(&[
            "export",
            "airflow",
            "site.yaml",
            "--to",
            "x",
            "--name",
            "a b",
        ])
        .ends(64);
    folder
        .at(&[&args[..], &["--compat", "upstream"]].concat())
        .ends(64);
}

#[test]
fn the_status_is_the_plans() {
    let folder = Folder::of(&[
        ("site.yaml", &site(&["g"], &["10.0.0.1", "10.0.0.2"])),
        ("other.yaml", support::PACKAGE),
    ]);
    folder
        .at(&["export", "argo", "other.yaml", "--to", "out"])
        .ends(66)
        .says("nothing to export");
    let wrong = site(&["g"], &["10.0.0.1"]).replace("hardware_profile: hw", "hardware_profile: hv");
    folder.write("wrong.yaml", wrong);
    folder
        .at(&["export", "argo", "wrong.yaml", "--to", "out"])
        .ends(1);
    assert!(!folder.has("out/workflow.yaml"));
    // An export inside of the site changes no plan of it.
    folder.write("wrong.yaml", "");
    let before = folder.at(&[
        "plan",
        ".",
        "-o",
        "json",
        "--no-input",
        "--section",
        "deploymentStrategy",
    ]);
    for engine in ENGINES {
        folder
            .at(&["export", engine, "site.yaml", "--to", engine])
            .ends(0);
    }
    let after = folder.at(&[
        "plan",
        ".",
        "-o",
        "json",
        "--no-input",
        "--section",
        "deploymentStrategy",
    ]);
    assert_eq!(before.out, after.out, "{after:?}");
    let all = folder.read("argo/workflow.yaml");
    folder
        .at(&[
            "export",
            "argo",
            "site.yaml",
            "--to",
            "argo",
            "--without",
            "node/n1",
        ])
        .ends(0);
    assert_eq!(folder.read("argo/workflow.yaml"), all);
    folder
        .at(&[
            "export",
            "argo",
            "site.yaml",
            "--to",
            "argo",
            "--without",
            "node/n0",
        ])
        .ends(0);
    assert_ne!(folder.read("argo/workflow.yaml"), all);
}

const SITE: &str = "seed-example-2-ntp-prepare-fails.yaml";

fn result(name: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("fixtures/airship/results").join(name);
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_run_is_shown_as_a_simulated_one() {
    let site = corpus_folder("airship").join(SITE);
    let faults = site.with_extension("faults.yaml");
    let (site, faults) = (site.to_str().unwrap(), faults.to_str().unwrap());
    let folder = Folder::new();
    let failed = result("failed.json");
    let json = ["-o", "json"];
    let ran = folder.at(&[&["simulate", site, "--result", &failed][..], &json].concat());
    let simulated = folder.at(&[&["simulate", site, "--faults", faults][..], &json].concat());
    let (ran, simulated) = (ran.ends(3).json(), simulated.ends(3).json());
    for key in [
        "steps",
        "groupStatus",
        "nodeStatus",
        "verdict",
        "deploymentStrategy",
    ] {
        assert_eq!(ran[key], simulated[key], "{key}");
    }
    assert_eq!(ran["ran"]["engine"], "ansible");
    assert_eq!(ran["ran"]["complete"], true);
    assert_eq!(ran["ran"]["samePlan"], true);
    let rest = ran["resume"].as_array().unwrap();
    let groups: Vec<&Value> = rest.iter().map(|rest| &rest["group"]).collect();
    assert_eq!(
        groups,
        [
            "ntp-node",
            "control-nodes",
            "compute-nodes-1",
            "compute-nodes-2"
        ]
    );
    assert_eq!(rest[1]["after"], serde_json::json!(["ntp-node"]));
    let text = folder
        .at(&["simulate", site, "--result", &failed])
        .ends(3)
        .out
        .clone();
    assert!(
        text.contains("\nverdict: failed\n\nLeft to do\n  ntp-node  1 node: ntp01\n"),
        "{text}"
    );

    // What is left is every node that is not deployed; the file may have any name.
    let resume = folder.at(&["simulate", site, "--result", &failed, "--resume"]);
    let line = &resume.ends(0).out;
    assert!(line.starts_with("ansible-playbook -i inventory.yml site.yml -e planner_resume=true"));
    assert!(
        line.ends_with(",control04,ntp01\n") && !line.contains("monitor"),
        "{line}"
    );
    let odd = folder.write(
        "a 'b'.json",
        std::fs::read(result("interrupted.json")).unwrap(),
    );
    let resume = folder.at(&[
        "simulate",
        site,
        "--result",
        odd.to_str().unwrap(),
        "--resume",
    ]);
    let quoted = odd.to_str().unwrap().replace('\'', "'\\''");
    let wanted = format!("argo submit --watch workflow.yaml -p resume=\"$(cat '{quoted}')\"\n");
    assert_eq!(resume.ends(0).out, wanted);
}

#[test]
fn a_run_that_was_interrupted_has_no_verdict() {
    let site = corpus_folder("airship").join(SITE);
    let site = site.to_str().unwrap();
    let folder = Folder::new();
    let file = result("interrupted.json");
    let json = folder.at(&["simulate", site, "--result", &file, "-o", "json"]);
    let json = json.ends(3).json();
    assert_eq!(json.get("verdict"), None);
    assert_eq!(json["ran"]["complete"], false);
    assert_eq!(json["groupStatus"]["monitoring-nodes"], "not run");
    assert_eq!(json["nodeStatus"]["monitor-r1"], "prepared");
    let text = folder.at(&["simulate", site, "--result", &file]);
    assert!(
        text.ends(3)
            .out
            .contains("No verdict: the run has not ended."),
        "{text:?}"
    );
    for name in ["failed.json", "interrupted.json"] {
        let written = std::fs::read_to_string(result(name)).unwrap();
        support::answers::as_described(serde_json::from_str(&written).unwrap());
    }
}

#[test]
fn a_file_that_is_no_result_is_refused_and_a_changed_site_is_told() {
    let site = std::fs::read_to_string(corpus_folder("airship").join(SITE)).unwrap();
    let text = std::fs::read_to_string(result("failed.json")).unwrap();
    let folder = Folder::of(&[("site.yaml", &site), ("result.json", &text)]);
    let args = ["simulate", "site.yaml", "--result", "result.json"];
    // A result in a site is nobody's document.
    folder.at(&["plan", ".", "--no-input"]).ends(0);
    for (from, to, says) in [
        ("\"Result\"", "\"Plan\"", "its kind is \"Plan\""),
        ("\"ansible\"", "\"\\u001b[31m\"", "the engine is"),
        (
            "\"not started\"",
            "\"started\"",
            "the status of a node is \"started\"",
        ),
        ("\"complete\"", "\"completed\"", "missing field"),
        (
            "\"dependency\"",
            "\"fate\"",
            "the reason of a step is \"fate\"",
        ),
    ] {
        folder.write("result.json", text.replace(from, to));
        let answer = folder.at(&args);
        answer
            .ends(1)
            .says("is not the result of an exported run")
            .says(says);
        assert!(!answer.err.contains('\u{1b}'));
    }
    folder.write("result.json", &text[..text.len() / 2]);
    folder.at(&args).ends(1);
    folder
        .at(&["simulate", "site.yaml", "--result", "none.json"])
        .ends(1)
        .says("none.json");
    folder.at(&["simulate", "site.yaml", "--resume"]).ends(64);
    folder
        .at(&[&args[..], &["--fail", "ntp01"]].concat())
        .ends(64);
    folder.write(
        "result.json",
        text.replace("monitor-r1", "monitor-\\u202e9"),
    );
    let answer = folder.at(&args);
    answer.ends(3).says("it no longer has monitor-");
    assert!(!answer.err.contains('\u{202e}'), "{answer:?}");
    folder.write(
        "site.yaml",
        site.replace(
            "percent_successful_nodes: 90",
            "percent_successful_nodes: 80",
        ),
    );
    folder.write("result.json", &text);
    folder
        .at(&args)
        .ends(3)
        .says("the site has changed since it was exported\n");
}

#[test]
fn an_export_never_writes_over_what_it_reads() {
    for engine in ENGINES {
        let folder = Folder::of(&[("site.yaml", &site(&["one"], &[]))]);
        folder
            .run(&["export", engine, "site.yaml", "--to", "out"])
            .ends(0);
        // What the user owns is kept in any case.
        let yaml = |name: &&String| {
            (name.ends_with(".yml") || name.ends_with(".yaml")) && !name.contains("/actions")
        };
        let files = folder.files();
        let mut written = files.iter().filter(|name| name.starts_with("out/"));
        let Some(taken) = written.find(yaml) else {
            continue;
        };
        let text = folder.read("site.yaml");
        folder.write(taken, &text);
        let before: Vec<String> = files.iter().map(|name| folder.read(name)).collect();
        let asked = ["export", engine, taken, "--to", "out", "--force"];
        folder.run(&asked).ends(64).says("is one of the inputs");
        let after: Vec<String> = files.iter().map(|name| folder.read(name)).collect();
        assert_eq!(folder.files(), files, "{engine}");
        assert!(before == after, "{engine}");
    }
}
