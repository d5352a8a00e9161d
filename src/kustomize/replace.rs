//! Replacements: a value of one object copied into fields of others.

mod copy;

use std::path::Path;
use std::sync::Arc;

use crate::source::Place;
use crate::yaml::parse;

use super::fault::Fault;
use super::fields::{Reader, Text};
use super::file::{self, REPLACEMENT, Replacement, Selector, Source, Target};
use super::files::is_remote;
use super::heap::{Heap, Stop, remote};
use super::node::{HEAVIEST, Node};
use super::paths;
use super::read::Unreadable;
use super::resource::{Resource, shown};
use super::rules;
use super::scalar::Scalar;
use super::select::Compiled;
use super::texts::{Texts, unreadable};

/// The weight from which a copy may make a document too heavy soon.
const LIGHT: usize = 64;

fn refused(why: impl Into<String>, place: Place) -> Fault {
    Fault::new(&rules::REPLACEMENT, why, place)
}

/// The parts of a path with dots; what stands in brackets is one part.
pub(super) fn smart_split(path: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut pieces = paths::split(path, '.').into_iter();
    while let Some(piece) = pieces.next() {
        if !piece.starts_with('[') || piece.ends_with(']') {
            parts.push(piece);
            continue;
        }
        let mut whole = piece;
        for more in pieces.by_ref() {
            whole.push('.');
            whole.push_str(&more);
            if more.ends_with(']') {
                break;
            }
        }
        if whole.contains('=') {
            parts.push(whole);
        } else {
            parts.push(whole.trim_matches(['[', ']']).to_owned());
        }
    }
    parts
}

/// The key and value of a part `[key=value]`.
fn element(part: &str) -> Option<(&str, &str)> {
    part.strip_prefix('[')?.strip_suffix(']')?.split_once('=')
}

fn number(part: &str) -> Option<usize> {
    part.parse().ok()
}

/// The first value of a path; null counts, a path that leads through a text ends.
pub(super) fn look_up<'n>(node: &'n Arc<Node>, path: &[String]) -> Option<&'n Arc<Node>> {
    let mut node = node;
    for part in path
        .iter()
        .map(|part| part.trim())
        .filter(|part| !part.is_empty())
    {
        node = match (number(part), element(part)) {
            (Some(at), _) if !node.is_map() => node.items().get(at)?,
            (_, Some((key, value))) => node.items().iter().find(|item| {
                let field = match key {
                    "" => Some(*item),
                    key => item.get(key),
                };
                field
                    .and_then(|field| field.as_scalar())
                    .is_some_and(|field| *field.text == *value)
            })?,
            _ if part == "-" => node.items().last()?,
            _ => node.get(part)?,
        };
    }
    Some(node)
}

/// Why an object is not built that would have a value of a Secret for its name.
pub(super) const NAMED_BY_SECRET: &str = "a value of a Secret would name an object";

/// Whether a path leads to a value of a Secret, which may be part of another object.
pub(super) fn leads_to_secret(node: &Arc<Node>, path: &[String]) -> bool {
    let above = (0..path.len()).map(|count| (look_up(node, &path[..count]), path[count].trim()));
    above
        .map_while(|(above, key)| Some((above?, key)))
        .any(|(above, key)| above.hides(key))
}

/// Takes `replacements`.
pub(super) fn all(
    texts: &mut Texts<'_>,
    heap: &mut Heap,
    entries: &[Replacement],
    home: &Path,
) -> Result<(), Stop> {
    for entry in entries {
        let Some(path) = &entry.path else {
            one(heap, entry)?;
            continue;
        };
        if entry.source.is_some() || entry.targets.as_ref().is_some_and(|all| !all.is_empty()) {
            let fault = refused("the entry has both `path` and a replacement", entry.place);
            return Err(fault.help("keep one of them").into());
        }
        if is_remote(&path.text) {
            return Err(remote(path));
        }
        let (source, text) = texts.content(home, path, "a replacement")?;
        let parsed = parse(source, &text.text, 0..text.text.len(), texts.limits);
        if let Some(fault) = parsed.faults.first() {
            let why = Unreadable::of(fault, &text.text, &|span| Place { source, span });
            return Err(unreadable(&why, path.place).into());
        }
        let root = parsed.documents.first();
        let Some(root) = root.map(|root| parsed.tree.node(&text.text, *root)) else {
            return Err(refused(format!("`{}` is empty", path.text), path.place).into());
        };
        let mut reader = Reader {
            faults: Vec::new(),
            strict: false,
        };
        let roots: Vec<_> = if root.is_sequence() {
            root.items().collect()
        } else {
            vec![root]
        };
        let mut read = Vec::new();
        for root in roots {
            let fields = reader.object(root, &REPLACEMENT);
            read.extend(fields.map(|mut fields| file::replacement(&mut fields)));
        }
        if !reader.faults.is_empty() {
            return Err(reader.faults.into());
        }
        for replacement in &read {
            one(heap, replacement)?;
        }
    }
    Ok(())
}

