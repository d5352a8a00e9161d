//! `--output FORMAT[=FILE]`, `--section`, `--package`, `--changes-only`, `--trace`.

use serde_json::Value;

use planner::load::{Request, open};
use planner::yaml::{Dialect, Kind, Node, Scalar};

use crate::support::{self, Answer, Folder, NOW, application, cluster, site};

/// A YAML text as data, read by the rules of YAML 1.1.
fn read_1_1(text: &str) -> Value {
    let mut request = Request::of(vec!["-".into()]);
    request.stdin = Some(text.as_bytes().to_vec());
    let loaded = open(&request).unwrap();
    assert!(
        loaded.findings.diagnostics.is_empty(),
        "{:?}",
        loaded.findings.diagnostics
    );
    let documents = loaded.documents();
    assert_eq!(documents.all.len(), 1);
    value(documents.all[0].node)
}

fn value(node: Node<'_>) -> Value {
    match node.kind() {
        Kind::Mapping => node
            .entries()
            .map(|(key, entry)| (key.text().unwrap().to_owned(), value(entry)))
            .collect(),
        Kind::Sequence => node.items().map(value).collect(),
        Kind::Scalar => match node.scalar(Dialect::Kubernetes).unwrap() {
            Scalar::Null => Value::Null,
            Scalar::Bool(value) => value.into(),
            Scalar::Int(value) => i64::try_from(value).unwrap().into(),
            Scalar::Float(value) => value.into(),
            Scalar::Text(value) => value.into(),
            other => panic!("read as {other:?}"),
        },
    }
}

#[test]
fn yaml_reads_back_as_the_json() {
    let odd = "---\napiVersion: planner/v1\nkind: Cluster\nmetadata:\n  name: \"010\"\n  labels:\n    \
               a: \"yes\"\n    b: \"0x1F\"\n    c: \"1_000\"\n    d: \"12:30\"\n    e: \"\"\n    \
               f: \"~\"\n    g: \"2020-01-01\"\n    h: \"1e3\"\n    i: \".5\"\n    cost: \"4\"\nspec:\n  \
               projects: [retail]\n  nodes:\n  - {name: \"on\", allocatable: {cpu: 8, memory: 1Gi}}\n  \
               volumeProviders: [{name: \"y\", type: StandardSSD}]\nstatus: {phase: Up}\n";
    let rules = "---\napiVersion: planner/v1\nkind: Application\nmetadata: {name: \"1e3\"}\nspec:\n  \
                 package: shop\n  rules:\n  - {key: a, operator: In, values: [\"yes\", \"no\", \"0x1F\"]}\n  \
                 - {key: h, operator: Equals, values: [\"1e3\"]}\n  \
                 - {key: g, operator: NotIn, values: [\"2020-01-01\", \"=\"]}\n  containers:\n  \
                 - {name: main, image: x, requests: {cpu: 1}}\n";
    let text = [&site(), odd, rules].concat();
    let folder = Folder::of(&[("a.yaml", &text)]);
    for more in [
        &[][..],
        &["--trace"],
        &["--section", "applications"],
        &["--keep-going"],
    ] {
        let run = |format| {
            let mut args = vec!["plan", "a.yaml", "-o", format];
            args.extend(more);
            folder.at(&args)
        };
        assert_eq!(read_1_1(&run("yaml").out), run("json").json(), "{more:?}");
    }
    let why = |format| folder.at(&["why", "shop/1e3", "--in", "a.yaml", "-o", format]);
    assert_eq!(read_1_1(&why("yaml").out), why("json").json());
}

#[test]
fn formats_with_a_file_leave_standard_output_to_the_default() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let text = folder.at(&["plan", "a.yaml"]);
    let json = folder.at(&["plan", "a.yaml", "-o", "json"]);
    let yaml = folder.at(&["plan", "a.yaml", "-o", "yaml"]);
    let both = folder.at(&[
        "plan",
        "a.yaml",
        "-o",
        "json=p.json",
        "--output=yaml=p.yaml",
    ]);
    assert_eq!((both.status, &both.out), (0, &text.out));
    // What was written is a Plan, which is not ours; the files must not have been inputs.
    assert_eq!(folder.read("p.json"), json.out);
    assert_eq!(folder.read("p.yaml"), yaml.out);
    folder
        .at(&["plan", "a.yaml", "-o", "json", "-o", "text=p.txt"])
        .json();
    assert_eq!(folder.read("p.txt"), text.out);
}

