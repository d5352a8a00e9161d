//! `planner risk --shard` and `--merge`: parts give what one run gives, and nothing else does.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::damage::{Dice, mutate};
use crate::support::{self, Folder, NOW};
use planner::risk::part;
use serde::Deserialize as _;
use serde_json::Value;

const FORMATS: [&str; 4] = ["json", "yaml", "text", "markdown"];

/// A folder with fixtures as its site.
fn folder(fixtures: &[&str]) -> Folder {
    let folder = Folder::new();
    for (at, name) in fixtures.iter().enumerate() {
        let from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures")
            .join(name);
        if from.is_dir() {
            folder.copy(&from, "site");
        } else {
            drop(folder.write(&format!("site/{at}.yaml"), fs::read(&from).unwrap()));
        }
    }
    folder
}

/// Runs `planner risk` and gives what it writes in each format.
fn formats(folder: &Folder, words: &[&str], name: &str) -> Vec<String> {
    let files: Vec<String> = FORMATS
        .iter()
        .map(|format| format!("{format}={name}.{format}"))
        .collect();
    let mut all = vec!["risk"];
    all.extend(words);
    for file in &files {
        all.extend(["-o", file]);
    }
    folder.run(&all).ends(0);
    let read = |format: &&str| folder.read(&format!("{name}.{format}"));
    FORMATS.iter().map(read).collect()
}

/// Writes all parts and gives their names.
fn parts(folder: &Folder, words: &[&str], of: usize) -> Vec<String> {
    let part = |number: usize| {
        let (shard, name) = (
            format!("{number}/{of}"),
            format!("parts/{number}-{of}.json"),
        );
        fs::create_dir_all(folder.path().join("parts")).unwrap();
        let mut all = vec!["risk"];
        all.extend(words);
        let file = format!("json={name}");
        all.extend(["--shard", &shard, "--now", NOW, "-o", &file]);
        let told = folder.run(&all);
        let start = format!("Part {number} of {of}: ");
        assert!(told.ends(0).out.starts_with(&start), "{told:?}");
        let text: Value = serde_json::from_str(&folder.read(&name)).unwrap();
        support::answers::as_described(text);
        name
    };
    (1..=of).map(part).collect()
}

fn merged(folder: &Folder, parts: &[String]) -> Vec<String> {
    let mut words = vec!["--merge"];
    words.extend(parts.iter().map(String::as_str));
    formats(folder, &words, "merged")
}

/// Merged parts are the answer of one run, byte for byte, in every format.
fn same(fixtures: &[&str], more: &[&str], modes: &[&str]) {
    let folder = folder(fixtures);
    for mode in modes {
        let mut words = vec!["site", mode];
        words.extend(more);
        let mut once = words.clone();
        once.extend(["--now", NOW]);
        let whole = formats(&folder, &once, "whole");
        assert!(whole[0].contains("\"class\""), "{whole:?}");
        for of in [1, 2, 3, 7] {
            let mut parts = parts(&folder, &words, of);
            parts.reverse();
            assert_eq!(
                merged(&folder, &parts),
                whole,
                "{fixtures:?} {mode} in {of} parts"
            );
        }
    }
}

const EACH: [&str; 2] = ["--pairs", "--triples"];

#[test]
fn parts_of_packages_are_the_whole() {
    same(&["retail"], &[], &EACH);
}

#[test]
fn parts_of_placements_are_the_whole() {
    same(&["corpus/ocm/groups-overlap-and-empty.yaml"], &[], &EACH);
}

#[test]
fn parts_of_deliveries_are_the_whole() {
    same(&["deliveries/addons.yaml"], &[], &EACH);
}

#[test]
fn parts_of_hybrid_rules_are_the_whole() {
    same(&["hybrid/board"], &[], &EACH);
}

#[test]
fn parts_of_regions_are_the_whole() {
    same(&["senlin/grow.yaml"], &[], &EACH);
}