fn one(heap: &mut Heap, entry: &Replacement) -> Result<(), Stop> {
    let (source, value) = (entry.source.as_ref(), entry.value.as_ref());
    let targets = entry.targets.as_ref();
    let Some(targets) = targets.filter(|_| source.is_some() || value.is_some()) else {
        let fault = refused("a replacement needs `source` and `targets`", entry.place);
        return Err(fault.help("add what is missing").into());
    };
    let value = match (source, value) {
        (Some(_), Some(value)) => {
            let fault = refused(
                "a replacement has `source` or `sourceValue`, not both",
                value.place,
            );
            return Err(fault.help("keep one of them").into());
        }
        (_, Some(value)) => {
            let scalar = Scalar::instead(Arc::clone(&value.text), None);
            let value = Node::scalar(scalar, value.place);
            let selectors = targets.iter().filter_map(|target| target.select.as_ref());
            let mut kinds = selectors.filter_map(|select| select.kind.as_ref());
            if kinds.any(|kind| kind.text.contains("Secret")) {
                value.as_secret()
            } else {
                value
            }
        }
        (Some(source), None) => match find(heap, source, entry.place)? {
            Some(value) => value,
            None => return Ok(()),
        },
        (None, None) => return Ok(()),
    };
    for target in targets {
        into(heap, target, &value, entry.place)?;
    }
    Ok(())
}

/// The value of a source; none in a build that lacks parts.
fn find(heap: &mut Heap, source: &Source, place: Place) -> Result<Option<Arc<Node>>, Stop> {
    let object = &source.object;
    let text = |text: &Option<Text>| text.as_ref().map_or("", |text| &*text.text).to_owned();
    let (group, version, kind) = (
        text(&object.group),
        text(&object.version),
        text(&object.kind),
    );
    let (name, namespace) = (text(&object.name), text(&object.namespace));
    let is = |wanted: &str, own: &str| wanted.is_empty() || wanted == own;
    let fits = |resource: &Resource| {
        let api_version = resource.api_version();
        if !is(&group, super::resource::group(&api_version))
            || !is(&version, super::resource::version(&api_version))
        {
            return false;
        }
        let own = |namespace: &str| {
            if namespace.is_empty() {
                "default"
            } else {
                namespace
            }
            .to_owned()
        };
        let now = (resource.kind(), resource.name(), own(&resource.namespace()));
        let before = resource.former.iter();
        let before = before.map(|one| {
            (
                Arc::clone(&one.kind),
                Arc::clone(&one.name),
                own(&one.namespace),
            )
        });
        std::iter::once(now)
            .chain(before)
            .any(|(its_kind, its_name, its_namespace)| {
                is(&kind, &its_kind) && is(&name, &its_name) && is(&namespace, &its_namespace)
            })
    };
    let mut found = heap.resources.list.iter().filter(|resource| fits(resource));
    let (first, second) = (found.next(), found.next());
    let wanted = shown(&kind, &namespace, &name);
    if let (Some(one), Some(two)) = (first, second) {
        let message = format!("several objects are the source {wanted}");
        return Err(refused(message, object.place)
            .help("add what tells them apart: kind, name, namespace")
            .related(one.node.place, "one of them")
            .related(two.node.place, "another one")
            .into());
    }
    let Some(resource) = first else {
        let message = format!("no object is the source {wanted}");
        let fault = refused(message, object.place).help("correct the source");
        heap.unless_part(fault)?;
        return Ok(None);
    };
    let path = source
        .field
        .as_ref()
        .map_or("metadata.name", |field| &*field.text);
    let at = source.field.as_ref().map_or(place, |field| field.place);
    // An empty text is a value, null and empty maps and lists are none.
    let is_value = |value: &&Arc<Node>| !value.is_nothing() || value.as_text().is_some();
    let value = look_up(&resource.node, &smart_split(path)).filter(is_value);
    let Some(value) = value else {
        let message = format!("{} has no `{path}`", resource.shown());
        return Err(refused(message, at)
            .help("correct the `fieldPath` of the source")
            .related(resource.node.place, "the source")
            .into());
    };
    let value = if leads_to_secret(&resource.node, &smart_split(path)) {
        &value.as_secret()
    } else {
        value
    };
    let Some(delimiter) = &source.options.delimiter else {
        return Ok(Some(Arc::clone(value)));
    };
    let Some(scalar) = value.as_scalar() else {
        return Err(refused("a delimiter needs a text as its source", delimiter.place).into());
    };
    let mut parts = scalar.text.split(&*delimiter.text);
    let index = usize::try_from(source.options.index).ok();
    let Some(part) = index.and_then(|index| parts.nth(index)) else {
        let message = format!("the source has no part {}", source.options.index);
        return Err(refused(message, delimiter.place)
            .help("correct the `index`")
            .into());
    };
    let part = Scalar {
        text: part.into(),
        ..scalar.clone()
    };
    let mut part = Node::scalar(part, value.place);
    Arc::make_mut(&mut part).secret = value.secret;
    Ok(Some(part))
}