#[test]
fn files_are_replaced_whole_and_inputs_never() {
    let folder = Folder::of(&[("site/a.yaml", &site()), ("old.json", &"x".repeat(100_000))]);
    folder.at(&["plan", "site", "-o", "json=old.json"]).ends(0);
    serde_json::from_str::<Value>(&folder.read("old.json")).unwrap();
    for file in ["json=site/a.yaml", "json=site/../site/a.yaml", "json=site"] {
        folder.at(&["plan", "site", "-o", file]).ends(64);
    }
    folder.write("planner.toml", "");
    for command in ["plan", "validate"] {
        folder
            .at(&[command, "site", "-o", "json=planner.toml"])
            .ends(64);
        assert_eq!(folder.read("planner.toml"), "");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("site/a.yaml", folder.path().join("link")).unwrap();
        folder.at(&["validate", "site", "-o", "json=link"]).ends(64);
    }
    assert_eq!(folder.read("site/a.yaml"), site());
    let left: Vec<String> = folder
        .files()
        .into_iter()
        .filter(|f| f.contains("/."))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_section_stands_alone() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let whole = folder.at(&["plan", "a.yaml", "-o", "json"]).json();
    let part = folder
        .at(&["plan", "a.yaml", "-o", "json", "--section", "applications"])
        .json();
    assert_eq!(part.as_object().unwrap().len(), 1);
    assert_eq!(part["applications"], whole["applications"]);
    let none = folder.at(&[
        "plan",
        "a.yaml",
        "-o",
        "json",
        "--section",
        "regionPlacements",
    ]);
    none.ends(0);
}

#[test]
fn packages_narrow_what_is_planned_and_recorded_but_not_what_is_checked() {
    let other = "---\napiVersion: planner/v1\nkind: Package\nmetadata: {name: bank}\n\
                 spec: {project: retail}\n---\napiVersion: planner/v1\nkind: Application\n\
                 metadata: {name: till}\nspec:\n  package: bank\n  containers:\n  \
                 - {name: main, image: x, requests: {cpu: 1}}\n";
    let folder = Folder::of(&[("a.yaml", &[&site(), other].concat())]);
    let names = |args: &[&str]| -> Vec<String> {
        let plan = folder
            .at(&[&["plan", "a.yaml", "-o", "json"], args].concat())
            .json();
        let name = |item: &Value| item["application"].as_str().unwrap().to_owned();
        plan["applications"]
            .as_array()
            .unwrap()
            .iter()
            .map(name)
            .collect()
    };
    assert_eq!(names(&[]), ["till", "db", "web"]);
    assert_eq!(names(&["--package", "bank"]), ["till"]);
    assert_eq!(
        names(&["--package", "shop", "--package", "bank"]),
        ["till", "db", "web"]
    );
    folder
        .at(&["plan", "a.yaml", "--package", "bank", "--yes"])
        .ends(0);
    assert_eq!(folder.files(), ["a.records/0001-bank.yaml", "a.yaml"]);
    folder.at(&["plan", "a.yaml", "--yes"]).ends(0);
    assert!(
        folder.has("a.records/0002-shop.yaml"),
        "only the changed Package is recorded"
    );
    let broken = "---\napiVersion: planner/v1\nkind: Application\nmetadata: {name: bad}\n\
                  spec: {package: bank, replicas: x, containers: []}\n";
    folder.write("a.yaml", [&site(), other, broken].concat());
    folder.at(&["plan", "a.yaml", "--package", "shop"]).ends(1);
}

#[test]
fn changes_only_leaves_the_rest_to_the_count() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    folder.at(&["plan", "a.yaml", "--yes"]).ends(0);
    folder.write("b.yaml", application("cache", "1", false));
    let args = ["plan", "a.yaml", "b.yaml"];
    let whole = folder.at(&args);
    assert!(whole.out.contains("\n= web"), "{whole:#?}");
    let less = folder.at(&[&args[..], &["--changes-only"]].concat());
    assert!(
        !less.out.contains("\n= web") && less.out.contains("\n+ cache"),
        "{less:#?}"
    );
    assert!(less.out.contains("2 unchanged"), "{less:#?}");
}

#[test]
fn trace_gives_the_lists_of_candidates() {
    let folder = Folder::of(&[(
        "a.yaml",
        &[site(), cluster("turin", 2020, 9, "Down")].concat(),
    )]);
    let plan = |more: &[&str]| {
        let args = [&["plan", "a.yaml", "-o", "json"], more].concat();
        folder.at(&args).json()["applications"][0]["filters"][0].clone()
    };
    assert!(plan(&[]).get("clusters").is_none());
    assert_eq!(
        plan(&["--trace"])["clusters"],
        serde_json::json!(["lyon", "oslo"])
    );
}

