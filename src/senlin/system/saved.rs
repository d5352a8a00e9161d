//! Region placements of a saved plan.

use serde_json::{Value, json};

use crate::plan::Assignment;
use crate::systems::asked::Essence;
use crate::systems::outcome::{Outcome, items, text};

pub(super) fn decided(outcome: &dyn Outcome) -> Vec<(String, Assignment)> {
    let mut all = Vec::new();
    for set in outcome.items("regionPlacements") {
        for region in items(&set, "regions") {
            let name = format!("{}/{}", text(&set, "path"), text(region, "name"));
            all.push((name, Assignment::Count(count(region.get("after")))));
        }
    }
    all
}

fn count(value: Option<&Value>) -> i128 {
    match value {
        Some(Value::Number(number)) => number.as_i128().unwrap_or_default(),
        Some(Value::String(digits)) => digits.parse().unwrap_or_default(),
        _ => 0,
    }
}

pub(super) fn essence(outcome: &dyn Outcome) -> Vec<Essence> {
    let set = |set: Value| {
        let regions = items(&set, "regions").iter();
        let regions =
            regions.map(|region| json!([region["name"], region["change"], region["after"]]));
        let value = json!({
            "cluster": set["cluster"],
            "action": set["action"],
            "regions": regions.collect::<Vec<_>>(),
            "data": set["data"],
        });
        ("region placement", text(&set, "path").to_owned(), value)
    };
    outcome.items("regionPlacements").map(set).collect()
}
