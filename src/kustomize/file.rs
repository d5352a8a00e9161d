//! The kustomization file: its fields, typed.

mod known;
mod read;

use crate::source::Place;

use super::fields::{Pairs, Text};

pub(super) use known::{FIELD_SPEC, GENERATOR, IMAGE, REPLACEMENT};
pub(super) use read::{field_spec, generator, image, patch, read, replacement, replica};

/// The fields of a kustomization.
#[derive(Debug, Default)]
pub(super) struct Kustomization {
    pub(super) component: bool,
    /// The head of the file.
    pub(super) head: Place,
    /// Where it lists its resources, or the head.
    pub(super) listing: Place,
    /// `resources`, then `bases`.
    pub(super) resources: Vec<Text>,
    pub(super) components: Vec<Text>,
    pub(super) configurations: Vec<Text>,
    pub(super) config_maps: Vec<Generator>,
    pub(super) secrets: Vec<Generator>,
    pub(super) charts: Vec<Text>,
    pub(super) generators: Vec<Text>,
    pub(super) merge_patches: Vec<Text>,
    pub(super) patches: Vec<Patch>,
    pub(super) namespace: Option<Text>,
    pub(super) prefix: Option<Text>,
    pub(super) suffix: Option<Text>,
    pub(super) labels: Vec<Label>,
    pub(super) common_labels: Pairs,
    pub(super) annotations: Pairs,
    pub(super) json_patches: Vec<Patch>,
    pub(super) replicas: Vec<Replica>,
    pub(super) images: Vec<Image>,
    pub(super) replacements: Vec<Replacement>,
    pub(super) transformers: Vec<Text>,
    pub(super) validators: Vec<Text>,
    pub(super) vars: Vec<Var>,
    pub(super) build_metadata: Vec<Text>,
    /// The fields that change merging and references in ways that are not known here, each with its
    /// place.
    pub(super) schemas: Vec<(&'static str, Place)>,
}

/// A ConfigMap or Secret to be generated.
#[derive(Debug, Default)]
pub(super) struct Generator {
    pub(super) place: Place,
    pub(super) name: Option<Text>,
    pub(super) namespace: Option<Text>,
    pub(super) behavior: Option<Text>,
    pub(super) literals: Vec<Text>,
    pub(super) files: Vec<Text>,
    pub(super) envs: Vec<Text>,
    pub(super) options: Options,
    pub(super) kind: Option<Text>,
}

/// The options of generators.
#[derive(Debug, Default, Clone)]
pub(super) struct Options {
    pub(super) labels: Pairs,
    pub(super) annotations: Pairs,
    pub(super) no_hash: bool,
    pub(super) immutable: Option<Place>,
}

/// A patch: a path or a text, and what it is for.
#[derive(Debug, Default)]
pub(super) struct Patch {
    pub(super) place: Place,
    pub(super) path: Option<Text>,
    pub(super) patch: Option<Text>,
    pub(super) target: Option<Selector>,
    pub(super) renames: bool,
    pub(super) changes_kind: bool,
}

/// The conditions of a target.
#[derive(Debug, Default, Clone)]
pub(super) struct Selector {
    pub(super) place: Place,
    pub(super) group: Option<Text>,
    pub(super) version: Option<Text>,
    pub(super) kind: Option<Text>,
    pub(super) name: Option<Text>,
    pub(super) namespace: Option<Text>,
    pub(super) annotations: Option<Text>,
    pub(super) labels: Option<Text>,
}

/// An entry of `labels`.
#[derive(Debug, Default)]
pub(super) struct Label {
    pub(super) pairs: Pairs,
    pub(super) selectors: bool,
    pub(super) templates: bool,
    pub(super) fields: Vec<FieldSpec>,
}

/// A field of objects of a kind.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct FieldSpec {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) kind: String,
    pub(super) path: String,
    pub(super) create: bool,
}

#[derive(Debug)]
pub(super) struct Replica {
    pub(super) name: Option<Text>,
    pub(super) count: i64,
    pub(super) place: Place,
}

#[derive(Debug, Default)]
pub(super) struct Image {
    pub(super) place: Place,
    pub(super) name: Option<Text>,
    pub(super) new_name: Option<Text>,
    pub(super) new_tag: Option<Text>,
    pub(super) tag_suffix: Option<Text>,
    pub(super) digest: Option<Text>,
}

#[derive(Debug, Default)]
pub(super) struct Replacement {
    pub(super) place: Place,
    pub(super) path: Option<Text>,
    pub(super) value: Option<Text>,
    pub(super) source: Option<Source>,
    pub(super) targets: Option<Vec<Target>>,
}

#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) object: Selector,
    pub(super) field: Option<Text>,
    pub(super) options: FieldOptions,
}

#[derive(Debug, Default)]
pub(super) struct Target {
    pub(super) place: Place,
    pub(super) select: Option<Selector>,
    pub(super) reject: Vec<Selector>,
    pub(super) fields: Vec<Text>,
    pub(super) options: FieldOptions,
}

#[derive(Debug, Default, Clone)]
pub(super) struct FieldOptions {
    pub(super) delimiter: Option<Text>,
    pub(super) index: i64,
    pub(super) create: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Var {
    pub(super) place: Place,
    pub(super) name: Text,
    pub(super) api_version: String,
    pub(super) kind: String,
    pub(super) object: String,
    pub(super) namespace: String,
    pub(super) field: String,
}