#[test]
fn what_is_asked_of_each_cluster_is_summed_and_decides_nothing() {
    // Each alone fits on a Node of 8 CPUs; two of 5 on one Cluster of 8 do not.
    let apart = |cpu: &str| {
        [
            support::PACKAGE.to_owned(),
            cluster("oslo", 2022, 5, "Up"),
            cluster("lyon", 2021, 7, "Up"),
            application("db", cpu, false),
            application("web", cpu, false),
        ]
        .concat()
    };
    let folder = Folder::of(&[("few.yaml", &apart("1500m")), ("many.yaml", &apart("5"))]);
    let plan = |file: &str| folder.at(&["plan", file, "-o", "json"]);
    let sums = |cpu: &str| {
        let amounts = |cpu: &str, memory: &str| serde_json::json!({"cpu": cpu, "memory": memory});
        serde_json::json!([
            {"name": "lyon", "requested": amounts("0", "0"), "allocatable": amounts("8", "32Gi"),
             "applications": 0},
            {"name": "oslo", "requested": amounts(cpu, "0"), "allocatable": amounts("8", "32Gi"),
             "applications": 2},
        ])
    };
    let (few, many) = (plan("few.yaml"), plan("many.yaml"));
    assert_eq!(few.json()["clusters"], sums("3"));
    assert_eq!(many.json()["clusters"], sums("10"));
    let key = |name: &str| many.out.find(&format!("\n  \"{name}\"")).expect(name);
    assert!(key("applications") < key("clusters") && key("clusters") < key("diagnostics"));
    let decided = |answer: &Answer| {
        let items = answer.json()["applications"].clone();
        let of = |item: &serde_json::Value| item["cluster"].clone();
        items.as_array().unwrap().iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(decided(&few), decided(&many));
    let warning = "oslo is overcommitted: CPU 10 of 8 (largest Node 8)";
    let shown = folder.at(&["plan", "many.yaml"]);
    assert_eq!(shown.ends(0).out.matches(warning).count(), 1, "{shown:#?}");
    assert!(
        !folder
            .at(&["plan", "few.yaml"])
            .out
            .contains("overcommitted")
    );
    let traced = folder.at(&["plan", "many.yaml", "--trace"]).out;
    assert!(traced.contains("Planned on each Cluster"), "{traced}");
    let row = traced.lines().find(|line| line.starts_with("! oslo"));
    let cells: Vec<&str> = row.expect("a row").split_whitespace().collect();
    assert_eq!(cells[2..7], ["2", "10", "8", "0", "32Gi"], "{traced}");
    let found = folder.at(&["validate", "many.yaml", "-o", "json"]);
    let codes = found.ends(0).codes();
    let over = |code: &&String| *code == "planner::ogc::overcommitted";
    assert_eq!(codes.iter().filter(over).count(), 1, "{codes:?}");
}

#[test]
fn now_is_in_the_plan_as_given() {
    let folder = Folder::of(&[("a.yaml", &site())]);
    let now = |text: &str| {
        let args = ["plan", "a.yaml", "-o", "json", "--now", text];
        folder.run(&args).json()["now"].as_str().unwrap().to_owned()
    };
    assert_eq!(now(NOW), NOW);
    assert_eq!(now("2026-01-01T02:00:00+02:00"), NOW);
    assert_eq!(now("2026-01-01T00:00:00.25Z"), "2026-01-01T00:00:00.25Z");
    let clock = folder.run(&["plan", "a.yaml", "-o", "json"]).json();
    assert_eq!(
        clock["now"].as_str().unwrap().len(),
        NOW.len(),
        "whole seconds"
    );
}

#[test]
fn jobs_change_no_byte() {
    let folder = Folder::new();
    for number in 0..40 {
        let name = format!("app-{number}");
        folder.write(
            &format!("site/{number}.yaml"),
            application(&name, "1", number % 2 == 0),
        );
        folder.write(
            &format!("site/bad-{number}.yaml"),
            format!("a: [{number}\n"),
        );
    }
    folder.write("site/site.yaml", site());
    for args in [
        &["validate", "site", "-o", "json"][..],
        &["validate", "site"],
        &["plan", "site", "-o", "json", "--keep-going"],
    ] {
        let one = folder.at(&[args, &["--jobs", "1"]].concat());
        for jobs in ["2", "7", "999"] {
            assert_eq!(
                folder.at(&[args, &["--jobs", jobs]].concat()),
                one,
                "{args:?} {jobs}"
            );
        }
        assert_eq!(folder.at(args), one, "{args:?}");
    }
}
