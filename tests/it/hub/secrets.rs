//! The values of Secrets that documents and a hub hold: no output of any command shows one.

use super::{BINDING, cluster, decision, placement, stream};
use crate::support::{Answer, Folder};

/// What every value begins with.
const VALUE: &str = "hunter";

/// Secrets in all that delivers manifests; the values end with this text.
fn deliveries(end: &str) -> String {
    let secret = |key: &str| {
        format!(
            "{{apiVersion: v1, kind: Secret, metadata: {{name: token}}, {key}: {{a: hunter{end}, \
             b: 'hunter'}}}}"
        )
    };
    let (data, text) = (secret("data"), secret("stringData"));
    stream(&[
        &format!(
            "apiVersion: work.open-cluster-management.io/v1\nkind: ManifestWork\n\
             metadata: {{name: w, namespace: oslo}}\nspec:\n  workload:\n    manifests:\n    \
             - {data}\n    - apiVersion: v1\n      kind: List\n      items: [{text}]\n"
        ),
        &format!(
            "apiVersion: work.open-cluster-management.io/v1alpha1\nkind: ManifestWorkReplicaSet\n\
             metadata: {{name: set, namespace: shop}}\nspec:\n  placementRefs: [{{name: web}}]\n  \
             manifestWorkTemplate:\n    workload:\n      manifests:\n      - apiVersion: v1\n        \
             kind: Secret\n        metadata: {{name: x}}\n        data:\n          a: hunter{end}\n          \
             b: |\n            hunter\n            hunter{end}\n"
        ),
        &format!(
            "apiVersion: policy.open-cluster-management.io/v1\nkind: Policy\n\
             metadata:\n  name: p\n  namespace: shop\n  annotations:\n    \
             note: '{{\"kind\":\"Secret\",\"data\":{{\"a\":\"hunter{end}\"}}}}'\n\
             spec:\n  disabled: false\n  remediationAction: inform\n  policy-templates:\n  - objectDefinition:\n      \
             apiVersion: policy.open-cluster-management.io/v1\n      kind: ConfigurationPolicy\n      \
             metadata: {{name: c}}\n      spec:\n        severity: low\n        object-templates:\n        \
             - complianceType: musthave\n          objectDefinition: {data}\n        \
             object-templates-raw: |\n          - complianceType: musthave\n            \
             objectDefinition:\n              kind: Secret\n              data:\n                \
             a: hunter{end}\n"
        ),
        // Where the path to the values is of mappings alone.
        &format!(
            "apiVersion: addon.open-cluster-management.io/v1alpha1\nkind: AddOnTemplate\n\
             metadata: {{name: t}}\nspec:\n  addonName: t\n  agentSpec: {{workload: {{manifests: \
             [{data}]}}, extra: {text}}}\n"
        ),
    ])
}

/// A site whose decisions move: a rule, faults beside and inside Secrets, and a hub that differs.
fn folder() -> Folder {
    let rule = "apiVersion: apps.open-cluster-management.io/v1\nkind: PlacementRule\n\
                metadata: {name: old, namespace: shop}\nspec:\n  clusterSelector: {matchLabels: \
                {region: north}}\n";
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: beside}\nstringData:\n  \
                  on: hunter\n  a: hunter0777\n  a: hunter\n";
    let site = |end: &str, region: &str| {
        stream(&[
            secret,
            rule,
            secret,
            BINDING,
            &placement(
                "web",
                &format!(
                    "{{predicates: [{{requiredClusterSelector: {{labelSelector: {{matchLabels: {{region: {region}}}}}}}}}]}}"
                ),
            ),
            &cluster("oslo", "region: north"),
            &cluster("lyon", "region: south"),
            &deliveries(end),
        ])
    };
    let hub = format!(
        "# planner-hub: 2025-12-31T22:00:00Z\n{}",
        stream(&[
            secret,
            BINDING,
            &cluster("oslo", "region: north"),
            &decision("web", &["oslo"]),
            &deliveries("3"),
        ])
    );
    Folder::of(&[
        ("now/site.yaml", &site("2", "north")),
        ("before/site.yaml", &site("1", "south")),
        (
            "broken/site.yaml",
            "kind: Secret\ndata:\n  a: hunter: x\n  b: hunter\n",
        ),
        (
            "broken/chart.yaml",
            "kind: Secret\ndata:\n  a: {{ hunter }}\n\tb: hunter\n",
        ),
        ("hub.yaml", &hub),
    ])
}

#[track_caller]
fn shows_none(asked: &[&str], answer: &Answer) {
    for out in [&answer.out, &answer.err] {
        let line = out.lines().find(|line| line.contains(VALUE));
        assert_eq!(line, None, "{asked:?}");
    }
    assert!(
        matches!(answer.status, 0..=4 | 66),
        "{asked:?}: {answer:#?}"
    );
}

