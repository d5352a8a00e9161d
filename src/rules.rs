//! The table of all codes: what `explain`, the manual, levels and SARIF read.

use crate::diagnostic::Rule;
use crate::systems;

/// Every rule, sorted by code.
#[must_use]
pub fn all() -> Vec<&'static Rule> {
    let common: [&[&'static Rule]; 8] = [
        crate::config::rules::RULES,
        crate::delivery::rules::RULES,
        crate::diagnostic::rules::RULES,
        crate::document::rules::RULES,
        crate::expect::rules::RULES,
        crate::load::rules::RULES,
        crate::schema::rules::RULES,
        crate::plan::ties::rules::RULES,
    ];
    let systems = systems::all().map(|system| system.rules());
    let tables = common.iter().chain(&systems);
    let mut rules: Vec<&'static Rule> = tables.copied().flatten().copied().collect();
    rules.sort_by_key(|rule| rule.code);
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADINGS: [&str; 5] = [
        "## What it checks",
        "## Why it matters",
        "## Example",
        "## Use instead",
        "## References",
    ];

    #[test]
    fn codes_are_unique_and_every_page_is_whole() {
        let rules = all();
        for pair in rules.windows(2) {
            assert!(pair[0].code < pair[1].code, "{} twice", pair[1].code);
        }
        for rule in rules {
            let first = format!("# {}\n", rule.code);
            assert!(
                rule.docs.starts_with(&first),
                "{}: {}",
                rule.code,
                rule.docs
            );
            let mut from = 0;
            for heading in HEADINGS {
                let at = rule.docs[from..].find(heading);
                assert!(at.is_some(), "{} lacks {heading}", rule.code);
                from += at.unwrap();
            }
        }
    }
}
