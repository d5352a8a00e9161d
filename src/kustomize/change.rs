//! Namespace, names, labels, annotations and replicas.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::source::Place;

use super::fault::Fault;
use super::fields::{Pairs, Text};
use super::file::{FieldSpec, Kustomization, Replica};
use super::heap::{Heap, Overwritten, Stop};
use super::node::{Node, Value};
use super::paths::{self, Create, Problem};
use super::resource::{Id, Resource};
use super::rules;
use super::scalar::{Scalar, Tag};
use super::tables::{self, Config, Conflict};

/// Takes the steps from the namespace to annotations.
pub(super) fn all(heap: &mut Heap, config: &Config, file: &Kustomization) -> Result<(), Stop> {
    if let Some(namespace) = &file.namespace {
        let step = Namespace {
            namespace,
            specs: &config.namespace,
            subjects: Subjects::Default,
            unset_only: false,
        };
        step.run(heap)?;
    }
    if let Some(prefix) = &file.prefix {
        affix(heap, prefix, &config.prefix, Affix::Prefix)?;
    }
    if let Some(suffix) = &file.suffix {
        affix(heap, suffix, &config.suffix, Affix::Suffix)?;
    }
    for entry in &file.labels {
        let mut specs = entry.fields.clone();
        let merged = tables::add_all(&mut specs, &config.labels).and_then(|()| {
            if entry.selectors {
                return tables::add_all(&mut specs, &config.common_labels);
            }
            if entry.templates {
                tables::add_all(&mut specs, &config.template_labels)?;
            }
            let own = FieldSpec {
                path: "metadata/labels".to_owned(),
                create: true,
                ..FieldSpec::default()
            };
            tables::add(&mut specs, &own)
        });
        merged.map_err(|conflict| conflicting(&conflict, file.head))?;
        labels(heap, &entry.pairs, &specs)?;
    }
    labels(heap, &file.common_labels, &config.common_labels)?;
    labels(heap, &file.annotations, &config.annotations)
}

/// Two tables that do not fit together.
pub(super) fn conflicting(Conflict(path): &Conflict, place: Place) -> Fault {
    let message = format!("the field `{path}` is listed both with and without `create`");
    Fault::new(&rules::UNREADABLE, message, place).help("list it once")
}

/// Which subjects of role bindings get the namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subjects {
    /// The ServiceAccounts named `default`.
    Default,
    /// All service accounts.
    Accounts,
    None,
}

/// The step that sets the namespace.
#[derive(Debug)]
pub(super) struct Namespace<'k> {
    pub(super) namespace: &'k Text,
    pub(super) specs: &'k [FieldSpec],
    pub(super) subjects: Subjects,
    /// Whether a namespace that is there stays.
    pub(super) unset_only: bool,
}

