//! Small documents of all five systems, as a site repository has them.

use std::fmt::Write as _;

use super::{Dice, Site};

/// All in one file.
pub fn one_file(documents: usize) -> Site {
    let texts: Vec<String> = documents_of(documents);
    let text = texts.join("---\n");
    Site::of(
        &format!("one-file-{documents}"),
        &[("site.yaml".into(), text)],
    )
}

/// Each in a file of its own.
pub fn many_files(documents: usize) -> Site {
    let texts = documents_of(documents);
    let files: Vec<(String, String)> = texts
        .into_iter()
        .enumerate()
        .map(|(at, text)| (format!("document-{at:05}.yaml"), text))
        .collect();
    Site::of(&format!("many-files-{documents}"), &files)
}

fn documents_of(count: usize) -> Vec<String> {
    let mut dice = Dice::new(7);
    let mut texts = vec![
        "apiVersion: planner/v1\nkind: Project\nmetadata: {name: retail}\n".to_owned(),
        "apiVersion: planner/v1\nkind: Package\nmetadata: {name: shop}\nspec: {project: retail}\n"
            .to_owned(),
        "apiVersion: cluster.open-cluster-management.io/v1beta2\nkind: ManagedClusterSet\n\
         metadata: {name: prod}\n"
            .to_owned(),
        "apiVersion: cluster.open-cluster-management.io/v1beta2\nkind: ManagedClusterSetBinding\n\
         metadata: {name: prod, namespace: default}\nspec: {clusterSet: prod}\n"
            .to_owned(),
    ];
    while texts.len() < count {
        let at = texts.len();
        let mut text = String::new();
        match dice.roll(5) {
            0 => write!(
                text,
                "apiVersion: planner/v1\nkind: Cluster\nmetadata:\n  name: c{at}\n  \
                 creationTimestamp: \"2024-01-{:02}T00:00:00Z\"\n  labels: {{region: eu, cost: \
                 \"{}\"}}\nspec:\n  projects: [retail]\n  nodes:\n  - {{name: n1, allocatable: \
                 {{cpu: \"8\", memory: 32Gi}}}}\nstatus: {{phase: Up}}\n",
                1 + dice.roll(28),
                dice.roll(50)
            ),
            1 | 2 => write!(
                text,
                "apiVersion: planner/v1\nkind: Application\nmetadata:\n  name: a{at}\nspec:\n  \
                 package: shop\n  rules:\n  - {{key: region, operator: In, values: [eu, us]}}\n  \
                 containers:\n  - name: main\n    image: \"registry.example/a{at}:1\"\n    \
                 requests: {{cpu: {}m, memory: 512Mi}}\n",
                100 + dice.roll(900)
            ),
            3 => write!(
                text,
                "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
                 metadata:\n  name: m{at}\n  labels:\n    \
                 cluster.open-cluster-management.io/clusterset: prod\n    zone: z{}\nspec:\n  \
                 hubAcceptsClient: true\nstatus:\n  allocatable: {{cpu: \"{}\", memory: 64Gi}}\n",
                dice.roll(9),
                4 + dice.roll(60)
            ),
            _ => write!(
                text,
                "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\n\
                 metadata: {{name: p{at}, namespace: default}}\nspec:\n  numberOfClusters: {}\n  \
                 predicates:\n  - requiredClusterSelector:\n      labelSelector:\n        \
                 matchLabels: {{zone: z{}}}\n",
                1 + dice.roll(5),
                dice.roll(9)
            ),
        }
        .unwrap();
        texts.push(text);
    }
    texts
}
