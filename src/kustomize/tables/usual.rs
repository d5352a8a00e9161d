//! The tables that Kustomize has built in.

use crate::kustomize::file::FieldSpec;

use super::{Config, NameReference};

/// A field of a kind, given as `Kind`, `group/Kind` or `group/version/Kind`; `*` is any.
fn field(of: &str, path: &str, create: bool) -> FieldSpec {
    let parts: Vec<&str> = of.rsplit('/').collect();
    let part = |at: usize| {
        let part = parts.get(at).filter(|part| **part != "*");
        part.map_or_else(String::new, |part| (*part).to_owned())
    };
    let (group, version) = match parts.len() {
        2 => (part(1), String::new()),
        _ => (part(2), part(1)),
    };
    FieldSpec {
        group,
        version,
        kind: part(0),
        path: path.to_owned(),
        create,
    }
}

/// Where each workload keeps its pods.
fn pods(kind: &str) -> &'static str {
    match kind.rsplit('/').next() {
        Some("Pod") => "spec",
        Some("PodTemplate") => "template/spec",
        Some("CronJob") => "spec/jobTemplate/spec/template/spec",
        _ => "spec/template/spec",
    }
}

/// Fields of the pods of workloads.
fn in_pods(kinds: &[&str], paths: &[&str]) -> Vec<FieldSpec> {
    let mut fields = Vec::new();
    for kind in kinds {
        for path in paths {
            fields.push(field(kind, &format!("{}/{path}", pods(kind)), false));
        }
    }
    fields
}

pub(super) fn make() -> Config {
    let names = vec![field("*", "metadata/name", false)];
    let mut metadata = labels_of_metadata();
    metadata.push(field(
        "apps/StatefulSet",
        "spec/volumeClaimTemplates[]/metadata/labels",
        true,
    ));
    let mut common = selectors();
    common.extend(metadata.iter().cloned());
    let image = |path: &str| field("*", path, true);
    let replicas = [
        "Deployment",
        "ReplicationController",
        "ReplicaSet",
        "StatefulSet",
    ];
    Config {
        prefix: names.clone(),
        suffix: names,
        namespace: vec![
            field("Namespace", "metadata/name", true),
            field(
                "apiregistration.k8s.io/APIService",
                "spec/service/namespace",
                true,
            ),
            field(
                "apiextensions.k8s.io/CustomResourceDefinition",
                "spec/conversion/webhook/clientConfig/service/namespace",
                false,
            ),
        ],
        common_labels: common,
        labels: Vec::new(),
        template_labels: metadata,
        annotations: annotations(),
        references: references(),
        vars: variables(),
        images: vec![
            image("spec/containers[]/image"),
            image("spec/initContainers[]/image"),
            image("spec/volumes[]/image/reference"),
            image("spec/template/spec/containers[]/image"),
            image("spec/template/spec/initContainers[]/image"),
            image("spec/template/spec/volumes[]/image/reference"),
        ],
        replicas: replicas
            .map(|kind| field(kind, "spec/replicas", true))
            .to_vec(),
    }
}

/// The labels of objects and of the pods of workloads.
fn labels_of_metadata() -> Vec<FieldSpec> {
    let pods = [
        "*/v1/ReplicationController",
        "Deployment",
        "ReplicaSet",
        "DaemonSet",
        "apps/StatefulSet",
        "batch/Job",
    ];
    let mut fields = vec![field("*", "metadata/labels", true)];
    fields.extend(pods.map(|kind| field(kind, "spec/template/metadata/labels", true)));
    fields.push(field(
        "batch/CronJob",
        "spec/jobTemplate/metadata/labels",
        true,
    ));
    let path = "spec/jobTemplate/spec/template/metadata/labels";
    fields.push(field("batch/CronJob", path, true));
    fields
}

/// The annotations of objects and of the pods of workloads.
fn annotations() -> Vec<FieldSpec> {
    let mut fields = labels_of_metadata();
    for field in &mut fields {
        field.path = field.path.replace("labels", "annotations");
        if field.kind == "StatefulSet" {
            field.group.clear();
        }
    }
    fields
}

