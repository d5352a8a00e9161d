//! The records that Proceed writes: a Deployment of every Package in which something changes.

use std::collections::BTreeSet;
use std::ops::Bound;

use jiff::{SignedDuration, Timestamp};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::engine::{Change, Item, Outcome, PackagePlan};
use super::model::{Model, Persistence, Workload};
use crate::document::record;
use crate::kit::time::format_seconds;
use crate::source::Place;

/// Longest name of a Deployment: an RFC 1123 label.
const LONGEST: usize = 63;

/// The Workloads of earlier Deployments by where they stand.
type Held<'m, 'a> = FxHashMap<Place, &'m Workload<'a>>;

/// The Packages that get a Deployment: those in which something changes.
pub fn recorded<'o, 'a>(outcome: &'o Outcome<'a>) -> impl Iterator<Item = &'o PackagePlan<'a>> {
    outcome.packages.iter().filter(|package| {
        let mut items = outcome.items_of(package).iter();
        items.any(|item| item.change != Change::Unchanged)
    })
}

/// The records of a plan: a Deployment of each Package in which something changes.
///
/// `now` is the plan's time, `number` the record's own. Old Deployments are never edited.
#[must_use]
pub fn records<'a>(
    model: &Model<'a>,
    outcome: &Outcome<'a>,
    now: Timestamp,
    number: &str,
) -> Vec<Value> {
    let mut used: BTreeSet<String> = model
        .deployments
        .iter()
        .map(|deployment| deployment.name.to_owned())
        .collect();
    let workloads = model.deployments.iter().flat_map(|known| &known.workloads);
    let held: Held<'_, 'a> = workloads
        .map(|workload| (workload.place, workload))
        .collect();
    recorded(outcome)
        .map(|package| {
            let name = fresh_name(package.name, &used);
            used.insert(name.clone());
            deployment(model, outcome, package, &held, (&name, now, number))
        })
        .collect()
}

fn deployment<'a>(
    model: &Model<'a>,
    outcome: &Outcome<'a>,
    package: &PackagePlan<'a>,
    held: &Held<'_, 'a>,
    (name, now, number): (&str, Timestamp, &str),
) -> Value {
    let items = outcome.items_of(package).iter();
    let workloads: Vec<Value> = items
        .filter_map(|item| workload(model, held, item))
        .collect();
    let created = created(model, package.name, now);
    json!({
        "apiVersion": "planner/v1",
        "kind": "Deployment",
        "metadata": {
            "name": name,
            "creationTimestamp": format_seconds(created),
            "annotations": {record::ANNOTATION: number},
        },
        "spec": {"package": package.name},
        "status": {"phase": "Running", "workloads": workloads},
    })
}

/// The plan's time in whole seconds, at least one second after the Package's newest Deployment.
fn created(model: &Model<'_>, package: &str, now: Timestamp) -> Timestamp {
    let whole = |time: Timestamp| Timestamp::from_second(time.as_second()).unwrap_or(time);
    let newest = model
        .deployments
        .iter()
        .rev()
        .find(|known| known.package == package);
    let second = SignedDuration::from_secs(1);
    let earliest = newest.and_then(|newest| {
        let later = newest.created.checked_add(second).ok()?;
        // A fraction of a second would be cut off below the wanted distance.
        let cut = whole(later);
        if cut < later {
            cut.checked_add(second).ok()
        } else {
            Some(cut)
        }
    });
    earliest.map_or(whole(now), |earliest| earliest.max(whole(now)))
}

/// `PACKAGE-N`, N one more than the largest in use, the Package shortened so that it stays a
/// name.
fn fresh_name(package: &str, used: &BTreeSet<String>) -> String {
    let shortened = |number: u64| {
        let end = format!("-{number}");
        let kept = package.len().min(LONGEST - end.len());
        format!("{}{end}", package[..kept].trim_end_matches('-'))
    };
    let number_of = |name: &str| -> Option<u64> {
        let (_, digits) = name.rsplit_once('-')?;
        let number = digits.parse().ok()?;
        (shortened(number) == name).then_some(number)
    };
    // Every such name begins like the Package, however far it is shortened.
    let begin = package[..package.len().min(LONGEST / 2)].trim_end_matches('-');
    let known = used.range::<str, _>((Bound::Included(begin), Bound::Unbounded));
    let largest = known
        .take_while(|name| name.starts_with(begin))
        .filter_map(|name| number_of(name))
        .max()
        .unwrap_or(0);
    shortened(largest.saturating_add(1))
}

fn workload<'a>(model: &Model<'a>, held: &Held<'_, 'a>, item: &Item<'a>) -> Option<Value> {
    let application = item.of(model)?;
    let cluster = model.clusters[item.cluster? as usize].name;
    let mut workload = json!({"application": item.application, "cluster": cluster});
    let mut resources = Vec::new();
    let mut recorded: Vec<&str> = Vec::new();
    if let Some(was) = item.was.as_ref().filter(|was| was.cluster == cluster) {
        let workload = held.get(&was.place);
        for resource in workload
            .into_iter()
            .flat_map(|workload| &workload.resources)
        {
            let mut entry = json!({"kind": resource.kind, "name": resource.name});
            if let Some(request) = resource.storage_request {
                entry["storageRequest"] = json!(request);
                recorded.push(request);
            }
            resources.push(entry);
        }
    }
    let requests = &model.package_of(application).storage_requests;
    for mount in &application.mounts {
        let request = &requests[mount.request as usize];
        let persistent = request.persistence == Persistence::Persistent;
        if persistent && !recorded.contains(&request.name) {
            recorded.push(request.name);
            resources.push(json!({
                "kind": "PersistentVolumeClaim",
                "name": format!("{}-{}-0", request.name, application.name),
                "storageRequest": request.name,
            }));
        }
    }
    if !resources.is_empty() {
        workload["persistentResources"] = Value::Array(resources);
    }
    Some(workload)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_on_and_stay_names() {
        let used = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(fresh_name("shop", &used(&[])), "shop-1");
        assert_eq!(
            fresh_name("shop", &used(&["shop-2", "shop-9", "shop-x", "web-77"])),
            "shop-10"
        );
        assert_eq!(fresh_name("shop", &used(&["shop-007"])), "shop-1");
        let long = "a".repeat(63);
        let first = fresh_name(&long, &used(&[]));
        assert_eq!(first.len(), 63);
        assert!(first.ends_with("a-1"));
        let second = fresh_name(&long, &used(&[&first]));
        assert!(second.ends_with("a-2"));
        let dashed = format!("{}-b", "a".repeat(60));
        assert_eq!(
            fresh_name(&dashed, &used(&[])),
            format!("{}-1", "a".repeat(60))
        );
    }
}
