//! The pages of the codes: their examples are run.

use planner::airship::rules::RULES;

use crate::text;

#[test]
fn the_example_of_every_page_triggers_its_rule_and_the_other_does_not() {
    for rule in RULES {
        let (before, after) = rule.docs.split_once("## Use instead").expect("the heading");
        let codes = |part: &str| {
            let block = part.split("```yaml\n").nth(1)?.split("```").next()?;
            let (_, found) = text(block);
            Some(found)
        };
        if let Some(found) = codes(before) {
            let triggered = found.iter().any(|one| one.rule.code == rule.code);
            assert!(triggered, "{}: {found:?}", rule.code);
        }
        let found = codes(after).expect("a block");
        let wrong = found
            .iter()
            .find(|one| one.rule.code == rule.code || one.is_error());
        assert!(wrong.is_none(), "{}: {wrong:?}", rule.code);
    }
}
