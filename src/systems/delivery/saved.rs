//! The consumers of placements of a saved plan.

use serde_json::json;

use crate::systems::asked::Essence;
use crate::systems::outcome::{Outcome, names, spaced, text};

pub(in crate::systems) fn essence(outcome: &dyn Outcome) -> Vec<Essence> {
    let mut all = Vec::new();
    for row in outcome.items("deliveries") {
        let name = format!("{} {}", text(&row, "kind"), spaced(&row));
        let value = json!([names(&row, "clusters"), row.get("remediation")]);
        all.push(("delivery", name, value));
    }
    for rule in outcome.items("legacyRules") {
        let value = json!(names(&rule, "decisions"));
        all.push(("legacy rule", spaced(&rule), value));
    }
    all
}