impl Namespace<'_> {
    fn set(&self, node: &mut Arc<Node>) -> Result<(), Problem> {
        let Some(old) = node.as_scalar() else {
            return Err("the namespace stands in a mapping or list".to_owned());
        };
        if self.unset_only && old.tag != Tag::Null && !old.text.is_empty() {
            return Ok(());
        }
        let Text { text, place, .. } = self.namespace;
        *node = Node::text(Arc::clone(text), *place);
        Ok(())
    }

    fn subject(&self, subject: &mut Arc<Node>) -> Result<(), Problem> {
        let (key, wanted) = match self.subjects {
            Subjects::Default => ("name", "default"),
            Subjects::Accounts => ("kind", "ServiceAccount"),
            Subjects::None => return Ok(()),
        };
        if subject
            .get(key)
            .and_then(|node| node.as_text())
            .is_none_or(|text| **text != *wanted)
        {
            return Ok(());
        }
        let path = ["namespace".to_owned()];
        paths::change(
            subject,
            &path,
            Create::Text,
            self.namespace.place,
            &mut |node| self.set(node),
        )
    }

    /// Sets the namespace of everything.
    pub(super) fn run(&self, heap: &mut Heap) -> Result<(), Stop> {
        let place = self.namespace.place;
        for resource in &mut heap.resources.list {
            self.one(resource).map_err(|why| {
                let message = format!("{}: {why}", resource.shown());
                Fault::new(&rules::UNREADABLE, message, place)
            })?;
        }
        let Some((one, two)) = heap.resources.twice() else {
            return Ok(());
        };
        let message = format!(
            "{} is there twice: two objects get this namespace that differ in theirs alone",
            two.shown()
        );
        Err(Fault::new(&rules::DUPLICATE, message, place)
            .help("rename one of them, or give each its own kustomization")
            .related(one.node.place, "the first of them")
            .related(two.node.place, "the second of them")
            .into())
    }

    fn one(&self, resource: &mut Resource) -> Result<(), Problem> {
        resource.remember();
        let (api_version, kind) = (resource.api_version(), resource.kind());
        let place = self.namespace.place;
        if !tables::is_cluster_scoped(&api_version, &kind) {
            let path = ["metadata".to_owned(), "namespace".to_owned()];
            let node = &mut resource.node;
            paths::change(node, &path, Create::Text, place, &mut |node| self.set(node))?;
        }
        let binding = matches!(&*kind, "RoleBinding" | "ClusterRoleBinding");
        let list = resource.node.get("subjects").filter(|node| !node.is_null());
        if binding && self.subjects != Subjects::None && list.is_some() {
            let path = ["subjects".to_owned()];
            paths::change(&mut resource.node, &path, Create::No, place, &mut |node| {
                let Value::List(items) = &mut Arc::make_mut(node).value else {
                    return Err("`subjects` is no list".to_owned());
                };
                items.iter_mut().try_for_each(|item| self.subject(item))
            })?;
        }
        for spec in self.specs {
            let skipped = spec.path == "metadata/namespace"
                || (spec.path == "metadata/name" && *api_version != *"v1")
                || (binding
                    && spec.path == "subjects/namespace"
                    && matches!(&*spec.kind, "RoleBinding" | "ClusterRoleBinding"));
            if !skipped {
                paths::apply(resource, spec, Create::Text, place, &mut |node| {
                    self.set(node)
                })?;
            }
        }
        Ok(())
    }
}

/// Which side of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Affix {
    Prefix,
    Suffix,
}

/// Whether objects of a kind keep their names.
fn keeps_name(first: &Id) -> bool {
    let group = super::resource::group(&first.api_version);
    matches!(&*first.kind, "CustomResourceDefinition" | "Namespace")
        || (&*first.kind == "APIService" && group == "apiregistration.k8s.io")
}

/// Puts a prefix or suffix to names.
pub(super) fn affix(
    heap: &mut Heap,
    text: &Text,
    specs: &[FieldSpec],
    side: Affix,
) -> Result<(), Stop> {
    for resource in &mut heap.resources.list {
        let first = resource.first_id();
        if keeps_name(&first) {
            continue;
        }
        for spec in specs
            .iter()
            .filter(|spec| spec.fits(&first.api_version, &first.kind))
        {
            if spec.path == "metadata/name" && !text.text.is_empty() {
                match side {
                    Affix::Prefix => resource.prefixes.push(Arc::clone(&text.text)),
                    Affix::Suffix => resource.suffixes.push(Arc::clone(&text.text)),
                }
                resource.remember();
            }
            let changed = paths::apply(resource, spec, Create::Text, text.place, &mut |node| {
                let Some(old) = node.as_scalar() else {
                    return Err("a name is wanted there, not a mapping or list".to_owned());
                };
                let name = match side {
                    Affix::Prefix => format!("{}{}", text.text, old.text),
                    Affix::Suffix => format!("{}{}", old.text, text.text),
                };
                let scalar = Scalar::instead(name, Some(old));
                let own = Arc::make_mut(node);
                own.value = Value::Scalar(scalar);
                own.by = Some(text.place);
                Ok(())
            });
            changed.map_err(|why| Fault::new(&rules::UNREADABLE, why, text.place))?;
        }
    }
    Ok(())
}

