//! The count rules and edge cases, on models built by hand.

use serde_json::{Value as Json, json};

use super::*;
use crate::senlin::model::{DocumentSet, Inputs, Region};

type Given<'a> = (&'a str, i128, i128, i128);

/// A set with regions (name, weight, cap, nodes), all known, and an action without inputs.
fn set<'a>(kind: ActionKind, regions: &[Given<'a>]) -> DocumentSet<'a> {
    let listed = |&(name, weight, cap, _): &Given<'a>| Region {
        name: name.into(),
        weight,
        cap,
        place: Default::default(),
        weight_place: None,
    };
    let nodes: Vec<i128> = regions.iter().map(|region| region.3).collect();
    DocumentSet {
        path: "site.yaml",
        policy: Some(Policy {
            regions: regions.iter().map(listed).collect(),
            ..Policy::default()
        }),
        cluster: Some(Cluster {
            max_size: -1,
            max_nodes_per_cluster: 1000,
            size: nodes.iter().sum(),
            known: vec![true; nodes.len()],
            nodes,
            ..Cluster::default()
        }),
        action: Some(Action {
            name: "",
            kind,
            inputs: Inputs::default(),
            asked: serde_json::Map::new(),
            creation: Entry::Absent,
            deletion: Entry::Absent,
            data: serde_json::Map::new(),
            place: Default::default(),
            name_place: Default::default(),
        }),
        profile: None,
    }
}

fn int<'a>(number: i128) -> Field<'a> {
    Field {
        value: Value::Int(number),
        ..Field::default()
    }
}

fn text(text: &str) -> Field<'_> {
    Field {
        value: Value::Text(text),
        ..Field::default()
    }
}

fn answer(set: &DocumentSet<'_>) -> Json {
    let check = Check::of(set).expect("whole");
    Json::Object(data::data(check, &plan(check).expect("no failure")))
}

fn resized(inputs: Inputs<'_>, regions: &[Given<'_>]) -> Json {
    let mut set = set(ActionKind::Resize, regions);
    set.action.as_mut().expect("given").inputs = inputs;
    answer(&set)
}

#[test]
fn the_example_of_the_specification() {
    let mut set = set(
        ActionKind::ScaleOut,
        &[("One", 100, -1, 2), ("Two", 100, -1, 1)],
    );
    set.action.as_mut().expect("given").inputs.count = int(3);
    let wanted = json!({"status": "OK",
        "creation": {"count": 3, "regions": {"One": 1, "Two": 2}}});
    assert_eq!(answer(&set), wanted);
}

#[test]
fn a_negative_count_reverses_the_direction() {
    let mut set = set(
        ActionKind::ScaleOut,
        &[("One", 100, -1, 3), ("Two", 100, -1, 3)],
    );
    set.action.as_mut().expect("given").inputs.count = int(-2);
    let wanted = json!({"status": "OK",
        "deletion": {"count": 2, "regions": {"One": 1, "Two": 1}}});
    assert_eq!(answer(&set), wanted);
}

#[test]
fn an_empty_creation_is_one_node_for_a_scale_out_and_nothing_for_a_resize() {
    let empty = Entry::Map {
        empty: true,
        count: Field::default(),
    };
    for (kind, count) in [(ActionKind::ScaleOut, 1), (ActionKind::Resize, 0)] {
        let mut set = set(kind, &[("One", 100, -1, 3)]);
        let action = set.action.as_mut().expect("given");
        action.creation = empty;
        action.data.insert("creation".into(), json!({}));
        assert_eq!(answer(&set)["creation"]["count"], json!(count));
    }
}

#[test]
fn a_null_count_is_a_failure_and_not_the_default() {
    let mut set = set(ActionKind::ScaleOut, &[("One", 100, -1, 3)]);
    set.action.as_mut().expect("given").inputs.count = Field {
        value: Value::Null,
        ..Field::default()
    };
    let failure = Failure::Input(Input::Count, Problem::Null);
    assert_eq!(plan(Check::of(&set).expect("whole")), Err(failure));
}

#[test]
fn the_sum_of_weights_counts_usable_regions_only_and_only_when_something_is_asked() {
    let mut set = set(
        ActionKind::ScaleIn,
        &[("One", 0, -1, 3), ("Two", 100, -1, 0)],
    );
    set.cluster.as_mut().expect("given").known[1] = false;
    assert_eq!(plan(Check::of(&set).expect("whole")), Err(Failure::ZeroSum));
    set.action.as_mut().expect("given").inputs.count = int(0);
    assert_eq!(answer(&set), json!({"status": "OK"}));
}

#[test]
fn nothing_to_do_is_fine_without_a_usable_region() {
    let mut set = set(ActionKind::ScaleOut, &[]);
    assert_eq!(
        answer(&set),
        json!({"status": "ERROR", "reason": "No region is found usable."})
    );
    set.action.as_mut().expect("given").inputs.count = int(0);
    assert_eq!(answer(&set), json!({"status": "OK"}));
}