#[test]
fn parts_of_a_deployment_are_the_whole() {
    let site = ["corpus/airship/overlap-with-skipped-group.yaml"];
    same(&site, &["--order", "stack", "--jobs", "3"], &EACH);
}

#[test]
fn parts_of_all_systems_at_once_are_the_whole() {
    let site = [
        "retail",
        "hybrid/board",
        "corpus/ocm/predicate-labels.yaml",
        "corpus/airship/join-failure.yaml",
        "senlin/grow.yaml",
    ];
    same(&site, &[], &["--pairs"]);
}

/// The line about the hub and its field come out of the parts, too.
#[test]
fn parts_over_a_hub_are_the_whole() {
    let folder = folder(&["corpus/ocm/predicate-or.yaml"]);
    let cluster = "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
                   metadata: {name: of-the-hub, uid: a, resourceVersion: \"1\"}\n";
    let text = format!("# planner-hub: 2025-12-31T22:00:00Z\n{cluster}");
    folder.write("hub.yaml", text);
    let words = ["site", "--pairs", "--hub", "hub.yaml", "--no-prune"];
    let mut once = words.to_vec();
    once.extend(["--now", NOW]);
    let whole = formats(&folder, &once, "whole");
    assert!(whole[2].starts_with("Hub: hub.yaml"), "{}", whole[2]);
    assert!(whole[0].contains("\"hub\""), "{}", whole[0]);
    assert_eq!(merged(&folder, &parts(&folder, &words, 2)), whole);
}

/// There may be more parts than losses, and as many as a number can say.
#[test]
fn parts_may_be_empty() {
    let folder = folder(&["senlin/grow.yaml"]);
    let of = "4294967295/4294967295";
    let words = ["risk", "site", "--triples", "--now", NOW, "--shard"];
    let mut last = words.to_vec();
    last.push(of);
    let part = folder.run(&last).ends(0).json();
    assert_eq!(part["losses"], Value::Array(vec![]));
    folder.write("last.json", part.to_string());
    let told = folder.run(&["risk", "--merge", "last.json"]);
    told.ends(1).says("parts 1, 2, 3, 4,");
    told.says("19, 20 and 4294967274 more of 4294967295 are missing");
}

/// What `--merge` says of these files.
fn refused(folder: &Folder, files: &[&str]) -> String {
    let mut words = vec!["risk", "--merge"];
    words.extend(files);
    let answer = folder.run(&words);
    let told = answer.ends(1).err.clone();
    words.extend(["-o", "json"]);
    let json = folder.run(&words);
    assert!(json.ends(1).json()["losses"].is_null(), "{json:?}");
    told
}

#[test]
fn missing_and_doubled_parts_are_named() {
    let folder = folder(&["senlin/grow.yaml"]);
    parts(&folder, &["site", "--pairs"], 3);
    let told = refused(&folder, &["parts/3-3.json", "parts/1-3.json"]);
    assert_eq!(told, "planner: part 2 of 3 is missing\n");
    let told = refused(&folder, &["parts/3-3.json", "parts/3-3.json"]);
    let both = "parts/3-3.json and parts/3-3.json are both part 3 of 3";
    assert!(told.contains(both), "{told}");
    assert!(told.contains("parts 1 and 2 of 3 are missing"), "{told}");
    let told = refused(&folder, &["parts/1-3.json", "parts/none.json", "site"]);
    assert!(
        told.contains("parts/none.json: there is no such file"),
        "{told}"
    );
    assert!(told.contains("site: cannot be read"), "{told}");
}

/// A part of another sweep is refused, and told apart.
#[test]
fn foreign_parts_are_named() {
    let folder = folder(&["corpus/airship/overlap-with-skipped-group.yaml"]);
    parts(&folder, &["site", "--pairs"], 2);
    let part = |name: &str, words: &[&str]| {
        let mut all = vec!["risk", "site"];
        all.extend(words);
        folder.write(name, &folder.run(&all).ends(0).out);
    };
    let second = ["--shard", "2/2", "--now", NOW];
    let with = |more: &[&'static str]| [&second[..], more].concat();
    let foreign = |why: &str| {
        let told = refused(&folder, &["parts/1-2.json", "other.json"]);
        let wanted = format!("other.json does not belong with parts/1-2.json: {why}");
        assert!(told.contains(&wanted), "{told}");
        assert!(told.contains("part 2 of 2 is missing"), "{told}");
    };
    part("other.json", &with(&["--triples"]));
    foreign("it loses each triple, not each pair");
    part("other.json", &with(&[]));
    foreign("it loses each thing, not each pair");
    part("other.json", &with(&["--pairs", "--order", "stack"]));
    foreign("it was made with --order stack, not with no options");
    part("other.json", &with(&["--pairs", "--keep-going"]));
    foreign("it was made with --keep-going, not with no options");
    part(
        "other.json",
        &["--pairs", "--shard", "2/2", "--now", "2027-01-01T00:00:00Z"],
    );
    foreign("its time is 2027-01-01T00:00:00Z, not 2026-01-01T00:00:00Z (--now)");
    part("other.json", &["--pairs", "--shard", "2/5", "--now", NOW]);
    foreign("its sweep has 5 parts, not 2 parts");
    folder.write("site/planner.toml", "follow-links = false\n");
    part("other.json", &with(&["--pairs"]));
    foreign("its documents or their paths differ");
    fs::remove_file(folder.path().join("site/planner.toml")).unwrap();
    folder.write("site/more.yaml", "# nothing\n");
    part("other.json", &with(&["--pairs"]));
    foreign("its documents or their paths differ");
}

#[test]
fn what_is_no_part_is_refused() {
    let folder = folder(&["senlin/grow.yaml"]);
    parts(&folder, &["site", "--pairs"], 1);
    let text = folder.read("parts/1-1.json");
    let no_part = |text: &[u8], why: &str| {
        folder.write("bad.json", text);
        let told = refused(&folder, &["bad.json"]);
        assert!(
            told.contains("bad.json: this is not a part of a sweep: "),
            "{told}"
        );
        assert!(told.contains(why), "{told}");
        assert!(!told.contains(['\u{1b}', '\u{202e}']), "{told:?}");
    };
    no_part(b"", "EOF");
    no_part(&text.as_bytes()[..text.len() / 2], "EOF");
    let deep = "[".repeat(1_000_000);
    no_part(deep.as_bytes(), "invalid type: sequence");
    let deep = text.replacen("\"documents\": {", &format!("\"documents\": {deep}"), 1);
    no_part(deep.as_bytes(), "recursion limit");
    no_part(b"\xff\xfe{}", "expected value");
    no_part(b"{}", "it has no `kind: RiskPart`");
    no_part(b"{\"kind\": \"\x1b[31m\"}", "control character");
    no_part(br#"{"kind": "\u001b[31m\u202e"}"#, "its kind is");
    let risk = folder.run(&["risk", "site", "-o", "json"]);
    no_part(
        risk.out.as_bytes(),
        "its kind is \"Risk\", not \"RiskPart\"",
    );
    let changed = |from: &str, to: &str| text.replacen(from, to, 1).into_bytes();
    no_part(
        &changed("\"class\":\"moves\"", "\"class\":\"none\""),
        "its digest does not match",
    );
    no_part(
        &changed("\"class\":\"moves\"", "\"class\":\"fine\""),
        "unknown variant",
    );
    no_part(
        &changed("RegionOne", "RegionTen"),
        "its digest does not match",
    );
    let own = env!("CARGO_PKG_VERSION");
    let other = format!("it was made by planner 9.9.9, but this is planner {own}");
    let version = |to: &str| changed(&format!("\"planner\": \"{own}\""), to);
    no_part(&version("\"planner\": \"9.9.9\""), &other);
    // A later form may be anything; who made it is said all the same.
    no_part(
        br#"{"kind": "RiskPart", "sweep": {"planner": "9.9.9"}}"#,
        &other,
    );
}

#[test]
fn arguments_that_make_no_part_are_wrong() {
    let folder = folder(&["senlin/grow.yaml"]);
    let wrong = |words: &[&str], says: &str| {
        let mut all = vec!["risk"];
        all.extend(words);
        folder.run(&all).ends(64).says(says);
    };
    for shard in [
        "0/2",
        "3/2",
        "1",
        "1/0",
        "-1/2",
        "1/2/3",
        "a/b",
        "1/99999999999",
        "\u{1b}[31m",
    ] {
        let words = ["site", "--pairs", "--now", NOW, &format!("--shard={shard}")];
        wrong(&words, "expected K/N, part K of N, such as 1/4");
    }
    wrong(
        &["site", "--pairs", "--shard", "1/2"],
        "--shard needs --now TIME",
    );
    let part = ["site", "--shard", "1/2", "--now", NOW];
    wrong(
        &[&part[..], &["-o", "text"]].concat(),
        "--shard writes its part as JSON",
    );
    wrong(
        &[&part[..], &["-o", "yaml=a"]].concat(),
        "--shard writes its part as JSON",
    );
    wrong(
        &[&part[..], &["--fail-on", "critical"]].concat(),
        "cannot be used with",
    );
    wrong(
        &[&part[..], &["-o", "json=site/a.json"]].concat(),
        "outside the PATHs",
    );
    assert!(!folder.has("site/a.json"));
    wrong(&["--pairs", "--triples"], "cannot be used with");
    wrong(
        &["site", "--merge", "a.json", "--now", NOW],
        "cannot be used with",
    );
    wrong(
        &["--merge", "a.json", "--shard", "1/2"],
        "cannot be used with",
    );
    for other in [
        &["--triples"][..],
        &["--shard", "1/2"],
        &["--merge", "a.json"],
    ] {
        wrong(
            &[&["--remedies"][..], other].concat(),
            "cannot be used with",
        );
    }
    wrong(&["--merge"], "a value is required");
    wrong(&["--merge", "a.json", "-o", "json=a.json"], "a.json");
    wrong(
        &["site", "--pairs", "--limit", "2"],
        "6 pairs exceed --limit 2: raise it, or compute them in parts with \
         --shard",
    );
    wrong(
        &[&part[..], &["--triples", "--limit", "1"]].concat(),
        "2 triples in this part exceed --limit 1: raise it, or use more parts",
    );
}

/// A part that lies in a site is no document of it.
#[test]
fn a_part_is_not_a_document() {
    let folder = folder(&["senlin/grow.yaml"]);
    parts(&folder, &["site"], 1);
    folder.at(&["plan", "parts"]).ends(66);
}

/// A site at fault has no parts; its findings are said.
#[test]
fn a_site_at_fault_has_no_part() {
    let folder = Folder::of(&[("site/a.yaml", support::BROKEN)]);
    let answer = folder.run(&["risk", "site", "--shard", "1/2", "--now", NOW]);
    let answer = answer.ends(1).json();
    assert_eq!(answer["kind"], "Risk");
    assert!(answer["losses"].is_null());
    Folder::new().at(&["risk", ".", "--shard", "1/2"]).ends(66);
}

/// The merged answer can fail as that of one run.
#[test]
fn a_merged_sweep_fails_on_what_is_asked() {
    let folder = folder(&["retail"]);
    let parts = parts(&folder, &["site", "--pairs"], 2);
    let (one, two) = (&*parts[0], &*parts[1]);
    folder
        .run(&["risk", "--fail-on", "unplaceable", "--merge", one, two])
        .ends(3);
    folder
        .run(&["risk", "--fail-on", "critical", "--merge", one, two])
        .ends(0);
}

/// Damaged parts are refused or read, and never more than that.
#[test]
fn damaged_parts_end() {
    let folder = folder(&["corpus/ocm/groups-overlap-and-empty.yaml"]);
    let own = parts(&folder, &["site", "--pairs"], 1);
    let text = folder.read(&own[0]).into_bytes();
    let mut dice = Dice(7);
    let mut read = 0;
    for _ in 0..2000 {
        let mut damaged = text.clone();
        mutate(&mut damaged, &text, &mut dice);
        let (same, part) = (damaged == text, part::read(&damaged));
        read += usize::from(part.is_ok());
        // White space and the order of fields are no part of what it says.
        if let Ok(part) = part {
            let whole = part::read(&text).unwrap();
            assert!(
                same || part == whole,
                "{}",
                String::from_utf8_lossy(&damaged)
            );
        }
    }
    assert!(read < 200, "{read} of them were not damaged");
}

/// The documents of a recipe.
fn recipe(name: &str) -> Vec<Value> {
    let at = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/recipes/sweep");
    let text = fs::read_to_string(at.join(name)).unwrap();
    let documents = serde_yaml::Deserializer::from_str(&text);
    documents
        .map(|one| Value::deserialize(one).unwrap())
        .collect()
}

/// Runs a shell's line of a recipe with its volumes in the folder.
fn sh(folder: &Folder, line: &str, index: usize) {
    let at = folder.path().to_str().unwrap();
    let line = line.replace("/sweep", &format!("{at}/sweep"));
    let line = line.replace("/site", &format!("{at}/site"));
    let bin = Path::new(support::PLANNER).parent().unwrap();
    let paths = std::env::var("PATH").unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(at);
    command.env("PATH", format!("{}:{paths}", bin.display()));
    command
        .env("NOW", NOW)
        .env("JOB_COMPLETION_INDEX", index.to_string());
    let done = command.output().unwrap();
    assert!(done.status.success(), "{line}: {done:?}");
}

/// What the pods of the Job run leaves the answer of one run.
#[cfg(unix)]
#[test]
fn the_job_of_the_recipe_sweeps() {
    let folder = folder(&["senlin/grow.yaml"]);
    fs::create_dir(folder.path().join("sweep")).unwrap();
    let jobs = recipe("job.yaml");
    let line = |job: &Value| {
        let container = &job["spec"]["template"]["spec"]["containers"][0];
        let command = &container["command"];
        assert_eq!(command[0], "/bin/sh");
        command[2].as_str().unwrap().to_owned()
    };
    let parts = jobs[0]["spec"]["completions"].as_u64().unwrap();
    for index in 0..usize::try_from(parts).unwrap() {
        sh(&folder, &line(&jobs[0]), index);
    }
    sh(&folder, &line(&jobs[1]), 0);
    let site = folder.path().join("site");
    let once = [
        "risk",
        site.to_str().unwrap(),
        "--pairs",
        "--now",
        NOW,
        "-o",
        "json",
    ];
    assert_eq!(
        folder.read("sweep/risk.json"),
        folder.run(&once).ends(0).out
    );
}

/// The Workflow and the DAG give flags that there are; `tests/engines/run` runs them.
#[test]
fn the_other_recipes_give_flags_that_there_are() {
    let workflow = &recipe("workflow.yaml")[0];
    let template = |name: &str| {
        let all = workflow["spec"]["templates"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap().clone()
    };
    let args = template("part")["container"]["args"].clone();
    let args = args.as_array().unwrap();
    let mut words: Vec<String> = args
        .iter()
        .map(|one| one.as_str().unwrap().into())
        .collect();
    words.push(
        template("merge")["script"]["source"]
            .as_str()
            .unwrap()
            .into(),
    );
    let at = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/recipes/sweep");
    for name in ["dag.py", "parallel.sh"] {
        words.push(fs::read_to_string(at.join(name)).unwrap());
    }
    let help = Folder::new().run(&["risk", "--help"]).out;
    for flag in words
        .join(" ")
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
    {
        let of_parallel = ["--quote", "--halt", "--sshlogin"].contains(&flag);
        if flag.len() > 3 && flag.starts_with("--") && !of_parallel {
            assert!(help.contains(flag), "{flag} is no flag of `planner risk`");
        }
    }
}
