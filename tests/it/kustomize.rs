//! Kustomizations: the corpus, which a build of the original made, and what holds of every build.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::Folder;

use planner::diagnostic::short_code;
use planner::kustomize::{Builder, Status};
use planner::load::Request;
use planner::render::json::HIDDEN;
use planner::source::Sources;
use serde_json::Value;

/// The folders of the corpus, each with what is expected of it.
fn cases() -> Vec<(PathBuf, Value)> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus/kustomize");
    let mut folders: Vec<PathBuf> = fs::read_dir(home)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    let expected = |folder: &PathBuf| fs::read_to_string(folder.join("expected.json")).unwrap();
    folders
        .into_iter()
        .map(|folder| {
            let expected = serde_json::from_str(&expected(&folder)).unwrap();
            (folder, expected)
        })
        .collect()
}

/// Where two values differ as data: 1 and 1.0 do not, what is hidden does not differ from anything.
fn differs(one: &Value, two: &Value, at: &str) -> Option<String> {
    match (one, two) {
        (Value::Object(first), Value::Object(second)) => {
            let keys = first.keys().chain(second.keys());
            let mut keys: Vec<&String> = keys.collect();
            keys.sort();
            keys.dedup();
            keys.into_iter().find_map(|key| {
                let at = format!("{at}/{key}");
                match (first.get(key), second.get(key)) {
                    (Some(one), Some(two)) => differs(one, two, &at),
                    _ => Some(format!("{at} is in one of them alone")),
                }
            })
        }
        (Value::Array(first), Value::Array(second)) if first.len() == second.len() => {
            let items = first.iter().zip(second).zip(0..);
            items
                .map(|((one, two), number)| differs(one, two, &format!("{at}/{number}")))
                .find_map(|found| found)
        }
        (Value::Number(first), Value::Number(second)) => {
            (first.as_f64() != second.as_f64()).then(|| format!("{at}: {one} for {two}"))
        }
        (one, two) => (one != two && one != HIDDEN).then(|| format!("{at}: {one} for {two}")),
    }
}

/// What tells the documents of a build apart.
fn key(document: &Value) -> [String; 5] {
    let text = |pointer: &str| {
        let text = document.pointer(pointer).and_then(Value::as_str);
        text.unwrap_or_default().to_owned()
    };
    [
        text("/apiVersion"),
        text("/kind"),
        text("/metadata/namespace"),
        text("/metadata/name"),
        document["items"].to_string(),
    ]
}

/// What is wrong with the build of a case.
fn miss(folder: &Path, wanted: &Value) -> Option<String> {
    let home = folder
        .join("in")
        .join(wanted["build"].as_str().unwrap_or("."));
    let paths = vec![home.clone()];
    let request = Request::of(paths.clone());
    let builder = Builder::new(&request, &paths, Sources::default(), [], request.limits);
    let built = builder.open().build(&home);
    let errors = built.findings.iter().filter(|found| found.is_error());
    let errors: Vec<&str> = errors.map(|found| short_code(found.rule.code)).collect();
    let mut left_out: Vec<&str> = built.left_out.iter().map(|part| part.what.word()).collect();
    left_out.sort_unstable();
    left_out.dedup();
    if let Some(class) = wanted["error"].as_str() {
        let found = errors.contains(&&*format!("kustomize::{class}"));
        return (!found || built.status != Status::No).then(|| format!("{class}: {errors:?}"));
    }
    if !errors.is_empty() {
        return Some(format!("refused: {errors:?}"));
    }
    if let Some(what) = wanted["notBuilt"].as_str() {
        let fine = built.status == Status::No && left_out.contains(&what);
        return (!fine).then(|| format!("{what}: {left_out:?}"));
    }
    let listed = wanted["leftOut"].as_array().cloned().unwrap_or_default();
    if listed
        .iter()
        .filter_map(Value::as_str)
        .ne(left_out.iter().copied())
    {
        return Some(format!("left out: {left_out:?}"));
    }
    let mut documents: Vec<Value> = built.documents.iter().map(|one| one.json()).collect();
    let mut expected = wanted["documents"].as_array().cloned().unwrap_or_default();
    documents.sort_by_key(key);
    expected.sort_by_key(key);
    differs(&documents.into(), &expected.into(), "")
}

