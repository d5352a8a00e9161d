//! What policies carry: the corpus, and places within scalars of every style.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::Folder;

/// The codes that the corpus speaks of.
const STRUCTURE: [&str; 8] = [
    "schema::type",
    "schema::value",
    "schema::required",
    "schema::pattern",
    "schema::range",
    "schema::combination",
    "schema::unknown_field",
    "site::not_served",
];
const OWN: [&str; 4] = [
    "ocm::configuration_policy_",
    "ocm::operator_policy_",
    "ocm::policy_template_",
    "ocm::template_",
];

/// Severity, code, line and column of what is said of a file.
fn found(path: &Path) -> Vec<(String, String, u64, u64)> {
    let answer = Folder::new().run(&["validate", "-o", "json", path.to_str().unwrap()]);
    let answer = answer.json();
    let findings = answer["diagnostics"].as_array().unwrap().iter();
    let text = |found: &Value, key: &str| found[key].as_str().unwrap().to_owned();
    let findings = findings.map(|found| {
        let code = text(found, "code").replace("planner::", "");
        let at = &found["primary"];
        let number = |key: &str| at[key].as_u64().unwrap_or_default();
        (
            text(found, "severity"),
            code,
            number("line"),
            number("column"),
        )
    });
    let of_corpus = |code: &str| {
        STRUCTURE.contains(&code) || OWN.iter().any(|beginning| code.starts_with(beginning))
    };
    findings.filter(|(_, code, ..)| of_corpus(code)).collect()
}

