//! Texts in every layout, and pairs of values.

use serde_json::json;

use crate::source::SourceId;
use crate::yaml::{Limits, parse};

use super::mentions::{has_data_below_keys, mentions};
use super::ranges::is_part;
use super::*;

/// No value that is called `hunter…` is left; what is called `shown…` is, but in a text with a
/// fault.
#[track_caller]
fn check(text: &str) {
    let shown = without(text).unwrap_or_else(|| panic!("nothing is hidden in:\n{text}"));
    let covered = covered(text).unwrap();
    assert_eq!(covered.len(), text.len());
    let lines = |text: &str| text.matches('\n').count();
    assert_eq!(lines(&covered), lines(text));
    let parsed = parse(SourceId::default(), text, 0..text.len(), Limits::default());
    for out in [&shown, &covered] {
        assert!(!out.contains("hunter"), "{text}\n{out}");
        if parsed.faults.is_empty() && parsed.quirks.is_empty() {
            let [left, all] = [out, text].map(|text| text.matches("shown").count());
            assert_eq!(left, all, "{text}\n{out}");
        }
    }
}

#[test]
fn values_are_hidden_wherever_they_stand() {
    for text in [
        "kind: Secret\nmetadata: {name: shown}\ndata:\n  shown: hunter2\n",
        "data: {shown: hunter2}\nkind: \"Secret\"\n",
        "a: &p hunter2\nb:\n- kind: Secret\n  stringData: {x: *p}\n",
        "kind: List\nitems:\n- shown: 1\n- kind: Secret\n  stringData:\n    x: |\n\
         \x20     hunter\n      b: hunter\n    shown: 'hunter'\n",
        "kind: SecretList\nitems:\n- metadata: {name: shown}\n  data: {a: hunter}\n",
        "spec: {a: [{kind: Secret, data: hunter, shown: 1}]}\n",
        "{\"kind\": \"Secret\", \"data\": {\"shown\": \"hunter\"}}\n",
        "raw: |\n  - kind: Secret\n    shown: 1\n    data:\n      shown: hunter\n\
         \x20 - kind: ConfigMap\n    data: {a: shown}\n",
        "raw: |\n  {{ range . }}\n  - complianceType: a\n    objectDefinition:\n\
         \x20     data:\n        a: '{{ \"hunter\" }}'\n  {{ if x }}\n\
         \x20       a: hunter\n  {{ end }}\n      kind: Secret\n  {{ end }}\n",
        "annotations:\n  last: '{\"kind\":\"Secret\",\"data\":{\"a\":\"hunter\"}}'\n  a: shown\n",
        // Documents that cannot be read.
        "kind: Secret\ndata:\n  shown: hunter\nshown: [\n---\nkind: Other\ndata: shown\n",
        "a: {{ x }}\n---\nlist:\n  - kind: Secret\n    data:\n      x: hunter\n\
         \x20     x: |\n        hunter: x\n  - data: shown\n",
        "a: [\n---\na: [{kind: Secret, data: {a: hunter}}, {\n  a: hunter}\n",
        "kind: Secret\ndata:\n\ta: hunter\n",
        "a:\n          kind: Secret\n          data:\n          - hunter\n\tx\n\
         \x20         - a: hunter2\n",
        "a:\n          data:\n            a: hunter\n\tx\n\
         \x20           b: hunter2\n          kind: Secret\n",
        "secretGenerator:\n        - name: shown\n          literals:\n          - a=hunter\n\tx\n\
         \x20         - b=hunter2\n",
        "{\"kind\": \"Secret\",\n\"data\": {\"a\": \"hunter\"},\n\"b\": }\n---\nshown: 1\n",
        "a: [\n---\n{data: {a: hunter,\nb: hunter},\nkind: Secret}\n",
        // What a repeated key replaces, and what stands beside values.
        "kind: Secret\nshown: 1\ndata: {a: hunter, a: hunter1}\n",
        "kind: Secret\nshown: 1\ndata: {a: hunter}\ndata: {a: hunter1}\n",
        "a: {kind: Secret, data: {shown: hunter}}\nshown: 1\na: {}\nb:\n  c:\n    kind: Secret\n\
         \x20   data: {a: hunter}\n  c: 1\n",
        "patches: [{patch: '{kind: Secret, stringData: {a: hunter}, b: c}'}]\npatches: []\n",
        "kind: Secret\ndata:\n  shown: hunter\n  # was hunter2\n  b: &x hunter1 # hunter3\n\
         \x20 # hunter4\n# shown\n",
        // Kustomizations and patches.
        "secretGenerator:\n- name: shown\n  literals:\n  - a=hunter\n  # hunter2\n  - b=hunter\n",
        "secretGenerator: [{name: shown, literals: [a=hunter, 'b=hunter']}]\n",
        "secretGenerator: [{literal: [a=hunter], type: shown}]\n",
        "secretGenerator:\n- literals:\n  - a=hunter\n  name: x\n- x: [\n",
        "secretGenerator:\n- name: shown\n  literals:\n\t- a=hunter\n  - b=hunter\n",
        "patches:\n- patch: |-\n    - op: add\n      path: /data/a\n      \
         value: hunter\n  shown: 1\n",
        "- {op: add, path: /stringData, value: {shown: hunter}}\n\
         - {op: add, path: /a, value: shown}\n",
        "[{\"op\": \"add\", \"path\": \"/spec/data/a\", \"value\": \"hunter\"}]\n",
        "- op: add\n  path: /data/a\n  value: hunter\n\tx: 1\n",
        "patches:\n- target: {kind: Secret}\n  patch: |\n    data: {a: hunter}\n  shown: 1\n",
        // Of a test.
        "set:\n- {kind: Secret, name: shown, pointer: /stringData/p, value: hunter}\n\
         - {kind: Secret, name: shown, pointer: /shown/p, value: hunter}\n\
         - {name: shown, pointer: /stringData/p, value: hunter}\n",
        // Programs that make Secrets.
        "f({\n  \"kind\": \"Secret\",\n  \"data\": {\n    \"shown\": \"hunter, hunter\",\n\
         \x20   \"b\": hunter,\n    \"c\": shown(k[\"shown\"].encode('shown')),\n\
         \x20   \"d\": shown(b\"hunter\")\n  },\n",
        "jq '{\n  kind: \"Secret\",\n  stringData: { shown: $shown, b: \"hunter\" }\n}' |\n",
        // Templates and directives that hold no value.
        "a: {{ x }}\n---\nkind: Secret\ndata:\n  a: {{ .shown | b64enc }}\n  b: hunter{{ .x }}\n",
        "kind: Secret\ndata:\n  $patch: shown\n  a: hunter\n",
        "replacements:\n- sourceValue: hunter\n  targets:\n\
         \x20 - select: {kind: Secret, name: shown}\n",
    ] {
        check(text);
    }
}

