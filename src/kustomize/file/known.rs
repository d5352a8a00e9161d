//! The fields that a kustomization and its parts may have.

pub(super) const FIELDS: [&str; 35] = [
    "apiVersion",
    "kind",
    "metadata",
    "openapi",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "commonAnnotations",
    "patchesStrategicMerge",
    "patchesJson6902",
    "patches",
    "images",
    "imageTags",
    "replacements",
    "replicas",
    "vars",
    "sortOptions",
    "resources",
    "components",
    "crds",
    "bases",
    "configMapGenerator",
    "secretGenerator",
    "helmGlobals",
    "helmCharts",
    "helmChartInflationGenerator",
    "generatorOptions",
    "configurations",
    "generators",
    "transformers",
    "validators",
    "buildMetadata",
    "",
];
pub(super) const SELECTOR: [&str; 7] = [
    "group",
    "version",
    "kind",
    "name",
    "namespace",
    "annotationSelector",
    "labelSelector",
];
pub(super) const SOURCE: [&str; 7] = [
    "group",
    "version",
    "kind",
    "name",
    "namespace",
    "fieldPath",
    "options",
];
pub(super) const OPTIONS: [&str; 4] = [
    "labels",
    "annotations",
    "disableNameSuffixHash",
    "immutable",
];
pub(super) const FIELD_OPTIONS: [&str; 4] = ["delimiter", "index", "encoding", "create"];
pub(in crate::kustomize) const FIELD_SPEC: [&str; 5] =
    ["group", "version", "kind", "path", "create"];
pub(super) const PATCH: [&str; 4] = ["path", "patch", "target", "options"];
pub(in crate::kustomize) const REPLACEMENT: [&str; 4] =
    ["source", "targets", "sourceValue", "path"];
pub(in crate::kustomize) const IMAGE: [&str; 5] =
    ["name", "newName", "tagSuffix", "newTag", "digest"];
pub(in crate::kustomize) const GENERATOR: [&str; 9] = [
    "namespace",
    "name",
    "behavior",
    "literals",
    "files",
    "envs",
    "env",
    "options",
    "type",
];
pub(super) const CHART: [&str; 26] = [
    "name",
    "version",
    "repo",
    "releaseName",
    "namespace",
    "additionalValuesFiles",
    "valuesFile",
    "valuesInline",
    "valuesMerge",
    "includeCRDs",
    "skipHooks",
    "apiVersions",
    "kubeVersion",
    "nameTemplate",
    "skipTests",
    "debug",
    "devel",
    "chartName",
    "chartVersion",
    "chartRepoUrl",
    "chartHome",
    "chartRepoName",
    "helmBin",
    "helmHome",
    "values",
    "valuesLocal",
];
