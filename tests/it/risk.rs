//! `planner risk`: exact, ranked, and the same whatever the threads.

use std::path::{Path, PathBuf};

use crate::support::{Folder, NOW};
use planner::load::{self, Request};
use planner::options::{CheckOptions, Options};
use planner::risk::AtATime;
use planner::{plan, risk, site};
use proptest::prelude::*;
use serde_json::{Value, json};

fn fixture(name: &str) -> Request {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name);
    Request {
        records: Some(root.join("planner-records")),
        ..Request::of(vec![root])
    }
}

/// Every loss is what planning all of the site without the thing says.
fn exact(request: &Request, every: usize) {
    let loaded = load::open(request).unwrap();
    let settings = CheckOptions::at(NOW.parse().unwrap());
    let checked = site::check(&loaded, &settings);
    let options = Options::default();
    let plan = plan::make(&checked, &options);
    let told: Vec<&str> = checked
        .findings
        .diagnostics
        .iter()
        .map(|one| &*one.message)
        .collect();
    assert!(plan.shown().is_some(), "refused: {told:?}");
    let things = risk::things(&plan);
    let all = risk::assess(&plan, &things, AtATime::One, &options, &|| ());
    assert_eq!(all.losses.len(), things.len());
    for thing in things.iter().step_by(every) {
        let right = risk::by_planning(&plan, std::slice::from_ref(thing), &options);
        let same = |loss: &&risk::Loss| (&loss.kind, &loss.name) == (&right.kind, &right.name);
        assert_eq!(all.losses.iter().find(same), Some(&right), "{thing}");
    }
    let threads = Options { jobs: 4, ..options };
    assert_eq!(
        risk::assess(&plan, &things, AtATime::One, &threads, &|| ()),
        all
    );
}

#[test]
fn risk_is_exact_on_the_sites_at_hand() {
    exact(&fixture("site"), 1);
    exact(&fixture("retail"), 1);
    exact(&fixture("hybrid/board"), 1);
    exact(&fixture("senlin/grow.yaml"), 1);
    exact(&fixture("ocm/hub"), 17);
    exact(&fixture("ocm/fleet"), 9);
    exact(&fixture("deliveries/addons.yaml"), 1);
}

/// Whatever is delivered, in whatever way.
#[test]
fn risk_is_exact_on_every_case_of_deliveries() {
    let mut cases = 0;
    for family in ["policies", "applications", "hub"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus");
        let mut files: Vec<_> = std::fs::read_dir(root.join(family))
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".yaml"))
            .collect();
        files.sort();
        for file in files {
            let request = fixture(&format!("corpus/{family}/{file}"));
            let loaded = load::open(&request).unwrap();
            let settings = CheckOptions::at(NOW.parse().unwrap());
            let checked = site::check(&loaded, &settings);
            if plan::make(&checked, &Options::default()).shown().is_some() {
                exact(&request, 1);
                cases += 1;
            }
        }
    }
    assert!(cases > 30, "{cases}");
}

/// What `simulate` says of a rack whose nodes fail is what `risk` says of its loss.
#[test]
fn a_lost_rack_fails_like_a_simulated_one() {
    let folder = Folder::of(&[(
        "site.yaml",
        "schema: shipyard/DeploymentConfiguration/v1\nmetadata: {schema: metadata/Document/v1, name: \
         deployment-configuration, layeringDefinition: {abstract: false, layer: site}, \
         storagePolicy: cleartext}\ndata: {physical_provisioner: {deployment_strategy: s}, armada: \
         {manifest: m}}\n---\n\
         schema: shipyard/DeploymentStrategy/v1\nmetadata: {schema: metadata/Document/v1, name: s, \
         layeringDefinition: {abstract: false, layer: site}, storagePolicy: cleartext}\ndata:\n  \
         groups:\n  - {name: g, critical: true, depends_on: [], selectors: [], success_criteria: \
         {percent_successful_nodes: 90}}\n---\n\
         schema: drydock/HardwareProfile/v1\nmetadata: {schema: metadata/Document/v1, name: hw, \
         layeringDefinition: {abstract: false, layer: site}, storagePolicy: cleartext}\ndata: \
         {vendor: v, boot_mode: bios, bootstrap_protocol: pxe, pxe_interface: 0}\n---\n\
         schema: drydock/BaremetalNode/v1\nmetadata: {schema: metadata/Document/v1, name: n1, \
         layeringDefinition: {abstract: false, layer: site}, storagePolicy: cleartext}\ndata: \
         {hardware_profile: hw, addressing: [{network: o, address: dhcp}], metadata: {rack: r1}}\n\
         ---\nschema: drydock/BaremetalNode/v1\nmetadata: {schema: metadata/Document/v1, name: n2, \
         layeringDefinition: {abstract: false, layer: site}, storagePolicy: cleartext}\ndata: \
         {hardware_profile: hw, addressing: [{network: o, address: dhcp}], metadata: {rack: r2}}\n",
    )]);
    let simulated = folder.run(&["simulate", ".", "--fail-rack", "r1", "-o", "json"]);
    let simulated: Value = serde_json::from_str(&simulated.out).unwrap();
    assert_eq!(simulated["verdict"], "failed", "{simulated:#}");
    let risk = folder.run(&["risk", ".", "-o", "json"]);
    let risk: Value = serde_json::from_str(&risk.out).unwrap();
    // With one node of two lost half of them succeed: none can be.
    let margin =
        json!({"system": "airship", "subject": "g", "margin": 0, "unit": "nodes that fail"});
    assert_eq!(risk["margins"], json!([margin]));
    let losses = risk["losses"].as_array().unwrap();
    assert_eq!(losses.len(), 4);
    for loss in losses {
        assert_eq!(loss["class"], "fatal", "{loss:#}");
        assert_eq!(loss["groups"]["failed"], json!(["g"]));
    }
}