#[test]
fn the_corpus_of_policy_templates() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus/policy-templates");
    let entries = fs::read_dir(home)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut cases: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .collect();
    cases.sort();
    assert!(cases.len() > 150, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in cases {
        let want = fs::read_to_string(case.with_extension("json")).unwrap();
        let want: Value = serde_json::from_str(&want).unwrap();
        let found = found(&case);
        for (side, severity) in [("refused", "error"), ("said", "warning")] {
            let wanted: BTreeSet<(String, u64)> = want[side]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| {
                    let code = one["code"].as_str().unwrap().to_owned();
                    (code, one["line"].as_u64().unwrap())
                })
                .collect();
            let have: BTreeSet<(String, u64)> = found
                .iter()
                .filter(|(level, ..)| level == severity)
                .map(|(_, code, line, _)| (code.clone(), *line))
                .collect();
            if have != wanted {
                wrong.push(format!(
                    "{}: {side} {have:?} wanted {wanted:?}",
                    case.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A ConfigurationPolicy with these lines below `data`.
fn policy(data: &str) -> String {
    format!(
        "apiVersion: policy.open-cluster-management.io/v1\nkind: ConfigurationPolicy\nmetadata: \
         {{name: a}}\nspec:\n  remediationAction: inform\n  object-templates:\n  - \
         complianceType: musthave\n    objectDefinition:\n      apiVersion: v1\n      kind: \
         ConfigMap\n      metadata: {{name: a, namespace: b}}\n      data:\n{data}"
    )
}

/// Code, line and column of what is said of these lines; the first of them is line 13.
fn places(data: &str) -> Vec<(String, u64, u64)> {
    let folder = Folder::new();
    let path = folder.write("a.yaml", policy(data));
    let found = found(&path).into_iter();
    let short = |code: String| code.replace("ocm::template_", "");
    found
        .map(|(_, code, line, column)| (short(code), line, column))
        .collect()
}

#[test]
fn places_lie_on_the_action_or_the_function() {
    for (data, code, line, column) in [
        ("        a: x{{ no 1 }}\n", "function", 13, 16),
        ("        a: 'it''s {{ no 1 }}'\n", "function", 13, 22),
        ("        a: '''''{{ no 1 }}'''\n", "function", 13, 20),
        (
            "        a: \"\\u00e9\\x41{{ no 1 }}\"\n",
            "function",
            13,
            26,
        ),
        ("        a: \"é😀 {{ no 1 }}\"\n", "function", 13, 19),
        ("        a: &x x{{ no 1 }}\n", "function", 13, 19),
        ("        a: !!str x{{ no 1 }}\n", "function", 13, 22),
        (
            "        a: |\n          x\n\n          {{ no 1 }}\n",
            "function",
            16,
            14,
        ),
        (
            "        a: |\n          x\n            {{ no 1 }}\n",
            "function",
            15,
            16,
        ),
        (
            "        a: |2-\n            x\n          {{ no 1 }}\n",
            "function",
            15,
            14,
        ),
        (
            "        a: |\n\n          x\n          {{ if }}\n",
            "syntax",
            16,
            11,
        ),
        (
            "        a: >\n          x\n          {{ no 1 }}\n",
            "function",
            14,
            11,
        ),
        ("        a: 'x\n          {{ no 1 }}'\n", "function", 13, 12),
        (
            "        a: |\r\n          x\r\n          {{ no 1 }}\r\n",
            "function",
            15,
            14,
        ),
        ("        '{{ no 1 }}': a\n", "function", 13, 13),
        (
            "        a: \"x\\t{{ print \\\"a\\\" }}\"\n",
            "requoted",
            13,
            16,
        ),
        (
            "        a: \"x\\r{{ print \\\"a\\\" }}\"\n",
            "requoted",
            13,
            16,
        ),
        (
            "        a: |\n          x \n          {{ print \"a\" }}\n",
            "requoted",
            15,
            11,
        ),
        ("        a: \"x\\t{{ print `a` }}\"\n", "", 0, 0),
        (
            "        a: '{{ if true }}'\n        b: '{{ end }}'\n",
            "",
            0,
            0,
        ),
        (
            "        a: '{{ if true }}'\n        b: x\n",
            "syntax",
            13,
            13,
        ),
        (
            "        b: '{{ if true }}'\n        a: '{{ end }}'\n",
            "syntax",
            13,
            13,
        ),
        (
            "        a: '{{ $x := 1 }}'\n        b: '{{ $x }}{{ no }}'\n",
            "function",
            14,
            24,
        ),
        (
            "        ? \"{{ print \\\"a\\\" }}\\nb\"\n        : x\n",
            "",
            0,
            0,
        ),
        (
            "        a: \"x {{ print \\\"a\\\" }} 😀\"\n",
            "requoted",
            13,
            15,
        ),
        (
            "        a: |\n          😀é\n          {{ no 1 }}\n",
            "function",
            15,
            14,
        ),
        ("        a: x\t{{ no 1 }}\n", "function", 13, 17),
        (
            "        a: >-\r\n          x\r\n          {{ no 1 }}\r\n",
            "function",
            14,
            11,
        ),
        (
            "        a: '{{ range .Object }}'\n        b: '{{ .name }}{{ end }}'\n",
            "",
            0,
            0,
        ),
    ] {
        let got = places(data);
        let first = got.iter().find(|(_, at, _)| *at == line && line > 0);
        match code {
            "" => assert!(got.is_empty(), "{data}: {got:?}"),
            code => {
                let wanted = (code.to_owned(), line, column);
                assert_eq!(first, Some(&wanted), "{data}: {got:?}");
            }
        }
    }
}

/// A Policy that carries the object of these lines, after more of its own metadata and spec.
fn carrying(metadata: &str, spec: &str, object: &str) -> String {
    let object = object.replace('\n', "\n      ");
    format!(
        "apiVersion: policy.open-cluster-management.io/v1\nkind: Policy\nmetadata: {{name: p, \
         namespace: gov{metadata}}}\nspec:\n  disabled: false\n{spec}  policy-templates:\n  - \
         objectDefinition:\n      {object}\n"
    )
}

/// The first letter of the severity, code and line of each finding.
fn told(text: &str) -> Vec<String> {
    let folder = Folder::new();
    let path = folder.write("a.yaml", text);
    let mut told: Vec<String> = found(&path)
        .into_iter()
        .map(|(severity, code, line, _)| format!("{} {code} {line}", &severity[..1]))
        .collect();
    told.sort();
    told
}

#[test]
fn replicas_and_switched_off_templates() {
    const ROOT: &str = ", labels: {policy.open-cluster-management.io/root-policy: gov.p}";
    const OFF: &str =
        ", annotations: {policy.open-cluster-management.io/disable-templates: \"true\"}";
    let off = |text: &str| text.replace("{name: a}", &format!("{{name: a{OFF}}}"));
    let faulty = policy("        a: '{{hub no hub}}'\n        b: '{{ no }}'\n");
    let managed = policy("        a: '{{ no }}'\n");
    let raw = "apiVersion: policy.open-cluster-management.io/v1\nkind: \
               ConfigurationPolicy\nmetadata: {name: a}\nspec:\n  remediationAction: inform\n  \
               severity: med\n  customMessage: {compliant: '{{ no }}'}\n  object-templates-raw: \
               '{{ no }}'\n";
    let operator = "apiVersion: policy.open-cluster-management.io/v1beta1\nkind: \
                    OperatorPolicy\nmetadata: {name: a}\nspec:\n  remediationAction: inform\n  \
                    complianceType: musthave\n  upgradeApproval: None\n  subscription: {name: a, \
                    channel: '{{ no }}'}\n";
    for (text, wanted) in [
        (carrying(ROOT, "", raw), vec![]),
        // The hub's templates are off, and the cluster's are unknown beside them.
        (carrying(OFF, "", &faulty), vec![]),
        (
            carrying(OFF, "", &managed),
            vec!["e ocm::template_function 20"],
        ),
        (off(&managed), vec![]),
        (
            off(raw),
            vec!["e schema::value 6", "w ocm::template_function 7"],
        ),
        // No annotation switches those of an OperatorPolicy off.
        (off(operator), vec!["e ocm::template_function 8"]),
        (faulty.clone(), vec![]),
        (
            carrying("", "", &faulty),
            vec!["e ocm::template_function 20"],
        ),
    ] {
        assert_eq!(told(&text), wanted, "{text}");
    }
}

#[test]
fn raw_texts_are_templates_or_lists() {
    let raw = |value: &str| {
        format!(
            "apiVersion: policy.open-cluster-management.io/v1\nkind: ConfigurationPolicy\nmetadata: \
             {{name: a}}\nspec:\n  remediationAction: inform\n  object-templates-raw: {value}\n"
        )
    };
    const OBJECT: &str = "e ocm::configuration_policy_object 6";
    for (value, wanted) in [
        (
            "|\n    {{- range (lookup \"v1\" \"Namespace\" \"\" \"\").items }}\n    - \
             complianceType: musthave\n    {{- end }}",
            vec![],
        ),
        (
            "|\n    {{- range $n := .items }}\n    - a: {{ no }}\n    {{- end }}",
            vec!["e ocm::template_function 8"],
        ),
        ("'[{}]'", vec![]),
        ("'a: b'", vec![OBJECT]),
        ("'- text'", vec![OBJECT]),
        ("'- {'", vec![OBJECT]),
        ("[a: b]", vec!["e schema::type 6"]),
    ] {
        assert_eq!(told(&raw(value)), wanted, "{value}");
    }
}

#[test]
fn objects_that_the_add_on_does_not_take() {
    for (object, wanted) in [
        ("{}", "e ocm::policy_template_kind 8"),
        ("kind: ConfigMap", "e ocm::policy_template_kind 8"),
        (
            "apiVersion: kyverno.io/v1\nkind: P",
            "e ocm::policy_template_name 8",
        ),
    ] {
        assert_eq!(told(&carrying("", "", object)), [wanted], "{object}");
    }
}

#[test]
fn operators_as_their_controller_reads_them() {
    const REFUSED: &str = "e ocm::operator_policy_subscription";
    for (fields, line) in [
        ("  subscription: {name: ''}\n", 8),
        ("  subscription: {name: 5}\n", 8),
        ("  subscription: {name: a.b}\n", 8),
        ("  subscription: {name: a, namespace: ''}\n", 8),
        ("  subscription: {name: a, Channel: b, SOURCE: c}\n", 0),
        ("  subscription: {name: a, channels: b}\n", 8),
        (
            "  subscription: {name: '{{ fromClusterClaim `a` }}', namespace: '{{ print `b` }}'}\n",
            0,
        ),
        (
            "  subscription: {name: a}\n  operatorGroup: {name: ''}\n",
            0,
        ),
        (
            "  subscription: {name: a}\n  operatorGroup: {namespace: b}\n",
            9,
        ),
        (
            "  subscription: {name: a, namespace: b}\n  operatorGroup: {name: a, namespace: c}\n",
            9,
        ),
    ] {
        let text = format!(
            "apiVersion: policy.open-cluster-management.io/v1beta1\nkind: OperatorPolicy\nmetadata: \
             {{name: a}}\nspec:\n  remediationAction: inform\n  complianceType: musthave\n  \
             upgradeApproval: None\n{fields}"
        );
        let wanted: Vec<String> = (line > 0)
            .then(|| format!("{REFUSED} {line}"))
            .into_iter()
            .collect();
        assert_eq!(told(&text), wanted, "{fields}");
    }
}

#[test]
fn large_templates_are_read_or_refused() {
    let nested = |times: usize| {
        format!(
            "        a: '{}x{}'\n",
            "{{ if true }}".repeat(times),
            "{{ end }}".repeat(times)
        )
    };
    let parentheses = |times: usize| {
        format!(
            "        a: '{{{{ {}1{} }}}}'\n",
            "(".repeat(times),
            ")".repeat(times)
        )
    };
    let none: [(String, u64, u64); 0] = [];
    assert_eq!(places(&nested(10_000)), none);
    assert_eq!(places(&parentheses(10_000)), none);
    let syntax = [("syntax".to_owned(), 13, 13)];
    assert_eq!(places(&parentheses(10_001)), syntax);
    let constant = "x".repeat(10 << 20);
    assert_eq!(
        places(&format!("        a: '{{{{ print \"{constant}\" }}}}'\n")),
        none
    );
    assert_eq!(
        places(&format!("        a: '{{{{ print \"{constant}'\n")),
        syntax
    );
    let actions = "{{ .ObjectName }} ".repeat((1 << 20) / 18);
    let wanted = [("context".to_owned(), 13, 13 + actions.len() as u64 + 3)];
    assert_eq!(
        places(&format!("        a: '{actions}{{{{ .No }}}}'\n")),
        wanted
    );
}

#[test]
fn an_anchor_is_told_once_and_many_faults_all() {
    let got = places("        a: &x '{{ no 1 }}'\n        b: *x\n");
    assert_eq!(got, [("function".to_owned(), 13, 19)]);
    let many: String = (0..500)
        .map(|at| format!("        a{at}: '{{{{ no }}}}'\n"))
        .collect();
    assert_eq!(places(&many).len(), 500);
}

#[test]
fn fixes_write_the_word_that_is_meant() {
    for (written, fixed) in [
        ("  severity: med\n", "  severity: medium\n"),
        ("  severity: MEDIUM\n", "  severity: medium\n"),
        ("  severity: moderate\n", "  severity: moderate\n"),
        (
            "  namespaceselector: {include: [a]}\n",
            "  namespaceSelector: {include: [a]}\n",
        ),
        (
            "  pruneObjectBehavior: deleteIfCreated\n",
            "  pruneObjectBehavior: DeleteIfCreated\n",
        ),
        (
            "  namespaceselector: {}\n  namespaceSelector: {}\n",
            "  namespaceselector: {}\n  namespaceSelector: {}\n",
        ),
    ] {
        let folder = Folder::new();
        let text =
            |lines: &str| policy("        a: b\n").replace("spec:\n", &format!("spec:\n{lines}"));
        let path = folder.write("a.yaml", text(written));
        folder.run(&["validate", "--fix", path.to_str().unwrap()]);
        assert_eq!(folder.read("a.yaml"), text(fixed), "{written}");
    }
}

#[test]
fn what_a_generator_wraps_is_judged_as_in_a_policy() {
    let generator = "apiVersion: policy.open-cluster-management.io/v1\nkind: \
                     PolicyGenerator\nmetadata: {name: g}\npolicyDefaults: {namespace: \
                     gov}\npolicies:\n- {name: a, manifests: [{path: objects}]}\n- {name: b, \
                     manifests: [{path: patched, patches: [{}]}]}\n";
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: '{{ no }}'\n  b: \
               '{{hub fromSecret \"other\" \"b\" \"c\" hub}}'\n";
    let own = policy("        a: b\n").replace("spec:\n", "spec:\n  namespaceselector: {}\n");
    let folder = Folder::of(&[
        ("generator.yaml", generator),
        ("objects/map.yaml", map),
        ("objects/deep/own.yaml", &own),
        ("patched/own.yaml", &own),
    ]);
    let mut found: Vec<_> = found(folder.path())
        .into_iter()
        .map(|(severity, code, line, _)| (code, severity, line))
        .collect();
    found.sort();
    let row = |code: &str, severity: &str, line| (code.to_owned(), severity.to_owned(), line);
    let wanted = [
        row("ocm::template_lookup", "error", 6),
        row("schema::unknown_field", "error", 5),
        row("schema::unknown_field", "warning", 5),
    ];
    assert_eq!(found, wanted);
}
