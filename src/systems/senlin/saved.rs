//! Region placements of a saved plan.

use serde_json::{Value, json};

use crate::systems::asked::Essence;
use crate::systems::outcome::{Outcome, list, text};

pub(super) fn essence(outcome: &dyn Outcome) -> Vec<Essence> {
    let set = |set: Value| {
        let regions = list(&set, "regions").iter();
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
