//! Every code is proven with the program itself: the example of its page triggers it, what the
//! page says to use instead does not. Codes that no document alone shows have a case of their own.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{Folder, NOW};
use serde_json::Value;

/// A block of a page: its language, the words after it in the fence, and what it holds.
struct Block<'p> {
    language: &'p str,
    words: BTreeSet<&'p str>,
    text: &'p str,
}

/// The first block of a section.
fn block<'p>(docs: &'p str, section: &str) -> Option<Block<'p>> {
    let (_, rest) = docs.split_once(&format!("\n## {section}\n"))?;
    let rest = rest.split("\n## ").next()?;
    let (_, rest) = rest.split_once("```")?;
    let (fence, rest) = rest.split_once('\n')?;
    let (text, _) = rest.split_once("```")?;
    let mut words = fence.split(' ');
    Some(Block {
        language: words.next()?,
        words: words.collect(),
        text,
    })
}

/// The page of each code, as the program gives it.
fn pages() -> BTreeMap<String, String> {
    let all = Folder::new().run(&["explain", "-o", "json"]).json();
    let schema = planner::schema::bundled("output/explain").unwrap();
    let validator = jsonschema::options().offline().build(&schema).unwrap();
    let faults: Vec<_> = validator.iter_errors(&all).collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert!(validator.is_valid(&all[0]), "one rule");
    let text = |rule: &Value, key: &str| rule[key].as_str().unwrap().to_owned();
    let all = all.as_array().unwrap().iter();
    all.map(|rule| (text(rule, "code"), text(rule, "docs")))
        .collect()
}

/// The codes of the findings that `planner COMMAND` gives.
fn given(folder: &Folder, arguments: &[&str]) -> BTreeSet<String> {
    let mut words = arguments.to_vec();
    words.extend(["--now", NOW, "-o", "json"]);
    let answer = folder.run(&words);
    if answer.out.starts_with('{') {
        return answer.codes().into_iter().collect();
    }
    // The configuration or the flags are at fault: the screen heads each finding with its code.
    let lines = answer.err.lines();
    let codes = lines.filter(|line| line.contains("::") && !line.contains(' '));
    codes.map(|code| format!("planner::{code}")).collect()
}

