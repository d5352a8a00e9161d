//! Deliveries: every set of changes that `why` offers for a consumer and a cluster, applied to the
//! documents from outside and planned again, gets the consumer there; every reason is true.

use std::cell::RefCell;
use std::collections::BTreeMap;

use planner::changes::{Base, Question};
use planner::document::System;
use planner::options::Options;
use planner::plan;
use planner::repair::May;
use planner::systems::Asked;
use planner::why::Candidate;
use serde_json::Value;

use super::{plan_of, text, with_base};
use crate::support::altered::apply;
use crate::support::fleet::{self, CLUSTERS};
use crate::support::random::Dice;

fn subject(row: &Value) -> String {
    let parts = ["kind", "namespace", "name"].iter();
    let parts = parts.filter_map(|key| row[*key].as_str());
    parts.collect::<Vec<_>>().join("/")
}

fn holds(list: &Value, name: &str) -> bool {
    let list = list.as_array();
    list.is_some_and(|list| list.iter().any(|one| one == name))
}

fn reaches(plan: &Value, wanted: &str, cluster: &str) -> bool {
    let mut rows = plan["deliveries"].as_array().into_iter().flatten();
    rows.any(|row| subject(row) == wanted && holds(&row["clusters"], cluster))
}

/// How many sets were told, and how often a consumer that misses a cluster is offered none.
#[derive(Default)]
struct Told {
    sets: BTreeMap<String, usize>,
    none: BTreeMap<String, usize>,
}

/// Holds all that is said of the deliveries of a site.
fn hold(documents: &[Value], told: &mut Told) {
    let Some(before) = plan_of(documents) else {
        panic!("refused: {}", text(documents));
    };
    let rows = before["deliveries"].as_array().cloned().unwrap_or_default();
    assert!(!rows.is_empty(), "{}", text(documents));
    with_base(documents, |base| {
        let plan = plan::make(base.site, base.options);
        for row in &rows {
            let (subject, kind) = (subject(row), row["kind"].as_str().unwrap());
            for cluster in CLUSTERS {
                let asked = Asked {
                    plan: &plan,
                    options: base.options,
                    candidate: Some(cluster),
                    said: RefCell::default(),
                };
                let (_, why) = asked.answer(&subject).unwrap();
                let own = why.candidates.iter().find(|one| one.name == cluster);
                let own = own.unwrap();
                let chosen = holds(&row["clusters"], cluster);
                assert_eq!(
                    own.chosen,
                    chosen,
                    "{subject} {cluster} {}",
                    text(documents)
                );
                reasons(own, row, &before, documents);
                if chosen {
                    continue;
                }
                let sets = changes(base, documents, &subject, cluster);
                let count = if sets > 0 {
                    &mut told.sets
                } else {
                    &mut told.none
                };
                *count.entry(kind.to_owned()).or_default() += sets.max(1);
            }
        }
    });
}

/// Applies what is offered; gives how many sets were.
fn changes(base: &Base<'_, '_>, documents: &[Value], subject: &str, cluster: &str) -> usize {
    let question = Question {
        system: System::Ocm,
        subject,
        candidate: cluster,
        edits: 3,
        may: May::Both,
    };
    let found = base.changes(&question).unwrap();
    for set in &found.sets {
        let mut changed = documents.to_vec();
        set.iter().for_each(|change| apply(&mut changed, change));
        let after = plan_of(&changed);
        let wins = after.is_some_and(|plan| reaches(&plan, subject, cluster));
        assert!(wins, "{subject} {cluster}: {set:#?}\n{}", text(documents));
    }
    found.sets.len()
}

fn document<'d>(documents: &'d [Value], kind: &str, space: &str, name: &str) -> Option<&'d Value> {
    documents.iter().find(|one| {
        let metadata = &one["metadata"];
        one["kind"] == kind
            && metadata["name"] == name
            && metadata["namespace"].as_str().unwrap_or("") == space
    })
}

/// Whether what is bound or read selects a cluster, by the plan's own answer about it.
fn selects(plan: &Value, kind: &str, space: &str, name: &str, cluster: &str) -> Option<bool> {
    let section = match kind {
        "Placement" => "placements",
        _ => "legacyRules",
    };
    let mut all = plan[section].as_array()?.iter();
    let found = all.find(|one| one["namespace"] == space && one["name"] == name)?;
    Some(holds(&found["decisions"], cluster))
}

