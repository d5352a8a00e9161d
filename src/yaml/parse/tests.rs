//! Texts and the trees they become.

use super::*;
use crate::yaml::{Dialect, Node, Scalar};

fn read(text: &str) -> Parsed {
    parse(SourceId(0), text, 0..text.len(), Limits::default())
}

fn show(node: Node<'_>) -> String {
    if let Some(text) = node.text() {
        return text.to_owned();
    }
    if node.is_mapping() {
        let entries: Vec<_> = node
            .entries()
            .map(|(k, v)| format!("{}:{}", show(k), show(v)))
            .collect();
        return format!("{{{}}}", entries.join(","));
    }
    let items: Vec<_> = node.items().map(show).collect();
    format!("[{}]", items.join(","))
}

fn shown(text: &str) -> Vec<String> {
    let parsed = read(text);
    let tree = &parsed.tree;
    parsed
        .documents
        .iter()
        .map(|root| show(tree.node(text, *root)))
        .collect()
}

#[test]
fn documents_are_trees_with_spans() {
    let text = "a:\n  - b: 'x''y'\n    c: [1, 2]\n# end\n---\nd: ~\n";
    let parsed = read(text);
    assert_eq!(shown(text), ["{a:[{b:x'y,c:[1,2]}]}", "{d:~}"]);
    let root = parsed.tree.node(text, parsed.documents[0]);
    let a = root.get("a").unwrap();
    assert_eq!(a.source_text(), "- b: 'x''y'\n    c: [1, 2]");
    let c = root.pointer("/a/0/c").unwrap();
    assert_eq!(c.source_text(), "[1, 2]");
    assert_eq!(root.pointer("/a/0/b").unwrap().source_text(), "'x''y'");
}

#[test]
fn empty_documents_do_not_count_and_empty_values_are_null() {
    assert_eq!(shown("---\n---\na:\n---\n# only a comment\n"), ["{a:}"]);
    let text = "a:\nb: c";
    let parsed = read(text);
    let a = parsed.tree.root(text).get("a").unwrap();
    assert!(a.is_null());
    assert_eq!(a.scalar(Dialect::PyYaml), Some(Scalar::Null));
}

#[test]
fn aliases_merge_keys_and_repeated_keys_are_resolved() {
    let text = "x: &x {a: 1, b: 2}\ny: *x\nz: {<<: *x, b: 3}\nw: {<<: [{b: 9}, *x], c: 1}\n";
    assert_eq!(
        shown(text),
        ["{x:{a:1,b:2},y:{a:1,b:2},z:{a:1,b:3},w:{a:1,b:9,c:1}}"]
    );
    let text = "a: 1\nb: 2\na: 3\n";
    assert_eq!(shown(text), ["{a:3,b:2}"]);
    let parsed = read(text);
    assert!(matches!(parsed.quirks[0].kind, QuirkKind::RepeatedKey(first) if first.start == 0));
}

#[test]
fn a_broken_document_does_not_hide_the_others() {
    let text = "a: 1\n---\nb: [1\n---\nc: *none\n---\nd: 4\n";
    let parsed = read(text);
    assert_eq!(shown(text), ["{a:1}", "{d:4}"]);
    assert_eq!(parsed.faults.len(), 2);
    assert_eq!(
        parsed.faults[1].kind,
        FaultKind::UndefinedAlias("*none".into())
    );
}

#[test]
fn bombs_are_faults() {
    let mut bomb = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for level in 1..12 {
        let alias = format!("*a{},", level - 1).repeat(10);
        bomb.push_str(&format!("a{level}: &a{level} [{alias}]\n"));
    }
    assert_eq!(read(&bomb).faults[0].kind, FaultKind::TooManyAliases);
    let deep = "[".repeat(100_000);
    assert_eq!(read(&deep).faults[0].kind, FaultKind::TooDeep);
    let chain: String = (1..30_000)
        .map(|n| format!("- &m{n} {{<<: *m{}}}\n", n - 1))
        .collect();
    let chain = format!("- &m0 {{k: v}}\n{chain}");
    assert!(read(&chain).faults.is_empty());
    // Little is left of what is merged again and again; the work counts anyway.
    let keys: String = (0..100).map(|n| format!("k{n}: v, ")).collect();
    let merged = "*big, ".repeat(20_000);
    let merges = format!("- &big {{{keys}}}\n- {{<<: [{merged}]}}\n");
    assert_eq!(read(&merges).faults[0].kind, FaultKind::TooManyAliases);
}

#[test]
fn packed_spans_are_those_of_the_text() {
    let text = "a: {b: [], c: [1, {}], d: {e: {}} }\nf:\n- []\n- g: |\n    x\n  h: \"q\\n\"\n";
    let parsed = read(text);
    let root = parsed.tree.node(text, parsed.documents[0]);
    let shown = |pointer: &str| root.pointer(pointer).unwrap().source_text();
    assert_eq!(shown("/a"), "{b: [], c: [1, {}], d: {e: {}} }");
    assert_eq!(shown("/a/c"), "[1, {}]");
    assert_eq!(shown("/a/d"), "{e: {}}");
    assert_eq!(shown("/a/b"), "[]");
    assert_eq!(shown("/f/0"), "[]");
    assert_eq!(shown("/f/1/h"), "\"q\\n\"");
    assert_eq!(root.pointer("/f/1/h").unwrap().text(), Some("q\n"));
    assert_eq!(root.pointer("/f/1/g").unwrap().text(), Some("x\n"));
    assert!(shown("/f").ends_with(&text[text.len() - 9..text.len() - 1]));
    let alias = "a: &a {x: [1,   2 ]}\nb: {c: *a}\nd: *a\n";
    let parsed = read(alias);
    let root = parsed.tree.node(alias, parsed.documents[0]);
    assert_eq!(root.pointer("/b").unwrap().source_text(), "{c: *a}");
    assert_eq!(root.pointer("/d").unwrap().source_text(), "{x: [1,   2 ]}");
    assert_eq!(root.pointer("/b/c/x").unwrap().source_text(), "[1,   2 ]");
}
