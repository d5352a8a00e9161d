//! Random sites of all systems, with records: what is lost is what documents without it would be,
//! and every loss, alone or in pairs, is what planning the rest of the site says.

use crate::support::altered::{Data, compare, data, lost, racks, read, settings};
use planner::options::Options;
use planner::risk::AtATime;
use planner::site::{self, Changes, Thing};
use planner::{plan, risk};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A cluster of all systems: cost, whether it is Up, its region, its memory, its nodes.
type Drawn = (u8, bool, u8, u8, u8);

/// What a site is drawn from.
#[derive(Debug, Clone)]
struct Draw {
    clusters: Vec<Drawn>,
    /// Kind, and the cluster it was on.
    applications: Vec<(u8, u8)>,
    /// How many clusters the placements want, and their weights.
    wanted: u8,
    weights: (i8, i8),
    /// Of each group: its kind and what it must have.
    groups: Vec<(u8, u8)>,
    /// Of each region: weight, cap, nodes.
    regions: Vec<(u8, i8, u8)>,
    /// Whether a record of an earlier plan is there.
    recorded: bool,
    /// Whether placement rules look for other things than clusters as well.
    claims: bool,
}

fn draws() -> impl Strategy<Value = Draw> {
    (
        prop::collection::vec(
            (
                0..4_u8,
                prop::bool::weighted(0.8),
                0..3_u8,
                1..5_u8,
                0..4_u8,
            ),
            1..6,
        ),
        prop::collection::vec((0..8_u8, 0..6_u8), 0..7),
        0..5_u8,
        (-2..3_i8, -2..3_i8),
        prop::collection::vec((0..6_u8, 0..4_u8), 0..5),
        prop::collection::vec((0..4_u8, -1..6_i8, 0..4_u8), 1..5),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(
            |(clusters, applications, wanted, weights, groups, regions, recorded, claims)| Draw {
                clusters,
                applications,
                wanted,
                weights,
                groups,
                regions,
                recorded,
                claims,
            },
        )
}

/// The site as data, each document with its file.
fn drawn(draw: &Draw) -> Data {
    let mut all = Data::new();
    packages(draw, &mut all);
    hub(draw, &mut all);
    machines(draw, &mut all);
    regions(draw, &mut all);
    all
}

fn packages(draw: &Draw, all: &mut Data) {
    let mut add = |file: &str, value: Value| all.push((file.to_owned(), value));
    let planner = "planner/v1";
    add(
        "packages.yaml",
        json!({"apiVersion": planner, "kind": "Project", "metadata": {"name": "p"}}),
    );
    add(
        "packages.yaml",
        json!({"apiVersion": planner, "kind": "Package", "metadata": {"name": "shop"},
               "spec": {"project": "p",
                        "storageRequests": [{"name": "v", "type": "StandardSSD", "capacity": "1Gi"}]}}),
    );
    for ((cost, up, region, memory, nodes), at) in draw.clusters.iter().zip(0..) {
        let node = |number: &u8| {
            // Some nodes have labels, which stand for their cluster's.
            let labels = match (number + cost) % 4 {
                0 => json!({"region": "r1", "disk": "nvme"}),
                _ => json!({}),
            };
            json!({"name": format!("m{at}-{number}"), "labels": labels,
                   "allocatable": {"cpu": format!("{memory}"), "memory": format!("{}Gi", memory + number)}})
        };
        let listed: Vec<Value> = (0..nodes / 2)
            .collect::<Vec<u8>>()
            .iter()
            .map(node)
            .collect();
        add(
            "clusters.yaml",
            json!({"apiVersion": planner, "kind": "Cluster",
                   "metadata": {"name": format!("c{at}"),
                                "labels": {"cost": format!("{cost}"), "region": format!("r{region}")}},
                   "spec": {"projects": ["p"], "nodes": listed,
                            "volumeProviders": [{"name": "d", "type": "StandardSSD"}]},
                   "status": {"phase": if *up { "Up" } else { "Down" }}}),
        );
        for number in nodes / 2..*nodes {
            let written = node(&number);
            add(
                "clusters.yaml",
                json!({"apiVersion": planner, "kind": "Node",
                       "metadata": {"name": written["name"], "labels": written["labels"]},
                       "spec": {"cluster": format!("c{at}")},
                       "status": {"allocatable": written["allocatable"]}}),
            );
        }
    }
    let mut workloads = Vec::new();
    for ((kind, cluster), at) in draw.applications.iter().zip(0..) {
        let rules = match kind % 5 {
            0 => json!([]),
            1 => json!([{"key": "cost", "operator": "MinOf"}]),
            2 => json!([{"key": "region", "operator": "NotEquals", "values": ["r1"]},
                        {"key": "cost", "operator": "MaxOf"}]),
            3 => json!([{"key": "disk", "operator": "NotExists"}]),
            _ => json!([{"key": "region", "operator": "Equals", "values": ["r2"]}]),
        };
        add(
            "packages.yaml",
            json!({"apiVersion": planner, "kind": "Application", "metadata": {"name": format!("a{at}")},
                   "spec": {"package": "shop", "rules": rules,
                            "containers": [{"name": "c", "image": "i:1",
                                            "requests": {"memory": format!("{}Gi", kind % 6)},
                                            "mounts": [{"path": "/v", "storageRequest": "v",
                                                        "accessMode": "ReadWriteOnce"}]}]}}),
        );
        let mut workload =
            json!({"application": format!("a{at}"), "cluster": format!("c{cluster}")});
        if kind % 2 == 1 {
            workload["persistentResources"] = json!([{"kind": "PersistentVolumeClaim", "name": format!("v-{at}"), "storageRequest": "v"}]);
        }
        workloads.push(workload);
    }
    let (file, notes) = if draw.recorded {
        (
            "planner-records/0001-site.yaml",
            json!({"planner/record": "0001"}),
        )
    } else {
        ("packages.yaml", json!({}))
    };
    add(
        file,
        json!({"apiVersion": planner, "kind": "Deployment",
               "metadata": {"name": "shop-1", "creationTimestamp": "2025-01-01T00:00:00Z", "annotations": notes},
               "spec": {"package": "shop"}, "status": {"phase": "Running", "workloads": workloads}}),
    );
}

fn hub(draw: &Draw, all: &mut Data) {
    let mut add = |file: &str, value: Value| all.push((file.to_owned(), value));
    let group = "cluster.open-cluster-management.io";
    for set in ["even", "odd"] {
        add(
            "hub.yaml",
            json!({"apiVersion": format!("{group}/v1beta2"), "kind": "ManagedClusterSet",
                   "metadata": {"name": set}}),
        );
        add(
            "hub.yaml",
            json!({"apiVersion": format!("{group}/v1beta2"), "kind": "ManagedClusterSetBinding",
                   "metadata": {"name": set, "namespace": "ns"}, "spec": {"clusterSet": set}}),
        );
    }
    for ((cost, up, region, memory, _), at) in draw.clusters.iter().zip(0..) {
        let set = if at % 2 == 0 { "even" } else { "odd" };
        let mut labels = json!({"cost": format!("{cost}"), "region": format!("r{region}")});
        labels[format!("{group}/clusterset")] = set.into();
        let size = json!({"cpu": format!("{memory}"), "memory": format!("{memory}Gi")});
        let taints = match up {
            true => json!([]),
            false => {
                json!([{"key": "down", "effect": "NoSelect", "timeAdded": "2025-01-01T00:00:00Z"}])
            }
        };
        add(
            "hub.yaml",
            json!({"apiVersion": format!("{group}/v1"), "kind": "ManagedCluster",
                   "metadata": {"name": format!("c{at}"), "labels": labels},
                   "spec": {"hubAcceptsClient": true, "taints": taints},
                   "status": {"allocatable": size, "capacity": size}}),
        );
        if cost % 2 == 0 {
            add(
                "hub.yaml",
                json!({"apiVersion": format!("{group}/v1alpha1"), "kind": "AddOnPlacementScore",
                       "metadata": {"name": "speed", "namespace": format!("c{at}")},
                       "status": {"scores": [{"name": "fast", "value": i32::from(*memory) * 20}]}}),
            );
        }
    }
    let placement = |name: &str, spec: Value| {
        json!({"apiVersion": format!("{group}/v1beta1"), "kind": "Placement",
               "metadata": {"name": name, "namespace": "ns"}, "spec": spec})
    };
    add("hub.yaml", placement("all", json!({})));
    add(
        "hub.yaml",
        placement(
            "odd",
            json!({"clusterSets": ["odd"], "numberOfClusters": draw.wanted / 2}),
        ),
    );
    add(
        "hub.yaml",
        placement(
            "some",
            json!({"numberOfClusters": draw.wanted,
                   "predicates": [{"requiredClusterSelector": {"labelSelector": {"matchExpressions":
                       [{"key": "region", "operator": "NotIn", "values": ["r0"]}]}}}],
                   "prioritizerPolicy": {"configurations": [
                       {"scoreCoordinate": {"builtIn": "ResourceAllocatableMemory"}, "weight": draw.weights.0},
                       {"scoreCoordinate": {"builtIn": "Steady"}, "weight": draw.weights.1},
                       {"scoreCoordinate": {"type": "AddOn",
                            "addOn": {"resourceName": "speed", "scoreName": "fast"}}, "weight": 1}]}}),
        ),
    );
    let (file, notes) = if draw.recorded {
        (
            "planner-records/0001-site.yaml",
            json!({"planner/record": "0001"}),
        )
    } else {
        ("hub.yaml", json!({}))
    };
    add(
        file,
        json!({"apiVersion": format!("{group}/v1beta1"), "kind": "PlacementDecision",
               "metadata": {"name": "some-decision-1", "namespace": "ns", "annotations": notes,
                            "labels": {format!("{group}/placement"): "some",
                                       format!("{group}/decision-group-index"): "0",
                                       format!("{group}/decision-group-name"): ""}},
               "status": {"decisions": [{"clusterName": "c1", "reason": ""}, {"clusterName": "c3", "reason": ""}]}}),
    );
    let rule = |name: &str, spec: Value, decided: Value| {
        json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
               "metadata": {"name": name, "namespace": "ns"}, "spec": spec, "status": {"decisions": decided}})
    };
    let decided =
        json!([{"apiVersion": format!("{group}/v1"), "kind": "ManagedCluster", "name": "c1"}]);
    add(
        "hub.yaml",
        rule(
            "cheap",
            json!({"replicas": 2, "decisionWeight": 50, "advisors": [{"name": "cost", "rules": {"cost": {"scored": true}}}]}),
            decided,
        ),
    );
    let mut targets = vec![
        json!({"kind": "ManagedCluster", "name": "c0"}),
        json!({"kind": "ManagedCluster", "name": "c2"}),
    ];
    if draw.claims {
        targets.push(json!({"apiVersion": "planner/v1", "kind": "Cluster", "name": "c1"}));
    }
    add(
        "hub.yaml",
        rule("named", json!({"targets": targets}), json!([])),
    );
}

