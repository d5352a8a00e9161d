//! Regions and nodes, as planner-placement(7) describes them.

use planner::plan::again;
use planner::why::{Candidate, Verdict};
use serde_json::{Value, json};

use super::{Fates, Reasons, at, keyed, list};
use crate::support::random::Dice;

const REGIONS: [&str; 4] = ["A", "B", "C", "D"];

fn site(dice: &mut Dice) -> Vec<Value> {
    let mut regions = Vec::new();
    for name in REGIONS {
        let mut region = json!({"name": name, "weight": dice.of_weights()});
        if dice.roll(3) == 0 {
            region["cap"] = json!(dice.roll(4));
        }
        regions.push(region);
    }
    let known: Vec<&str> = REGIONS.into_iter().filter(|_| dice.roll(4) > 0).collect();
    let action = match dice.roll(6) {
        0 | 1 => json!({"action": "CLUSTER_SCALE_OUT", "inputs": {"count": dice.roll(5)}}),
        2 => json!({"action": "CLUSTER_SCALE_IN", "inputs": {"count": dice.roll(5)}}),
        3 => json!({"action": "NODE_CREATE"}),
        4 => json!({"action": "CLUSTER_CHECK"}),
        _ => json!({"action": "CLUSTER_SCALE_OUT", "data": {"creation": {"count": dice.roll(4)}}}),
    };
    let mut documents = vec![
        json!({"type": "senlin.policy.region_placement", "version": "1.0", "properties": {"regions": regions}}),
        json!({"type": "senlin.cluster", "version": "1.0", "properties": {"name": "c", "known_regions": known,
            "node_counts": {"A": dice.roll(4), "B": dice.roll(4), "": dice.roll(2)}}}),
        json!({"type": "senlin.action", "version": "1.0", "properties": action}),
    ];
    if dice.roll(3) == 0 {
        let context = match dice.roll(2) {
            0 => json!({"context": {"region_name": "A"}}),
            _ => json!({"flavor": "m1"}),
        };
        documents.push(json!({"type": "os.nova.server", "version": "1.0", "properties": context}));
    }
    documents
}

trait Weights {
    fn of_weights(&mut self) -> u64;
}

impl Weights for Dice {
    fn of_weights(&mut self) -> u64 {
        [0, 10, 10, 30, 100][self.roll(5) as usize]
    }
}

/// How many nodes.
fn number(documents: &[Value]) -> i64 {
    let action = &documents[2]["properties"];
    let count = |from: &str| action.pointer(from).and_then(Value::as_i64);
    match at(action, "/action") {
        "CLUSTER_SCALE_OUT" => count("/data/creation/count")
            .or(count("/inputs/count"))
            .unwrap_or(1),
        "CLUSTER_SCALE_IN" => -count("/inputs/count").unwrap_or(1),
        "NODE_CREATE" => {
            let profile = documents.get(3);
            let named = profile.and_then(|one| one.pointer("/properties/context/region_name"));
            i64::from(named.is_none())
        }
        _ => 0,
    }
}

/// What a region got of the number, and why not more.
struct Share {
    name: String,
    taken: i64,
    why: Reasons,
}