/// The selectors of built-in kinds.
fn selectors() -> Vec<FieldSpec> {
    let match_labels = "spec/selector/matchLabels";
    let mut fields = vec![
        field("*/v1/Service", "spec/selector", true),
        field("*/v1/ReplicationController", "spec/selector", true),
        field("Deployment", match_labels, true),
        field("ReplicaSet", match_labels, true),
        field("DaemonSet", match_labels, true),
        field("apps/StatefulSet", match_labels, true),
        field("batch/Job", match_labels, false),
        field(
            "batch/CronJob",
            "spec/jobTemplate/spec/selector/matchLabels",
            false,
        ),
        field("policy/PodDisruptionBudget", match_labels, false),
    ];
    for path in [
        "spec/podSelector",
        "spec/ingress/from/podSelector",
        "spec/egress/to/podSelector",
    ] {
        let path = format!("{path}/matchLabels");
        fields.push(field("networking.k8s.io/NetworkPolicy", &path, false));
    }
    let mut paths = vec!["topologySpreadConstraints/labelSelector/matchLabels".to_owned()];
    for side in ["podAffinity", "podAntiAffinity"] {
        for when in [
            "preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm",
            "requiredDuringSchedulingIgnoredDuringExecution",
        ] {
            paths.push(format!("affinity/{side}/{when}/labelSelector/matchLabels"));
        }
    }
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    fields.extend(in_pods(&["apps/Deployment", "apps/StatefulSet"], &paths));
    fields
}

/// The fields in which variables are replaced.
fn variables() -> Vec<FieldSpec> {
    let workloads = [
        "Deployment",
        "DaemonSet",
        "ReplicaSet",
        "StatefulSet",
        "Job",
        "CronJob",
        "Pod",
    ];
    let mut paths = Vec::new();
    for list in ["containers", "initContainers"] {
        for part in ["args", "command", "env/value", "volumeMounts/mountPath"] {
            paths.push(format!("{list}/{part}"));
        }
    }
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let mut fields = in_pods(&workloads, &paths);
    let server = "volumes/nfs/server";
    let with_volumes = ["Deployment", "DaemonSet", "ReplicaSet", "Job", "Pod"];
    fields.extend(in_pods(&with_volumes, &[server]));
    for (kind, path) in [
        (
            "CronJob",
            "spec/jobTemplate/spec/template/volumes/nfs/server",
        ),
        ("Deployment", "spec/template/metadata/annotations"),
        ("Ingress", "spec/rules/host"),
        ("Ingress", "spec/tls/hosts"),
        ("Ingress", "spec/tls/secretName"),
        ("Service", "spec/ports/port"),
        ("Service", "spec/ports/targetPort"),
        ("StatefulSet", "spec/volumeClaimTemplates/spec/nfs/server"),
        ("PersistentVolume", "spec/nfs/server"),
        ("*", "metadata/labels"),
        ("*", "metadata/annotations"),
    ] {
        fields.push(field(kind, path, false));
    }
    fields
}

