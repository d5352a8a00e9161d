//! The last steps, for the outermost kustomization alone: hashes, references, variables.

use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::kit::plural::listed;
use crate::kustomize::fault::Fault;
use crate::kustomize::node::{Entry, Node, Value, weight};
use crate::kustomize::paths::new_key;
use crate::kustomize::replace::NAMED_BY_SECRET;
use crate::kustomize::resource::{self, Resource};
use crate::kustomize::scalar::Scalar;
use crate::kustomize::{generate, names, rules, traps, vars};
use crate::source::Place;

use super::{Builder, Built, Document, Heap, LeftOut, Status, Stop, Way, What};

/// The label that `buildMetadata` sets.
const MANAGED_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "kustomize-(devel)");
/// Annotations that never leave a build.
const INTERNAL: [&str; 19] = [
    "internal.config.kubernetes.io/previousKinds",
    "internal.config.kubernetes.io/previousNames",
    "internal.config.kubernetes.io/previousNamespaces",
    "internal.config.kubernetes.io/prefixes",
    "internal.config.kubernetes.io/suffixes",
    "internal.config.kubernetes.io/allowNameChange",
    "internal.config.kubernetes.io/allowKindChange",
    "internal.config.kubernetes.io/refBy",
    "internal.config.kubernetes.io/generatorBehavior",
    "internal.config.kubernetes.io/needsHashSuffix",
    "internal.config.kubernetes.io/path",
    "internal.config.kubernetes.io/index",
    "internal.config.kubernetes.io/seqindent",
    "internal.config.kubernetes.io/id",
    "internal.config.kubernetes.io/annotations-migration-resource-id",
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
    "config.k8s.io/id",
    "config.kubernetes.io/origin",
];

impl Builder<'_> {
    /// Builds the kustomization of a directory.
    pub fn build(&mut self, directory: &Path) -> Built {
        let home = self.files.real(directory);
        let mut built = Built {
            directory: home.clone(),
            status: Status::No,
            documents: Vec::new(),
            left_out: Vec::new(),
            findings: Vec::new(),
            generators: Vec::new(),
        };
        match self.whole(&home) {
            Ok(heap) => {
                built.status = if heap.is_part() {
                    Status::Part
                } else {
                    Status::Whole
                };
                built.findings = heap.notes;
                built.left_out = heap.left_out;
                built.findings.extend(left_out(&built.left_out));
                let mut resources = heap.resources.list;
                sort(&mut resources);
                built.generators = heap.generators;
                let document = |resource: Resource| Document {
                    node: resource.node,
                    generator: resource.generator,
                };
                built.documents = resources.into_iter().map(document).collect();
            }
            Err(Stop::Faults(faults)) => {
                built.findings = faults.iter().map(Fault::diagnostic).collect();
            }
            Err(Stop::NotBuilt(parts)) => {
                built.left_out.clone_from(&parts);
                built.findings.push(not_built(&parts));
            }
        }
        built
    }

    /// The file that stands for a directory in messages about it as a whole.
    fn head(&mut self, home: &Path) -> Place {
        let files = self.kustomization_files(home);
        let path = files.first().map(|name| self.files.real(&home.join(name)));
        let read = path.map(|path| self.text(&path));
        let source = match read {
            Some(Ok((source, _))) => source,
            _ => {
                let name = self.files.name(home);
                self.sources
                    .add(crate::source::Source::new(name, String::new()))
            }
        };
        Place {
            source,
            span: crate::source::Span::default(),
        }
    }

    fn whole(&mut self, home: &Path) -> Result<Heap, Stop> {
        let head = self.head(home);
        let kustomization = self.kustomization(home, head)?;
        let heap = self.heap(home, &Way::default(), head)?;
        let mut heap = Heap::clone(&heap);
        let head = kustomization.head;
        generate::hash_names(&mut heap.resources)?;
        names::follow(&mut heap, head)?;
        vars::resolve(&mut heap)?;
        for resource in &heap.resources.list {
            if resource.kind().is_empty() || resource.name().is_empty() {
                let message = format!("{} has lost its kind or name", resource.shown());
                return Err(Fault::new(&rules::UNREADABLE, message, resource.node.place).into());
            }
            if resource.node.is_named_by_secret() {
                let place = resource.node.place;
                return Err(Fault::new(&rules::VARIABLE, NAMED_BY_SECRET, place).into());
            }
        }
        heap.resources.list.retain(|resource| !is_local(resource));
        if let Some(traps) = self.traps {
            let found = traps::findings(&heap, traps);
            heap.notes.extend(found);
        }
        heap.no_twins(head)?;
        let managed = kustomization.build_metadata.iter();
        let managed = managed.clone().find(|one| &*one.text == "managedByLabel");
        let doubtful = heap.doubtful;
        for resource in &mut heap.resources.list {
            if let Some(managed) = managed {
                label(resource, managed.place)?;
            }
            if doubtful {
                check(&resource.node)?;
            }
            tidy(resource)?;
        }
        self.count(heap.resources.list.len(), head)?;
        let documents = heap.resources.list.iter();
        let documents = documents.map(|resource| &*resource.node);
        let most = self.limits.nodes;
        if weight(documents, most.saturating_add(1)) > most {
            let message = format!("the build has more than {most} nodes, the limit of a file");
            let fault = Fault::new(&rules::LIMIT, message, head);
            return Err(fault.help("split the kustomization").into());
        }
        Ok(heap)
    }
}

