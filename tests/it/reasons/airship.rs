//! Groups and nodes ("Deployment strategy", selectors).

use planner::why::{Candidate, Verdict};
use serde_json::Value;

use super::{Fates, Reasons, at, keyed, list};
use crate::support::random::{Dice, strategy};

fn schema<'d>(documents: &'d [Value], kind: &str) -> impl Iterator<Item = &'d Value> {
    documents
        .iter()
        .filter(move |document| at(document, "/schema").split('/').nth(1) == Some(kind))
}

/// Whether some of the asked texts are among those that are there.
fn meet(asked: &[Value], there: &[&str]) -> bool {
    asked.iter().any(|one| there.iter().any(|own| one == own))
}

fn fates(documents: &[Value]) -> Fates {
    let strategy = schema(documents, "DeploymentStrategy").next().unwrap();
    let mut fates = Fates::new();
    for node in schema(documents, "BaremetalNode") {
        let mut against = Reasons::new();
        let mut any = false;
        let tags = list(node, "/data/metadata/tags").iter();
        let tags: Vec<&str> = tags.filter_map(Value::as_str).collect();
        let zone = format!("zone: {}", at(node, "/data/metadata/owner_data/zone"));
        let name = at(node, "/metadata/name");
        for (selector, number) in list(strategy, "/data/groups/0/selectors").iter().zip(1..) {
            let mut all = true;
            for (key, there) in [
                ("node_names", vec![name]),
                ("node_tags", tags.clone()),
                ("rack_names", vec![at(node, "/data/metadata/rack")]),
                ("node_labels", vec![zone.as_str()]),
            ] {
                let asked = list(selector, &format!("/{key}"));
                if !asked.is_empty() && !meet(asked, &there) {
                    all = false;
                    against.insert(format!("selector {number} {key}"));
                }
            }
            any |= all;
        }
        fates.insert(name.to_owned(), (!any).then_some(against));
    }
    fates
}

fn word(_: &Candidate, verdict: &Verdict) -> String {
    keyed(verdict, "")
}

#[test]
fn nodes_are_left_out_for_what_the_specification_says() {
    let mut lost = 0;
    for seed in 0..80 {
        let documents = strategy(&mut Dice(seed));
        let found = super::with_plan(&documents, |plan| {
            let strategy = plan.strategy.as_ref().unwrap();
            let why = planner::airship::why::why(strategy, "g", None).unwrap();
            super::hold_all(&documents, &why, &fates(&documents), word)
        });
        lost += found.unwrap_or(0);
    }
    assert!(lost > 80, "{lost}");
}
