//! Any text as a Go template: it is parsed or refused, at a place of the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planner::gotemplate::{Delimiters, Functions, Type, calls, parse};

const HUB: Delimiters = Delimiters { left: "{{hub", right: "hub}}" };

fuzz_target!(|text: &str| {
    let function = |name: &str| Functions::GENERAL.find(name);
    for delimiters in [Delimiters::BRACES, HUB] {
        for lenient in [false, true] {
            let known = |name: &str| lenient || function(name).is_some();
            match parse(text, delimiters, &known) {
                Ok(template) => {
                    for action in &template.actions {
                        assert!(text[action.span.clone()].starts_with(delimiters.left));
                    }
                    calls(&template, text, &function, &|_, _| Type::Any, &mut |fault| {
                        assert_eq!(&text[fault.span.clone()], fault.name);
                        let _ = format!("{:?}", fault.reason);
                    });
                }
                Err(fault) => {
                    let _ = (&text[fault.span.clone()], fault.kind.to_string());
                }
            }
        }
    }
});
