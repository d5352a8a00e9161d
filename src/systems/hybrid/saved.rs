//! Placement rules of a saved plan.

use serde_json::{Value, json};

use crate::systems::asked::Essence;
use crate::systems::outcome::{Outcome, names, spaced};

pub(super) fn essence(outcome: &dyn Outcome) -> Vec<Essence> {
    let rule = |rule: Value| {
        let value = json!(names(&rule, "decisions"));
        ("placement rule", spaced(&rule), value)
    };
    outcome.items("placementRules").map(rule).collect()
}