#[test]
fn values_are_hidden_however_they_are_spelled() {
    let deep = |text: &str| (0..8).fold(text.to_owned(), |text, _| json!({"a": text}).to_string());
    for text in [
        // Escapes, tags, anchors and long keys.
        "\"kin\\u0064\": \"\\x53ecret\"\nshown: 1\n\"d\\u0061ta\": {a: hunter}\n",
        "{\"kind\":\"\\u0053ecret\",\"data\":{\"shown\":\"hunter\"}}",
        "kind: \"Se\\\n  cret\"\ndata: {shown: hunter}\n",
        "kind: Secret\n\"stringDat\\u0061\": {a: hunter}\nstringData: {shown: hunter1}\n",
        "a: '{\"a\": \"{\\\"kind\\\": \\\"Secre\\\\u0074\\\", \\\"data\\\": \\\"hunter\\\"}\"}'",
        &deep("{\"kind\": \"Secret\", \"data\": {\"a\": \"hunter\"}}"),
        // Of Deckhand.
        "schema: deckhand/Passphrase/v1\nmetadata: {name: shown}\ndata: hunter\n",
        "schema: pegleg/shown/v1\nmetadata: {storagePolicy: encrypted}\ndata: {shown: hunter}\n",
        "schema: deckhand/PrivateKey/v1\nmetadata: {name: shown}\ndata: |\n  hunter\n\tx: [\n",
        "schema: a/b/v1\nmetadata:\n  storagePolicy: encrypted\ndata: hunter\nx: [\n",
        // Misspelt, or said by something else.
        "kind: Secret\nshown: 1\nstringdata: {a: hunter}\n",
        "knid: Secret\nshown: 1\ndata: {a: hunter}\n",
        "metadata: {name: shown}\nstringData: {a: hunter}\n",
        "metadata: {name: shown}\ndata:\n  a: hunter\n",
        "patches:\n- target: {name: shown}\n  patch: |-\n    data: {a: hunter}\n",
        "patches:\n- target: {kind: S.*t}\n  patch: |-\n    data:\n      a: hunter\n",
        "secretGenerator:\n  name: shown\n  literals: [a=hunter]\n",
        "secretGenerator:\n- name: shown\n  # a=hunter\n  literals: {a: hunter}\n",
        "kind: SecretGenerator\nmetadata: {name: shown}\nliterals:\n- a=hunter\nother: hunter\n",
        "replacements:\n- sourceValue: hunter\n  targets:\n\
         \x20 - {select: {name: shown}, fieldPaths: [stringData.a]}\n",
        "kind: Secret\ndata:\n  # was hunter\n  shown: hunter\n",
        "kind: Secret\ndata: {shown: '{{/* hunter */}}'}\n",
        // The same in documents that cannot be read.
        "kind: !!str Secret\ndata: {a: hunter}\n\tx: 1\n",
        "kind: &k \"Secre\\x74\"\ndata:\n  # hunter\n  shown: hunter\nx: [\n",
        "kind:\n  Secret\ndata:\n  a: hunter\nx: [\n",
        "kind: >-\n  Secret\ndata:\n  a: hunter\nx: [\n",
        "k: &k Secret\nkind: *k\ndata:\n  a: hunter\nx: [\n",
        "a: &a\n  data: {b: hunter}\nc: {kind: Secret, <<: *a}\nx: [\n",
        "? data\n: a: hunter\nkind: Secret\nx: [\n",
        "kind: Secret\rdata:\r  a: hunter\rx: [\r",
        "kind: Secret\u{85}data:\u{2028}  a: hunter\nx: [\n",
        " kind: Secret\ndata: {a: hunter}\nx: [\n",
        "data:\n {{ if x }}\n  {{ .key }}: hunter\n  {{ \"hunter\" }}\nkind: Secret\nx: [\n",
        "- {data: {a: hunter},\n  kind: Secret,\n  b: 1}\nx: [\n",
        "{apiVersion: v1,\nkind: Secret, data: {a: hunter}}\nx: [\n",
        "--- {!!str kind : !!str Secret, data: {a: hunter}}\nx: [\n",
        "a: \"kind: Secret\\ndata: {a: hunter}\"\nx: [\n",
        "b: '{\"a\": \"{\\\"stringData\\\": \\\"hunter\\\"}\"}'\nx: [\n",
        "kind: SecretList\nitems:\n- data: {a: hunter}\nx: [\n",
        "metadata: {name: shown}\nstringData:\n  a: hunter\n\ty: [\n",
        "data:\n  a: hunter\n\ty: [\n",
        "secretGenerator:\n- name: shown\n  literal: [a=hunter]\n\tenv: shown\n",
    ] {
        check(text);
    }
}

