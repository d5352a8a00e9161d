//! Common spellings from other systems and earlier versions, and what to write instead.

use crate::yaml::Node;

/// The replacement for a field that the kind does not have.
pub(super) enum Instead {
    /// Another field, with the same value.
    Field(&'static str),
    /// Another field, with its form in words.
    Form(&'static str, &'static str),
    /// The text to write, and its place, in words.
    Words(&'static str),
}

use Instead::{Field, Form, Words};

const RULES: Instead =
    Words("write a rule: `rules: [{key: KEY, operator: Equals, values: [VALUE]}]`");
const NO_TAINTS: Instead = Words(
    "planner/v1 has no taints; give the Cluster a label and exclude it by a rule (`NotEquals`)",
);
const VOLUMES: Instead = Words(
    "declare the volume in `spec.storageRequests` of the Package and refer to it in `mounts` of a \
     container: `mounts: [{path: /data, storageRequest: NAME}]`",
);
const CAPACITY: Instead = Words("write `capacity: 10Gi`, the smallest sufficient size");

/// The field, one that its mapping has (which tells where it stands), and what to write.
const INSTEAD: &[(&str, &str, Instead)] = &[
    // Clusters and their Nodes.
    ("capacity", "allocatable", Field("allocatable")),
    ("resources", "allocatable", Field("allocatable")),
    (
        "cpu",
        "allocatable",
        Words("write it in `allocatable`: `allocatable: {cpu: \"8\", memory: 32Gi}`"),
    ),
    (
        "memory",
        "allocatable",
        Words("write it in `allocatable`: `allocatable: {cpu: \"8\", memory: 32Gi}`"),
    ),
    (
        "capacity",
        "nodes",
        Words("give each Node its own: `nodes: [{name: NAME, allocatable: {cpu: \"8\"}}]`"),
    ),
    (
        "allocatable",
        "nodes",
        Words("give each Node its own: `nodes: [{name: NAME, allocatable: {cpu: \"8\"}}]`"),
    ),
    (
        "capacity",
        "cluster",
        Words("write it in `status`: `status: {allocatable: {cpu: \"8\", memory: 32Gi}}`"),
    ),
    (
        "allocatable",
        "cluster",
        Words("write it in `status`: `status: {allocatable: {cpu: \"8\", memory: 32Gi}}`"),
    ),
    (
        "status",
        "allocatable",
        Words("leave it out: only the Cluster has a status, `status: {phase: Up}`"),
    ),
    ("taints", "allocatable", NO_TAINTS),
    ("taints", "nodes", NO_TAINTS),
    (
        "labels",
        "nodes",
        Words("write the labels of the Cluster in its `metadata`"),
    ),
    (
        "phase",
        "nodes",
        Words("write it in `status`: `status: {phase: Up}`"),
    ),
    ("conditions", "phase", Words("write `phase: Up`")),
    (
        "storageClasses",
        "volumeProviders",
        Field("volumeProviders"),
    ),
    ("provisioner", "accessModes", Field("type")),
    ("volumes", "volumeProviders", Field("volumeProviders")),
    ("size", "maxVolume", Field("maxVolume")),
    ("capacity", "maxVolume", Field("maxVolume")),
    (
        "gpu",
        "cpu",
        Words("planner/v1 counts cpu and memory; use a label of the Cluster and a rule instead"),
    ),
    (
        "status",
        "volumeProviders",
        Words("write it beside `spec`: `status: {phase: Up}`"),
    ),
    ("cores", "cpu", Field("cpu")),
    ("vcpus", "cpu", Field("cpu")),
    ("ram", "memory", Field("memory")),
    ("mem", "memory", Field("memory")),
    // Packages and what their Applications mount.
    ("storage", "storageRequests", Field("storageRequests")),
    ("volumes", "storageRequests", Field("storageRequests")),
    ("op", "operator", Field("operator")),
    (
        "replicas",
        "storageRequests",
        Words("write it in each Application"),
    ),
    ("storageClassName", "persistence", Field("type")),
    ("storageClass", "persistence", Field("type")),
    ("volumeMode", "persistence", Field("mode")),
    ("size", "persistence", Field("capacity")),
    ("storage", "persistence", Field("capacity")),
    ("resources", "persistence", CAPACITY),
    ("requests", "persistence", CAPACITY),
    (
        "accessModes",
        "persistence",
        Words("write `accessMode` where a container mounts it"),
    ),
    (
        "accessMode",
        "persistence",
        Words("write `accessMode` where a container mounts it"),
    ),
    (
        "applications",
        "storageRequests",
        Words("leave it out: each Application names its Package, `spec: {package: NAME}`"),
    ),
    // Applications.
    (
        "template",
        "containers",
        Words("write `containers` in `spec` itself"),
    ),
    (
        "initContainers",
        "containers",
        Words("leave it out: only `containers` count for a plan"),
    ),
    ("nodeSelector", "rules", RULES),
    ("affinity", "rules", RULES),
    ("nodeAffinity", "rules", RULES),
    ("tolerations", "containers", NO_TAINTS),
    ("volumes", "containers", VOLUMES),
    ("volumeClaimTemplates", "containers", VOLUMES),
    (
        "storageRequests",
        "containers",
        Words("write it in `spec` of the Package"),
    ),
    (
        "project",
        "containers",
        Words("write it in `spec` of the Package"),
    ),
    (
        "image",
        "containers",
        Words("write it in a container: `containers: [{name: NAME, image: IMAGE}]`"),
    ),
    (
        "requests",
        "containers",
        Words("write it in a container: `containers: [{name: NAME, requests: {cpu: \"1\"}}]`"),
    ),
    (
        "cpu",
        "containers",
        Words("write it in a container: `containers: [{name: NAME, requests: {cpu: \"1\"}}]`"),
    ),
    (
        "memory",
        "containers",
        Words("write it in a container: `containers: [{name: NAME, requests: {memory: 1Gi}}]`"),
    ),
    (
        "resources",
        "containers",
        Words("write it in a container: `containers: [{name: NAME, requests: {cpu: \"1\"}}]`"),
    ),
    // Containers.
    (
        "resources",
        "requests",
        Words("write its contents in the container itself: `requests: {cpu: \"1\"}`, `limits: {}`"),
    ),
    (
        "cpu",
        "requests",
        Words("write it in `requests`: `requests: {cpu: \"1\"}`"),
    ),
    (
        "memory",
        "requests",
        Words("write it in `requests`: `requests: {memory: 1Gi}`"),
    ),
    (
        "volumeMounts",
        "mounts",
        Words(
            "write `mounts: [{path: /data, storageRequest: NAME}]`; NAME is one of the Package's",
        ),
    ),
    ("mountPath", "storageRequest", Field("path")),
    ("name", "storageRequest", Field("storageRequest")),
    ("claimName", "storageRequest", Field("storageRequest")),
    (
        "args",
        "command",
        Words("leave it out: a plan does not read it"),
    ),
    // Everything.
    (
        "namespace",
        "annotations",
        Words("leave it out: planner/v1 has no namespaces"),
    ),
];

const SET_LABEL: Instead =
    Words("write the label `cluster.open-cluster-management.io/clusterset: SET` of each cluster");
const PREDICATE: Instead = Form(
    "predicates",
    "write `predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: …}}}]`",
);

/// The same in documents of Open Cluster Management, by what its earlier versions have.
const INSTEAD_OF_EARLIER: &[(&str, &str, Instead)] = &[
    ("clusterSet", "annotations", SET_LABEL),
    ("clusters", "managedNamespaces", SET_LABEL),
    ("replicas", "numberOfClusters", Field("numberOfClusters")),
    (
        "clusterReplicas",
        "numberOfClusters",
        Field("numberOfClusters"),
    ),
    ("clusterSelector", "predicates", PREDICATE),
    ("labelSelector", "predicates", PREDICATE),
    (
        "labelSelector",
        "requiredClusterSelector",
        Form(
            "requiredClusterSelector",
            "write `requiredClusterSelector: {labelSelector: {matchLabels: …}}`",
        ),
    ),
    (
        "name",
        "scoreCoordinate",
        Words("write `scoreCoordinate: {type: BuiltIn, builtIn: NAME}`"),
    ),
    (
        "prioritizers",
        "prioritizerPolicy",
        Words(
            "write `prioritizerPolicy: {configurations: [{scoreCoordinate: {type: BuiltIn, \
             builtIn: NAME}, weight: 1}]}`",
        ),
    ),
];

const TARGETS: Instead = Words("write `targetLabels: {matchLabels: {KEY: VALUE}}`");
const NODE_NAME: Instead = Words("leave it out: `metadata.name` names the node");

/// The same in all other documents: nodes, their groups, and rules with advisors.
const INSTEAD_ELSEWHERE: &[(&str, &str, Instead)] = &[
    ("clusterSelector", "targetLabels", TARGETS),
    ("nodeSelector", "targetLabels", TARGETS),
    ("selector", "targetLabels", TARGETS),
    ("name", "addressing", NODE_NAME),
    ("hostname", "addressing", NODE_NAME),
    (
        "labels",
        "host_profile",
        Words("write them in `metadata`: `metadata: {owner_data: {KEY: VALUE}}`"),
    ),
    ("labels", "owner_data", Field("owner_data")),
    ("names", "node_names", Field("node_names")),
    ("nodes", "node_names", Field("node_names")),
    ("hosts", "node_names", Field("node_names")),
    ("labels", "node_labels", Field("node_labels")),
    ("tags", "node_tags", Field("node_tags")),
    ("racks", "rack_names", Field("rack_names")),
];

/// The replacement for a field.
pub(super) fn instead(root: Node<'_>, key: &str, known: &[&str]) -> Option<&'static Instead> {
    let api = root.get("apiVersion").and_then(Node::text);
    let all = match api.and_then(|api| api.split('/').next()) {
        Some("planner") => INSTEAD,
        Some("cluster.open-cluster-management.io") => INSTEAD_OF_EARLIER,
        _ => INSTEAD_ELSEWHERE,
    };
    let mut all = all.iter();
    let found = all.find(|(field, beside, _)| *field == key && known.contains(beside))?;
    Some(&found.2)
}

/// The effects of taints in Kubernetes, and those of Open Cluster Management.
const EFFECTS: [(&str, &str); 3] = [
    ("NoSchedule", "NoSelect"),
    ("PreferNoSchedule", "PreferNoSelect"),
    ("NoExecute", "NoSelect"),
];

/// The word that stands for one of Kubernetes.
pub(super) fn word_instead<'w>(written: &str, words: &[&'w str]) -> Option<&'w str> {
    let (_, ours) = EFFECTS.iter().find(|(theirs, _)| *theirs == written)?;
    words.iter().copied().find(|word| word == ours)
}