#[test]
fn the_corpus_agrees() {
    let cases = cases();
    let builds = cases
        .iter()
        .filter(|(_, wanted)| wanted.get("roots").is_none());
    let found = builds.filter_map(|(folder, wanted)| {
        let name = folder.file_name()?.to_string_lossy();
        Some(format!("{name}: {}", miss(folder, wanted)?))
    });
    let misses: Vec<String> = found.collect();
    assert!(misses.is_empty(), "{}", misses.join("\n"));
    assert!(cases.len() > 150, "{}", cases.len());
}

#[cfg(unix)]
#[test]
fn links_lead_to_bases_around_a_path_and_nowhere_else() {
    let placement = "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
                     metadata: {name: web, namespace: shop}\n";
    let folder = Folder::of(&[
        ("base/kustomization.yaml", "resources: [web.yaml]\n"),
        ("base/web.yaml", placement),
        ("here/kustomization.yaml", "resources: [link]\n"),
        ("out/kustomization.yaml", "resources: [link]\n"),
    ]);
    let elsewhere = Folder::of(&[
        ("kustomization.yaml", "resources: [web.yaml]\n"),
        ("web.yaml", placement),
    ]);
    std::os::unix::fs::symlink("../base", folder.path().join("here/link")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("out/link")).unwrap();
    for command in ["render", "validate"] {
        let found = |path: &str| folder.run(&[command, path, "-o", "json"]).codes();
        assert!(!found("here").contains(&"planner::kustomize::outside".to_owned()));
        assert!(found("out").contains(&"planner::kustomize::outside".to_owned()));
    }
    let built = folder.run(&["render", "here"]);
    assert!(built.out.contains("kind: Placement"), "{}", built.out);
}

/// What `render --list` answers for a case with roots.
fn listed(folder: &Path) -> Value {
    let run = Command::new(env!("CARGO_BIN_EXE_planner"))
        .args(["render", "--list", "-o", "json", "."])
        .current_dir(folder.join("in"))
        .output()
        .unwrap();
    serde_json::from_slice(&run.stdout).unwrap()
}

#[test]
fn the_roots_of_the_corpus_agree() {
    let mut count = 0;
    for (folder, wanted) in cases() {
        if wanted.get("roots").is_none() {
            continue;
        }
        let answer = listed(&folder);
        let name = folder.display();
        let sorted = |values: Option<&Value>, key: &str| -> Vec<String> {
            let values = values.and_then(Value::as_array).into_iter().flatten();
            let text = |value: &Value| value.get(key).unwrap_or(value).as_str().map(str::to_owned);
            let mut texts: Vec<String> = values.filter_map(text).collect();
            texts.sort();
            texts
        };
        for part in ["roots", "plain", "unlisted"] {
            let (got, want) = (answer.get(part), wanted.get(part));
            assert_eq!(sorted(got, "path"), sorted(want, "path"), "{name}: {part}");
        }
        let sites = answer["sites"].as_array().unwrap();
        assert_eq!(
            sites.len(),
            wanted["sites"].as_object().unwrap().len(),
            "{name}"
        );
        for site in sites {
            let own = &wanted["sites"][site["name"].as_str().unwrap_or("")];
            let got = sorted(site.get("roots"), "path");
            assert_eq!(got, sorted(Some(own), "path"), "{name}: {site}");
        }
        let open = answer["choices"].as_array().unwrap().iter();
        let open = open.filter(|choice| choice.get("chosen").is_none()).count();
        assert_eq!(open, wanted["choices"].as_array().unwrap().len(), "{name}");
        count += 1;
    }
    assert!(count > 15, "{count}");
}

/// A kustomization over one object, and what `render` answers.
fn rendered(kustomization: &str) -> crate::support::Answer {
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nspec: {x: 1}\ntext: a-a\n";
    let folder =
        crate::support::Folder::of(&[("kustomization.yaml", kustomization), ("a.yaml", object)]);
    folder.at(&["render", "."])
}

