//! What holds of every plan: the engine against the specification's sentences taken literally,
//! filters only remove, and neither the order of documents nor Clusters that are out matter.

use planner::kit::quantity::Quantity;
use planner::ogc::engine::{Filter, Settings, plan};
use planner::ogc::inheritance::effective;
use planner::ogc::judge::{SINGLE, judge};
use planner::ogc::labels::{figure, labels_for};
use planner::ogc::model::{
    AccessMode, Application, Cluster, Deployment, DeploymentPhase, Label, Model, Mount, Node,
    Operator, Package, Persistence, PersistentResource, Project, ResourceSum, Rule, StorageRequest,
    StorageType, VolumeMode, VolumeProvider, Workload,
};
use planner::source::{Place, SourceId, Span};
use proptest::prelude::*;

use super::text;

const KEYS: [&str; 3] = ["disk", "cost", "zone"];
const VALUES: [&str; 8] = [
    "",
    "a",
    "b",
    "7",
    "07",
    "9",
    "100000000000000000000000",
    "-1",
];
const NAMES: [&str; 6] = ["c0", "c1", "c2", "c3", "c4", "c5"];
const APPS: [&str; 4] = ["a0", "a1", "a2", "a3"];

fn one_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> BoxedStrategy<T> {
    prop::sample::select(all).boxed()
}

fn labels() -> impl Strategy<Value = Box<[Label<'static>]>> {
    let label = prop::option::weighted(0.6, one_of(&VALUES));
    prop::collection::vec(label, KEYS.len()).prop_map(|values| {
        let labels = KEYS.into_iter().zip(values);
        let label = |(key, value): (&'static str, Option<&'static str>)| {
            let place = Place::default();
            value.map(|value| Label { key, value, place })
        };
        labels.filter_map(label).collect()
    })
}

fn amount() -> impl Strategy<Value = Quantity> {
    (0_i64..4).prop_map(Quantity::from_units)
}

fn node() -> impl Strategy<Value = Node<'static>> {
    (labels(), amount(), amount()).prop_map(|(labels, cpu, memory)| Node {
        labels,
        cpu,
        memory,
        ..Node::default()
    })
}

fn provider() -> impl Strategy<Value = VolumeProvider<'static>> {
    let modes = prop::option::of(prop::sample::subsequence(VolumeMode::ALL, 0..=2));
    let access = prop::option::of(prop::sample::subsequence(AccessMode::ALL, 0..=2));
    let storage = one_of(&StorageType::ALL[..2]);
    (storage, modes, access, prop::option::of(amount())).prop_map(
        |(storage, modes, access_modes, max_volume)| VolumeProvider {
            name: "p",
            place: Place::default(),
            storage,
            modes,
            access_modes,
            max_volume,
        },
    )
}

fn cluster() -> impl Strategy<Value = Cluster<'static>> {
    let status = prop::option::weighted(0.9, prop_oneof![9 => Just("Up"), 1 => Just("Down")]);
    (
        labels(),
        status,
        prop::collection::vec(node(), 0..4),
        prop::collection::vec(provider(), 0..3),
        prop::bool::weighted(0.9),
    )
        .prop_map(|(labels, status, nodes, providers, assigned)| Cluster {
            labels,
            status: status.map(|word| (word, Place::default())),
            projects: if assigned { vec![0] } else { vec![1] },
            nodes,
            providers,
            ..Cluster::default()
        })
}

fn rules() -> impl Strategy<Value = Box<[Rule<'static>]>> {
    let values = prop::collection::vec(one_of(&VALUES), 1..3);
    let rule = (one_of(&KEYS), one_of(Operator::ALL), values);
    prop::collection::vec(rule, 0..3).prop_map(|rules| {
        let mut extremum = false;
        let mut kept = Vec::new();
        for (key, operator, mut values) in rules {
            if operator.is_extremum() && std::mem::replace(&mut extremum, true) {
                continue;
            }
            values.truncate(operator.value_count().1.unwrap_or(2));
            let place = Place::default();
            kept.push(Rule {
                key,
                operator,
                values: values.into(),
                place,
            });
        }
        kept.into()
    })
}

