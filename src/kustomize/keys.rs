//! The lists of built-in kinds that patches merge by keys.

use super::tables::has_kind;

/// A part of a built-in kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// An object of this kind.
    Root(Kind),
    Spec(Kind),
    Status(Kind),
    Metadata,
    PodTemplate,
    PodSpec,
    JobTemplate,
    Container,
    EphemeralContainer,
    Volume,
    Ephemeral,
    Claim,
    /// A list whose elements are the same if these keys are, and what the elements are.
    Keyed(&'static [&'static str], Option<&'static Self>),
    /// A list of values, each once.
    Set,
}

/// The kinds that have such lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Workload,
    Job,
    CronJob,
    Pod,
    PodTemplate,
    Service,
    ServiceAccount,
    Node,
    Webhooks,
    Drivers,
    ComponentStatus,
    /// A kind with conditions in its status.
    Conditions,
    /// A kind with metadata alone.
    Plain,
}

/// The built-in kinds: group, versions, kinds.
const KINDS: [(&str, &str, &str); 24] = [
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
        "apps",
        "v1",
        "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
    ),
    ("authentication.k8s.io", "v1", "TokenRequest"),
    ("authentication.k8s.io", "v1 v1beta1", "TokenReview"),
    (
        "authorization.k8s.io",
        "v1 v1beta1",
        "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview \
         SubjectAccessReview",
    ),
    ("autoscaling", "v1", "Scale"),
    (
        "autoscaling",
        "v1 v2beta1 v2beta2",
        "HorizontalPodAutoscaler",
    ),
    ("batch", "v1", "Job"),
    ("batch", "v1 v1beta1", "CronJob"),
    (
        "certificates.k8s.io",
        "v1 v1beta1",
        "CertificateSigningRequest",
    ),
    ("coordination.k8s.io", "v1 v1beta1", "Lease"),
    ("discovery.k8s.io", "v1 v1beta1", "EndpointSlice"),
    ("events.k8s.io", "v1 v1beta1", "Event"),
    ("extensions", "v1beta1", "Ingress"),
    (
        "flowcontrol.apiserver.k8s.io",
        "v1beta1",
        "FlowSchema PriorityLevelConfiguration",
    ),
    ("networking.k8s.io", "v1 v1beta1", "Ingress IngressClass"),
    ("networking.k8s.io", "v1", "NetworkPolicy"),
    ("node.k8s.io", "v1 v1beta1", "RuntimeClass"),
    ("policy", "v1 v1beta1", "PodDisruptionBudget"),
    (
        "rbac.authorization.k8s.io",
        "v1 v1beta1",
        "ClusterRole ClusterRoleBinding Role RoleBinding",
    ),
    (
        "storage.k8s.io",
        "v1 v1beta1",
        "CSIDriver CSINode StorageClass VolumeAttachment",
    ),
    (
        "",
        "v1",
        "Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node \
         PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController \
         ResourceQuota Secret Service ServiceAccount",
    ),
];

/// More kinds with metadata alone.
const PLAIN: [(&str, &str, &str); 3] = [
    ("policy", "v1beta1", "Eviction PodSecurityPolicy"),
    ("scheduling.k8s.io", "v1 v1beta1", "PriorityClass"),
    ("storage.k8s.io", "v1beta1", "CSIStorageCapacity"),
];

/// The keys of the lists of a kind.
pub(super) fn of(api_version: &str, kind: &str) -> Option<Part> {
    let is_known = [&KINDS[..], &PLAIN[..]]
        .into_iter()
        .any(|table| has_kind(table, api_version, kind));
    is_known.then_some(())?;
    Some(Part::Root(match kind {
        "Deployment" | "DaemonSet" | "ReplicaSet" | "StatefulSet" | "ReplicationController" => {
            Kind::Workload
        }
        "Job" => Kind::Job,
        "CronJob" => Kind::CronJob,
        "Pod" => Kind::Pod,
        "PodTemplate" => Kind::PodTemplate,
        "Service" => Kind::Service,
        "ServiceAccount" => Kind::ServiceAccount,
        "Node" => Kind::Node,
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => Kind::Webhooks,
        "CSINode" => Kind::Drivers,
        "ComponentStatus" => Kind::ComponentStatus,
        "Namespace" | "PersistentVolumeClaim" | "PodDisruptionBudget" | "APIService" => {
            Kind::Conditions
        }
        _ => Kind::Plain,
    }))
}

