//! `configurations`: fields of custom kinds that the steps change too.

use std::path::Path;
use std::sync::Arc;

use crate::source::Place;
use crate::yaml::{Node, parse};

use super::change::conflicting;
use super::fault::Fault;
use super::fields::{Fields, Reader, Text};
use super::file::{FIELD_SPEC, FieldSpec, field_spec};
use super::files::is_remote;
use super::heap::{Heap, Stop, remote};
use super::read::Unreadable;
use super::tables::{Config, NameReference};
use super::texts::{Texts, unreadable};

const TABLES: [&str; 11] = [
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "templateLabels",
    "commonAnnotations",
    "nameReference",
    "varReference",
    "images",
    "replicas",
];

/// Adds the tables of a kustomization to the usual ones and those of what was read.
pub(super) fn take(
    texts: &mut Texts<'_>,
    heap: &mut Heap,
    paths: &[Text],
    home: &Path,
) -> Result<(), Stop> {
    for path in paths {
        if is_remote(&path.text) {
            return Err(remote(path));
        }
        let (source, text) = texts.content(home, path, "a configuration")?;
        let parsed = parse(source, &text.text, 0..text.text.len(), texts.limits);
        if let Some(fault) = parsed.faults.first() {
            let why = Unreadable::of(fault, &text.text, &|span| Place { source, span });
            return Err(unreadable(&why, path.place).into());
        }
        let root = parsed.documents.first();
        let Some(root) = root.map(|root| parsed.tree.node(&text.text, *root)) else {
            continue;
        };
        let config = tables(root)?;
        merge(heap, &config, path.place)?;
    }
    Ok(())
}

/// Adds tables to those of a build.
pub(super) fn merge(heap: &mut Heap, config: &Config, place: Place) -> Result<(), Stop> {
    let own = heap
        .config
        .get_or_insert_with(|| Arc::new(Config::usual().clone()));
    let merged = Arc::make_mut(own).merge(config);
    merged.map_err(|conflict| conflicting(&conflict, place).into())
}

fn tables(root: Node<'_>) -> Result<Config, Vec<Fault>> {
    let mut reader = Reader {
        faults: Vec::new(),
        strict: true,
    };
    let mut config = Config::default();
    if let Some(mut fields) = reader.object(root, &TABLES) {
        let mut specs =
            |name: &str| -> Vec<FieldSpec> { fields.objects(name, &FIELD_SPEC, field_spec) };
        config.prefix = specs("namePrefix");
        config.suffix = specs("nameSuffix");
        config.namespace = specs("namespace");
        config.common_labels = specs("commonLabels");
        config.labels = specs("labels");
        config.template_labels = specs("templateLabels");
        config.annotations = specs("commonAnnotations");
        config.vars = specs("varReference");
        config.images = specs("images");
        config.replicas = specs("replicas");
        let known = ["group", "version", "kind", "fieldSpecs"];
        config.references = fields.objects("nameReference", &known, reference);
    }
    if reader.faults.is_empty() {
        Ok(config)
    } else {
        Err(reader.faults)
    }
}

fn reference(fields: &mut Fields<'_, '_>) -> NameReference {
    let of = field_spec(fields);
    NameReference {
        of: FieldSpec {
            path: String::new(),
            create: false,
            ..of
        },
        fields: fields.objects("fieldSpecs", &FIELD_SPEC, field_spec),
    }
}