#[test]
fn what_is_no_secret_stays() {
    for text in [
        "kind: ConfigMap\ndata: {Secret: shown}\n",
        "kind: SecretStore\ndata: a\n",
        "ref: {kind: Secret, name: data}\ndata: shown\n",
        "configMapGenerator:\n- literals: [a=shown]\n",
        "- {op: add, path: /metadata/labels/database, value: shown}\n",
        "a: {{ Secret }}\nenv:\n- name: CERTS\n  value: /lib/data/shown\n",
        "schema: a/b/v1\ndata: {a: shown}\n",
        "schema: deckhand/Certificate/v1\ndata: shown\n",
        "kind: Policy\ndata: {a: \"Secret\\u0041\"}\n",
        "a: data:text/plain,shown\n",
        "patches:\n- target: {kind: ConfigMap}\n  patch: 'spec: {data: shown}'\n",
    ] {
        assert_eq!(without(text), None, "{text}");
    }
}

#[test]
fn two_sides_say_how_many_keys_differ() {
    let secret = |values: Value| {
        json!([
            {"kind": "Role"},
            {"kind": "Secret", "metadata": {"name": "a"}, "data": values},
        ])
    };
    for (git, hub, note) in [
        (
            json!({"a": "hunter"}),
            json!({"a": "hunter2"}),
            "(hidden, 1 key differs)",
        ),
        (
            json!({"a": "hunter", "b": 1}),
            json!({"c": "hunter2"}),
            "(hidden, 3 keys differ)",
        ),
        (json!({"a": "hunter"}), json!({"a": "hunter"}), "(hidden)"),
        (
            json!("hunter"),
            json!({"a": "hunter"}),
            "(hidden, 1 key differs)",
        ),
    ] {
        let (mut git, mut hub) = (secret(git), secret(hub));
        hub.as_array_mut().unwrap().remove(0);
        hide_both(&mut git, &mut hub);
        assert_eq!(git[1]["data"], note);
        assert_eq!(hub[0]["data"], note);
        assert_eq!(super::note(&git), Some(note));
    }
    let mut one = json!({"kind": "Secret", "data": {"a": "hunter"}, "metadata": {"name": "x"}});
    let mut other = json!(["text"]);
    hide_both(&mut one, &mut other);
    assert_eq!(one["data"], HIDDEN);
    assert_eq!(
        hidden(json!({"kind": "Secret", "data": null}))["data"],
        Value::Null
    );
}