fn application(at: usize) -> impl Strategy<Value = Application<'static>> {
    let access = prop::option::of(one_of(AccessMode::ALL));
    let mounts = prop::collection::vec((0_u32..2, access), 0..2);
    let asked = || {
        amount().prop_map(|amount| ResourceSum {
            amount,
            place: None,
        })
    };
    (rules(), asked(), asked(), mounts).prop_map(move |(rules, cpu, memory, mounts)| {
        let mount = |(request, access_mode)| Mount {
            request,
            access_mode,
            place: Place::default(),
        };
        Application {
            name: APPS[at],
            place: Place::default(),
            package: 0,
            rules,
            replicas: 1,
            cpu,
            memory,
            mounts: mounts.into_iter().map(mount).collect(),
        }
    })
}

fn requests() -> impl Strategy<Value = Vec<StorageRequest<'static>>> {
    let request = (
        one_of(&StorageType::ALL[..2]),
        one_of(Persistence::ALL),
        one_of(VolumeMode::ALL),
        amount(),
    );
    let make = |(storage, persistence, mode, capacity)| StorageRequest {
        name: "r",
        place: Place::default(),
        storage,
        persistence,
        mode,
        capacity,
    };
    prop::collection::vec(request.prop_map(make), 2)
}

fn deployments() -> impl Strategy<Value = Vec<Deployment<'static>>> {
    let workload = prop::option::of((0..NAMES.len() + 1, any::<bool>()));
    let deployment = (
        one_of(DeploymentPhase::ALL),
        prop::collection::vec(workload, APPS.len()),
    );
    prop::collection::vec(deployment, 0..3).prop_map(|deployments| {
        let make = |(phase, workloads): (_, Vec<Option<(usize, bool)>>), at: i64| Deployment {
            name: "d",
            place: Place::default(),
            created: jiff::Timestamp::from_second(at).expect("a time"),
            package: "k",
            phase,
            workloads: APPS
                .into_iter()
                .zip(workloads)
                .filter_map(|(application, workload)| {
                    let (cluster, holds) = workload?;
                    let resource = PersistentResource {
                        kind: "PersistentVolumeClaim",
                        name: "v",
                        storage_request: None,
                        place: Place::default(),
                    };
                    Some(Workload {
                        application,
                        cluster: NAMES.get(cluster).copied().unwrap_or("gone"),
                        place: Place {
                            source: SourceId(0),
                            span: Span {
                                start: at as u32,
                                end: 0,
                            },
                        },
                        resources: if holds { vec![resource] } else { Vec::new() },
                    })
                })
                .collect(),
        };
        deployments
            .into_iter()
            .zip(0..)
            .map(|(d, at)| make(d, at))
            .collect()
    })
}

fn model() -> impl Strategy<Value = Model<'static>> {
    let applications = (
        application(0),
        application(1),
        application(2),
        application(3),
    );
    (
        prop::collection::vec(cluster(), 0..NAMES.len()),
        rules(),
        requests(),
        applications,
        deployments(),
    )
        .prop_map(
            |(mut clusters, rules, storage_requests, (a, b, c, d), deployments)| {
                for (cluster, name) in clusters.iter_mut().zip(NAMES) {
                    cluster.name = name;
                }
                let place = Place::default();
                let project = |name| Project { name, place };
                Model {
                    projects: vec![project("p"), project("q")],
                    clusters,
                    packages: vec![Package {
                        name: "k",
                        place,
                        project: 0,
                        rules,
                        storage_requests,
                        applications: 0..APPS.len(),
                    }],
                    applications: vec![a, b, c, d],
                    deployments,
                }
            },
        )
}