/// Every verdict, held against the documents and the plan's own sections.
fn reasons(own: &Candidate, row: &Value, plan: &Value, documents: &[Value]) {
    let cluster = own.name.as_str();
    let fails = own.verdicts.iter().any(|one| !one.passes && !one.idle);
    let told = || format!("{} {cluster} {own:#?}\n{}", subject(row), text(documents));
    assert!(own.chosen || fails, "{}", told());
    assert!(!own.chosen || !fails, "{}", told());
    let (space, name) = (
        row["namespace"].as_str().unwrap_or(""),
        row["name"].as_str().unwrap(),
    );
    let consumer = document(documents, row["kind"].as_str().unwrap(), space, name);
    let of = |pointer: &str| consumer.and_then(|one| one.pointer(pointer)).cloned();
    for verdict in &own.verdicts {
        let (stage, reason) = (verdict.stage.as_str(), verdict.reason.as_str());
        let truth = match () {
            () if stage.starts_with("binding ") && !stage.contains("Placement") => {
                binding(stage, reason, name, cluster, plan, documents)
            }
            () if reason == "is disabled" => {
                // A generated policy has no document of its own.
                of("/spec/disabled").is_none_or(|disabled| disabled == true)
            }
            () if reason.starts_with("no PlacementBinding names it") => {
                row["via"].as_array().is_none_or(Vec::is_empty)
            }
            () if stage == "target" => {
                let failover = of("/spec/action").is_some_and(|action| action == "Failover");
                let field = if failover {
                    "failoverCluster"
                } else {
                    "preferredCluster"
                };
                let target = of(&format!("/spec/{field}"));
                reason.contains(field)
                    && (target.is_some_and(|one| one == cluster)) == verdict.passes
            }
            () if stage == "registration" => {
                registered(space, cluster, plan, documents, verdict.passes)
            }
            () if stage.starts_with("Placement ") && !stage.contains(',') => {
                let placement = stage.trim_start_matches("Placement ");
                let (space, name) = placement.split_once('/').unwrap();
                match selects(plan, "Placement", space, name, cluster) {
                    None => !verdict.passes && reason.contains("does not exist"),
                    // What Ramen decides is not what the hub does.
                    Some(_) if name == "dr" => true,
                    Some(selected) => {
                        // A rollout, or a placement that does not exist, may stop before it.
                        let says = reason.starts_with("selects");
                        says == verdict.passes && (selected == verdict.passes || !selected)
                            || row["kind"] == "ManifestWorkReplicaSet" && row["error"].is_string()
                    }
                }
            }
            () if stage == "clusters" || stage == "selector" => own.chosen == verdict.passes,
            () if stage == "lifecycle" => {
                of("/metadata/annotations/addon.open-cluster-management.io~1lifecycle")
                    .is_some_and(|one| one != "addon-manager")
            }
            () if stage == "install strategy" => {
                of("/spec/installStrategy/type").is_some_and(|one| one == "Manual")
            }
            () if stage == "config map" => of("/spec/generators/0/clusterDecisionResource")
                .is_some_and(|asks| {
                    let map = asks["configMapRef"].as_str().unwrap();
                    let found = document(documents, "ConfigMap", space, map);
                    let right = found.is_some_and(|map| {
                        map["data"]["kind"] == "placementdecisions"
                            && map["data"]["statusListKey"] == "decisions"
                    });
                    map != "acm-placement" && !right
                }),
            () if stage == "parameters" => {
                let name = of("/spec/template/metadata/name");
                let name = name.and_then(|name| name.as_str().map(str::to_owned));
                name.is_some_and(|name| name.contains("clusterNam}") || name.contains("{{name"))
            }
            () if stage == "decision selector" => {
                of("/spec/generators/0/clusterDecisionResource/name").is_none()
                    && of("/spec/generators/0/clusterDecisionResource/labelSelector").is_none()
            }
            () if reason.contains("goes there") => {
                let mut made = row["applications"].as_array().into_iter().flatten();
                made.any(|one| one["cluster"] == cluster)
            }
            () => true,
        };
        assert!(truth, "{stage}: {reason}\n{}", told());
    }
}

/// What is said of one binding, and of one set where it names one.
fn binding(
    stage: &str,
    reason: &str,
    policy: &str,
    cluster: &str,
    plan: &Value,
    documents: &[Value],
) -> bool {
    let mut parts = stage.split(", ");
    let name = parts.next().unwrap().trim_start_matches("binding ");
    let set = parts.next().map(|set| set.trim_start_matches("set "));
    let Some(binding) = document(documents, "PlacementBinding", "gov", name) else {
        // One that a generator makes: held by the plan's row.
        return true;
    };
    let reference = &binding["placementRef"];
    let selected = selects(
        plan,
        reference["kind"].as_str().unwrap(),
        "gov",
        reference["name"].as_str().unwrap(),
        cluster,
    );
    let excluded = set.is_some_and(|set| {
        let set = document(documents, "PolicySet", "gov", set).unwrap();
        let exclusions = set.pointer("/spec/exclusions").and_then(Value::as_array);
        exclusions
            .into_iter()
            .flatten()
            .any(|one| one["policyName"] == policy && holds(&one["clusterNames"], cluster))
    });
    match () {
        () if reason.starts_with("there is no ") => selected.is_none(),
        () if reason.ends_with("does not select the cluster") => selected == Some(false),
        () if reason.starts_with("the set excludes") => selected == Some(true) && excluded,
        () if reason.starts_with("places nothing") => binding["subFilter"] == "restricted",
        () => selected == Some(true) && !excluded && binding.get("subFilter").is_none(),
    }
}

