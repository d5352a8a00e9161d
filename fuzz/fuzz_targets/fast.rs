//! Any bytes read by the quick reader as by the parser alone.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planner::yaml::{Limits, cut, parse, parse_by_events};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let limits = Limits { alias_nodes: 10_000, ..Limits::default() };
    let small = Limits { depth: 3, nodes: 20, ..limits };
    for limits in [limits, small] {
        for piece in cut(&text, 64) {
            let quick = parse(Default::default(), &text, piece.clone(), limits);
            let sure = parse_by_events(Default::default(), &text, piece, limits);
            assert_eq!(quick.tree, sure.tree);
            assert_eq!(quick.documents, sure.documents);
            assert_eq!(quick.faults, sure.faults);
            assert_eq!(quick.quirks, sure.quirks);
        }
    }
});