/// Whether an object is for local use alone.
fn is_local(resource: &Resource) -> bool {
    let path = [
        "metadata",
        "annotations",
        "config.kubernetes.io/local-config",
    ];
    let value = resource.node.at(&path).and_then(|node| node.as_scalar());
    value.is_some_and(|value| &*value.text != "false")
}

fn label(resource: &mut Resource, place: Place) -> Result<(), Stop> {
    let text = |text: &str| crate::kustomize::fields::Text {
        text: text.into(),
        place,
        lines: None,
    };
    let pairs = vec![(text(MANAGED_BY.0), text(MANAGED_BY.1))];
    let spec = crate::kustomize::file::FieldSpec {
        path: "metadata/labels".to_owned(),
        create: true,
        ..Default::default()
    };
    crate::kustomize::change::label(resource, &pairs, &[spec])
        .map_err(|why| Fault::new(&rules::UNREADABLE, why, place).into())
}

/// Writes annotations as texts.
fn tidy(resource: &mut Resource) -> Result<(), Stop> {
    let Some(annotations) = resource.node.at(&["metadata", "annotations"]) else {
        return Ok(());
    };
    let plain = |entry: &Entry| {
        entry.value.as_scalar().is_some_and(|scalar| scalar.quoted)
            && !INTERNAL.contains(&&*entry.key)
    };
    let entries = annotations.entries();
    let keys = entries.iter().map(|entry| new_key(&entry.key));
    let keys: Result<(), String> = keys.collect();
    keys.map_err(|why| Fault::new(&rules::UNREADABLE, why, annotations.place))?;
    if !entries.is_empty() && entries.iter().all(plain) {
        return Ok(());
    }
    let kept = entries
        .iter()
        .filter(|entry| !INTERNAL.contains(&&*entry.key));
    let texts = kept.map(|entry| {
        let text = match &entry.value.value {
            Value::Scalar(scalar) => Arc::clone(&scalar.text),
            _ => Arc::from(""),
        };
        let mut value = (*entry.value).clone();
        value.value = Value::Scalar(Scalar::text(text));
        Entry {
            value: Arc::new(value),
            ..entry.clone()
        }
    });
    let texts: Vec<Entry> = texts.collect();
    let place = annotations.place;
    let Some(metadata) = Arc::make_mut(&mut resource.node).entries_mut() else {
        return Ok(());
    };
    let mut metadata = metadata.iter_mut();
    let Some(metadata) = metadata.find(|entry| &*entry.key == "metadata") else {
        return Ok(());
    };
    let metadata = Arc::make_mut(&mut metadata.value);
    if texts.is_empty() {
        drop(metadata.remove("annotations"));
    } else {
        metadata.set("annotations", Node::new(Value::Map(texts), place));
    }
    Ok(())
}