impl Part {
    /// The part that a field of it is.
    pub(super) fn field(self, name: &str) -> Option<Self> {
        const CONDITIONS: Part = Part::Keyed(&["type"], None);
        Some(match (self, name) {
            (Self::Root(_) | Self::PodTemplate | Self::JobTemplate | Self::Claim, "metadata") => {
                Self::Metadata
            }
            (Self::Root(Kind::PodTemplate), "template") => Self::PodTemplate,
            (Self::Root(Kind::Webhooks), "webhooks") => Self::Keyed(&["name"], None),
            (Self::Root(Kind::ServiceAccount), "secrets") => Self::Keyed(&["name"], None),
            (Self::Root(Kind::ComponentStatus), "conditions") => CONDITIONS,
            (Self::Root(Kind::Pod), "spec") => Self::PodSpec,
            (Self::Root(kind), "spec") => Self::Spec(kind),
            (Self::Root(kind), "status") => Self::Status(kind),
            (Self::Spec(Kind::Workload | Kind::Job), "template") => Self::PodTemplate,
            (Self::Spec(Kind::CronJob), "jobTemplate") => Self::JobTemplate,
            (Self::Spec(Kind::Service), "ports") => Self::Keyed(&["port", "protocol"], None),
            (Self::Spec(Kind::Node), "podCIDRs") => Self::Set,
            (Self::Spec(Kind::Drivers), "drivers") => Self::Keyed(&["name"], None),
            (Self::Status(Kind::Pod), "podIPs") => Self::Keyed(&["ip"], None),
            (Self::Status(Kind::Node), "addresses") => CONDITIONS,
            (
                Self::Status(
                    Kind::Workload
                    | Kind::Job
                    | Kind::Pod
                    | Kind::Service
                    | Kind::Node
                    | Kind::Conditions,
                ),
                "conditions",
            ) => CONDITIONS,
            (Self::Metadata, "finalizers") => Self::Set,
            (Self::Metadata, "ownerReferences") => Self::Keyed(&["uid"], None),
            (Self::JobTemplate, "spec") => Self::Spec(Kind::Job),
            (Self::PodTemplate, "spec") => Self::PodSpec,
            (Self::PodSpec, "containers" | "initContainers") => {
                Self::Keyed(&["name"], Some(&Self::Container))
            }
            (Self::PodSpec, "ephemeralContainers") => {
                Self::Keyed(&["name"], Some(&Self::EphemeralContainer))
            }
            (Self::PodSpec, "hostAliases") => Self::Keyed(&["ip"], None),
            (Self::PodSpec, "imagePullSecrets") => Self::Keyed(&["name"], None),
            (Self::PodSpec, "topologySpreadConstraints") => {
                Self::Keyed(&["topologyKey", "whenUnsatisfiable"], None)
            }
            (Self::PodSpec, "volumes") => Self::Keyed(&["name"], Some(&Self::Volume)),
            (Self::Container, "ports") => Self::Keyed(&["containerPort", "protocol"], None),
            (Self::Container | Self::EphemeralContainer, "env") => Self::Keyed(&["name"], None),
            (Self::Container | Self::EphemeralContainer, "volumeDevices") => {
                Self::Keyed(&["devicePath"], None)
            }
            (Self::Container | Self::EphemeralContainer, "volumeMounts") => {
                Self::Keyed(&["mountPath"], None)
            }
            (Self::Volume, "ephemeral") => Self::Ephemeral,
            (Self::Ephemeral, "volumeClaimTemplate") => Self::Claim,
            _ => return None,
        })
    }
}
