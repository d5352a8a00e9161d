//! Clusters with their nodes in one file, packages with their applications in several.

use std::fmt::Write as _;

use super::{Dice, Edited, Site};

const REGIONS: &[&str] = &["eu-west", "eu-north", "us-east", "us-west", "ap-south"];

/// One more package with an application.
pub const ONE: Edited = (
    "apiVersion: planner/v1\nkind: Package\nmetadata: {name: one}\nspec:\n  project: retail\n  \
     rules:\n  - {key: cost, operator: MinOf}\n---\napiVersion: planner/v1\nkind: \
     Application\nmetadata: {name: one}\nspec:\n  package: one\n  replicas: 1\n  containers:\n  - \
     name: main\n    image: registry.example/one:1\n    requests: {cpu: 100m, memory: 128Mi}\n",
    "replicas: 1",
    "replicas: 2",
);

/// So many clusters of ten nodes, so many packages of so many applications.
pub fn site(clusters: usize, packages: usize, applications: usize) -> Site {
    let mut dice = Dice::new(3);
    let mut files = vec![("clusters.yaml".to_owned(), inventory(clusters, &mut dice))];
    for (at, start) in (0..packages).step_by(500).enumerate() {
        let mut text = String::new();
        for package in start..packages.min(start + 500) {
            one_package(package, applications, &mut text, &mut dice);
        }
        files.push((format!("packages-{at:02}.yaml"), text));
    }
    Site::of(&format!("ogc-{packages}"), &files)
}

fn inventory(clusters: usize, dice: &mut Dice) -> String {
    let mut text =
        String::from("apiVersion: planner/v1\nkind: Project\nmetadata: {name: retail}\n");
    for cluster in 0..clusters {
        let region = dice.one(REGIONS);
        let (cost, day, year) = (dice.roll(90), 1 + dice.roll(28), 2015 + dice.roll(10));
        write!(
            text,
            "---\napiVersion: planner/v1\nkind: Cluster\nmetadata:\n  name: c{cluster}\n  \
             creationTimestamp: \"{year}-03-{day:02}T09:00:00Z\"\n  labels: {{region: {region}, \
             cost: \"{cost}\", tier: t{}}}\nspec:\n  projects: [retail]\n  nodes:\n",
            dice.roll(9)
        )
        .unwrap();
        for node in 0..10 {
            let (disk, cpu) = (dice.one(&["nvme", "ssd", "hdd"]), 4 << dice.roll(4));
            writeln!(
                text,
                "  - {{name: n{node}, labels: {{disk: {disk}}}, allocatable: {{cpu: \"{cpu}\", \
                 memory: {}Gi}}}}",
                cpu * 4
            )
            .unwrap();
        }
        text.push_str(
            "  volumeProviders:\n  - {name: gp3, type: StandardSSD, accessModes: \
             [ReadWriteOnce], maxVolume: 1Ti}\nstatus: {phase: Up}\n",
        );
    }
    text
}

fn one_package(package: usize, applications: usize, text: &mut String, dice: &mut Dice) {
    let (first, second) = (dice.one(REGIONS), dice.one(REGIONS));
    write!(
        text,
        "---\napiVersion: planner/v1\nkind: Package\nmetadata: {{name: p{package}}}\nspec:\n  \
         project: retail\n  rules:\n  - {{key: region, operator: In, values: [{first}, {second}]}}\n  \
         - {{key: cost, operator: MinOf}}\n  storageRequests:\n  - {{name: data, type: \
         StandardSSD, capacity: {}Gi}}\n",
        1 + dice.roll(200)
    )
    .unwrap();
    for application in 0..applications {
        write!(
            text,
            "---\napiVersion: planner/v1\nkind: Application\nmetadata: {{name: a{application}}}\n\
             spec:\n  package: p{package}\n  replicas: {}\n",
            1 + dice.roll(5)
        )
        .unwrap();
        if dice.roll(3) == 0 {
            let disk = dice.one(&["nvme", "ssd", "hdd"]);
            let rule = format!("{{key: disk, operator: Equals, values: [{disk}]}}");
            writeln!(text, "  rules:\n  - {rule}").unwrap();
        }
        write!(
            text,
            "  containers:\n  - name: main\n    image: \"registry.example/app-{application}:1\"\n    \
             requests: {{cpu: {}m, memory: {}Mi}}\n",
            100 * (1 + dice.roll(160)),
            128 * (1 + dice.roll(64))
        )
        .unwrap();
        if dice.roll(4) == 0 {
            text.push_str(
                "    mounts:\n    - {path: /var/data, storageRequest: data, accessMode: \
                 ReadWriteOnce}\n",
            );
        }
    }
}