/// The shares; nothing where the weights add up to 0.
fn shares(documents: &[Value], usable: &[&Value], number: i64) -> Option<(Vec<Share>, i64)> {
    let nodes = |region: &Value| {
        let counts = &documents[1]["properties"]["node_counts"];
        counts[at(region, "/name")].as_i64().unwrap_or(0)
    };
    let weight = |region: &Value| region["weight"].as_i64().unwrap();
    let weights: i64 = usable.iter().map(|region| weight(region)).sum();
    if weights == 0 {
        return None;
    }
    let there: i64 = usable.iter().map(|region| nodes(region)).sum();
    let total = there + number;
    let mut order: Vec<&Value> = usable.to_vec();
    order.sort_by_key(|region| {
        if number > 0 {
            -weight(region)
        } else {
            weight(region)
        }
    });
    let mut remain = number.abs();
    let mut shares = Vec::new();
    for region in order {
        let share = (total * weight(region)) as f64 / weights as f64;
        let cap = region["cap"].as_i64().unwrap_or(-1);
        let (rounded, quota) = if number > 0 {
            let rounded = share.ceil() as i64;
            (rounded, if cap >= 0 { rounded.min(cap) } else { rounded })
        } else {
            (share.floor() as i64, share.floor() as i64)
        };
        let room = if number > 0 {
            quota - nodes(region)
        } else {
            nodes(region) - quota
        };
        let mut why = Reasons::new();
        if room <= 0 {
            let reason = match () {
                () if number < 0 => "no more than its share",
                () if quota == 0 => "a quota of 0",
                () if rounded > nodes(region) => "the cap leaves no room",
                () => "it has its share already",
            };
            why.insert(format!("Share: {reason}"));
        }
        if remain == 0 {
            why.insert("Room: nothing is left to distribute".to_owned());
        } else if room <= 0 {
            why.insert("Room (idle)".to_owned());
        }
        let taken = room.clamp(0, remain);
        remain -= taken;
        shares.push(Share {
            name: at(region, "/name").to_owned(),
            taken,
            why,
        });
    }
    Some((shares, remain))
}

/// The fates with these known regions; nothing where the program would break.
fn fates_with(documents: &[Value], known: &[&str]) -> Option<Fates> {
    let regions = list(&documents[0], "/properties/regions");
    let usable: Vec<&Value> = regions
        .iter()
        .filter(|region| known.contains(&at(region, "/name")))
        .collect();
    let number = number(documents);
    let mut fates = Fates::new();
    if number == 0 {
        for region in usable {
            let reasons = Reasons::from(["Number".to_owned()]);
            fates.insert(at(region, "/name").to_owned(), Some(reasons));
        }
        return Some(fates);
    }
    if usable.is_empty() {
        return Some(fates);
    }
    let (shares, remain) = shares(documents, &usable, number)?;
    for mut share in shares {
        if remain > 0 {
            share.why.insert("Policy Check".to_owned());
        }
        let lost = share.taken == 0 || remain > 0;
        fates.insert(share.name, lost.then_some(share.why));
    }
    Some(fates)
}

fn fates(documents: &[Value]) -> Option<Fates> {
    let known = list(&documents[1], "/properties/known_regions").iter();
    let known: Vec<&str> = known.filter_map(Value::as_str).collect();
    let mut fates = fates_with(documents, &known)?;
    for name in REGIONS {
        if known.contains(&name) {
            continue;
        }
        let mut against = Reasons::from(["Known Region".to_owned()]);
        let mut with = known.clone();
        with.push(name);
        match fates_with(documents, &with) {
            Some(all) => against.extend(all[name].clone().unwrap_or_default()),
            None => {
                against.insert("Policy Check".to_owned());
            }
        }
        fates.insert(name.to_owned(), Some(against));
    }
    Some(fates)
}

fn word(_: &Candidate, verdict: &Verdict) -> String {
    let reason = verdict.reason.as_str();
    match verdict.stage.as_str() {
        "Share" => keyed(verdict, reason.rsplit(": ").next().unwrap()),
        "Room" if !verdict.idle => keyed(verdict, reason),
        _ => keyed(verdict, ""),
    }
}

#[test]
fn regions_get_nothing_for_what_the_specification_says() {
    let mut lost = 0;
    for seed in 0..200 {
        let documents = site(&mut Dice(seed));
        let found = super::with_plan(&documents, |plan| {
            let why = planner::senlin::why::why(&plan.regions, "<stdin>", None, again::regions)?;
            let fates = fates(&documents).unwrap();
            Some(super::hold_all(&documents, &why, &fates, word))
        });
        lost += found.flatten().unwrap_or(0);
    }
    assert!(lost > 200, "{lost}");
}