fn machines(draw: &Draw, all: &mut Data) {
    let mut add = |schema: &str, name: &str, data: Value| {
        let document = json!({"schema": schema,
            "metadata": {"schema": "metadata/Document/v1", "name": name, "storagePolicy": "cleartext",
                         "layeringDefinition": {"abstract": false, "layer": "site"}},
            "data": data});
        all.push(("machines.yaml".to_owned(), document));
    };
    if draw.groups.is_empty() {
        return;
    }
    add(
        "shipyard/DeploymentConfiguration/v1",
        "deployment-configuration",
        json!({"physical_provisioner": {"deployment_strategy": "strategy"}, "armada": {"manifest": "m"}}),
    );
    add(
        "drydock/HardwareProfile/v1",
        "hw",
        json!({"vendor": "v", "generation": "1", "boot_mode": "uefi", "bootstrap_protocol": "pxe",
               "pxe_interface": 0}),
    );
    let mut names = Vec::new();
    for ((_, _, region, _, nodes), at) in draw.clusters.iter().zip(0..) {
        names.extend((0..*nodes).map(|node| (format!("m{at}-{node}"), *region)));
    }
    names.push(("lonely".to_owned(), 3));
    for ((name, region), at) in names.iter().zip(0_u8..) {
        let tags = if at % 2 == 0 {
            json!(["even"])
        } else {
            json!([])
        };
        let rack = match region {
            3 => Value::Null,
            region => format!("k{region}").into(),
        };
        let mut metadata = json!({"tags": tags});
        if !rack.is_null() {
            metadata["rack"] = rack;
        }
        add(
            "drydock/BaremetalNode/v1",
            name,
            json!({"addressing": [{"network": "oam", "address": "dhcp"}], "hardware_profile": "hw",
                   "metadata": metadata}),
        );
    }
    let groups = draw
        .groups
        .iter()
        .zip(0_usize..)
        .map(|((kind, least), at)| {
            let mut selector =
                json!({"node_names": [], "node_labels": [], "node_tags": [], "rack_names": []});
            match kind % 4 {
                0 => selector["rack_names"] = json!([format!("k{}", at % 3)]),
                1 => selector["node_tags"] = json!(["even"]),
                2 => selector["node_names"] = json!(["m0-0", "m1-1", "m2-0", "lonely"]),
                _ => {}
            }
            let criteria = match kind % 3 {
                0 => json!({"minimum_successful_nodes": least}),
                1 => json!({"percent_successful_nodes": 50, "minimum_successful_nodes": least + 1}),
                _ => json!({"maximum_failed_nodes": least}),
            };
            let needs: Vec<String> = match at {
                0 => Vec::new(),
                at => vec![format!("g{}", usize::from(*least) % at)],
            };
            json!({"name": format!("g{at}"), "critical": kind % 5 == 0, "depends_on": needs,
               "selectors": [selector], "success_criteria": criteria})
        });
    let groups: Vec<Value> = groups.collect();
    add(
        "shipyard/DeploymentStrategy/v1",
        "strategy",
        json!({"groups": groups}),
    );
}