/// The codes that a block brings up, in checks and in the plan.
fn codes(block: &Block<'_>) -> BTreeSet<String> {
    let has = |word| block.words.contains(word);
    let folder = Folder::new();
    if has("render") {
        return rendered(&folder, block.text);
    }
    let mut words = vec!["page.yaml"];
    if has("require-reason") {
        folder.write("planner.toml", "require-reason = true\n");
    }
    match block.language {
        "toml" => {
            folder.write("planner.toml", block.text);
            folder.write("page.yaml", PROJECT);
        }
        language => {
            assert_eq!(language, "yaml");
            folder.write("page.yaml", block.text);
        }
    }
    if let Some((documents, snapshot)) = block.text.split_once("# hub.yaml\n") {
        folder.write("page.yaml", documents);
        folder.write("hub.yaml", snapshot);
        let words = ["page.yaml", "--hub", "hub.yaml"];
        let mut found = given(&folder, &[&["plan"], &words[..]].concat());
        for arguments in [&["drift", "-o", "sarif=drift.sarif"][..], &["validate"]] {
            found.append(&mut given(&folder, &[arguments, &words[..]].concat()));
        }
        let drift: Value = serde_json::from_str(&folder.read("drift.sarif")).unwrap();
        let results = drift["runs"][0]["results"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let code = |result: &Value| result["ruleId"].as_str().map(str::to_owned);
        found.extend(results.iter().filter_map(code));
        return found;
    }
    for flag in ["--strict", "--allow-commands"] {
        if has(&flag[2..]) {
            words.push(flag);
        }
    }
    if has("faults") {
        folder.write("strategy.yaml", STRATEGY);
        folder.write("rollout.yaml", ROLLOUT);
        let files = ["strategy.yaml", "rollout.yaml", "--faults", "page.yaml"];
        return given(&folder, &[&["simulate"], files.as_slice()].concat());
    }
    let mut found = given(&folder, &[&["plan"], words.as_slice()].concat());
    if !has("plan") && !has("allow-commands") {
        found.append(&mut given(
            &folder,
            &[&["validate"], words.as_slice()].concat(),
        ));
    }
    found
}

/// The codes of a repository whose files stand one after another, each below its name.
fn rendered(folder: &Folder, text: &str) -> BTreeSet<String> {
    let mut files: Vec<(&str, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let name = line.strip_prefix("# ").map(str::trim_end);
        let endings = [".toml", ".yaml", ".yml"];
        match name.filter(|name| endings.iter().any(|ending| name.ends_with(ending))) {
            Some(name) => files.push((name, String::new())),
            None => files.last_mut().unwrap().1.push_str(line),
        }
    }
    for (name, text) in &files {
        folder.write(name, text);
    }
    let list = ["render", "--list", "-o", "json"];
    let mut found: BTreeSet<String> = folder.run(&list).codes().into_iter().collect();
    if files.iter().any(|(name, _)| *name == "planner.toml") {
        found.extend(given(folder, &["validate"]));
    }
    if files.iter().any(|(name, _)| *name == "kustomization.yaml") {
        found.extend(folder.run(&["render", "-o", "json"]).codes());
    }
    found
}

/// What is wrong with the page of a code.
fn faults(code: &str, docs: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Some(case) = case(code) {
        let found = case();
        if !found.contains(code) {
            wrong.push(format!("{code}: its case gives {found:?}"));
        }
    } else if let Some(example) = block(docs, "Example") {
        let found = codes(&example);
        if !found.contains(code) {
            wrong.push(format!("{code}: the example gives {found:?}"));
        }
    } else {
        wrong.push(format!(
            "{code}: its page has no example, this test no case"
        ));
    }
    match block(docs, "Use instead") {
        Some(instead) if codes(&instead).contains(code) => {
            wrong.push(format!("{code}: so does what to use instead"));
        }
        Some(_) => {}
        None => wrong.push(format!("{code}: its page has nothing to use instead")),
    }
    wrong
}

#[test]
fn every_example_triggers_its_code_and_what_to_use_instead_does_not() {
    let pages: Vec<_> = pages().into_iter().collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let parts = pages.chunks(pages.len().div_ceil(threads));
        let faults = |part: &[(String, String)]| -> Vec<String> {
            let all = part.iter();
            all.flat_map(|(code, docs)| faults(code, docs)).collect()
        };
        let parts: Vec<_> = parts
            .map(|part| scope.spawn(move || faults(part)))
            .collect();
        let parts = parts.into_iter().map(|part| part.join().unwrap());
        parts.flatten().collect()
    });
    assert!(
        wrong.is_empty(),
        "{} faults:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

const PROJECT: &str = "apiVersion: planner/v1\nkind: Project\nmetadata: {name: a-project}\n";

const STRATEGY: &str =
    include_str!("../../fixtures/corpus/airship/seed-example-1-all-succeed.yaml");

const ROLLOUT: &str = include_str!("../../fixtures/corpus/ocm/rollout-all.yaml");

/// The case of a code that no page can show as a document: files, limits, repositories, flags.
fn case(code: &str) -> Option<fn() -> BTreeSet<String>> {
    Some(match code {
        "planner::airship::root_below" => || {
            let root = concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/fixtures/repositories/root-below/files"
            );
            given(&Folder::new(), &["validate", root])
        },
        "planner::airship::left_out"
        | "planner::airship::remote_repository"
        | "planner::airship::substitution_skipped" => repository,
        "planner::airship::rendered_too_large" => doubling,
        "planner::airship::unknown_fault" => || {
            let folder = Folder::of(&[("a.yaml", STRATEGY)]);
            folder.write("faults/f.yaml", "prepare: {fail: [nobody]}\n");
            given(
                &folder,
                &["simulate", "a.yaml", "--faults", "faults/f.yaml"],
            )
        },
        "planner::config::unreadable" => || {
            let folder = Folder::of(&[("a.yaml", PROJECT)]);
            given(&folder, &["validate", ".", "--config", "missing.toml"])
        },
        "planner::config::unusable" => || {
            let folder = Folder::of(&[("a.yaml", PROJECT), ("planner-baseline.json", "[]")]);
            given(&folder, &["validate", "."])
        },
        "planner::io::failed" => || {
            let folder = Folder::of(&[("saved.json", "nonsense")]);
            given(&folder, &["show", "saved.json"])
        },
        "planner::io::binary" => || one("a\0b\n"),
        "planner::io::encoding" => || one(b"name: M\xfcnchen\n"),
        "planner::io::file_too_large" => || limited("file-bytes = 10"),
        "planner::io::leads_out" => leads_out,
        "planner::io::not_found" => || given(&Folder::new(), &["validate", "missing.yaml"]),
        "planner::io::too_many_documents" => || limited("documents = 1"),
        "planner::io::unreadable" => unreadable,
        "planner::site::kustomize" => || {
            let list = ("kustomization.yaml", "resources: [a.yaml]\n");
            given(
                &Folder::of(&[("a.yaml", PROJECT), list]),
                &["validate", "."],
            )
        },
        "planner::ocm::guard" => guard,
        "planner::site::missing_path" => missing_path,
        "planner::yaml::too_many_nodes" => || limited("nodes = 3"),
        _ => return None,
    })
}

