//! Built-in kinds: their scope, and the fields that Kustomize changes in them.

mod usual;

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

/// Whether a table of groups, versions and kinds has this kind.
pub(super) fn has_kind(table: &[(&str, &str, &str)], api_version: &str, kind: &str) -> bool {
    let has = |words: &str, word: &str| words.split(' ').any(|one| one == word);
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    table
        .iter()
        .any(|(its, versions, kinds)| *its == group && has(kinds, kind) && has(versions, version))
}

/// Whether a built-in kind has no namespace.
pub(super) fn is_cluster_scoped(api_version: &str, kind: &str) -> bool {
    has_kind(&CLUSTER_SCOPED, api_version, kind)
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
        USUAL.get_or_init(usual::make)
    }
}
