//! The table of all codes: what `explain`, the manual, levels and SARIF read.

use crate::diagnostic::{Codes, Retired, Rule};
use crate::systems;

/// Every rule, sorted by code.
#[must_use]
pub fn all() -> Vec<&'static Rule> {
    let common: [&[&'static Rule]; 10] = [
        crate::config::rules::RULES,
        crate::delivery::rules::RULES,
        crate::diagnostic::rules::RULES,
        crate::document::rules::RULES,
        crate::expect::rules::RULES,
        crate::hub::rules::RULES,
        crate::kustomize::rules::RULES,
        crate::load::rules::RULES,
        crate::schema::rules::RULES,
        crate::plan::ties::rules::RULES,
    ];
    let systems = systems::all().map(|system| system.profile().rules);
    let tables = common.iter().chain(&systems);
    let mut rules: Vec<&'static Rule> = tables.copied().flatten().copied().collect();
    rules.sort_by_key(|rule| rule.code);
    rules
}

/// The codes that no finding has any more. They stay here, so that an ignore, a baseline or a
/// `planner.toml` that names one gets a note and not an error.
const RETIRED: &[Retired] = &[];

/// Every code, those of the past included.
#[must_use]
pub fn codes() -> Codes {
    Codes {
        rules: all(),
        retired: RETIRED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_never_used_again() {
        let codes = codes();
        let former = codes.rules.iter().flat_map(|rule| rule.former);
        let retired = codes.retired.iter().map(|gone| &gone.code);
        let current = codes.rules.iter().map(|rule| &rule.code);
        let mut all: Vec<&str> = former.chain(retired).chain(current).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(all.iter().all(|code| code.starts_with("planner::")));
    }

    #[test]
    fn a_rule_comes_with_a_release_up_to_this_one() {
        let release = |text: &str| -> Vec<u32> {
            let parts = text.split('.').map(|part| part.parse().unwrap());
            parts.collect()
        };
        let this = release(env!("CARGO_PKG_VERSION"));
        for rule in all() {
            let since = release(rule.since);
            assert!(since.len() == 3 && since <= this, "{}", rule.code);
        }
    }

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