/// A rule that is left without candidates is in the table.
#[test]
fn a_rule_without_candidates_left_is_unplaceable() {
    let folder = Folder::of(&[(
        "site.yaml",
        "{apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, metadata: {name: \
         oslo, labels: {cloud: a}}}\n---\n\
         {apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, metadata: {name: \
         riga, labels: {cloud: b}}}\n---\n\
         {apiVersion: core.hybridapp.io/v1alpha1, kind: PlacementRule, metadata: {name: r, \
         namespace: ns}, spec: {targetLabels: {matchLabels: {cloud: a}}}}\n",
    )]);
    let risk = folder.run(&["risk", ".", "-o", "json"]);
    let risk: Value = serde_json::from_str(&risk.out).unwrap();
    let loss = &risk["losses"][0];
    assert_eq!(
        (&loss["name"], &loss["class"]),
        (&json!("oslo"), &json!("unplaceable"))
    );
    assert_eq!(loss["placementRules"][0]["state"], "NoCandidates");
    let page = folder.run(&["risk", "."]).out.clone();
    assert!(page.contains("\n! oslo  ns/r\n"), "{page}");
}

/// A placement that has one of the two clusters that it wants, and then none.
#[test]
fn a_placement_with_nothing_left_is_unplaceable() {
    let folder = Folder::of(&[(
        "site.yaml",
        "{apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, metadata: {name: \
         oslo, labels: {cloud: a, cluster.open-cluster-management.io/clusterset: s}}}\n---\n\
         {apiVersion: cluster.open-cluster-management.io/v1beta2, kind: ManagedClusterSetBinding, \
         metadata: {name: s, namespace: ns}, spec: {clusterSet: s}}\n---\n\
         {apiVersion: cluster.open-cluster-management.io/v1beta2, kind: ManagedClusterSet, \
         metadata: {name: s}}\n---\n\
         {apiVersion: cluster.open-cluster-management.io/v1beta1, kind: Placement, metadata: {name: p, \
         namespace: ns}, spec: {numberOfClusters: 2}}\n",
    )]);
    let risk = folder.run(&["risk", ".", "-o", "json"]).json();
    let loss = &risk["losses"][0];
    assert_eq!(loss["class"], "unplaceable", "{loss:#}");
    let margin = json!({"system": "ocm", "subject": "ns/p", "margin": -1, "unit": "clusters"});
    assert_eq!(risk["margins"], json!([margin]));
    let page = folder.run(&["risk", "."]);
    let said = "Before any loss: 1 Placement is not satisfied (ns/p).\n\n  Lost  Without a place\n! oslo  ns/p\n";
    assert!(page.out.contains(said), "{}", page.out);
    folder
        .run(&["risk", ".", "--fail-on", "unplaceable"])
        .ends(3);
}

#[test]
fn pairs_are_exact_too() {
    let loaded = load::open(&fixture("retail")).unwrap();
    let settings = CheckOptions::at(NOW.parse().unwrap());
    let checked = site::check(&loaded, &settings);
    let options = Options::default();
    let plan = plan::make(&checked, &options);
    let things = risk::things(&plan);
    let all = risk::assess(&plan, &things, AtATime::Pairs, &options, &|| ());
    assert_eq!(all.losses.len(), things.len() * (things.len() - 1) / 2);
    for (at, one) in things.iter().enumerate() {
        for other in &things[at + 1..] {
            let right = risk::by_planning(&plan, &[one.clone(), other.clone()], &options);
            assert!(all.losses.contains(&right), "{right:#?}");
        }
    }
}

/// A Cluster of both systems: number, cost, whether it is Up, region, memory.
type Drawn = (u8, bool, u8, u8);