#[test]
fn a_line_may_be_longer_than_a_formatter_pads() {
    let long = "hunter".repeat(20_000);
    check(&format!("kind: Secret\ndata: {{k: {long}}}\nshown: 1\n"));
}

#[test]
fn what_only_names_a_secret_is_shown() {
    for (text, stays) in [
        ("", true),
        ("{{ fromSecret \"ns\" \"name\" \"key\" }}", true),
        (
            "{{hub fromSecret \"ns\" \"name\" \"key\" | base64dec hub}}",
            true,
        ),
        ("{{- copySecretData \"ns\" \"name\" -}}", true),
        ("{{ \"hunter\" | base64enc }}", false),
        (
            "{{ fromSecret \"ns\" \"name\" \"key\" | default \"hunter\" }}",
            false,
        ),
        ("{{ fromSecret \"a\" \"b\" \"c\" }}{{ \"hunter\" }}", false),
        ("{{ fromSecret \"a\" \"b\" \"c\" }} hunter", false),
        ("hunter{{ fromSecret \"a\" \"b\" \"c\" }}", false),
        ("hunter", false),
    ] {
        let policy = |text: &str| json!({"spec": [{"kind": "Secret", "data": {"a": text}}]});
        let mut shown = policy(text);
        hide_each(&mut shown, "<hidden>");
        let expected = if stays { text } else { "<hidden>" };
        assert_eq!(shown, policy(expected), "{text}");
    }
}

#[test]
fn only_texts_with_the_key_of_an_operation_are_parsed_for_pointers() {
    let said = [
        "- {op: add, path: /data/x, value: hunter}",
        "- \"op\" : add\n  path: /data/x",
        "p: \"- path: /data/x\\nop: add\"",
        "p: \"- path: /data/x\\x0aop: add\"",
        "p: \"- path: /data/x\\U0000000aop: add\"",
        "? op\n: add\npath: /stringData",
    ];
    for text in said {
        assert!(mentions(text), "{text}");
    }
    for text in [
        "rules: [{key: a, operator: In}]\npath: /var/data",
        "name: shop\npath: /var/data",
        "op: add\npath: /spec",
    ] {
        assert!(!mentions(text), "{text}");
    }
}

