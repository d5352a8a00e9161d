//! The values that the API server fills in where an object states nothing. Nobody wrote them, so
//! they are no drift.

use serde_json::Value;

use crate::document::DocumentKind;

/// The defaults of a kind: the keys of each, and its value as text. Items of lists have no key.
type Defaults = &'static [(&'static str, &'static str)];

/// Defaults of the published CRDs.
const DEFAULTS: &[(DocumentKind, Defaults)] = &[
    (
        DocumentKind::ManagedCluster,
        &[("spec.leaseDurationSeconds", "60")],
    ),
    (
        DocumentKind::ManagedClusterSet,
        &[(
            "spec.clusterSelector.selectorType",
            "ExclusiveClusterSetLabel",
        )],
    ),
    (
        DocumentKind::Placement,
        &[
            ("spec.tolerations.operator", "Equal"),
            ("spec.prioritizerPolicy.mode", "Additive"),
            (
                "spec.prioritizerPolicy.configurations.scoreCoordinate.type",
                "BuiltIn",
            ),
            ("spec.prioritizerPolicy.configurations.weight", "1"),
            (
                "spec.decisionStrategy.groupStrategy.clustersPerDecisionGroup",
                "100%",
            ),
            ("spec.sortBy", "ClusterName"),
            ("spec.scoreRateLimit", "1m"),
            ("spec.spreadPolicy.spreadConstraints.maxSkew", "1"),
            (
                "spec.spreadPolicy.spreadConstraints.whenUnsatisfiable",
                "ScheduleAnyway",
            ),
        ],
    ),
    (
        DocumentKind::ClusterManagementAddOn,
        &[("spec.installStrategy.type", "Manual")],
    ),
    (
        DocumentKind::ManagedClusterAddOn,
        &[(
            "spec.installNamespace",
            "open-cluster-management-agent-addon",
        )],
    ),
    (
        DocumentKind::AddOnDeploymentConfig,
        &[(
            "spec.agentInstallNamespace",
            "open-cluster-management-agent-addon",
        )],
    ),
    (
        DocumentKind::ManifestWorkReplicaSet,
        &[("spec.cascadeDeletionPolicy", "Background")],
    ),
];

/// Defaults of each rollout strategy, below its type.
const ROLLOUT: Defaults = &[
    ("maxFailures", "0"),
    ("minSuccessTime", "0"),
    ("progressDeadline", "None"),
];

/// Defaults of the objects that a work agent applies.
const WORK: Defaults = &[
    ("deleteOption.propagationPolicy", "Foreground"),
    ("manifestConfigs.feedbackScrapeType", "Poll"),
    ("manifestConfigs.updateStrategy.type", "Update"),
    (
        "manifestConfigs.updateStrategy.serverSideApply.fieldManager",
        "work-agent",
    ),
    (
        "manifestConfigs.updateStrategy.serverSideApply.ignoreFields.condition",
        "OnSpokePresent",
    ),
];

/// Where an object holds a rollout strategy or a work.
const ROLLOUTS: [(DocumentKind, &str); 2] = [
    (
        DocumentKind::ClusterManagementAddOn,
        "spec.installStrategy.placements.rolloutStrategy.",
    ),
    (
        DocumentKind::ManifestWorkReplicaSet,
        "spec.placementRefs.rolloutStrategy.",
    ),
];
const WORKS: [(DocumentKind, &str); 2] = [
    (
        DocumentKind::ManifestWorkReplicaSet,
        "spec.manifestWorkTemplate.",
    ),
    (DocumentKind::AddOnTemplate, "spec.agentSpec."),
];

/// Whether a value is as good as none: nothing, a default, or a map of such.
#[must_use]
pub fn is_filled_in(kind: DocumentKind, path: &[&str], value: &Value) -> bool {
    if is_nothing(value) {
        return true;
    }
    match value {
        Value::Object(fields) => fields.iter().all(|(key, below)| {
            let path = [path, &[key.as_str()]].concat();
            is_filled_in(kind, &path, below)
        }),
        Value::String(text) => default_of(kind, path) == Some(text),
        Value::Number(number) => default_of(kind, path) == Some(&number.to_string()),
        _ => false,
    }
}

fn default_of(kind: DocumentKind, path: &[&str]) -> Option<&'static str> {
    // The core group, and the value of what has none.
    if matches!(path, [.., "group" | "value"]) {
        return Some("");
    }
    let path = path.join(".");
    let of = |defaults: Defaults, path: &str| {
        let mut own = defaults.iter();
        own.find(|(keys, _)| *keys == path).map(|(_, value)| *value)
    };
    let below = |roots: [(DocumentKind, &str); 2]| {
        let mut own = roots.into_iter().filter(|(own, _)| *own == kind);
        own.find_map(|(_, root)| path.strip_prefix(root))
    };
    if let Some(field) = below(ROLLOUTS) {
        return match field.split_once('.') {
            None => (field == "type").then_some("All"),
            Some((_, field)) => of(ROLLOUT, field),
        };
    }
    if let Some(field) = below(WORKS) {
        return of(WORK, field);
    }
    let mut own = DEFAULTS.iter().filter(|(own, _)| *own == kind);
    own.find_map(|(_, defaults)| of(defaults, &path))
}

/// Whether a value is none, or an empty map or list.
#[must_use]
pub fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}