/// Checks that every value can be what its type says.
fn check(node: &Node) -> Result<(), Fault> {
    match &node.value {
        Value::Scalar(scalar) if !scalar.is_sound() => Err(Fault::new(
            &rules::UNREADABLE,
            "the value that was put here is not of the type that stood here",
            node.place,
        )),
        Value::Scalar(_) => Ok(()),
        Value::Map(entries) => entries.iter().try_for_each(|entry| check(&entry.value)),
        Value::List(items) => items.iter().try_for_each(|item| check(item)),
    }
}

/// The kinds that come first and last in the output.
const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];
const LAST: [&str; 2] = [
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// Orders objects as `kubectl` prints them.
fn sort(resources: &mut [Resource]) {
    let or = |text: &str, otherwise: &str| match text {
        "" => otherwise.to_owned(),
        text => text.to_owned(),
    };
    resources.sort_by_cached_key(|one| {
        let (api_version, kind) = (one.api_version(), one.kind());
        let place = match FIRST.iter().position(|first| *first == &*kind) {
            Some(at) => at,
            None => {
                FIRST.len()
                    + LAST
                        .iter()
                        .position(|last| *last == &*kind)
                        .map_or(0, |at| at + 1)
            }
        };
        let group = or(resource::group(&api_version), "~G");
        let version = or(resource::version(&api_version), "~V");
        let namespace = or(&one.namespace(), "~X");
        (place, group, version, kind, namespace, one.name())
    });
}

/// One note for what is left out.
fn left_out(parts: &[LeftOut]) -> Option<Diagnostic> {
    let first = parts.first()?;
    let count = |what: What| parts.iter().filter(|part| part.what == what).count();
    let said = |kinds: &[What], how: &str| {
        let counted = kinds.iter().map(|what| (count(*what), what.nouns()));
        let counted = counted.filter_map(|(count, (one, many))| match count {
            0 => None,
            1 => Some(format!("1 {one}")),
            count => Some(format!("{count} {many}")),
        });
        let counted: Vec<String> = counted.collect();
        let parts = parts.iter().filter(|part| kinds.contains(&part.what));
        let mut names: Vec<&str> = parts.map(|part| part.name.as_str()).collect();
        let verb = if names.len() == 1 { "is" } else { "are" };
        names.dedup();
        let names = names.join(", ");
        (!counted.is_empty()).then(|| format!("{} {verb} {how}: {names}", listed(&counted)))
    };
    let missing = said(&[What::Helm, What::Remote, What::Plugin], "not built");
    let partial = said(&[What::Generator], "built only in part");
    let said: Vec<String> = missing.into_iter().chain(partial).collect();
    let note = Diagnostic::new(&rules::LEFT_OUT, said.join("; "));
    let mut flags = String::new();
    if count(What::Helm) > 0 {
        flags.push_str(" --enable-helm");
    }
    if count(What::Plugin) + count(What::Generator) > 0 {
        flags.push_str(" --enable-alpha-plugins");
    }
    Some(note.at(first.place, "left out").help(format!(
        "`kustomize build{flags} DIR | planner plan -` plans the complete output"
    )))
}

/// One note for a kustomization that is not built.
fn not_built(parts: &[LeftOut]) -> Diagnostic {
    let first = &parts[0];
    Diagnostic::new(
        &rules::NOT_BUILT,
        format!("the kustomization is not built: {}", first.stops()),
    )
    .at(first.place, "this")
    .help("`kustomize build DIR | planner plan -` plans the complete output")
}
