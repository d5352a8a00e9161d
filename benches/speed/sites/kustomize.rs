//! Many overlays over one base: each has a namespace of its own and a patch.

use std::fs;

use super::Site;

fn head(number: usize) -> String {
    format!(
        "apiVersion: cluster.open-cluster-management.io/v1beta1\nkind: Placement\nmetadata:\n  \
         name: p{number:04}\n"
    )
}

/// A repository of overlays over a base of Placements.
pub fn site(overlays: usize, placements: usize) -> Site {
    let mut files = vec![(
        "base/kustomization.yaml".to_owned(),
        "resources:\n- placements.yaml\n".to_owned(),
    )];
    let documents = (0..placements).map(|number| {
        format!(
            "{}spec:\n  numberOfClusters: {}\n  predicates:\n  - requiredClusterSelector:\n      \
             labelSelector:\n        matchLabels:\n          region: r{}\n",
            head(number),
            number % 7 + 1,
            number % 50
        )
    });
    let documents: Vec<String> = documents.collect();
    files.push(("base/placements.yaml".to_owned(), documents.join("---\n")));
    for number in 0..overlays {
        let home = format!("overlays/o{number:04}");
        let patch = format!(
            "{}spec:\n  numberOfClusters: 9\n",
            head(number % placements)
        );
        files.push((format!("{home}/patch.yaml"), patch));
        let kustomization = format!(
            "namespace: team-{number:04}\nresources:\n- ../../base\npatches:\n- path: patch.yaml\n"
        );
        files.push((format!("{home}/kustomization.yaml"), kustomization));
    }
    written("kustomize", files)
}

/// Overlays over a base of 20 Placements, and a hundred clusters beside them.
pub fn with_clusters(overlays: usize) -> Site {
    let site = site(overlays, 20);
    let clusters = (0..100).map(|number| {
        format!(
            "apiVersion: cluster.open-cluster-management.io/v1\nkind: ManagedCluster\nmetadata:\n  \
             name: c{number:03}\n  labels: {{region: r{}}}\nspec: {{hubAcceptsClient: true}}\n",
            number % 50
        )
    });
    let clusters: Vec<String> = clusters.collect();
    let set = "---\napiVersion: cluster.open-cluster-management.io/v1beta2\nkind: \
               ManagedClusterSet\nmetadata: {name: default}\n";
    let bindings = (0..overlays).map(|number| {
        format!(
            "---\napiVersion: cluster.open-cluster-management.io/v1beta2\nkind: \
             ManagedClusterSetBinding\nmetadata: {{name: default, namespace: \
             team-{number:04}}}\nspec: {{clusterSet: default}}\n"
        )
    });
    let text = clusters.join("---\n") + set + &bindings.collect::<String>();
    site.and(("fleet.yaml", &text))
}

/// Overlays over a base of Placements that lack their spec.
pub fn at_fault(overlays: usize) -> Site {
    let documents: Vec<String> = (0..30).map(head).collect();
    let mut files = vec![
        (
            "base/kustomization.yaml".to_owned(),
            "resources:\n- placements.yaml\n".to_owned(),
        ),
        ("base/placements.yaml".to_owned(), documents.join("---\n")),
    ];
    files.extend((0..overlays).map(|number| {
        let text = format!("namePrefix: o{number}-\nresources:\n- ../../base\n");
        (format!("overlays/o{number:04}/kustomization.yaml"), text)
    }));
    written("kustomize-faults", files)
}

/// Placements that are renamed, and a binding to each.
pub fn renamed(count: usize) -> Site {
    let binding = |number: usize| {
        format!(
            "apiVersion: policy.open-cluster-management.io/v1\nkind: PlacementBinding\n\
             metadata:\n  name: b{number:04}\nplacementRef: {{apiGroup: \
             cluster.open-cluster-management.io, kind: Placement, name: p{number:04}}}\n\
             subjects: []\n"
        )
    };
    let documents: Vec<String> = (0..count)
        .flat_map(|number| [head(number), binding(number)])
        .collect();
    let kustomization = "namePrefix: a-\nresources:\n- all.yaml\n".to_owned();
    let files = vec![
        ("kustomization.yaml".to_owned(), kustomization),
        ("all.yaml".to_owned(), documents.join("---\n")),
    ];
    written("kustomize-renamed", files)
}

fn written(name: &str, files: Vec<(String, String)>) -> Site {
    let site = Site::of(name, &[]);
    let mut bytes = 0;
    for (name, text) in files {
        let path = site.path.join(name);
        if let Some(home) = path.parent() {
            fs::create_dir_all(home).unwrap();
        }
        bytes += text.len() as u64;
        fs::write(path, text).unwrap();
    }
    Site { bytes, ..site }
}

/// One of its overlays.
pub fn overlay(site: &Site, number: usize) -> Site {
    Site {
        path: site.path.join(format!("overlays/o{number:04}")),
        bytes: site.bytes,
    }
}