#[test]
fn a_resize_to_the_present_size_leaves_a_creation_of_none() {
    let inputs = Inputs {
        adjustment_type: text("EXACT_CAPACITY"),
        number: int(3),
        ..Inputs::default()
    };
    let wanted = json!({"creation": {"count": 0}, "status": "OK"});
    assert_eq!(resized(inputs, &[("One", 100, -1, 3)]), wanted);
}

#[test]
fn percentages_round_away_from_zero_below_one_node_and_towards_it_above() {
    let percent = |number, nodes| {
        let inputs = Inputs {
            adjustment_type: text("CHANGE_IN_PERCENTAGE"),
            number: int(number),
            ..Inputs::default()
        };
        resized(inputs, &[("One", 100, -1, nodes)])
    };
    assert_eq!(percent(10, 4)["creation"]["count"], json!(1));
    assert_eq!(percent(45, 6)["creation"]["count"], json!(2));
    assert_eq!(percent(-10, 4)["deletion"]["count"], json!(1));
    assert_eq!(percent(-45, 6)["deletion"]["count"], json!(2));
}

#[test]
fn no_percent_with_a_step_shrinks_by_the_step_whatever_the_type_is_called() {
    for kind in ["CHANGE_IN_PERCENTAGE", "SOMETHING"] {
        let inputs = Inputs {
            adjustment_type: text(kind),
            number: int(0),
            min_step: int(2),
            ..Inputs::default()
        };
        assert_eq!(
            resized(inputs, &[("One", 100, -1, 5)])["deletion"]["count"],
            json!(2)
        );
    }
}

#[test]
fn bounds_alone_change_the_size() {
    let regions = &[("One", 100, -1, 4)];
    let grown = resized(
        Inputs {
            min_size: int(6),
            ..Inputs::default()
        },
        regions,
    );
    assert_eq!(grown["creation"]["count"], json!(2));
    let shrunk = resized(
        Inputs {
            max_size: int(3),
            ..Inputs::default()
        },
        regions,
    );
    assert_eq!(shrunk["deletion"]["count"], json!(1));
    let none = resized(
        Inputs {
            max_size: int(0),
            ..Inputs::default()
        },
        regions,
    );
    let text = "The target capacity (4) is greater than the specified max_size (0).";
    assert_eq!(none["reason"], json!(text));
}

#[test]
fn the_limits_of_the_cluster_are_cut_to_or_checked_or_neither() {
    let mut set = set(ActionKind::Resize, &[("One", 100, -1, 4)]);
    set.cluster.as_mut().expect("given").max_size = 5;
    let inputs = Inputs {
        adjustment_type: text("CHANGE_IN_CAPACITY"),
        number: int(3),
        ..Inputs::default()
    };
    set.action.as_mut().expect("given").inputs = inputs;
    assert_eq!(answer(&set)["creation"]["count"], json!(1));
    let strict = |value| Field {
        value,
        ..Field::default()
    };
    set.action.as_mut().expect("given").inputs.strict = strict(Value::Bool(true));
    let text = "The target capacity (7) is greater than the cluster's max_size (5).";
    assert_eq!(answer(&set)["reason"], json!(text));
    set.action.as_mut().expect("given").inputs.strict = strict(Value::Null);
    assert_eq!(answer(&set)["creation"]["count"], json!(3));
    // A cut to the cluster's maximum can fall below the minimum that was asked for.
    set.action.as_mut().expect("given").inputs = Inputs {
        min_size: int(6),
        ..Inputs::default()
    };
    let text = "The target capacity (5) is less than the specified min_size (6).";
    assert_eq!(answer(&set)["reason"], json!(text));
}

#[test]
fn an_empty_cluster_starts_from_the_capacity_it_wants() {
    let mut set = set(ActionKind::Resize, &[("One", 100, -1, 0)]);
    set.cluster.as_mut().expect("given").desired_capacity = 4;
    set.action.as_mut().expect("given").inputs = Inputs {
        adjustment_type: text("EXACT_CAPACITY"),
        number: int(6),
        ..Inputs::default()
    };
    assert_eq!(answer(&set)["creation"]["count"], json!(2));
}

#[test]
fn earlier_words_are_replaced_and_other_keys_stay() {
    let mut set = set(ActionKind::NodeCreate, &[("One", 100, -1, 0)]);
    let data = json!({"status": "ERROR", "creation": {"count": 5, "host": "h"}, "x": 1,
        "reason": "old"});
    let action = set.action.as_mut().expect("given");
    action.data = data.as_object().expect("a map").clone();
    action.creation = Entry::Map {
        empty: false,
        count: int(5),
    };
    let wanted = json!({"creation": {"count": 1, "host": "h", "regions": {"One": 1}}, "x": 1,
        "status": "OK"});
    assert_eq!(answer(&set), wanted);
    set.profile = Some(Profile {
        region: Some(Default::default()),
        ..Profile::default()
    });
    assert_eq!(answer(&set)["creation"]["count"], json!(5));
}

#[test]
fn what_a_resize_stored_stays_when_no_region_is_usable() {
    let inputs = Inputs {
        min_size: int(2),
        ..Inputs::default()
    };
    let wanted = json!({"creation": {"count": 2}, "status": "ERROR",
        "reason": "No region is found usable."});
    assert_eq!(resized(inputs, &[]), wanted);
}
