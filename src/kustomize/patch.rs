//! Patches of a kustomization: which they are, and which objects they are for.

use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::source::{Place, Span};

use super::fault::Fault;
use super::fields::Text;
use super::file::{Patch, Selector};
use super::files::is_remote;
use super::heap::{Heap, Stop, remote};
use super::json_patch::{self, Operation};
use super::merge;
use super::node::{Entry, Node, Value};
use super::read::{self, Unreadable};
use super::resource::{Resource, shown};
use super::rules;
use super::scalar::Scalar;
use super::select::Compiled;
use super::texts::{Texts, unreadable};

/// Where the parts of a patch are written.
type At = Box<dyn Fn(Span) -> Place>;

/// What a patch holds.
enum Content {
    Merge(Vec<Arc<Node>>),
    Json(Vec<Operation>),
}

fn refused(why: impl Into<String>, place: Place) -> Fault {
    Fault::new(&rules::PATCH, why, place)
}

/// Takes `patchesStrategicMerge`: each entry is a path or a text.
pub(super) fn merge_patches(
    texts: &mut Texts<'_>,
    heap: &mut Heap,
    entries: &[Text],
    home: &Path,
) -> Result<(), Stop> {
    let mut patches = Vec::new();
    for entry in entries {
        let at = |span: Span| entry.part(span);
        let inline = read::documents(&entry.text, texts.limits, &at).and_then(read::objects);
        match inline {
            Ok(nodes) => patches.extend(nodes),
            Err(why) if entry.text.contains('\n') => {
                return Err(unreadable(&why, entry.place).into());
            }
            Err(_) if is_remote(&entry.text) => return Err(remote(entry)),
            Err(_) => patches.extend(texts.objects(home, entry)?),
        }
    }
    if patches.is_empty() && !entries.is_empty() {
        let fault = refused("the patches are empty", entries[0].place);
        return Err(fault.help("remove `patchesStrategicMerge`").into());
    }
    lay_merge_patches(heap, &patches)
}

/// Lays merge patches over the objects that they name, as `patchesStrategicMerge` does.
pub(super) fn lay_merge_patches(heap: &mut Heap, patches: &[Arc<Node>]) -> Result<(), Stop> {
    for patch in patches {
        heap.works(patch.place)?;
        let Some(at) = target(heap, patch)? else {
            continue;
        };
        let patch = with_texts(patch);
        lay(&mut heap.resources.list[at], &patch, false, false)?;
        heap.resources.sweep();
    }
    Ok(())
}

/// Takes `patches`.
pub(super) fn patches(
    texts: &mut Texts<'_>,
    heap: &mut Heap,
    entries: &[Patch],
    home: &Path,
) -> Result<(), Stop> {
    for entry in entries {
        one(texts, heap, entry, home)?;
        heap.resources.sweep();
    }
    Ok(())
}

/// The text of a patch, and where its parts are written.
fn text(texts: &mut Texts<'_>, entry: &Patch, home: &Path) -> Result<(String, At, Place), Stop> {
    let inline = entry
        .patch
        .as_ref()
        .filter(|patch| !patch.text.trim().is_empty());
    match (inline, &entry.path) {
        (Some(patch), None) => {
            let own = patch.clone();
            let skipped = own.text.len() - own.text.trim_start().len();
            let skipped = u32::try_from(skipped).unwrap_or(0);
            let place = own.place;
            let text = own.text.trim().to_owned();
            let at = move |span: Span| {
                own.part(Span {
                    start: span.start + skipped,
                    end: span.end + skipped,
                })
            };
            Ok((text, Box::new(at), place))
        }
        (None, Some(path)) => {
            if is_remote(&path.text) {
                return Err(remote(path));
            }
            let (source, text) = texts.content(home, path, "a patch")?;
            let at = move |span: Span| Place { source, span };
            Ok((text.text.clone(), Box::new(at), path.place))
        }
        (None, None) => Err(
            refused("the entry has neither `path` nor `patch`", entry.place)
                .help("name a file as `path`, or write the `patch`")
                .into(),
        ),
        (Some(patch), Some(path)) => Err(refused(
            "the entry has both `path` and `patch`",
            patch.place,
        )
        .help("keep one of them")
        .related(path.place, "the path")
        .into()),
    }
}