/// Whether Argo CD of a namespace knows a cluster, by the rows of its GitOpsClusters.
fn registered(space: &str, cluster: &str, plan: &Value, documents: &[Value], said: bool) -> bool {
    let all = documents
        .iter()
        .filter(|one| one["kind"] == "GitOpsCluster");
    let fills = |one: &&Value| one["spec"]["argoServer"]["argoNamespace"] == space;
    let names: Vec<&Value> = all
        .filter(fills)
        .map(|one| &one["metadata"]["name"])
        .collect();
    let rows = plan["deliveries"].as_array().unwrap().iter();
    let mut rows =
        rows.filter(|row| row["kind"] == "GitOpsCluster" && names.contains(&&row["name"]));
    said == (names.is_empty() || rows.any(|row| holds(&row["clusters"], cluster)))
}

#[test]
fn what_is_offered_for_a_delivery_delivers_it_and_every_reason_is_true() {
    let mut told = Told::default();
    let fleets = [
        fleet::policies,
        fleet::generated,
        fleet::applications,
        fleet::subscriptions,
        fleet::hub,
    ];
    let seeds = std::env::var("PLANNER_FLEETS").ok();
    let seeds = seeds.and_then(|text| text.parse().ok()).unwrap_or(12);
    for seed in 0..seeds {
        for make in fleets {
            hold(&make(&mut Dice(seed)), &mut told);
        }
    }
    for kind in [
        "ApplicationSet",
        "ClusterManagementAddOn",
        "DRPlacementControl",
        "GitOpsCluster",
        "ManifestWorkReplicaSet",
        "Policy",
        "Subscription",
    ] {
        let sets = told.sets.get(kind).copied().unwrap_or(0);
        let none = told.none.get(kind).copied().unwrap_or(0);
        assert!(
            sets > 10 && none * 2 < sets,
            "{kind}: {sets}, none for {none}"
        );
    }
}

/// A consumer that is at fault changes nothing that its Placement decides.
#[test]
fn a_faulty_consumer_changes_no_decision() {
    let mut faulty = 0;
    for seed in 0..40 {
        for make in [
            fleet::policies,
            fleet::applications,
            fleet::subscriptions,
            fleet::hub,
        ] {
            let documents = make(&mut Dice(seed));
            let placements = |documents: &[Value]| {
                with_base(documents, |base| {
                    let options = Options {
                        keep_going: true,
                        ..Options::default()
                    };
                    let plan = plan::make(base.site, &options);
                    let found = base.site.report(&[&plan.findings]);
                    let answer =
                        super::written::PlanAnswer::new(&plan, &found, base.site.documents.sources);
                    let answer = serde_json::to_value(answer).unwrap();
                    let mut rows = answer["placements"].clone();
                    for row in rows.as_array_mut().into_iter().flatten() {
                        let row = row.as_object_mut().unwrap();
                        row.shift_remove("line");
                        row.shift_remove("at");
                    }
                    (rows, plan.refused())
                })
            };
            let (sound, _) = placements(&documents);
            let mut dice = Dice(seed + 77);
            let mut damaged = documents.clone();
            let ours = [
                "ManagedCluster",
                "ManagedClusterSet",
                "ManagedClusterSetBinding",
                "Placement",
            ];
            for document in &mut damaged {
                if !ours.iter().any(|kind| document["kind"] == *kind) {
                    damage(document, &mut dice);
                }
            }
            let (after, refused) = placements(&damaged);
            assert_eq!(sound, after, "{}", text(&damaged));
            faulty += usize::from(refused);
        }
    }
    assert!(faulty > 60, "{faulty}");
}

/// Puts something wrong in the place of some value.
fn damage(document: &mut Value, dice: &mut Dice) {
    let wrong = [
        Value::from(7),
        Value::from("{{"),
        Value::Null,
        Value::from(vec![1]),
        serde_json::json!({"x": {"y": []}}),
    ];
    match document {
        Value::Object(map) => {
            for (key, value) in map.iter_mut() {
                if ["apiVersion", "kind", "metadata"].contains(&key.as_str()) {
                    continue;
                }
                match dice.roll(5) {
                    0 => *value = wrong[dice.roll(5) as usize].clone(),
                    _ => damage(value, dice),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| damage(item, dice)),
        _ => {}
    }
}
