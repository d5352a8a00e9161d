//! Any text as YAML: spans on borders of characters, whatever ends a line; pieces of a sound
//! stream like the whole.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planner::yaml::{Dialect, Limits, Node, Parsed, cut, json, parse, parse_as};

fn values(parsed: &Parsed, text: &str) -> Vec<serde_json::Value> {
    let roots = parsed.documents.iter().map(|root| parsed.tree.node(text, *root));
    roots
        .map(|node| {
            let span = node.span();
            assert!(text.get(span.start as usize..span.end as usize).is_some());
            json(node, Dialect::PyYaml)
        })
        .collect()
}

fuzz_target!(|text: &str| {
    let limits = Limits { alias_nodes: 10_000, ..Limits::default() };
    let whole = parse(Default::default(), text, 0..text.len(), limits);
    let wanted = values(&whole, text);
    let python = |_: Node<'_>| Some(Dialect::PyYaml);
    let old = parse_as(Default::default(), text, 0..text.len(), limits, &python);
    values(&old, text);
    for fault in whole.faults.iter().chain(&old.faults) {
        assert!(text.get(fault.span.start as usize..fault.span.end as usize).is_some());
    }
    if !whole.faults.is_empty() {
        return;
    }
    let pieces = cut(text, 16).into_iter();
    let found: Vec<_> = pieces
        .flat_map(|piece| values(&parse(Default::default(), text, piece, limits), text))
        .collect();
    assert_eq!(found, wanted);
});