/// What a text is a patch of.
fn content(
    texts: &Texts<'_>,
    text: &str,
    at: &dyn Fn(Span) -> Place,
    place: Place,
) -> Result<Content, Stop> {
    let merge = read::documents(text, texts.limits, at).and_then(read::objects);
    let json = json_patch::read(text, texts.limits, at);
    match (merge, json) {
        (Ok(nodes), Ok(operations)) if !nodes.is_empty() && !operations.is_empty() => {
            Err(refused("the text is both a merge patch and a JSON patch", place).into())
        }
        (Ok(nodes), _) => Ok(Content::Merge(nodes)),
        (Err(_), Ok(operations)) => Ok(Content::Json(operations)),
        (Err(why), Err(json)) => Err(match (why.limit, is_list(text)) {
            (true, _) => unreadable(&why, place),
            (_, true) => refused(json.message, json.place),
            (_, false) => no_patch(&why, place),
        }
        .into()),
    }
}

/// Whether a text looks like a JSON patch.
fn is_list(text: &str) -> bool {
    let lines = text.lines().map(str::trim_start);
    let mut said = lines.filter(|line| !line.is_empty() && !line.starts_with(['#', '%']));
    let first = said.find(|line| *line != "---");
    first.is_some_and(|line| line.starts_with(['-', '[']))
}

fn no_patch(why: &Unreadable, place: Place) -> Fault {
    let fault = refused(why.message.clone(), why.place)
        .help("a merge patch is an object with kind and name, a JSON patch a list of operations");
    if place == why.place {
        fault
    } else {
        fault.related(place, "listed here")
    }
}

fn one(texts: &mut Texts<'_>, heap: &mut Heap, entry: &Patch, home: &Path) -> Result<(), Stop> {
    let (text, at, place) = text(texts, entry, home)?;
    match (content(texts, &text, &at, place)?, &entry.target) {
        (Content::Json(_), None) => Err(refused("a JSON patch needs a `target`", place)
            .help("add `target` with the kind and name of the object")
            .into()),
        (Content::Json(operations), Some(target)) => {
            let selected = select(heap, target)?;
            for at in selected {
                let resource = &mut heap.resources.list[at];
                resource.remember();
                operate(resource, &operations, place)?;
            }
            Ok(())
        }
        (Content::Merge(patches), None) => {
            for patch in &patches {
                heap.works(place)?;
                let Some(at) = target(heap, patch)? else {
                    continue;
                };
                let resource = &mut heap.resources.list[at];
                lay(resource, patch, entry.renames, entry.changes_kind)?;
            }
            Ok(())
        }
        (Content::Merge(patches), Some(target)) => {
            let Some(patch) = patches.first() else {
                return Ok(());
            };
            if let Some(second) = patches.get(1) {
                return Err(
                    refused("a patch with a target is one document", second.place)
                        .help("give each document its own entry, or remove `target`")
                        .into(),
                );
            }
            let selected = select(heap, target)?;
            let patch = with_texts(patch);
            for at in selected {
                lay(
                    &mut heap.resources.list[at],
                    &patch,
                    entry.renames,
                    entry.changes_kind,
                )?;
            }
            heap.resources.sweep();
            heap.no_twins(place)
        }
    }
}

fn operate(resource: &mut Resource, operations: &[Operation], place: Place) -> Result<(), Stop> {
    json_patch::apply(&mut resource.node, operations).map_err(|problem| {
        let message = format!("{}: {}", resource.shown(), problem.message);
        let fault = refused(message, problem.place);
        if place == problem.place {
            fault
        } else {
            fault.related(place, "listed here")
        }
        .into()
    })
}

/// The objects that a target selects; a warning if there are none.
fn select(heap: &mut Heap, target: &Selector) -> Result<Vec<usize>, Stop> {
    heap.works(target.place)?;
    let compiled = Compiled::new(target)?;
    let mut selected = Vec::new();
    for (resource, at) in heap.resources.list.iter().zip(0..) {
        if compiled.selects(resource)? {
            selected.push(at);
        }
    }
    if selected.is_empty() {
        heap.notes.push(idle(heap, target));
    }
    Ok(selected)
}