fn regions(draw: &Draw, all: &mut Data) {
    for (file, many) in [("grow.yaml", 1), ("shrink.yaml", 2)] {
        let of_file = draw.regions.iter().zip(0..).step_by(many);
        let listed = of_file.clone().map(|((weight, cap, _), at)| {
            let mut region = json!({"name": format!("r{at}"), "weight": weight + 1});
            if *cap >= 0 {
                region["cap"] = (*cap).into();
            }
            region
        });
        let counts = of_file
            .clone()
            .map(|((_, _, nodes), at)| (format!("r{at}"), json!(nodes)));
        let counts: serde_json::Map<String, Value> = counts.collect();
        let total: u64 = counts.values().filter_map(Value::as_u64).sum();
        let known: Vec<String> = of_file.map(|(_, at)| format!("r{at}")).collect();
        let action = match many {
            1 => json!({"action": "CLUSTER_SCALE_OUT", "inputs": {"count": 3}}),
            _ => json!({"action": "CLUSTER_SCALE_IN", "inputs": {"count": 1}}),
        };
        let document = |kind: &str, properties: Value| json!({"type": kind, "version": "1.0", "properties": properties});
        let documents = [
            document(
                "senlin.policy.region_placement",
                json!({"regions": listed.collect::<Vec<_>>()}),
            ),
            document(
                "senlin.cluster",
                json!({"name": "web", "desired_capacity": total + 1, "known_regions": known,
                       "node_counts": counts,
                       "nodes": [{"name": "w", "data": {"placement": {"region_name": "r0"}}}]}),
            ),
            document("senlin.action", action),
        ];
        let file = file.to_owned();
        all.extend(
            documents
                .into_iter()
                .map(|document| (file.clone(), document)),
        );
    }
}

