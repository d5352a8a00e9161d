//! Deployment groups of a saved plan.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::plan::Assignment;
use crate::systems::asked::Essence;
use crate::systems::outcome::{Outcome, items, names, text};

/// What the order of the groups is called.
pub(super) const ORDER: &str = "group order";

pub(super) fn decided(outcome: &dyn Outcome) -> Vec<(String, Assignment)> {
    let Some(strategy) = outcome.section("deploymentStrategy") else {
        return Vec::new();
    };
    let order = items(&strategy, "order").iter().filter_map(Value::as_str);
    let positions: BTreeMap<&str, usize> = order.zip(1..).collect();
    let group = |group: &Value| {
        let name = text(group, "name");
        let answer = Assignment::Group {
            position: positions.get(name).copied().unwrap_or_default(),
            nodes: names(group, "nodes"),
            terms: Vec::new(),
        };
        (name.to_owned(), answer)
    };
    items(&strategy, "groups").iter().map(group).collect()
}

pub(super) fn essence(outcome: &dyn Outcome) -> Vec<Essence> {
    let Some(strategy) = outcome.section("deploymentStrategy") else {
        return Vec::new();
    };
    let order = (ORDER, String::new(), strategy["order"].clone());
    let groups = items(&strategy, "groups").iter();
    let groups = groups.map(|group| {
        let name = text(group, "name").to_owned();
        ("group", name, json!(names(group, "nodes")))
    });
    std::iter::once(order).chain(groups).collect()
}
