//! What is known of built-in kinds: their scope, and the fields that Kustomize changes in them.

use std::sync::OnceLock;

use super::file::FieldSpec;

/// The built-in kinds without a namespace: group, versions, kinds.
const CLUSTER_SCOPED: [(&str, &str, &str); 12] = [
    (
        "",
        "v1",
        "ComponentStatus Namespace Node NodeProxyOptions PersistentVolume",
    ),
    (
        "admissionregistration.k8s.io",
        "v1 v1beta1",
        "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    ),
    (
        "apiextensions.k8s.io",
        "v1 v1beta1",
        "CustomResourceDefinition",
    ),
    ("apiregistration.k8s.io", "v1 v1beta1", "APIService"),
    (
        "certificates.k8s.io",
        "v1 v1beta1",
        "CertificateSigningRequest",
    ),
    (
        "flowcontrol.apiserver.k8s.io",
        "v1beta1",
        "FlowSchema PriorityLevelConfiguration",
    ),
    ("networking.k8s.io", "v1 v1beta1", "IngressClass"),
    ("node.k8s.io", "v1 v1beta1", "RuntimeClass"),
    ("policy", "v1beta1", "PodSecurityPolicy"),
    (
        "rbac.authorization.k8s.io",
        "v1 v1beta1",
        "ClusterRole ClusterRoleBinding",
    ),
    ("scheduling.k8s.io", "v1 v1beta1", "PriorityClass"),
    (
        "storage.k8s.io",
        "v1 v1beta1",
        "CSIDriver CSINode StorageClass VolumeAttachment",
    ),
];

/// Whether a built-in kind has no namespace.
pub(super) fn is_cluster_scoped(api_version: &str, kind: &str) -> bool {
    let has = |words: &str, word: &str| words.split(' ').any(|one| one == word);
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let fits = |(its, versions, kinds): &(&str, &str, &str)| {
        *its == group && has(kinds, kind) && has(versions, version)
    };
    CLUSTER_SCOPED.iter().any(fits)
}

/// The fields that hold names of objects of a kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct NameReference {
    /// Of the objects: only group, version and kind count.
    pub(super) of: FieldSpec,
    pub(super) fields: Vec<FieldSpec>,
}

/// The fields that are changed; `configurations` add to them.
#[derive(Debug, Clone, Default)]
pub(super) struct Config {
    pub(super) prefix: Vec<FieldSpec>,
    pub(super) suffix: Vec<FieldSpec>,
    pub(super) namespace: Vec<FieldSpec>,
    pub(super) common_labels: Vec<FieldSpec>,
    pub(super) labels: Vec<FieldSpec>,
    pub(super) template_labels: Vec<FieldSpec>,
    pub(super) annotations: Vec<FieldSpec>,
    pub(super) references: Vec<NameReference>,
    pub(super) vars: Vec<FieldSpec>,
    pub(super) images: Vec<FieldSpec>,
    pub(super) replicas: Vec<FieldSpec>,
}

/// Two tables create and do not create the same field.
#[derive(Debug)]
pub(super) struct Conflict(pub(super) String);

/// Adds a field to a table.
pub(super) fn add(to: &mut Vec<FieldSpec>, field: &FieldSpec) -> Result<(), Conflict> {
    let covers = |old: &&FieldSpec| {
        let same = |own: &str, new: &str| new.is_empty() || own == new;
        same(&old.group, &field.group)
            && same(&old.version, &field.version)
            && same(&old.kind, &field.kind)
            && old.path == field.path
    };
    match to.iter().find(covers) {
        Some(old) if old.create != field.create => Err(Conflict(field.path.clone())),
        Some(_) => Ok(()),
        None => {
            to.push(field.clone());
            Ok(())
        }
    }
}

/// Adds fields to a table.
pub(super) fn add_all(to: &mut Vec<FieldSpec>, fields: &[FieldSpec]) -> Result<(), Conflict> {
    fields.iter().try_for_each(|field| add(to, field))
}

impl Config {
    /// Adds the tables of another configuration.
    pub(super) fn merge(&mut self, other: &Self) -> Result<(), Conflict> {
        add_all(&mut self.prefix, &other.prefix)?;
        add_all(&mut self.suffix, &other.suffix)?;
        add_all(&mut self.namespace, &other.namespace)?;
        add_all(&mut self.common_labels, &other.common_labels)?;
        add_all(&mut self.labels, &other.labels)?;
        add_all(&mut self.template_labels, &other.template_labels)?;
        add_all(&mut self.annotations, &other.annotations)?;
        add_all(&mut self.vars, &other.vars)?;
        add_all(&mut self.images, &other.images)?;
        add_all(&mut self.replicas, &other.replicas)?;
        for new in &other.references {
            let mut known = self.references.iter_mut();
            match known.find(|old| old.of == new.of) {
                Some(old) => add_all(&mut old.fields, &new.fields)?,
                None => self.references.push(new.clone()),
            }
        }
        Ok(())
    }

    /// The tables without configurations.
    pub(super) fn usual() -> &'static Self {
        static USUAL: OnceLock<Config> = OnceLock::new();
        USUAL.get_or_init(make)
    }
}

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

fn make() -> Config {
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