/// Every loss of the site is what planning all of the rest says, alone and with another one.
fn exact(site: &Data) {
    let (_folder, loaded) = read(site);
    let settings = settings();
    let base = site::check(&loaded, &settings);
    let options = Options::default();
    let plan = plan::make(&base, &options);
    let told: Vec<&str> = plan
        .site
        .findings
        .diagnostics
        .iter()
        .map(|one| &*one.message)
        .collect();
    assert!(plan.shown().is_some(), "refused: {told:?}");
    let things = risk::things(&plan);
    for at_a_time in [AtATime::One, AtATime::Pairs, AtATime::Triples] {
        let all = risk::assess(&plan, &things, at_a_time, &options, &|| ());
        let losses: Vec<Vec<Thing>> = match at_a_time {
            AtATime::One => things.iter().map(|thing| vec![thing.clone()]).collect(),
            AtATime::Pairs => {
                let pairs = things.iter().zip(things.iter().skip(things.len() / 2));
                let pairs = pairs.chain(things.iter().zip(things.iter().skip(1)));
                let other = pairs.filter(|(one, other)| one != other);
                other
                    .map(|(one, other)| vec![one.clone(), other.clone()])
                    .collect()
            }
            AtATime::Triples => things.windows(3).map(<[Thing]>::to_vec).collect(),
        };
        for lost in losses {
            let right = risk::by_planning(&plan, &lost, &options);
            let same = |loss: &&risk::Loss| (&loss.kind, &loss.name) == (&right.kind, &right.name);
            assert_eq!(all.losses.iter().find(same), Some(&right), "{lost:?}");
        }
    }
}

/// Whether the last cluster is gone: documents without any have no hub to plan on, but a hub that
/// lost its last cluster still is one.
fn leaves_no_hub(before: &Data, after: &Data) -> bool {
    let any = |data: &Data| {
        let mut kinds = data.iter().map(|(_, document)| &document["kind"]);
        kinds.any(|kind| kind == "ManagedCluster")
    };
    any(before) && !any(after)
}