#[test]
fn what_is_left_of_a_copied_value_is_hidden() {
    let copied = Copied::of(["Z2pEZDlWb1VXd1ZR==", "é", ""].into_iter());
    for (text, hidden) in [
        ("write `Z2pEZDlWb1VXd1ZR`", "write `(hidden)`"),
        ("`Z2pEZDlWb1VXd1ZR==` é", "`(hidden)` (hidden)"),
        ("b1VXd1Z ÄÖÜ", "b1VXd1Z ÄÖÜ"),
        ("", ""),
    ] {
        assert_eq!(copied.hide(text), hidden);
    }
}

#[test]
fn a_value_that_stands_too_far_left_is_hidden() {
    let text = "kind: Secret\nmetadata:\n name: tls\ndata:\n a: b\ntoken: hunter2\n";
    let shown = covered(text).unwrap();
    assert!(!shown.contains("hunter2"), "{shown}");
    let mut value = json!({"kind": "Secret", "metadata": {"name": "tls"}, "token": "hunter2"});
    let mut other = json!({"kind": "Secret", "metadata": {"name": "tls"}, "token": "hunter3"});
    hide_both(&mut value, &mut other);
    assert!(!format!("{value}{other}").contains("hunter"), "{value}");
    // A reference to a Secret stays.
    let text = "source: {kind: Secret, name: tls, fieldPath: data.a}\n";
    assert_eq!(covered(text), None);
    let mut value = json!({"kind": "Secret", "name": "tls"});
    hide(&mut value);
    assert_eq!(value, json!({"kind": "Secret", "name": "tls"}));
}

#[test]
fn a_document_with_a_fault_is_hidden_as_a_whole_and_no_other() {
    let pem = "-----BEGIN KEY-----\nhunter\n";
    for (text, stays) in [
        (
            "kind: Secret\ndata: [\n---\nkind: Other\ndata: b\n",
            "\n---\nkind: Other\ndata: b\n",
        ),
        // A healthy Secret beside a fault shows its keys.
        (
            "a: [\n---\nkind: Secret\ndata: {a: hunter22}\n",
            "a: [\n---\nkind: Secret\ndata: {a: (hidden)}\n",
        ),
        // Marks in values end no document.
        (
            "kind: Secret\nstringData:\n  a: \"hunter\n---\nhunter\"\n---\nkind: b\n",
            "---\nkind: b\n",
        ),
        (
            &format!("kind: Secret\nstringData:\n  a: |\n{pem}--- \nkind: b\n"),
            "--- \nkind: b\n",
        ),
        // A mapping that ends too early, and texts with brackets.
        (
            "kind: Secret\ntype: Opaque\n   data:\n  a: hunter\nmetadata: {}\n",
            "",
        ),
        (
            "{\n  \"kind\": \"Secret\",\n  \"data\": {\n    \"a\": [\nx: @bad\n\
             \"hunter\"\n    ]\n  }\n}\n",
            "",
        ),
        ("{data: {a: hunter},\n b: [}\n", ""),
        // Values that stand outside of their Secret.
        (
            "kind: Work\nspec:\n- kind: Secret\n  metadata: {}\n  data:\nspec2:\n  a: hunter\n",
            "",
        ),
        (
            "kind: Work\nspec:\n- kind: Secret\n  metadata: {}\n  data: {a: b}\nc: hunter22\n",
            "\nc: (hidden)\n",
        ),
        // One of two kinds is Secret.
        ("kind: Secret\nkind: Other\ndata: {a: hunter}\n", ""),
        (
            "{{ if x }}\nkind: Secret\n{{ else }}\nkind: b\n{{ end }}\ndata: hunter\n",
            "",
        ),
        (
            "kind: {{ x }}Secret\ndata: hunter\n---\nkind: b\n",
            "kind: b\n",
        ),
        // The structure of a template is shown.
        (
            "kind: Secret\ndata:\n  {{ \"hunter\" }}\n  a: {{ .x }}\n  b: hunter22\n{{ end }}\n",
            "  a: {{ .x }}\n  b: (hidden)\n{{ end }}\n",
        ),
        (
            "kind: Secret\ndata:\n  a: {{ printf .a\n    .b }}\n  b: hunter22\nc: {{ x }}{{ y }}\n",
            "  a: {{ printf .a\n    .b }}\n  b: (hidden)\nc: {{ x }}{{ y }}\n",
        ),
        // In a healthy document, only lines of the block are hidden.
        (
            "raw: |\n\n  {{ if x }}\n  kind: Secret\n  data: hunter\n  ---\n  kind: {{y}}\nb: c\n",
            "  ---\n  kind: {{y}}\nb: c\n",
        ),
    ] {
        let shown = covered(text).unwrap();
        assert!(!shown.contains("hunter"), "{shown}");
        assert!(shown.ends_with(stays), "{shown}");
        assert_eq!(shown.len(), text.len());
    }
    // Prose and programs that only name a Secret.
    for text in [
        "The Secret: it holds metadata: a [\n",
        "kind: Deployment\nenv: {secretKeyRef: a}\nstatus: [\n# Secrets and data\n",
        "kind: SecretStore\ndata: [\n",
        "{{ query(kind='Secret', name='a')[0].data['b'] | decode }}",
    ] {
        assert_eq!(covered(text), None, "{text}");
    }
}

