//! Deployment groups of a saved plan.

use serde_json::json;

use crate::systems::asked::Essence;
use crate::systems::outcome::{Outcome, list, names, text};

/// The essence kind of the groups' order.
pub(super) const ORDER: &str = "group order";

pub(super) fn essence(outcome: &dyn Outcome) -> Vec<Essence> {
    let Some(strategy) = outcome.section("deploymentStrategy") else {
        return Vec::new();
    };
    let order = (ORDER, String::new(), strategy["order"].clone());
    let groups = list(&strategy, "groups").iter();
    let groups = groups.map(|group| {
        let name = text(group, "name").to_owned();
        ("group", name, json!(names(group, "nodes")))
    });
    std::iter::once(order).chain(groups).collect()
}