/// A target that selects nothing.
fn idle(heap: &Heap, target: &Selector) -> Diagnostic {
    let list = &heap.resources.list;
    let by = |text: &Option<Text>, name: &str| {
        let text = text.as_ref()?;
        Some(format!("{name} `{}`", text.text))
    };
    let said = [
        by(&target.group, "group"),
        by(&target.version, "version"),
        by(&target.kind, "kind"),
        by(&target.name, "name"),
        by(&target.namespace, "namespace"),
        by(&target.labels, "labels"),
        by(&target.annotations, "annotations"),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    let message = if heap.is_part() {
        format!(
            "the target of this patch selects nothing ({}); its object may come from what is \
             left out",
            said.join(", ")
        )
    } else {
        format!(
            "the target of this patch selects nothing ({})",
            said.join(", ")
        )
    };
    let rule = if heap.is_part() {
        &rules::PERHAPS_LEFT_OUT
    } else {
        &rules::IDLE_PATCH
    };
    let found = Diagnostic::new(rule, message).at(target.place, "");
    let kinds: Vec<Arc<str>> = list.iter().map(Resource::kind).collect();
    let names: Vec<Arc<str>> = list.iter().map(Resource::name).collect();
    let near = |wanted: &Option<Text>, known: &[Arc<str>]| {
        let wanted = &wanted.as_ref()?.text;
        if known.contains(wanted) {
            return None;
        }
        nearest(wanted, known.iter().map(|one| &**one)).map(did_you_mean)
    };
    match near(&target.kind, &kinds).or_else(|| near(&target.name, &names)) {
        Some(help) => found.help(help),
        None => found.help("correct the target, or remove the patch"),
    }
}

/// The object that a merge patch names; none in a build that lacks parts.
fn target(heap: &mut Heap, patch: &Arc<Node>) -> Result<Option<usize>, Stop> {
    let wanted = Resource::new(Arc::clone(patch)).id();
    let list = &heap.resources.list;
    let is_it = |resource: &&Resource| {
        !resource.gone && (resource.id() == wanted || resource.ids().contains(&wanted))
    };
    // Names differ most often: the identity is only made where they agree.
    let named = |resource: &Resource| {
        resource.name() == wanted.name || resource.former.iter().any(|old| old.name == wanted.name)
    };
    let found = list.iter().enumerate();
    let mut found = found.filter(|(_, resource)| named(resource) && is_it(resource));
    let (first, second) = (found.next(), found.next());
    if let (Some((_, one)), Some((_, two))) = (first, second) {
        let message = format!(
            "several objects fit the patch of {}",
            shown(&wanted.kind, &wanted.namespace, &wanted.name)
        );
        return Err(Fault::new(&rules::NO_TARGET, message, patch.place)
            .help("add a `target`")
            .related(one.node.place, "one of them")
            .related(two.node.place, "another one")
            .into());
    }
    if let Some((at, _)) = first {
        return Ok(Some(at));
    }
    let resource = Resource::new(Arc::clone(patch));
    let message = format!("no object fits the patch of {}", resource.shown());
    let fault = Fault::new(&rules::NO_TARGET, message, patch.place);
    let alike = |one: &&Resource| one.kind() == wanted.kind && one.name() == wanted.name;
    let help = match list.iter().find(alike) {
        Some(one) if one.api_version() != wanted.api_version => {
            format!("its apiVersion is `{}`", one.api_version())
        }
        Some(one) => match &*one.namespace() {
            "" => format!("{} has no namespace", one.shown()),
            namespace => {
                format!("it has a namespace: write `namespace: {namespace}` into the patch")
            }
        },
        None => {
            let kin = list.iter().filter(|one| one.kind() == wanted.kind);
            let names: Vec<Arc<str>> = kin.map(Resource::name).collect();
            match nearest(&wanted.name, names.iter().map(|name| &**name)) {
                Some(near) => did_you_mean(near),
                None => "correct its kind, name and namespace, or remove the patch".to_owned(),
            }
        }
    };
    heap.unless_part(fault.help(help))?;
    Ok(None)
}

/// Lays a merge patch over an object.
fn lay(
    resource: &mut Resource,
    patch: &Arc<Node>,
    renames: bool,
    changes_kind: bool,
) -> Result<(), Stop> {
    if resource.gone {
        return Ok(());
    }
    let old = Arc::clone(&resource.node);
    if renames || changes_kind {
        resource.remember();
    }
    // A target fits objects of other versions too: theirs stays.
    let mut patch = Arc::clone(patch);
    let version = old.get("apiVersion");
    if patch.get("apiVersion").map(|node| node.as_text()) != version.map(|node| node.as_text()) {
        let own = Arc::make_mut(&mut patch);
        match version {
            Some(version) => own.set("apiVersion", Arc::clone(version)),
            None => drop(own.remove("apiVersion")),
        }
    }
    let merged = merge::merge(&old, &patch).map_err(|problem| {
        let message = format!("{}: {}", resource.shown(), problem.message);
        Fault::new(&rules::PATCH, message, problem.place)
    })?;
    let Some(merged) = merged.filter(|node| !node.is_nothing()) else {
        resource.gone = true;
        return Ok(());
    };
    resource.node = merged;
    let own = Arc::make_mut(&mut resource.node);
    if !changes_kind && let Some(kind) = old.get("kind") {
        own.set("kind", Arc::clone(kind));
    }
    let Some(entries) = own.entries_mut() else {
        return Ok(());
    };
    let mut entries = entries.iter_mut();
    let before = old.get("metadata");
    if let Some(metadata) = entries.find(|entry| &*entry.key == "metadata") {
        let differs = |key: &str| {
            let before = before.and_then(|before| before.get(key));
            let now = metadata.value.get(key);
            match (before, now) {
                (Some(before), Some(now)) => !Arc::ptr_eq(before, now),
                (None, None) => false,
                _ => true,
            }
        };
        let kept: Vec<&str> = ["name", "namespace"]
            .into_iter()
            .filter(|key| differs(key) && !(*key == "name" && renames))
            .collect();
        if !kept.is_empty() {
            let own = Arc::make_mut(&mut metadata.value);
            for key in kept {
                match before.and_then(|before| before.get(key)) {
                    Some(value) if !value.is_nothing() => own.set(key, Arc::clone(value)),
                    _ => drop(own.remove(key)),
                }
            }
        }
    } else if let Some(metadata) = before {
        let mut kept = Node::map(metadata.place);
        for key in ["name", "namespace"] {
            if let Some(value) = metadata.get(key) {
                Arc::make_mut(&mut kept).set(key, Arc::clone(value));
            }
        }
        own.set("metadata", kept);
    }
    Ok(())
}

/// A patch whose labels and annotations are texts: Kustomize writes them anew before it lays
/// the patch over what a target selects, so that a null among them is the text of it.
fn with_texts(patch: &Arc<Node>) -> Arc<Node> {
    let mut patch = Arc::clone(patch);
    for field in ["labels", "annotations"] {
        let Some(map) = patch.at(&["metadata", field]).cloned() else {
            continue;
        };
        let odd = |entry: &Entry| {
            !entry
                .value
                .as_scalar()
                .is_some_and(|scalar| scalar.is_text())
        };
        if map.is_map() && !map.entries().is_empty() && !map.entries().iter().any(odd) {
            continue;
        }
        let own = Arc::make_mut(&mut patch);
        let Some(entries) = own.entries_mut() else {
            continue;
        };
        let mut entries = entries.iter_mut();
        let Some(metadata) = entries.find(|entry| &*entry.key == "metadata") else {
            continue;
        };
        let metadata = Arc::make_mut(&mut metadata.value);
        let text = |entry: &Entry| Entry {
            value: Node::text(
                entry
                    .value
                    .as_scalar()
                    .map_or_else(|| Arc::from(""), |scalar: &Scalar| Arc::clone(&scalar.text)),
                entry.value.place,
            ),
            ..entry.clone()
        };
        let written: Vec<Entry> = map.entries().iter().map(text).collect();
        if written.is_empty() {
            drop(metadata.remove(field));
        } else {
            metadata.set(field, Node::new(Value::Map(written), map.place));
        }
    }
    patch
}

/// Takes `patchesJson6902`.
pub(super) fn json_patches(
    texts: &mut Texts<'_>,
    heap: &mut Heap,
    entries: &[Patch],
    home: &Path,
) -> Result<(), Stop> {
    for entry in entries {
        let target = entry.target.as_ref();
        let Some(target) = target.filter(|target| target.name.is_some()) else {
            return Err(
                refused("the target of a JSON patch needs a name", entry.place)
                    .help("add `target` with `kind` and `name`")
                    .into(),
            );
        };
        let (text, at, place) = text(texts, entry, home)?;
        let operations = json_patch::read(&text, texts.limits, &at)
            .map_err(|problem| refused(problem.message, problem.place))?;
        if operations.is_empty() {
            return Err(refused("the patch has no operations", place)
                .help("remove the entry")
                .into());
        }
        for at in select(heap, target)? {
            operate(&mut heap.resources.list[at], &operations, place)?;
        }
    }
    Ok(())
}
