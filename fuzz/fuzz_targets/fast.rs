//! Any bytes read by the quick reader as by the parser alone.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planner::yaml::{Dialect, Limits, Node, cut, parse_as, parse_by_events};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let limits = Limits { alias_nodes: 10_000, ..Limits::default() };
    let small = Limits { depth: 3, nodes: 20, ..limits };
    for limits in [limits, small] {
        for piece in cut(&text, 64) {
            let family = |node: Node<'_>| match node.size() % 3 {
                0 => Some(Dialect::PyYaml),
                1 => Some(Dialect::Kubernetes),
                _ => None,
            };
            let quick = parse_as(Default::default(), &text, piece.clone(), limits, &family);
            let sure = parse_by_events(Default::default(), &text, piece, limits, &family);
            assert_eq!(quick.tree, sure.tree);
            assert_eq!(quick.documents, sure.documents);
            assert_eq!(quick.faults, sure.faults);
            assert_eq!(quick.quirks, sure.quirks);
        }
    }
});