/// The fields that hold names.
fn references() -> Vec<NameReference> {
    let of = |of: &str, fields: Vec<FieldSpec>| NameReference {
        of: field(of, "", false),
        fields,
    };
    let some = |fields: &[(&str, &str)]| -> Vec<FieldSpec> {
        let fields = fields.iter();
        fields
            .map(|(kind, path)| field(kind, path, false))
            .collect()
    };
    let scaled = || some(&[("HorizontalPodAutoscaler", "spec/scaleTargetRef/name")]);
    let running = [
        "StatefulSet",
        "Deployment",
        "ReplicationController",
        "CronJob",
        "Job",
        "DaemonSet",
    ];
    let with_pod = {
        let mut kinds = vec!["Pod"];
        kinds.extend(running);
        kinds
    };
    let rules = [
        ("Role", "rules/resourceNames"),
        ("ClusterRole", "rules/resourceNames"),
    ];

    let mut config_maps = of_pods("configMap", "name", "configMap/name");
    config_maps.extend(some(&[
        ("Node", "spec/configSource/configMap"),
        rules[0],
        rules[1],
        (
            "Ingress",
            "metadata/annotations/nginx.ingress.kubernetes.io\\/fastcgi-params-configmap",
        ),
    ]));
    let mut secrets = of_pods("secret", "secretName", "secret/name");
    secrets.extend(some(&[
        ("Ingress", "spec/tls/secretName"),
        (
            "Ingress",
            "metadata/annotations/ingress.kubernetes.io\\/auth-secret",
        ),
        (
            "Ingress",
            "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-secret",
        ),
        (
            "Ingress",
            "metadata/annotations/nginx.ingress.kubernetes.io\\/auth-tls-secret",
        ),
        ("ServiceAccount", "imagePullSecrets/name"),
        ("StorageClass", "parameters/secretName"),
        ("StorageClass", "parameters/adminSecretName"),
        ("StorageClass", "parameters/userSecretName"),
        ("StorageClass", "parameters/secretRef"),
        rules[0],
        rules[1],
        (
            "serving.knative.dev/v1/Service",
            "spec/template/spec/containers/env/valueFrom/secretKeyRef/name",
        ),
        ("PersistentVolume", "spec/azureFile/secretName"),
    ]));
    let mut accounts = some(&[
        ("rbac.authorization.k8s.io/RoleBinding", "subjects"),
        ("rbac.authorization.k8s.io/ClusterRoleBinding", "subjects"),
    ]);
    accounts.extend(in_pods(&with_pod, &["serviceAccountName"]));
    vec![
        of("Deployment", scaled()),
        of("ReplicationController", scaled()),
        of("ReplicaSet", scaled()),
        of("StatefulSet", scaled()),
        of("*/v1/ConfigMap", config_maps),
        of("*/v1/Secret", secrets),
        of(
            "*/v1/Service",
            some(&[
                ("apps/StatefulSet", "spec/serviceName"),
                ("Ingress", "spec/rules/http/paths/backend/serviceName"),
                ("Ingress", "spec/backend/serviceName"),
                ("Ingress", "spec/rules/http/paths/backend/service/name"),
                ("Ingress", "spec/defaultBackend/service/name"),
                ("apiregistration.k8s.io/APIService", "spec/service/name"),
                (
                    "admissionregistration.k8s.io/ValidatingWebhookConfiguration",
                    "webhooks/clientConfig/service",
                ),
                (
                    "admissionregistration.k8s.io/MutatingWebhookConfiguration",
                    "webhooks/clientConfig/service",
                ),
            ]),
        ),
        of(
            "rbac.authorization.k8s.io/Role",
            some(&[("rbac.authorization.k8s.io/RoleBinding", "roleRef/name")]),
        ),
        of(
            "rbac.authorization.k8s.io/ClusterRole",
            some(&[
                ("rbac.authorization.k8s.io/RoleBinding", "roleRef/name"),
                (
                    "rbac.authorization.k8s.io/ClusterRoleBinding",
                    "roleRef/name",
                ),
            ]),
        ),
        of("*/v1/ServiceAccount", accounts),
        of(
            "*/v1/PersistentVolumeClaim",
            in_pods(&with_pod, &["volumes/persistentVolumeClaim/claimName"]),
        ),
        of(
            "*/v1/PersistentVolume",
            some(&[("PersistentVolumeClaim", "spec/volumeName"), rules[1]]),
        ),
        of(
            "storage.k8s.io/v1/StorageClass",
            some(&[
                ("PersistentVolume", "spec/storageClassName"),
                ("PersistentVolumeClaim", "spec/storageClassName"),
                (
                    "StatefulSet",
                    "spec/volumeClaimTemplates/spec/storageClassName",
                ),
            ]),
        ),
        of(
            "scheduling.k8s.io/v1/PriorityClass",
            in_pods(&with_pod, &["priorityClassName"]),
        ),
        NameReference {
            // The original has the version in the group too, so that no object is one of these.
            of: FieldSpec {
                group: "networking.k8s.io/v1".to_owned(),
                version: "v1".to_owned(),
                kind: "IngressClass".to_owned(),
                ..FieldSpec::default()
            },
            fields: some(&[("Ingress", "spec/ingressClassName")]),
        },
        of(
            "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
            some(&[(
                "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding",
                "spec/policyName",
            )]),
        ),
    ]
}

/// The fields of pods that name ConfigMaps or Secrets: the stem of the fields, the field of a
/// volume, and that of a projected volume.
fn of_pods(stem: &str, volume: &str, projected: &str) -> Vec<FieldSpec> {
    let kinds = [
        "*/v1/Pod",
        "PodTemplate",
        "Deployment",
        "ReplicaSet",
        "DaemonSet",
        "StatefulSet",
        "Job",
        "CronJob",
    ];
    let mut paths = vec![
        format!("volumes/{stem}/{volume}"),
        format!("volumes/projected/sources/{projected}"),
    ];
    for list in ["containers", "initContainers"] {
        paths.push(format!("{list}/env/valueFrom/{stem}KeyRef/name"));
        paths.push(format!("{list}/envFrom/{stem}Ref/name"));
    }
    if stem == "secret" {
        paths.push("imagePullSecrets/name".to_owned());
    }
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    in_pods(&kinds, &paths)
}
