//! Sites of any size, the same every time: one for each system, with every kind of row in it.

use std::fmt::Write as _;

/// What a site of so many rows is made by.
pub(crate) type Make = fn(usize) -> String;

/// The systems by name, in the order in which a site comes up.
pub(crate) const SYSTEMS: [(&str, Make); 5] = [
    ("airship", airship),
    ("senlin", senlin),
    ("ocm", ocm),
    ("hybrid", hybrid),
    ("ogc", ogc),
];

fn documents(all: Vec<String>) -> String {
    all.join("\n---\n") + "\n"
}

/// Groups in waves of tens; all but three are without nodes.
pub(crate) fn airship(groups: usize) -> String {
    let document = |schema: &str, name: &str, data: &str| {
        format!(
            "schema: {schema}\nmetadata: {{schema: metadata/Document/v1, name: {name}, \
             layeringDefinition: {{abstract: false, layer: site}}, storagePolicy: cleartext}}\n\
             data: {data}"
        )
    };
    let mut list = String::new();
    for at in 0..groups {
        let after = match at {
            0..5 => String::new(),
            _ => format!("g{}", at / 10),
        };
        let _ = write!(
            list,
            "\n  - {{name: g{at}, critical: {}, depends_on: [{after}], selectors: [{{node_names: \
             [n{at}]}}]}}",
            at.is_multiple_of(7)
        );
    }
    let mut all = vec![
        document(
            "shipyard/DeploymentConfiguration/v1",
            "deployment-configuration",
            "{physical_provisioner: {deployment_strategy: strategy}, armada: {manifest: full}}",
        ),
        document(
            "shipyard/DeploymentStrategy/v1",
            "strategy",
            &format!("\n  groups:{list}"),
        ),
        document("drydock/HardwareProfile/v1", "any", "{}"),
    ];
    for at in 0..3 {
        let data = format!(
            "{{hardware_profile: any, addressing: [{{network: pxe, address: 10.0.0.{at}}}], \
             metadata: {{rack: r1}}}}"
        );
        all.push(document(
            "drydock/BaremetalNode/v1",
            &format!("n{at}"),
            &data,
        ));
    }
    documents(all)
}

/// A policy of so many regions, and as many nodes to create.
pub(crate) fn senlin(regions: usize) -> String {
    let region = |at: usize| {
        let cap = if at.is_multiple_of(4) { ", cap: 1" } else { "" };
        format!("{{name: r{at}, weight: {}{cap}}}", 1 + at % 3)
    };
    let list: Vec<String> = (0..regions).map(region).collect();
    format!(
        "type: senlin.policy.region_placement\nversion: 1.0\nproperties: {{regions: [{}]}}\n---\n\
         type: senlin.cluster\nversion: 1.0\nproperties: {{name: cache, desired_capacity: 0, \
         node_counts: {{}}}}\n---\ntype: senlin.action\nversion: 1.0\nproperties: {{action: \
         CLUSTER_SCALE_OUT, inputs: {{count: {regions}}}}}\n",
        list.join(", ")
    )
}

/// So many managed clusters, with what `more` says in their metadata and below.
fn managed(clusters: usize, more: impl Fn(usize) -> (String, String)) -> Vec<String> {
    let one = |at: usize| {
        let (labels, rest) = more(at);
        format!(
            "{{apiVersion: cluster.open-cluster-management.io/v1, kind: ManagedCluster, \
             metadata: {{name: store-{at:05}, labels: {{{labels}}}}}{rest}}}"
        )
    };
    (0..clusters).map(one).collect()
}