/// Sets labels or annotations of one object.
pub(super) fn label(
    resource: &mut Resource,
    pairs: &Pairs,
    specs: &[FieldSpec],
) -> Result<(), Problem> {
    let Some((first, _)) = pairs.first() else {
        return Ok(());
    };
    for spec in specs {
        paths::apply(resource, spec, Create::Map, first.place, &mut |node| {
            paths::set_entries(node, pairs)
        })?;
    }
    Ok(())
}

/// Sets labels or annotations of everything.
pub(super) fn labels(heap: &mut Heap, pairs: &Pairs, specs: &[FieldSpec]) -> Result<(), Stop> {
    let Some((first, _)) = pairs.first() else {
        return Ok(());
    };
    let is_label = specs.iter().any(|spec| spec.path == "metadata/labels");
    let mut wanted: FxHashMap<&str, &(Text, Text)> = FxHashMap::default();
    if is_label {
        wanted.extend(pairs.iter().map(|pair| (&*pair.0.text, pair)));
    }
    for resource in &mut heap.resources.list {
        let labels = resource.node.at(&["metadata", "labels"]);
        let labels = labels.map_or(&[][..], |labels| labels.entries());
        let changed = labels.iter().filter_map(|entry| {
            let (key, value) = wanted.get(&*entry.key)?;
            let old = &entry.value;
            let before = old.as_text().filter(|before| **before != value.text)?;
            Some(Overwritten {
                kind: resource.kind(),
                object: resource.shown(),
                key: key.text.to_string(),
                values: [
                    (Arc::clone(before), old.place),
                    (Arc::clone(&value.text), value.place),
                ],
            })
        });
        heap.overwritten.extend(changed);
        label(resource, pairs, specs)
            .map_err(|why| Fault::new(&rules::UNREADABLE, why, first.place))?;
    }
    Ok(())
}

/// Sets a count of replicas.
pub(super) fn replicas(
    heap: &mut Heap,
    replica: &Replica,
    specs: &[FieldSpec],
) -> Result<(), Stop> {
    let name = replica.name.as_ref();
    let (wanted, place) = (
        name.map_or("", |name| &*name.text),
        name.map_or(replica.place, |name| name.place),
    );
    let mut found = false;
    for spec in specs {
        for resource in &mut heap.resources.list {
            let mut ids = resource.ids().into_iter();
            if !ids.any(|id| &*id.name == wanted && spec.fits(&id.api_version, &id.kind)) {
                continue;
            }
            found = true;
            let set = &mut |node: &mut Arc<Node>| {
                let scalar = Scalar::plain(Tag::Int, replica.count.to_string());
                match node.as_scalar() {
                    Some(_) => *node = Node::scalar(scalar, replica.place),
                    None => return Err("a number is wanted there".to_owned()),
                }
                Ok(())
            };
            paths::apply(resource, spec, Create::Text, replica.place, set)
                .map_err(|why| Fault::new(&rules::UNREADABLE, why, place))?;
        }
    }
    if found {
        return Ok(());
    }
    let names = heap.resources.list.iter().filter(|one| {
        let kinds = [
            "Deployment",
            "StatefulSet",
            "ReplicaSet",
            "ReplicationController",
        ];
        kinds.contains(&&*one.kind())
    });
    let names: Vec<Arc<str>> = names.map(Resource::name).collect();
    let near = crate::kit::nearest::nearest(wanted, names.iter().map(|name| &**name));
    let message = format!("no Deployment, StatefulSet or ReplicaSet is called `{wanted}`");
    let fault = Fault::new(&rules::NO_TARGET, message, place);
    heap.unless_part(match near {
        Some(near) => fault.help(crate::kit::nearest::did_you_mean(near)),
        None => fault.help("correct the name, or remove the entry"),
    })
}
