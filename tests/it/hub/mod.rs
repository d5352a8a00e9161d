//! The snapshot of a hub: read, merged with the documents, and compared with them.

mod corpus;
mod drift;
mod guard;
mod merged;
mod migrate;
mod recipes;
mod rollouts;
mod secrets;
mod snapshot;

/// A ManagedCluster with these labels.
fn cluster(name: &str, labels: &str) -> String {
    format!(
        "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
         metadata:\n  name: {name}\n  labels: {{{labels}}}\nspec: {{hubAcceptsClient: true}}\n"
    )
}

/// A Placement with this spec, in a namespace that binds all clusters.
fn placement(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
         metadata: {{name: {name}, namespace: shop}}\nspec: {spec}\n"
    )
}

/// The binding of all clusters.
const BINDING: &str = "apiVersion: cluster.open-cluster-management.io/v1beta2\n\
                       kind: ManagedClusterSetBinding\n\
                       metadata: {name: global, namespace: shop}\nspec: {clusterSet: global}\n";

/// A page of decisions.
fn decision(placement: &str, clusters: &[&str]) -> String {
    let rows: Vec<String> = clusters
        .iter()
        .map(|cluster| format!("{{clusterName: {cluster}, reason: ''}}"))
        .collect();
    format!(
        "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: PlacementDecision\n\
         metadata:\n  name: {placement}-decision-1\n  namespace: shop\n  labels:\n    \
         cluster.open-cluster-management.io/placement: {placement}\n    \
         cluster.open-cluster-management.io/decision-group-index: '0'\n    \
         cluster.open-cluster-management.io/decision-group-name: ''\n\
         status: {{decisions: [{}]}}\n",
        rows.join(", ")
    )
}

/// Documents one after the other.
fn stream(documents: &[&str]) -> String {
    documents.join("---\n")
}