/// A placement that wants half of the clusters; a third of them has been decided before, and
/// every tenth has a taint.
pub(crate) fn ocm(clusters: usize) -> String {
    const GROUP: &str = "cluster.open-cluster-management.io";
    let before = (0..clusters).filter(|at| at.is_multiple_of(3));
    let before = before.map(|at| format!("{{clusterName: store-{at:05}, reason: \"\"}}"));
    let before: Vec<String> = before.collect();
    let mut all = vec![
        format!(
            "{{apiVersion: {GROUP}/v1beta2, kind: ManagedClusterSetBinding, metadata: {{name: \
             global, namespace: web}}, spec: {{clusterSet: global}}}}"
        ),
        format!(
            "{{apiVersion: {GROUP}/v1beta1, kind: Placement, metadata: {{name: web, namespace: \
             web}}, spec: {{numberOfClusters: {}}}}}",
            clusters.div_ceil(2)
        ),
        format!(
            "{{apiVersion: {GROUP}/v1beta1, kind: PlacementDecision, metadata: {{name: \
             web-decision-1, namespace: web, labels: {{{GROUP}/placement: web}}}}, status: \
             {{decisions: [{}]}}}}",
            before.join(", ")
        ),
    ];
    all.extend(managed(clusters, |at| {
        let taint = match at % 10 {
            9 => {
                ", spec: {taints: [{key: broken, effect: NoSelect, timeAdded: \
                  \"2025-12-01T00:00:00Z\"}]}"
            }
            _ => "",
        };
        (String::new(), taint.to_owned())
    }));
    documents(all)
}

/// A rule whose advisor recommends every second candidate.
pub(crate) fn hybrid(clusters: usize) -> String {
    let recommended = (0..clusters).step_by(2);
    let recommended: Vec<String> = recommended
        .map(|at| format!("{{name: store-{at:05}}}"))
        .collect();
    let mut all = vec![
        "{apiVersion: core.hybridapp.io/v1alpha1, kind: PlacementRule, metadata: {name: dispatch, \
         namespace: logistics}, spec: {targetLabels: {matchLabels: {tier: metro}}, advisors: \
         [{name: roads, type: predicate}]}}"
            .to_owned(),
        format!(
            "{{apiVersion: planner/v1, kind: AdvisorAnswers, metadata: {{name: roads, namespace: \
             logistics}}, spec: {{placementRule: {{name: dispatch, namespace: logistics}}, \
             advisors: [{{name: roads, recommendations: [{}]}}]}}}}",
            recommended.join(", ")
        ),
    ];
    all.extend(managed(clusters, |at| {
        let tier = if at % 5 == 4 { "edge" } else { "metro" };
        (format!("tier: {tier}"), String::new())
    }));
    documents(all)
}

/// Applications of three Packages on five Clusters; the first Package has been deployed before,
/// partly elsewhere and with more Applications, and of many Applications some find no Cluster.
pub(crate) fn ogc(applications: usize) -> String {
    const API: &str = "apiVersion: planner/v1, kind";
    let mut all = vec![format!("{{{API}: Project, metadata: {{name: retail}}}}")];
    for at in 0..5 {
        all.push(format!(
            "{{{API}: Cluster, metadata: {{name: c{at}, creationTimestamp: \
             \"2024-01-0{}T00:00:00Z\", labels: {{zone: z{at}}}}}, status: {{phase: Up}}, spec: \
             {{projects: [retail], nodes: [{{name: n1, allocatable: {{cpu: \"8\", memory: \
             32Gi}}}}]}}}}",
            at + 1
        ));
    }
    for at in 0..3 {
        all.push(format!(
            "{{{API}: Package, metadata: {{name: p{at}}}, spec: {{project: retail}}}}"
        ));
    }
    let mut workloads = Vec::new();
    for at in 0..applications {
        let zone = if at % 100 == 50 { 9 } else { at % 5 };
        all.push(format!(
            "{{{API}: Application, metadata: {{name: app-{at}}}, spec: {{package: p{}, rules: \
             [{{key: zone, operator: Equals, values: [z{zone}]}}], containers: [{{name: main, \
             requests: {{cpu: 100m}}}}]}}}}",
            at % 3
        ));
        if at.is_multiple_of(3) {
            let cluster = (at + at % 2) % 5;
            workloads.push(format!("{{application: app-{at}, cluster: c{cluster}}}"));
        }
        if at % 8 == 5 {
            workloads.push(format!("{{application: old-{at}, cluster: c0}}"));
        }
    }
    all.push(format!(
        "{{{API}: Deployment, metadata: {{name: p0-1, creationTimestamp: \
         \"2025-01-01T00:00:00Z\"}}, spec: {{package: p0}}, status: {{phase: Running, workloads: \
         [{}]}}}}",
        workloads.join(", ")
    ));
    documents(all)
}
