//! Patches of a kustomization: which they are, and which objects they are for.

mod lay;
mod target;

use std::path::Path;
use std::sync::Arc;

use crate::kit::nearest::did_you_mean;
use crate::source::{Place, Span};

use super::fault::Fault;
use super::fields::Text;
use super::file::Patch;
use super::files::is_remote;
use super::heap::{Heap, Stop, remote};
use super::json_patch::{self, Operation};
use super::node::Node;
use super::read::{self, Unreadable};
use super::rules;
use super::texts::{Texts, unreadable};

use lay::{lay, with_texts};
use target::{select, target};

/// Where the parts of a patch are written.
type At = Box<dyn Fn(Span) -> Place>;

/// A patch that is read: documents to merge, or operations.
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
    let mut patches: Vec<(Arc<Node>, Place)> = Vec::new();
    for entry in entries {
        let at = |span: Span| entry.part(span);
        let inline = read::documents(&entry.text, texts.limits, &at).and_then(read::objects);
        match inline {
            Ok(nodes) => patches.extend(nodes.into_iter().map(|node| (node, entry.place))),
            Err(why) if entry.text.contains('\n') => {
                return Err(unreadable(&why, entry.place).into());
            }
            Err(_) if is_remote(&entry.text) => return Err(remote(entry)),
            Err(_) => {
                let nodes = texts.objects(home, entry)?.into_iter();
                patches.extend(nodes.map(|node| (node, entry.place)));
            }
        }
    }
    if patches.is_empty() && !entries.is_empty() {
        let fault = refused("the patches are empty", entries[0].place);
        return Err(fault.help("remove `patchesStrategicMerge`").into());
    }
    lay_merge_patches(heap, &patches)
}

/// Lays merge patches over the objects that they name, as `patchesStrategicMerge` does.
fn lay_merge_patches(heap: &mut Heap, patches: &[(Arc<Node>, Place)]) -> Result<(), Stop> {
    for (patch, from) in patches {
        heap.works(patch.place)?;
        let Some(at) = target(heap, patch, *from)? else {
            continue;
        };
        let patch = with_texts(patch);
        lay(&mut heap.resources.list[at], &patch, false, false)?;
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

/// The patch that a text is: documents to merge, or operations.
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
    let usual = "a merge patch is an object with kind and name, a JSON patch a list of operations";
    let help = why.help.clone().unwrap_or_else(|| usual.to_owned());
    let fault = refused(why.message.clone(), why.place).help(help);
    if place == why.place {
        fault
    } else {
        fault.related(place, "listed here")
    }
}

/// Takes an entry of `patches`.
pub(super) fn patch(
    texts: &mut Texts<'_>,
    heap: &mut Heap,
    entry: &Patch,
    home: &Path,
) -> Result<(), Stop> {
    take(texts, heap, entry, home)?;
    heap.resources.sweep();
    Ok(())
}

fn take(texts: &mut Texts<'_>, heap: &mut Heap, entry: &Patch, home: &Path) -> Result<(), Stop> {
    let (text, at, place) = text(texts, entry, home)?;
    match (content(texts, &text, &at, place)?, &entry.target) {
        (Content::Json(_), None) => Err(refused("a JSON patch needs a `target`", place)
            .help("add `target` with the kind and name of the object")
            .into()),
        (Content::Json(operations), Some(target)) => {
            let selected = select(heap, target)?;
            for at in selected {
                heap.resources.list[at].remember();
                operate(heap, at, &operations, place)?;
            }
            Ok(())
        }
        (Content::Merge(patches), None) => {
            for patch in &patches {
                heap.works(place)?;
                let Some(at) = target(heap, patch, place)? else {
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

fn operate(heap: &mut Heap, at: usize, operations: &[Operation], place: Place) -> Result<(), Stop> {
    let resource = &mut heap.resources.list[at];
    let before = resource
        .generator
        .is_some()
        .then(|| Arc::clone(&resource.node));
    let Err(problem) = json_patch::apply(&mut resource.node, operations) else {
        return Ok(());
    };
    let message = format!("{}: {}", resource.shown(), problem.message);
    let fault = refused(message, problem.place);
    let fault = match problem.there {
        Some((there, Some(key))) => fault
            .related(there, "what is there")
            .help(did_you_mean(&key)),
        Some((there, None)) => fault.related(there, "what is there"),
        None => fault,
    };
    let fault = if place == problem.place {
        fault
    } else {
        fault.related(place, "listed here")
    };
    // The values that a generator takes from files are not there to be changed.
    if let Some(before) = before {
        resource.node = before;
        heap.unless_part(fault)
    } else {
        Err(fault.into())
    }
}

/// Takes an entry of `patchesJson6902`.
pub(super) fn json_patch(
    texts: &mut Texts<'_>,
    heap: &mut Heap,
    entry: &Patch,
    home: &Path,
) -> Result<(), Stop> {
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
        operate(heap, at, &operations, place)?;
    }
    Ok(())
}