#[test]
fn copies_of_copies_are_refused_before_they_fill_the_memory() {
    let steps = 0..60;
    let operations: String = steps
        .clone()
        .map(|at| format!("    - {{op: copy, from: /spec, path: /spec/a{at}}}\n"))
        .collect();
    let patch = format!("patches:\n- target: {{kind: ConfigMap}}\n  patch: |-\n{operations}");
    let replacement = |field: &str, options: &str| {
        format!(
            "- source: {{kind: ConfigMap, fieldPath: {field}}}\n  targets:\n  - select: {{kind: \
             ConfigMap}}\n    fieldPaths: [{field}{options}\n"
        )
    };
    let values: String = steps
        .clone()
        .map(|at| replacement("spec", &format!(".a{at}]\n    options: {{create: true}}")))
        .collect();
    let texts: String = steps
        .map(|_| replacement("text", "]\n    options: {delimiter: '-'}"))
        .collect();
    for (made, words) in [
        (patch, "grows beyond the limit"),
        (format!("replacements:\n{values}"), "grows beyond the limit"),
        (format!("replacements:\n{texts}"), "grows beyond the limit"),
    ] {
        rendered(&format!("resources: [a.yaml]\n{made}"))
            .ends(1)
            .says(words);
    }
}

#[test]
fn many_labels_and_images_end() {
    let container = |at: usize| format!("  - {{name: c{at}, image: i{at}}}\n");
    let image = |at: usize| format!("- {{name: i{at}, newTag: x}}\n");
    let pod = |count| {
        let containers: String = (0..count).map(container).collect();
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n{containers}"
        )
    };
    let built = |pod: &str, rest: &str| {
        let text = format!("resources: [a.yaml]\n{rest}");
        let folder = Folder::of(&[("kustomization.yaml", &text), ("a.yaml", pod)]);
        folder.run(&["render", "."])
    };
    let images = |count| format!("images:\n{}", (0..count).map(image).collect::<String>());
    let answer = built(&pod(100), &images(100));
    assert_eq!(answer.ends(0).out.matches(":x\n").count(), 100);
    built(&pod(4000), &images(4000))
        .ends(1)
        .says("4000 images are too many for what is built");
    let labels: String = (0..20_000).map(|at| format!("  l{at}: x\n")).collect();
    built(&pod(1), &format!("commonLabels:\n{labels}")).ends(0);
    // A list that is longer than what kustomize looks through in a sensible time.
    let patch = format!("patches:\n- patch: |\n{}", indented(&pod(4000)));
    built(&pod(4000), &patch)
        .ends(1)
        .says("are too long to be merged");
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

