//! Applications of a saved plan.

use serde_json::{Value, json};

use crate::systems::asked::Essence;
use crate::systems::outcome::{Outcome, list, text};

fn named(application: &Value) -> String {
    let package = text(application, "package");
    format!("{package}/{}", text(application, "application"))
}

fn is_withdrawn(application: &Value) -> bool {
    text(application, "change") == "withdraw"
}

pub(super) fn essence(outcome: &dyn Outcome) -> Vec<Essence> {
    let placed = |application: Value| {
        let left = list(&application, "outOfBounds").iter();
        let left = left.map(|one| json!([one["cluster"], one["kind"], one["name"]]));
        let value = json!({
            "cluster": application["cluster"],
            "withdrawn": is_withdrawn(&application),
            "volumesLeft": left.collect::<Vec<_>>(),
        });
        ("application", named(&application), value)
    };
    outcome.items("applications").map(placed).collect()
}
