//! The snapshot of a hub with the fields that each manager wrote, and the documents for it.

use std::fmt::Write as _;

use super::{Dice, Site, hub, ocm};

/// What the managers of a cluster wrote, as a hub prints it: about 4 KB.
fn managed_fields(text: &mut String) {
    text.push_str("  managedFields:\n");
    for (manager, operation) in [
        ("kubectl-client-side-apply", "Update"),
        ("argocd-controller", "Apply"),
        ("registration-controller", "Update"),
        ("registration-agent", "Update"),
        ("addon-manager-controller", "Update"),
    ] {
        write!(
            text,
            "  - apiVersion: cluster.open-cluster-management.io/v1\n    fieldsType: FieldsV1\n    \
             fieldsV1:\n      f:metadata:\n        f:annotations:\n          .: {{}}\n          \
             f:agent.open-cluster-management.io/klusterlet-version: {{}}\n        f:labels:\n          \
             .: {{}}\n"
        )
        .unwrap();
        for label in 0..8 {
            writeln!(
                text,
                "          f:feature.open-cluster-management.io/addon-number-{label}: {{}}"
            )
            .unwrap();
        }
        write!(
            text,
            "      f:spec:\n        .: {{}}\n        f:hubAcceptsClient: {{}}\n    manager: \
             {manager}\n    operation: {operation}\n    time: \"2025-11-20T09:30:00Z\"\n"
        )
        .unwrap();
    }
}

/// The documents, the snapshot, and both in one file.
pub fn sites(clusters: usize, placements: usize) -> (Site, Site, Site) {
    let mut dice = Dice::new(7);
    let mut git = String::from(ocm::SET);
    for placement in 0..placements {
        let spec = format!(
            "{{predicates: [{{requiredClusterSelector: {{labelSelector: {{matchLabels: \
             {{zone: z{}}}}}}}}}]}}",
            placement % 10
        );
        ocm::placement(placement, &spec, &mut git);
    }
    let mut text = String::from("# planner-hub: 2025-12-31T10:00:00Z\n");
    for cluster in 0..clusters {
        let labels = format!(
            "    cluster.open-cluster-management.io/clusterset: prod\n    zone: z{}\n",
            dice.roll(10)
        );
        let (cpu, mut one) = (8 + dice.roll(120), String::new());
        hub::cluster(
            &format!("cluster{cluster}"),
            &labels,
            cpu,
            1,
            &mut dice,
            &mut one,
        );
        let (head, tail) = one.split_once("\nspec:\n").unwrap();
        text.push_str(head);
        text.push('\n');
        managed_fields(&mut text);
        text.push_str("spec:\n");
        text.push_str(tail);
    }
    let whole = format!("{git}{text}");
    (
        Site::of("hub-git", &[("git.yaml".to_owned(), git)]),
        Site::of("hub-snapshot", &[("hub.yaml".to_owned(), text)]),
        Site::of("hub-whole", &[("all.yaml".to_owned(), whole)]),
    )
}