/// An Application of a clone that deploys nothing.
fn missing_path() -> BTreeSet<String> {
    let application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\n\
                       spec:\n  source: {repoURL: 'git@git.example:web.git', path: apps/wbe}\n";
    let config = "[remote \"origin\"]\n\turl = https://git.example/web\n";
    let files = [(".git/config", config), ("a.yaml", application)];
    given(&Folder::of(&files), &["validate", "."])
}

/// A Placement that loses its only cluster.
fn guard() -> BTreeSet<String> {
    let group = "cluster.open-cluster-management.io";
    let site = |region: &str| {
        format!(
            "apiVersion: {group}/v1\nkind: ManagedCluster\n\
             metadata: {{name: oslo, labels: {{region: north}}}}\n---\n\
             apiVersion: {group}/v1beta2\nkind: ManagedClusterSetBinding\n\
             metadata: {{name: global, namespace: shop}}\nspec: {{clusterSet: global}}\n---\n\
             apiVersion: {group}/v1beta1\nkind: Placement\n\
             metadata: {{name: web, namespace: shop}}\nspec:\n  predicates:\n  \
             - requiredClusterSelector: {{labelSelector: {{matchLabels: {{region: {region}}}}}}}\n"
        )
    };
    let files = [
        ("old/a.yaml", &*site("north")),
        ("new/a.yaml", &site("nort")),
    ];
    let words = ["plan", "new", "--against", "old", "--fail-on", "emptied"];
    given(&Folder::of(&files), &words)
}

fn one(text: impl AsRef<[u8]>) -> BTreeSet<String> {
    let folder = Folder::new();
    folder.write("a.yaml", text);
    given(&folder, &["validate", "."])
}

fn limited(limit: &str) -> BTreeSet<String> {
    let limit = format!("[limits]\n{limit}\n");
    let twice = format!("{PROJECT}---\n{}", PROJECT.replace("a-project", "other"));
    let files = [("a.yaml", twice.as_str()), ("planner.toml", &limit)];
    given(&Folder::of(&files), &["validate", "."])
}

#[cfg(unix)]
fn leads_out() -> BTreeSet<String> {
    let folder = Folder::of(&[("s/a.yaml", PROJECT), ("out/b.yaml", PROJECT)]);
    std::os::unix::fs::symlink("../out", folder.path().join("s/out")).unwrap();
    given(&folder, &["validate", "s"])
}

#[cfg(not(unix))]
fn leads_out() -> BTreeSet<String> {
    BTreeSet::from(["planner::io::leads_out".to_owned()])
}

#[cfg(unix)]
fn unreadable() -> BTreeSet<String> {
    let folder = Folder::of(&[("b.yaml", PROJECT)]);
    std::os::unix::fs::symlink("nowhere.yaml", folder.path().join("a.yaml")).unwrap();
    given(&folder, &["validate", "."])
}

#[cfg(not(unix))]
fn unreadable() -> BTreeSet<String> {
    BTreeSet::from(["planner::io::unreadable".to_owned()])
}

fn repository() -> BTreeSet<String> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/airship/repository");
    given(&Folder::new(), &["plan", root, "--site", "north"])
}

/// Documents that each take the one before whole, twice.
fn doubling() -> BTreeSet<String> {
    let mut text = "schema: deckhand/LayeringPolicy/v1\n\
        metadata: {schema: metadata/Control/v1, name: layering-policy}\n\
        data: {layerOrder: [site]}\n"
        .to_owned();
    for number in 0..30 {
        let source = |to: &str| {
            format!(
                "{{src: {{schema: site/Facts/v1, name: n{}, path: .}}, dest: {{path: .{to}}}}}",
                number - 1
            )
        };
        let substitutions = match number {
            0 => String::new(),
            _ => format!("{}, {}", source("a"), source("b")),
        };
        text.push_str(&format!(
            "---\nschema: site/Facts/v1\n\
             metadata: {{schema: metadata/Document/v1, name: n{number}, storagePolicy: cleartext, \
             layeringDefinition: {{layer: site}}, substitutions: [{substitutions}]}}\n\
             data: {{a: 1, b: 2}}\n"
        ));
    }
    one(text)
}
