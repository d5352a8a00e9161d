//! Any bytes as the snapshot of a hub: read, merged with documents, planned, compared.
#![no_main]

use libfuzzer_sys::fuzz_target;
use planner::load::{self, HubFile, Request};
use planner::options::{CheckOptions, Options};
use planner::{drift, plan, site};

const DOCUMENTS: &[u8] = b"\
apiVersion: cluster.open-cluster-management.io/v1beta2
kind: ManagedClusterSetBinding
metadata: {name: global, namespace: shop}
spec: {clusterSet: global}
---
apiVersion: cluster.open-cluster-management.io/v1beta1
kind: Placement
metadata: {name: web, namespace: shop}
spec: {predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {region: north}}}}]}
---
apiVersion: cluster.open-cluster-management.io/v1
kind: ManagedCluster
metadata: {name: oslo, labels: {region: north}}
spec: {hubAcceptsClient: true, taints: [{key: a, effect: NoSelect}]}
";

fuzz_target!(|bytes: &[u8]| {
    let mut request = Request::of(vec!["-".into()]);
    request.stdin = Some(DOCUMENTS.to_vec());
    request.hub = Some(HubFile::new("hub.yaml".into(), Some(bytes.to_vec()), 86_400));
    let Ok(loaded) = load::open(&request) else {
        return;
    };
    let settings = CheckOptions::at("2026-01-01T00:00:00Z".parse().expect("a time"));
    let options = Options { keep_going: true, ..Options::default() };
    let checked = site::check(&loaded, &settings);
    let plan = plan::make(&checked, &options);
    let found = drift::drift(&loaded, &plan, &settings, &options, drift::Parts::ALL);
    assert!(found.is_some(), "a snapshot that was read can be compared");
});