/// Copies a value into the fields of a target.
fn into(heap: &mut Heap, target: &Target, value: &Arc<Node>, place: Place) -> Result<(), Stop> {
    let Some(select) = &target.select else {
        return Err(refused("a target needs `select`", target.place)
            .help("add `select`")
            .into());
    };
    heap.works(target.place)?;
    let selected = Compiled::new(select)?;
    let rejected: Result<Vec<Compiled>, Fault> = target.reject.iter().map(Compiled::new).collect();
    let rejected = rejected?;
    let default = [Text {
        text: "metadata.name".into(),
        place: target.place,
        lines: None,
    }];
    let fields = if target.fields.is_empty() {
        &default[..]
    } else {
        &target.fields
    };
    let part = heap.is_part();
    let weight = value.weight(HEAVIEST);
    for at in 0..heap.resources.list.len() {
        let resource = &heap.resources.list[at];
        if !takes(resource, &selected, &rejected, &target.reject)? {
            continue;
        }
        for field in fields {
            heap.copies(weight, target.place)?;
            let resource = &mut heap.resources.list[at];
            let done = copy::copy(
                &mut resource.node,
                &smart_split(&field.text),
                value,
                &target.options,
                place,
            );
            match done {
                Ok(doubtful) => heap.doubtful |= doubtful,
                Err(_) if part => {}
                Err(why) => {
                    let message = format!("{}: `{}`: {why}", resource.shown(), field.text);
                    return Err(refused(message, field.place)
                        .help("correct the path, or add `options: {create: true}`")
                        .related(resource.node.place, "the target")
                        .into());
                }
            }
            let resource = &heap.resources.list[at];
            if resource.node.is_named_by_secret() {
                return Err(refused(NAMED_BY_SECRET, field.place)
                    .help("names are shown: copy the name from elsewhere")
                    .into());
            }
            if weight > LIGHT && resource.node.is_too_heavy() {
                let message = format!("{} grows beyond the limit of a build", resource.shown());
                let fault = Fault::new(&rules::LIMIT, message, target.place);
                return Err(fault.help("do not copy a value into itself").into());
            }
        }
    }
    Ok(())
}

/// Whether a target takes an object.
fn takes(
    resource: &Resource,
    selected: &Compiled,
    rejected: &[Compiled],
    reject: &[Selector],
) -> Result<bool, Fault> {
    if !selected.fits_labels(resource)? {
        return Ok(false);
    }
    for one in rejected {
        if one.asks_labels() && one.fits_labels(resource)? {
            return Ok(false);
        }
    }
    let api_version = resource.api_version();
    let now = (resource.kind(), resource.name(), resource.namespace());
    let before = resource.former.iter();
    let before = before.map(|one| {
        (
            Arc::clone(&one.kind),
            Arc::clone(&one.name),
            Arc::clone(&one.namespace),
        )
    });
    let names: Vec<_> = std::iter::once(now).chain(before).collect();
    let any = |compiled: &Compiled| {
        names.iter().any(|(kind, name, namespace)| {
            compiled.fits_kind(&api_version, kind) && compiled.fits_name(name, namespace)
        })
    };
    let no = rejected
        .iter()
        .zip(reject)
        .any(|(one, _)| !one.is_open() && any(one));
    Ok(!no && any(selected))
}