/// Some things of the site, really removed from the documents.
fn removed(draw: &Draw, which: usize) {
    let (_folder, loaded) = read(&drawn(draw));
    let settings = settings();
    let base = site::check(&loaded, &settings);
    let before = data(&base);
    let racks = racks(&base);
    let things: Vec<&Thing> = base.things().collect();
    // One after another they come round to every kind.
    for at in 0..4 {
        let thing = things[(which + at * 17) % things.len()];
        let expected = lost(&before, thing, &racks);
        if leaves_no_hub(&before, &expected) {
            continue;
        }
        let changes = Changes::without(vec![thing.clone()]);
        compare(&base, changes, &expected, &thing.to_string());
    }
    let (one, other) = (
        things[which % things.len()],
        things[(which + 5) % things.len()],
    );
    let expected = lost(&lost(&before, one, &racks), other, &racks);
    if leaves_no_hub(&before, &expected) {
        return;
    }
    let changes = Changes::without(vec![one.clone(), other.clone()]);
    compare(&base, changes, &expected, &format!("{one} and {other}"));
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 8,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_loss_is_exact(draw in draws()) {
        exact(&drawn(&draw));
    }

    #[test]
    fn what_is_lost_is_as_if_it_had_been_removed(draw in draws(), which in 0..500_usize) {
        removed(&draw, which);
    }
}

/// Without the one that has the least CPU and the most memory, the scores of the others change:
/// who was behind comes first.
#[test]
fn the_loss_of_who_was_not_chosen_can_move_a_placement() {
    let group = "cluster.open-cluster-management.io";
    let cluster = |name: &str, cpu: &str, memory: &str| {
        let size = json!({"cpu": cpu, "memory": memory});
        json!({"apiVersion": format!("{group}/v1"), "kind": "ManagedCluster",
               "metadata": {"name": name, "labels": {format!("{group}/clusterset"): "all"}},
               "spec": {"hubAcceptsClient": true},
               "status": {"allocatable": size, "capacity": size}})
    };
    let score = |name: &str, weight: u8| json!({"scoreCoordinate": {"type": "BuiltIn", "builtIn": name}, "weight": weight});
    let policy = [
        score("ResourceAllocatableCPU", 2),
        score("ResourceAllocatableMemory", 1),
    ];
    let documents = [
        cluster("a", "10", "1Gi"),
        cluster("b", "9", "4Gi"),
        cluster("c", "1", "11Gi"),
        json!({"apiVersion": format!("{group}/v1beta2"), "kind": "ManagedClusterSet",
               "metadata": {"name": "all"}}),
        json!({"apiVersion": format!("{group}/v1beta2"), "kind": "ManagedClusterSetBinding",
               "metadata": {"name": "all", "namespace": "shop"}, "spec": {"clusterSet": "all"}}),
        json!({"apiVersion": format!("{group}/v1beta1"), "kind": "Placement",
               "metadata": {"name": "web", "namespace": "shop"},
               "spec": {"numberOfClusters": 1,
                        "prioritizerPolicy": {"mode": "Exact", "configurations": policy}}}),
    ];
    let documents = documents.into_iter();
    let site: Data = documents
        .map(|document| ("hub.yaml".to_owned(), document))
        .collect();
    let (_folder, loaded) = read(&site);
    let settings = settings();
    let base = site::check(&loaded, &settings);
    let options = Options::default();
    let plan = plan::make(&base, &options);
    let all = risk::assess(&plan, &risk::things(&plan), AtATime::One, &options, &|| ());
    let c = all.losses.iter().find(|loss| loss.name == "c").unwrap();
    assert_eq!(c.placements.len(), 1, "{c:?}");
    exact(&site);
}

/// A rule that waits for an advisor keeps its decisions, also those that are no candidates any
/// more.
#[test]
fn a_decision_that_is_no_candidate_can_be_lost() {
    let cluster = |name: &str, tier: &str| {
        json!({"apiVersion": "cluster.open-cluster-management.io/v1", "kind": "ManagedCluster",
               "metadata": {"name": name, "labels": {"tier": tier}}})
    };
    let documents = [
        cluster("a", "gold"),
        cluster("b", "tin"),
        json!({"apiVersion": "core.hybridapp.io/v1alpha1", "kind": "PlacementRule",
               "metadata": {"name": "app", "namespace": "ns"},
               "spec": {"targetLabels": {"matchLabels": {"tier": "gold"}},
                        "advisors": [{"name": "unheard-of", "type": "predicate"}]},
               "status": {"decisions": [{"kind": "ManagedCluster", "name": "b"}]}}),
    ];
    let documents = documents.into_iter();
    exact(&documents.map(|one| ("hub.yaml".to_owned(), one)).collect());
}
