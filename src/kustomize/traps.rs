//! Traps: what Kustomize does not do to custom resources, and what it does to them unasked.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::kit::plural::first_names;
use crate::source::Place;

use super::heap::{Heap, Overwritten, SetImage};
use super::node::Node;
use super::resource::Resource;
use super::rules;

/// Objects that a finding names.
const CARRIERS: usize = 3;

/// A field that names an object, and that Kustomize does not change with the name.
#[derive(Debug, Clone, Copy)]
pub struct Reference {
    /// The kind that has the field.
    pub kind: &'static str,
    /// The path to it; `*` stands for the items of a list.
    pub path: &'static [&'static str],
    /// The kinds of the objects that it may name. A `kind` beside the field says which.
    pub to: &'static [&'static str],
    /// Whether the object may be in another namespace.
    pub anywhere: bool,
}

/// The custom resources with traps.
#[derive(Debug, Clone, Copy)]
pub struct Traps {
    /// The fields that name objects.
    pub references: &'static [Reference],
    /// The kinds whose labels decide something.
    pub labelled: &'static [&'static str],
    /// The kinds that carry objects for clusters.
    pub carriers: &'static [&'static str],
}

/// The findings about a finished build.
pub(super) fn findings(heap: &Heap, traps: &Traps) -> Vec<Diagnostic> {
    let labels = heap.overwritten.iter();
    let labels = labels.filter(|one| traps.labelled.contains(&&*one.kind));
    let mut found: Vec<Diagnostic> = labels.map(overwritten).collect();
    let images = heap.images.iter();
    let images = images.filter(|one| traps.carriers.contains(&&*one.kind));
    let mut of_entry: BTreeMap<Place, Vec<&SetImage>> = BTreeMap::new();
    images.for_each(|one| of_entry.entry(one.place).or_default().push(one));
    found.extend(of_entry.values().map(|set| carried_image(set)));
    if heap.resources.list.iter().all(|one| one.former.is_empty()) {
        return found;
    }
    let objects = Named::of(heap);
    for resource in &heap.resources.list {
        let kind = resource.kind();
        let own = traps.references.iter();
        for reference in own.filter(|reference| *reference.kind == *kind) {
            let mut fields = Vec::new();
            collect(&resource.node, reference.path, None, &mut fields);
            let fields = fields.into_iter();
            found.extend(fields.filter_map(|field| renamed(&objects, resource, reference, field)));
        }
    }
    found
}

fn overwritten(one: &Overwritten) -> Diagnostic {
    let [(before, old), (now, new)] = &one.values;
    let message = format!(
        "the label `{}: {now}` replaces `{before}` of {}, and labels decide placements",
        one.key, one.object
    );
    Diagnostic::new(&rules::OVERWRITTEN_LABEL, message)
        .at(*new, "set for all objects")
        .related(*old, "its own value")
        .help("leave the label out here, or out of the object; a patch can set it for some objects")
}

/// The finding about an entry of `images` that changes objects which carry others.
fn carried_image(set: &[&SetImage]) -> Diagnostic {
    let first = set[0];
    let objects = first_names(set.iter().map(|one| one.object.as_str()), CARRIERS);
    let message = format!(
        "the image `{}` is also set for the clusters that get {objects}",
        first.now
    );
    Diagnostic::new(&rules::CARRIED_IMAGE, message)
        .at(first.place, "set in everything that lists containers")
        .related(first.of, "what carries it")
        .help("if that is not meant, keep these objects in a kustomization without `images`")
}

/// A field, and the mapping or list item that it is in.
type Field<'n> = (&'n Arc<Node>, Option<&'n Arc<Node>>);

fn collect<'n>(
    node: &'n Arc<Node>,
    path: &[&str],
    within: Option<&'n Arc<Node>>,
    found: &mut Vec<Field<'n>>,
) {
    match path.split_first() {
        None => found.push((node, within)),
        Some((&"*", rest)) => {
            for item in node.items() {
                collect(item, rest, Some(item), found);
            }
        }
        Some((key, rest)) => {
            if let Some(value) = node.get(key) {
                collect(value, rest, Some(node), found);
            }
        }
    }
}

/// The objects of a build by name, each list in the order of the build.
#[derive(Default)]
struct Named<'h> {
    now: BTreeMap<String, Vec<&'h Resource>>,
    formerly: BTreeMap<String, Vec<&'h Resource>>,
}

impl<'h> Named<'h> {
    fn of(heap: &'h Heap) -> Self {
        let mut all = Self::default();
        for one in &heap.resources.list {
            let name = one.name().to_string();
            all.now.entry(name).or_default().push(one);
            for former in &one.former {
                let name = former.name.to_string();
                all.formerly.entry(name).or_default().push(one);
            }
        }
        all
    }

    /// The first object with this name that `accepts` accepts.
    fn first(
        names: &BTreeMap<String, Vec<&'h Resource>>,
        name: &str,
        accepts: impl Fn(&Resource) -> bool,
    ) -> Option<&'h Resource> {
        let mut named = names.get(name).into_iter().flatten().copied();
        named.find(|one| accepts(one))
    }
}

/// A finding if a field has the former name of an object that is called otherwise now.
fn renamed(
    objects: &Named<'_>,
    resource: &Resource,
    reference: &Reference,
    (node, within): Field<'_>,
) -> Option<Diagnostic> {
    let text = node.as_text()?;
    let wanted = text.rsplit('/').next()?;
    let beside = within.and_then(|within| within.get("kind")?.as_text());
    let fits = |kind: &str| match beside {
        Some(beside) if reference.to.contains(&&**beside) => **beside == *kind,
        _ => reference.to.contains(&kind),
    };
    let namespace = resource.namespace();
    let reaches =
        |one: &Resource| fits(&one.kind()) && (reference.anywhere || one.namespace() == namespace);
    if Named::first(&objects.now, wanted, reaches).is_some() {
        return None;
    }
    let object = Named::first(&objects.formerly, wanted, reaches)?;
    let (kind, name) = (object.kind(), object.name());
    let field = reference.path.iter().filter(|part| **part != "*");
    // A key may hold slashes of its own.
    let field: Vec<String> = field.map(|part| part.replace('/', "\\/")).collect();
    let field = field.join("/");
    let message = format!("`{wanted}` names no {kind}: it is called `{name}` here");
    let own = object.node.at(&["metadata", "name"]);
    let by = own.and_then(|own| own.by.or(Some(own.place)));
    let found = Diagnostic::new(&rules::RENAMED_REFERENCE, message).at(node.place, "the old name");
    let found = match by {
        Some(by) => found.related(by, "renamed here"),
        None => found,
    };
    let (group, referrer) = (
        super::resource::group(&object.api_version()).to_owned(),
        reference.kind,
    );
    Some(found.help(format!(
        "list a file under `configurations` with `nameReference: [{{kind: {kind}, group: {group}, \
         fieldSpecs: [{{kind: {referrer}, path: {field}}}]}}]`"
    )))
}