#[test]
fn inventories_with_data_are_passed_over() {
    let nodes = "nodes:\n  - name: \"a\"\n    data: {placement: {region_name: r}}\n";
    for text in [nodes, &format!("type: senlin.cluster\n{nodes}---\n{nodes}")] {
        assert!(!mentions(text), "{text}");
    }
    for text in [
        "data: hunter\n",
        "type: Opaque\n  data: hunter\n",
        "metadata:\n    name: a\n  data: hunter\n",
        "type: a.b\nmetadata:\n    name: a\n  data: hunter\n",
        "a: 1\n---\n  data: hunter\n",
        "{a: 1,\n  data: hunter}\n",
        "a:\n  b: |\n    data: hunter\n",
        "a:\n  b: \"\n    data: hunter\"\n",
        "a:\n  ? data\n  : hunter\n",
        "<<:\n  data: hunter\n",
    ] {
        assert!(mentions(text), "{text}");
    }
}

/// Whatever is passed over is no part of a Secret to the parser.
#[test]
fn what_is_passed_over_is_no_part_of_a_secret() {
    let pieces = [
        "data:",
        "  data: {a: b}",
        "    data: x",
        "metadata:",
        "  name: a",
        "type: Opaque",
        "type: senlin.cluster",
        "nodes:",
        "- data: x",
        "  - a: b",
        "---",
        "--- ",
        "...",
        "{",
        "}",
        "a: |",
        "<<: *a",
        "x: &a",
        "  # data: x",
        "? data",
        ": x",
        "immutable: true",
        "'a': \"b\"",
    ];
    let mut state = 7_u64;
    let mut roll = |sides: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % sides
    };
    let mut passed = 0;
    for _ in 0..60_000 {
        let lines: Vec<&str> = (0..2 + roll(5))
            .map(|_| pieces[roll(pieces.len())])
            .collect();
        let text = lines.join("\n");
        if !(has_data_below_keys(&text) && text.contains("data: ")) {
            continue;
        }
        passed += 1;
        let parsed = parse(SourceId::default(), &text, 0..text.len(), Limits::default());
        for root in &parsed.documents {
            assert!(!is_part(parsed.tree.node(&text, *root)), "{text}");
        }
    }
    assert!(passed > 500, "only {passed}");
}
