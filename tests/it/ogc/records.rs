//! What Proceed records, and that the next plan reads it back.

use planner::load::{Request, open};
use planner::ogc;
use planner::ogc::engine::Outcome;
use planner::ogc::model::Model;
use planner::render::yaml;
use serde_json::{Value, json};

use super::{options, settings};

/// Loads a site and hands model and plan to `f`.
fn with<R>(site: &str, f: impl FnOnce(&Model<'_>, &Outcome<'_>) -> R) -> R {
    let mut request = Request::of(vec!["-".into()]);
    request.stdin = Some(site.as_bytes().to_vec());
    let loaded = open(&request).expect("a request");
    let mut sink = loaded.findings.clone();
    let documents = loaded.documents();
    let model = ogc::check(&documents, &settings(), &mut sink);
    assert!(!sink.refused(), "{:?}", sink.diagnostics);
    let outcome = ogc::plan(&model, &options());
    f(&model, &outcome)
}

/// The Deployments that a plan of the site leads to.
fn proceed(site: &str, number: &str) -> Vec<Value> {
    with(site, |model, outcome| {
        ogc::records::records(model, outcome, settings().now, number)
    })
}

fn recorded(site: &str, records: &[Value]) -> String {
    let mut site = site.to_owned();
    for record in records {
        site.push_str("\n---\n");
        site.push_str(&yaml::document(record));
    }
    site
}

fn site(costs: [u32; 3], more: &str) -> String {
    let mut site = String::from(
        "apiVersion: planner/v1\nkind: Project\nmetadata: {name: p}\n---\n\
         apiVersion: planner/v1\nkind: Package\nmetadata: {name: k}\nspec:\n  project: p\n  \
         rules: [{key: cost, operator: MinOf}]\n  storageRequests:\n  \
         - {name: data, type: StandardSSD, capacity: 1Gi}\n  \
         - {name: tmp, type: StandardSSD, persistence: EmptyDirEphemeral, capacity: 1Gi}\n---\n\
         apiVersion: planner/v1\nkind: Application\nmetadata: {name: db}\nspec:\n  package: k\n  \
         containers:\n  - name: db\n    mounts: [{path: /a, storageRequest: data}, \
         {path: /b, storageRequest: data}, {path: /c, storageRequest: tmp}]\n",
    );
    for (cost, at) in costs.into_iter().zip(1..) {
        site.push_str(&format!(
            "---\napiVersion: planner/v1\nkind: Cluster\nmetadata: {{name: c{at}, \
             creationTimestamp: \"202{at}-01-01T00:00:00Z\", labels: {{cost: \"{cost}\"}}}}\n\
             spec: {{projects: [p], nodes: [{{name: n1, allocatable: {{cpu: 1, memory: 1}}}}], \
             volumeProviders: [{{name: v, type: StandardSSD}}]}}\nstatus: {{phase: Up}}\n"
        ));
    }
    site + more
}

#[test]
fn a_record_holds_what_is_placed_and_its_volumes() {
    let records = proceed(&site([2, 1, 3], ""), "0001");
    assert_eq!(
        records,
        [json!({
            "apiVersion": "planner/v1",
            "kind": "Deployment",
            "metadata": {
                "name": "k-1",
                "creationTimestamp": "2026-01-01T00:00:00Z",
                "annotations": {"planner/record": "0001"},
            },
            "spec": {"package": "k"},
            "status": {"phase": "Running", "workloads": [{
                "application": "db",
                "cluster": "c2",
                "persistentResources": [{
                    "kind": "PersistentVolumeClaim",
                    "name": "data-db-0",
                    "storageRequest": "data",
                }],
            }]},
        })]
    );
}

#[test]
fn three_proceeds_in_a_row_keep_a_volume_where_it_is() {
    let mut records = proceed(&site([2, 1, 3], ""), "0001");
    // Another Cluster becomes cheaper each time, and an Application joins so that something
    // changes.
    for (costs, at) in [([0, 1, 3], 2), ([5, 9, 0], 3), ([0, 9, 0], 4)] {
        let more: String = (2..=at)
            .map(|n| {
                format!(
                    "---\napiVersion: planner/v1\nkind: Application\nmetadata: {{name: a{n}}}\n\
                     spec: {{package: k}}\n"
                )
            })
            .collect();
        let site = recorded(&site(costs, &more), &records);
        let new = proceed(&site, &format!("{at:04}"));
        assert_eq!(new.len(), 1);
        assert_eq!(new[0]["metadata"]["name"], format!("k-{at}"));
        let time = format!("2026-01-01T00:00:{:02}Z", at - 1);
        assert_eq!(new[0]["metadata"]["creationTimestamp"], time);
        let workloads = new[0]["status"]["workloads"].as_array().expect("workloads");
        let db = workloads
            .iter()
            .find(|w| w["application"] == "db")
            .expect("db");
        assert_eq!(db["cluster"], "c2");
        assert_eq!(db["persistentResources"].as_array().map(Vec::len), Some(1));
        records.extend(new);
    }
}

#[test]
fn a_plan_that_was_recorded_changes_nothing_when_made_again() {
    let site = site([2, 1, 3], "");
    let records = proceed(&site, "0001");
    let again = recorded(&site, &records);
    assert_eq!(proceed(&again, "0002"), Vec::<Value>::new());
    with(&again, |_, outcome| {
        assert!(outcome.is_unchanged());
    });
}

#[test]
fn what_the_question_must_tell() {
    let records = proceed(&site([2, 1, 3], ""), "0001");
    let down = site([2, 1, 3], "").replace("name: c2, ", "name: c4, ");
    with(&recorded(&down, &records), |_, outcome| {
        let volumes = outcome.items.iter().flat_map(|item| &item.out_of_bounds);
        assert_eq!(volumes.filter(|volume| volume.held).count(), 1);
        assert_eq!(
            outcome.packages[0].stops.map(|stopped| stopped.name),
            Some("k-1")
        );
    });
}

#[test]
fn of_records_with_one_name_the_highest_number_counts() {
    let record = |number: &str, cluster: &str| {
        json!({
            "apiVersion": "planner/v1",
            "kind": "Deployment",
            "metadata": {
                "name": "k-1",
                "creationTimestamp": "2025-01-01T00:00:00Z",
                "annotations": {"planner/record": number},
            },
            "spec": {"package": "k"},
            "status": {"workloads": [{"application": "db", "cluster": cluster}]},
        })
    };
    let both = [record("0002", "c3"), record("0001", "c1")];
    with(&recorded(&site([2, 1, 3], ""), &both), |model, outcome| {
        assert_eq!(model.deployments.len(), 1);
        assert_eq!(
            outcome.items[0].was.as_ref().map(|was| was.cluster),
            Some("c3")
        );
    });
}