/// A site of Packages, placements and rules over the same clusters.
fn drawn(clusters: &[Drawn], applications: &[(u8, u8)], wanted: u8, weights: (i8, i8)) -> String {
    let mut text = String::from(
        "apiVersion: planner/v1\nkind: Project\nmetadata: {name: p}\n---\n\
         apiVersion: planner/v1\nkind: Package\nmetadata: {name: shop}\nspec:\n  project: p\n  \
         storageRequests: [{name: v, type: StandardSSD, capacity: 1Gi}]\n---\n\
         apiVersion: cluster.open-cluster-management.io/v1beta2\nkind: ManagedClusterSetBinding\n\
         metadata: {name: global, namespace: ns}\nspec: {clusterSet: global}\n---\n\
         apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
         metadata: {name: all, namespace: ns}\nspec: {}\n---\n\
         apiVersion: core.hybridapp.io/v1alpha1\nkind: PlacementRule\nmetadata: {name: r}\nspec:\n  \
         replicas: 2\n  advisors:\n  - {name: cost, rules: {cost: {scored: true}}}\n",
    );
    text.push_str(&format!(
        "---\napiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
         metadata: {{name: some, namespace: ns}}\nspec:\n  numberOfClusters: {wanted}\n  \
         predicates:\n  - requiredClusterSelector:\n      labelSelector:\n        \
         matchExpressions: [{{key: region, operator: NotIn, values: [r0]}}]\n  \
         prioritizerPolicy:\n    configurations:\n    \
         - {{scoreCoordinate: {{builtIn: ResourceAllocatableMemory}}, weight: {}}}\n    \
         - {{scoreCoordinate: {{builtIn: Steady}}, weight: {}}}\n",
        weights.0, weights.1
    ));
    for (at, (cost, up, region, memory)) in clusters.iter().enumerate() {
        let phase = if *up { "Up" } else { "Down" };
        text.push_str(&format!(
            "---\napiVersion: planner/v1\nkind: Cluster\nmetadata:\n  name: c{at}\n  \
             labels: {{cost: \"{cost}\", region: r{region}}}\nspec:\n  projects: [p]\n  nodes:\n  \
             - {{name: n1, allocatable: {{cpu: \"{memory}\", memory: {memory}Gi}}}}\n  \
             volumeProviders: [{{name: d, type: StandardSSD}}]\nstatus: {{phase: {phase}}}\n\
             ---\napiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
             metadata: {{name: c{at}, labels: {{cost: \"{cost}\", region: r{region}}}}}\n\
             status: {{allocatable: {{cpu: \"{memory}\", memory: {memory}Gi}}, \
             capacity: {{cpu: \"{memory}\", memory: {memory}Gi}}}}\n"
        ));
    }
    let mut workloads = Vec::new();
    for (at, (kind, cluster)) in applications.iter().enumerate() {
        let rules = match kind % 4 {
            0 => "[]",
            1 => "[{key: cost, operator: MinOf}]",
            2 => "[{key: region, operator: NotEquals, values: [r1]}, {key: cost, operator: MaxOf}]",
            _ => "[{key: region, operator: Equals, values: [r2]}]",
        };
        text.push_str(&format!(
            "---\napiVersion: planner/v1\nkind: Application\nmetadata: {{name: a{at}}}\nspec:\n  \
             package: shop\n  rules: {rules}\n  containers:\n  - name: c\n    image: \"i:1\"\n    \
             requests: {{memory: {}Gi}}\n    \
             mounts: [{{path: /v, storageRequest: v, accessMode: ReadWriteOnce}}]\n",
            kind % 3
        ));
        let volume = match kind % 2 {
            0 => "",
            _ => {
                ", persistentResources: [{kind: PersistentVolumeClaim, name: v, storageRequest: v}]"
            }
        };
        workloads.push(format!(
            "{{application: a{at}, cluster: c{cluster}{volume}}}"
        ));
    }
    text.push_str(&format!(
        "---\napiVersion: planner/v1\nkind: Deployment\nmetadata: {{name: shop-1, \
         creationTimestamp: \"2025-01-01T00:00:00Z\"}}\nspec: {{package: shop}}\nstatus:\n  \
         phase: Running\n  workloads: [{}]\n",
        workloads.join(", ")
    ));
    text.push_str(
        "---\napiVersion: cluster.open-cluster-management.io/v1beta1\nkind: PlacementDecision\n\
         metadata: {name: some-decision-1, namespace: ns, labels: \
         {cluster.open-cluster-management.io/placement: some}}\n\
         status: {decisions: [{clusterName: c1, reason: \"\"}, {clusterName: c3, reason: \"\"}]}\n",
    );
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn risk_is_exact_on_random_sites(
        clusters in prop::collection::vec((0..4_u8, prop::bool::weighted(0.8), 0..4_u8, 1..5_u8), 1..8),
        applications in prop::collection::vec((0..8_u8, 0..8_u8), 0..8),
        wanted in 0..5_u8,
        weights in (-2..3_i8, -2..3_i8),
    ) {
        let text = drawn(&clusters, &applications, wanted, weights);
        let request = Request {
            stdin: Some(text.into_bytes()),
            ..Request::of(vec![PathBuf::from("-")])
        };
        exact(&request, 1);
    }
}

#[test]
fn the_retail_site_loses_what_it_must() {
    let folder = Folder::new();
    let retail = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/retail");
    let retail = retail.to_str().unwrap();
    let answer = folder.at(&["risk", retail, "-o", "json"]);
    let json = answer.ends(0).json();
    assert_eq!(json["kind"], "Risk");
    let losses = json["losses"].as_array().unwrap();
    let names: Vec<&str> = losses
        .iter()
        .map(|loss| loss["name"].as_str().unwrap())
        .collect();
    let wanted = [
        "reykjavik",
        "wien",
        "dublin",
        "oslo",
        "turin",
        "porto",
        "riga",
        "lyon",
    ];
    assert_eq!(names, wanted);
    let classes: Vec<&Value> = losses.iter().map(|loss| &loss["class"]).collect();
    assert_eq!(classes[0], "unplaceable");
    assert_eq!(classes[2], "volumes");
    assert_eq!(classes[7], "none");
    let db = json!({"package": "shop", "application": "db", "from": "reykjavik", "to": null});
    assert_eq!(losses[0]["applications"], json!([db]));
    assert_eq!(losses[3]["volumes"][0]["name"], "index-search-0");
    folder
        .at(&["risk", retail, "--fail-on", "unplaceable"])
        .ends(3);
    folder
        .at(&["risk", retail, "--fail-on", "critical"])
        .ends(0);
    let text = folder.at(&["risk", retail]).ends(0).out.clone();
    assert!(
        text.starts_with("Losing one thing at a time: 8 clusters\n"),
        "{text}"
    );
    assert!(
        text.ends_with("On one Cluster only: audit (wien), db (reykjavik).\n"),
        "{text}"
    );
    let table = folder
        .at(&["risk", retail, "-o", "markdown"])
        .ends(0)
        .out
        .clone();
    assert!(
        table.contains("| `!` | `wien` | `audit` | - | `fraud, gateway` |"),
        "{table}"
    );
    let pairs = folder
        .at(&["risk", retail, "--pairs", "-o", "json"])
        .ends(0)
        .json();
    assert_eq!(pairs["losses"].as_array().unwrap().len(), 28);
    assert_eq!(pairs["losses"][0]["kind"], "pair");
    // Each loss can be asked about again.
    let things = pairs["losses"][0]["things"].as_array().unwrap();
    let [first, second] = things.as_slice() else {
        panic!("{things:?}")
    };
    let names = [first, second].map(|thing| thing.as_str().unwrap().strip_prefix("cluster/"));
    let names = names.map(Option::unwrap).join(" + ");
    assert_eq!(pairs["losses"][0]["name"], names);
}

#[test]
fn a_report_in_a_site_is_not_ours_and_nothing_is_66() {
    let folder = Folder::new();
    folder.at(&["risk", "."]).ends(66);
    let retail = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/retail");
    let report = folder.at(&["risk", retail.to_str().unwrap(), "-o", "json"]);
    folder.write("risk.json", &report.out);
    folder.at(&["plan", "."]).ends(66);
}

/// Where the deployment fails already, what a loss adds is told apart.
#[test]
fn a_deployment_that_fails_already_says_so() {
    let text = include_str!("../../fixtures/corpus/airship/seed-example-1-all-succeed.yaml");
    let text = text.replace(
        "minimum_successful_nodes: 3\n",
        "minimum_successful_nodes: 30\n",
    );
    let folder = crate::support::Folder::of(&[("site.yaml", &*text)]);
    let screen = folder.at(&["risk", "site.yaml"]);
    assert_eq!(
        screen.out,
        "Losing one thing at a time: 16 nodes, 3 racks; the deployment fails already\n\n\
         Fails already: 3 groups (compute-nodes-1, compute-nodes-2, control-nodes); these losses \
         add what is listed.\n\n\
         \x20 Lost         What fails\n\
         ! node ntp01   fails already; adds group ntp-node\n\
         ! rack rack03  fails already; adds group ntp-node\n\n\
         No impact: 15 nodes, 2 racks.\n\n\
         The deployment fails already; 2 losses (of 19) add to it.\n"
    );
    let page = folder.at(&["report", "site.yaml", "--risk", "-o", "-"]);
    assert!(
        page.out
            .contains("The deployment fails before any loss</h1>")
    );
    assert!(!page.out.contains("\u{2713} Ready"));
}