/// The Clusters left after each filter, by the sentences of the specification.
fn literally(model: &Model<'_>, application: &Application<'_>, same_node: bool) -> Vec<Vec<u32>> {
    let clusters = model.clusters.iter().zip(0_u32..);
    let mut list: Vec<u32> = clusters
        .filter(|(cluster, _)| cluster.is_assigned(0))
        .map(|(_, at)| at)
        .collect();
    let mut lists = Vec::new();
    let cluster = |at: u32| &model.clusters[at as usize];
    for filter in Filter::ALL {
        if SINGLE.contains(&filter) {
            list.retain(|&at| judge(model, application, cluster(at), filter, same_node).passes);
        } else if filter == Filter::Extant {
            let newest = model.deployments.iter().rev().find_map(|deployment| {
                let counts = deployment.phase != DeploymentPhase::Planned;
                let mut workloads = deployment.workloads.iter().filter(|_| counts);
                workloads.find(|workload| workload.application == application.name)
            });
            let holder = newest.filter(|workload| !workload.resources.is_empty());
            let held = holder.map(|workload| workload.cluster);
            if list.iter().any(|&at| held == Some(cluster(at).name)) {
                list.retain(|&at| held == Some(cluster(at).name));
            }
        } else if filter == Filter::Extremum {
            let rule = effective(model, application).map(|(rule, _)| rule);
            let mut rule = rule.filter(|rule| rule.operator.is_extremum());
            if let Some(rule) = rule.next() {
                let of = |at: u32| {
                    let labels = labels_for(cluster(at), rule.key, rule.operator);
                    figure(rule, &labels).expect("complies").0
                };
                let figures = list.iter().map(|&at| of(at));
                let best = match rule.operator {
                    Operator::MinOf => figures.min(),
                    _ => figures.max(),
                };
                list.retain(|&at| Some(of(at)) == best);
            }
        } else {
            list.truncate(1);
        }
        lists.push(list.clone());
        if list.is_empty() {
            break;
        }
    }
    lists
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_engine_does_what_the_specification_says(model in model(), same_node: bool) {
        let settings = Settings { packages: &[], same_node, trace: true, jobs: 2, progress: None };
        let outcome = plan(&model, &settings);
        for item in outcome.items.iter().filter(|item| item.subject.is_some()) {
            let application = item.of(&model).expect("a subject");
            let wanted = literally(&model, application, same_node);
            let run = outcome.run_of(item).expect("a run");
            let lists: Vec<Vec<u32>> = run.lists.iter().map(|list| list.to_vec()).collect();
            prop_assert_eq!(&lists, &wanted);
            let left: Vec<u32> = run.filters().map(|(_, left)| left).collect();
            let wanted_left: Vec<u32> = wanted.iter().map(|list| list.len() as u32).collect();
            prop_assert_eq!(left, wanted_left);
            for pair in lists.windows(2) {
                prop_assert!(pair[1].iter().all(|cluster| pair[0].contains(cluster)));
            }
            prop_assert_eq!(item.cluster, wanted.last().and_then(|list| list.first().copied()));
        }
    }

    #[test]
    fn a_cluster_that_is_out_changes_nothing(mut model in model()) {
        let settings = Settings::default();
        let name = |model: &Model<'static>, at: Option<u32>| {
            at.map(|at| model.clusters[at as usize].name)
        };
        let before: Vec<_> = plan(&model, &settings)
            .items
            .iter()
            .map(|item| (name(&model, item.cluster), item.change))
            .collect();
        let down = Cluster {
            name: "aaa",
            projects: vec![0],
            status: Some(("Down", Place::default())),
            ..Cluster::default()
        };
        model.clusters.insert(0, down);
        let after: Vec<_> = plan(&model, &settings)
            .items
            .iter()
            .map(|item| (name(&model, item.cluster), item.change))
            .collect();
        prop_assert_eq!(before, after);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_order_of_documents_changes_nothing(order in Just(sections()).prop_shuffle()) {
        let (wanted, _) = text(&sections().join("---\n"));
        let (plan, found) = text(&order.join("---\n"));
        prop_assert!(!super::refused(&found));
        prop_assert_eq!(plan, wanted);
    }
}

/// The documents of the retail site, one by one.
fn sections() -> Vec<String> {
    let mut sections = Vec::new();
    let mut folders = vec![super::fixture("retail")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "yaml") {
                let text = std::fs::read_to_string(path).expect("text");
                sections.extend(text.split("---\n").map(str::to_owned));
            }
        }
    }
    sections.sort();
    sections
}
