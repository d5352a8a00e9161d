//! A hub and what reads its placements: policies and their bindings, or ApplicationSets.

use std::fmt::Write as _;

use super::{Site, ocm};

/// The group of policies; another one makes the same documents that nothing follows.
const POLICIES: &str = "policy.open-cluster-management.io";

/// Clusters in one set and zones, and placements of a zone each; the first selects every cluster.
fn hub(clusters: usize, placements: usize) -> String {
    let mut text = String::from(ocm::SET);
    for cluster in 0..clusters {
        write!(
            text,
            "---\napiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\n\
             metadata:\n  name: cluster{cluster}\n  labels: \
             {{cluster.open-cluster-management.io/clusterset: prod, zone: z{}}}\n\
             spec: {{hubAcceptsClient: true}}\n",
            cluster % 10
        )
        .unwrap();
    }
    for placement in 0..placements {
        let spec = match placement {
            0 => "{}".to_owned(),
            other => format!(
                "{{predicates: [{{requiredClusterSelector: {{labelSelector: {{matchLabels: \
                 {{zone: z{}}}}}}}}}]}}",
                other % 10
            ),
        };
        ocm::placement(placement, &spec, &mut text);
    }
    text
}

/// 5 000 policies and 2 000 bindings over 200 placements and 2 000 clusters, followed or not.
pub fn policies(followed: bool) -> Site {
    let group = if followed {
        POLICIES
    } else {
        "policy.example.com"
    };
    let mut text = hub(2_000, 200);
    for policy in 0..5_000 {
        write!(
            text,
            "---\napiVersion: {group}/v1\nkind: Policy\n\
             metadata: {{name: policy{policy}, namespace: default}}\nspec:\n  disabled: false\n  \
             remediationAction: inform\n  policy-templates:\n  - objectDefinition:\n      \
             apiVersion: {group}/v1\n      kind: ConfigurationPolicy\n      \
             metadata: {{name: policy{policy}}}\n      \
             spec: {{remediationAction: inform, object-templates: []}}\n"
        )
        .unwrap();
    }
    for binding in 0..2_000 {
        write!(
            text,
            "---\napiVersion: {group}/v1\nkind: PlacementBinding\n\
             metadata: {{name: binding{binding}, namespace: default}}\n\
             placementRef: {{apiGroup: cluster.open-cluster-management.io, kind: Placement, \
             name: p{}}}\nsubjects:\n",
            binding % 200
        )
        .unwrap();
        for subject in 0..5 {
            writeln!(
                text,
                "- {{apiGroup: {group}, kind: Policy, name: policy{}}}",
                (binding * 5 + subject) % 5_000
            )
            .unwrap();
        }
    }
    let name = format!("deliveries-policies-{followed}");
    Site::of(&name, &[("fleet.yaml".into(), text)])
}

/// ApplicationSets over 10 000 clusters, each with an Application on every cluster.
pub fn applications(sets: usize) -> Site {
    let mut text = hub(10_000, 1);
    for set in 0..sets {
        write!(
            text,
            "---\napiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\n\
             metadata: {{name: set{set}, namespace: default}}\nspec:\n  generators:\n  - \
             clusterDecisionResource:\n      configMapRef: acm-placement\n      labelSelector: \
             {{matchLabels: {{cluster.open-cluster-management.io/placement: p0}}}}\n  template:\n    \
             metadata: {{name: \"set{set}-{{{{name}}}}\"}}\n    spec:\n      project: default\n      \
             source: {{repoURL: \"https://git.example.com/set{set}.git\", path: deploy}}\n      \
             destination: {{name: \"{{{{name}}}}\", namespace: set{set}}}\n"
        )
        .unwrap();
    }
    Site::of(
        &format!("deliveries-applications-{sets}"),
        &[("fleet.yaml".into(), text)],
    )
}