#[test]
fn no_output_shows_the_value_of_a_secret() {
    let folder = folder();
    let hub = ["--hub", "hub.yaml"];
    let rows: &[(&[&str], &[&str])] = &[
        (
            &["validate", "now"],
            &[
                "full", "concise", "json", "github", "gitlab", "sarif", "junit", "rdjson",
            ],
        ),
        (&["validate", "now", "--diff", "--unsafe-fixes"], &[]),
        (
            &["validate", "broken"],
            &["full", "concise", "json", "sarif"],
        ),
        (
            &["plan", "now", "--no-input"],
            &["text", "json", "yaml", "sarif", "github"],
        ),
        (
            &["plan", "now", "--no-input", "--against", "before"],
            &["text", "json", "markdown", "sarif", "github"],
        ),
        (
            &["drift", "now", "--hub", "hub.yaml"],
            &["text", "json", "yaml", "markdown", "sarif", "github"],
        ),
        (&["migrate", "now"], &["text", "json", "yaml", "diff"]),
        (
            &["migrate", "now", "--hub", "hub.yaml"],
            &["text", "json", "diff"],
        ),
        (&["why", "shop/web", "now"], &["text", "json"]),
        (&["why", "shop/p", "now"], &["text", "json"]),
        (
            &["why", "shop/set", "lyon", "now", "--changes", "2"],
            &["text", "json"],
        ),
        (&["risk", "now"], &["text", "json", "markdown"]),
        (&["graph", "now"], &["dot", "json"]),
        (&["report", "now"], &["/dev/stdout"]),
    ];
    for (command, formats) in rows {
        let formats: Vec<&[&str]> = match formats {
            [] => vec![&[]],
            formats => formats.chunks(1).collect(),
        };
        for format in formats {
            let output: Vec<&str> = format.iter().flat_map(|word| ["-o", word]).collect();
            for more in [[].as_slice(), &hub] {
                if command.contains(&"--hub") && !more.is_empty() {
                    continue;
                }
                let asked = [*command, &output, more, &["--verbose"]].concat();
                shows_none(&asked, &folder.at(&asked));
            }
        }
    }
}

#[test]
fn a_difference_of_secrets_is_told_without_their_values() {
    let folder = folder();
    let answer = folder.at(&["drift", "now", "--hub", "hub.yaml"]);
    assert!(
        answer.out.contains("(hidden, 1 key differs)"),
        "{}",
        answer.out
    );
    let drift = folder.at(&["drift", "now", "--hub", "hub.yaml", "-o", "json"]);
    let fields = drift.json()["fields"].clone();
    let of = |name: &str| {
        let mut all = fields.as_array().unwrap().iter();
        let field = all.find(|field| field["field"] == name);
        field
            .unwrap_or_else(|| panic!("no {name}: {fields:#}"))
            .clone()
    };
    // Whether lists lie between or not.
    let template = of("spec.agentSpec.workload.manifests");
    assert_eq!(template["git"][0]["data"], "(hidden, 1 key differs)");
    let extra = of("spec.agentSpec.extra.stringData");
    assert_eq!(extra["hub"], "(hidden, 1 key differs)");
    let sets = of("spec.manifestWorkTemplate.workload.manifests");
    assert_eq!(sets["hub"][0]["data"], "(hidden, 2 keys differ)");
    // A hub that holds other values differs, and one that holds the same does not.
    let same = folder.read("now/site.yaml");
    folder.write(
        "same.yaml",
        format!("# planner-hub: 2025-12-31T22:00:00Z\n{same}"),
    );
    let answer = folder.at(&["drift", "now", "--hub", "same.yaml", "--only", "fields"]);
    assert!(!answer.out.contains("hidden"), "{}", answer.out);
}

/// Applied with git, so that the patch of a file with Secrets still is one.
#[test]
fn a_patch_beside_a_secret_applies() {
    let folder = folder();
    let patch = folder.at(&["migrate", "now", "-o", "diff"]);
    assert!(patch.out.contains("+kind: Placement"), "{patch:#?}");
    folder.write("migrate.patch", &patch.out);
    let before = folder.read("now/site.yaml");
    let mut git = std::process::Command::new("git");
    git.args(["apply", "migrate.patch"])
        .current_dir(folder.path());
    crate::support::answer(&mut git).ends(0);
    let after = folder.read("now/site.yaml");
    assert_ne!(before, after);
    assert_eq!(before.matches(VALUE).count(), after.matches(VALUE).count());
}