#[test]
fn no_build_and_no_excerpt_of_a_kustomization_shows_the_value_of_a_secret() {
    let object = "\
apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
metadata: {name: w, namespace: oslo}
spec: {workload: {manifests: [{kind: Secret, data: {a: hunter}, stringData: {b: hunter}}]}}
---
kind: ConfigMap
apiVersion: v1
metadata: {name: c, annotations: {last: '{\"kind\":\"Secret\",\"data\":{\"a\":\"hunter\"}}'}}
data: {s: \"kind: Secret\\ndata:\\n  a: hunter\\n\"}
---
{kind: Secret, apiVersion: v1, metadata: {name: s}, data: {a: hunter, b: hunter}}
";
    let sound = "resources: [a.yaml]\nsecretGenerator: [{name: g, literals: [a=hunter]}]\n\
                 patches:\n- target: {kind: Secret}\n  patch: '[{\"op\": \"add\", \"path\": \"/data/z\", \"value\": \"hunter\"}]'\n";
    let folder = |kustomization: &str| {
        crate::support::Folder::of(&[("kustomization.yaml", kustomization), ("a.yaml", object)])
    };
    for more in [
        &[][..],
        &["--origins"],
        &["-o", "json"],
        &["-o", "json", "--origins"],
    ] {
        let shown = folder(sound).at(&[&["render", "."], more].concat());
        shown.ends(0);
        assert!(!shown.out.contains("hunter"), "{shown:#?}");
        assert!(shown.out.contains("hidden"), "{shown:#?}");
    }
    for broken in [
        "secretGenerator:\n- name: g\n  literals:\n  - a=hunter\n  - hunter\n  - b=hunter\n",
        "secretGenerator:\n- {name: g, literals: [a=hunter], behavior: merge}\n",
        "patches:\n- target: {kind: Secret}\n  patch: |-\n    - op: add\n      path: /data/z\n      \
         value: hunter\n    - op: add\n      path: /data/z/b\n      value: hunter\n",
        "secretGenerator:\n- name: g\n  literals:\n\t- a=hunter\n  - b=hunter\n",
    ] {
        let folder = folder(&format!("resources: [a.yaml]\n{broken}"));
        for asked in [
            &["render", "."][..],
            &["validate", "."],
            &["plan", ".", "--no-input"],
        ] {
            let shown = folder.at(asked);
            shown.ends(1);
            let all = format!("{}{}", shown.out, shown.err);
            assert!(!all.contains("hunter"), "{broken}\n{all}");
        }
    }
}

/// A Secret whose value a kustomization copies wherever it can.
const COPIES: &str = "\
resources: [a.yaml]
replacements:
- source: {kind: Secret, name: s, fieldPath: stringData.a}
  targets:
  - select: {kind: ConfigMap, name: c}
    fieldPaths: [data.a]
  - select: {kind: ConfigMap, name: c}
    fieldPaths: [data.url]
    options: {delimiter: '/', index: 1}
  - select: {kind: ManagedCluster}
    fieldPaths: [spec.taints.0.key]
- source: {kind: Secret, name: s, fieldPath: stringData}
  targets:
  - select: {kind: ConfigMap, name: c}
    fieldPaths: [data.all]
    options: {create: true}
- source: {kind: ManifestWork, fieldPath: spec.workload.manifests.0.data.b}
  targets:
  - select: {kind: ConfigMap, name: c}
    fieldPaths: [data.work]
    options: {create: true}
- sourceValue: hunter4
  targets:
  - select: {kind: Secret}
    fieldPaths: [stringData.c]
    options: {create: true}
  - select: {kind: ConfigMap, name: c}
    fieldPaths: [data.given]
    options: {create: true}
vars:
- {name: PW, objref: {kind: Secret, name: s, apiVersion: v1}, fieldref: {fieldpath: stringData.a}}
patches:
- target: {kind: Secret, name: s}
  patch: |-
    - {op: add, path: /metadata/annotations, value: {}}
    - {op: copy, from: /stringData/a, path: /metadata/annotations/copied}
    - {op: add, path: /stringData/m, value: hunter5}
    - {op: move, from: /stringData/m, path: /metadata/annotations/moved}
- target: {kind: Secret, name: t}
  patch: '- {op: replace, path: /kind, value: ConfigMap}'
- target: {kind: Secret, name: u}
  options: {allowKindChange: true}
  patch: '{kind: ConfigMap, apiVersion: v1, metadata: {name: u}}'
";

/// What it copies from and to; the value ends with this text.
fn copied(end: &str) -> String {
    format!(
        "\
{{kind: Secret, apiVersion: v1, metadata: {{name: s}}, stringData: {{a: hunter{end}}}}}
---
{{kind: Secret, apiVersion: v1, metadata: {{name: t}}, data: {{a: hunter{end}}}}}
---
{{kind: Secret, apiVersion: v1, metadata: {{name: u}}, data: {{a: hunter{end}}}}}
---
{{kind: ConfigMap, apiVersion: v1, metadata: {{name: c}}, data: {{a: '-', url: https://x/y, open: yes}}}}
---
apiVersion: work.open-cluster-management.io/v1
kind: ManifestWork
metadata: {{name: w, namespace: oslo}}
spec: {{workload: {{manifests: [{{kind: Secret, apiVersion: v1, metadata: {{name: v}}, data: {{b: hunter{end}}}}}]}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: d}}
spec: {{template: {{spec: {{containers: [{{name: a, args: ['--password=$(PW)', $(PW)]}}]}}}}}}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {{name: oslo}}
spec: {{hubAcceptsClient: true, taints: [{{key: x, effect: NoSelect}}]}}
"
    )
}

/// A name is in every output: an object that would have a value of a Secret for one is not built.
#[test]
fn a_value_of_a_secret_names_no_object() {
    let objects = "\
{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: hunter, name: hunter}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: $(V)}}
";
    let replacement = |field: &str| {
        format!(
            "replacements:\n- source: {{kind: Secret, fieldPath: data.a}}\n  targets:\n\
             \x20 - {{select: {{kind: ConfigMap}}, fieldPaths: [{field}], \
             options: {{create: true}}}}\n"
        )
    };
    let patch = "patches:\n- target: {kind: Secret}\n  patch: |-\n    \
                 - {op: copy, from: /data/name, path: /metadata/name}\n";
    for rest in [
        &replacement("metadata.name"),
        &replacement("metadata.namespace"),
        &replacement("kind"),
        patch,
    ] {
        let kustomization = format!("resources: [a.yaml]\n{rest}");
        let files = [
            ("kustomization.yaml", kustomization.as_str()),
            ("a.yaml", objects),
        ];
        let folder = crate::support::Folder::of(&files);
        for asked in [
            &["render", "."][..],
            &["validate", "."],
            &["validate", ".", "-o", "json"],
        ] {
            let shown = folder.at(asked);
            let all = format!("{}{}", shown.out, shown.err);
            assert!(!all.contains("hunter"), "{rest}: {all}");
            assert!(
                all.contains("a value of a Secret would name an object"),
                "{all}"
            );
        }
    }
}

/// A finding quotes what the original system would say of a value.
#[test]
fn no_name_of_a_fault_shows_the_value_of_a_secret() {
    let objects = "\
{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: 'hunter 2!'}}
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {name: p, namespace: n}
spec: {predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {env: prod}}}}]}
";
    let kustomization = "resources: [a.yaml]
replacements:
- source: {kind: Secret, fieldPath: data.a}
  targets:
  - select: {kind: Placement}
    fieldPaths: [spec.predicates.0.requiredClusterSelector.labelSelector.matchLabels.env]
";
    let folder =
        crate::support::Folder::of(&[("kustomization.yaml", kustomization), ("a.yaml", objects)]);
    for asked in [
        "validate . -o json",
        "plan . --keep-going --no-input -o json",
        "why n/p .",
    ] {
        let shown = folder.at(&asked.split(' ').collect::<Vec<_>>());
        let all = format!("{}{}", shown.out, shown.err);
        assert!(all.contains("PlacementMisconfigured"), "{asked}: {all}");
        assert!(!all.contains("hunter"), "{asked}: {all}");
    }
}

#[test]
fn a_value_that_is_copied_out_of_a_secret_stays_hidden() {
    let hub = "\
# planner-hub: 2025-12-31T22:00:00Z
apiVersion: v1
kind: ConfigMap
metadata: {name: c, namespace: default}
data: {a: hunter0, url: https://hunter0/y, open: no, all: {a: hunter0}}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: oslo}
spec: {hubAcceptsClient: true, taints: [{key: hunter0, effect: NoSelect}]}
";
    let folder = crate::support::Folder::of(&[
        ("now/kustomization.yaml", COPIES),
        ("now/a.yaml", &copied("1 !")),
        ("before/kustomization.yaml", COPIES),
        ("before/a.yaml", &copied("2 !")),
        ("hub.yaml", hub),
    ]);
    let render: [&[&str]; 4] = [
        &["render", "now"],
        &["render", "now", "--origins"],
        &["render", "now", "-o", "json"],
        &["render", "now", "-o", "json", "--origins"],
    ];
    for asked in render {
        let shown = folder.at(asked);
        shown.ends(0);
        assert!(!shown.out.contains("hunter"), "{shown:#?}");
        // An open value stays.
        assert!(shown.out.contains("open"), "{shown:#?}");
        assert!(shown.out.matches("<hidden>").count() > 10, "{shown:#?}");
    }
    let others = [
        "validate now",
        "validate now -o json",
        "validate now -o github",
        "validate now -o sarif",
        "plan now --no-input",
        "plan now --no-input -o json",
        "plan now --no-input --against before",
        "plan now --no-input --against before -o json",
        "plan now --no-input --against before -o markdown",
        "drift now --hub hub.yaml",
        "drift now --hub hub.yaml -o json",
        "drift now --hub hub.yaml -o csv",
        "drift now --hub hub.yaml -o markdown",
        "drift now --hub hub.yaml -o github",
        "report now -o -",
        "report now --hub hub.yaml -o -",
    ];
    for asked in others {
        let shown = folder.at(&asked.split(' ').collect::<Vec<_>>());
        let all = format!("{}{}", shown.out, shown.err);
        let line = all.lines().find(|line| line.contains("hunter"));
        assert_eq!(line, None, "{asked}");
    }
}
