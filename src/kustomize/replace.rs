//! Replacements: a value of one object copied into fields of others.

use std::path::Path;
use std::sync::Arc;

use regex::Regex;

use crate::source::Place;
use crate::yaml::parse;

use super::fault::Fault;
use super::fields::{Reader, Text};
use super::file::{self, FieldOptions, REPLACEMENT, Replacement, Selector, Source, Target};
use super::files::is_remote;
use super::heap::{Heap, Stop, remote};
use super::node::{Node, Step, Value};
use super::paths;
use super::resource::{Resource, shown};
use super::scalar::{Scalar, Tag};
use super::select::Compiled;
use super::texts::Texts;
use super::{read, rules};

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
            let place = Place {
                source,
                span: fault.span,
            };
            return Err(Fault::new(&rules::UNREADABLE, read::said(&fault.kind), place).into());
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
            Node::scalar(Scalar::instead(Arc::clone(&value.text), None), value.place)
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
    let value = look_up(&resource.node, &smart_split(path)).filter(|value| !value.is_nothing());
    let Some(value) = value else {
        let message = format!("{} has no `{path}`", resource.shown());
        return Err(refused(message, at)
            .help("correct the `fieldPath` of the source")
            .related(resource.node.place, "the source")
            .into());
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
    Ok(Some(Node::scalar(part, value.place)))
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
    for at in 0..heap.resources.list.len() {
        let resource = &heap.resources.list[at];
        if !takes(resource, &selected, &rejected, &target.reject)? {
            continue;
        }
        let resource = &mut heap.resources.list[at];
        for field in fields {
            let done = copy(
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

/// Copies a value into a field; whether it may not be what the type of the field says.
fn copy(
    root: &mut Arc<Node>,
    path: &[String],
    value: &Arc<Node>,
    options: &FieldOptions,
    by: Place,
) -> Result<bool, String> {
    if let Some(inner) = text_on_the_way(root, path) {
        return Err(format!(
            "`{}` is a text, and values inside of texts are not replaced here",
            path[..inner].join(".")
        ));
    }
    let mut found = Vec::new();
    collect(
        root,
        path,
        &mut Vec::new(),
        options.create,
        value,
        &mut found,
    )?;
    if found.is_empty() {
        return Err(if options.create {
            "the field can neither be found nor created".to_owned()
        } else {
            "there is no such field".to_owned()
        });
    }
    let mut doubtful = false;
    for steps in found {
        let Some(node) = root.follow_mut(&steps) else {
            continue;
        };
        doubtful |= set(node, value, options, by)?;
    }
    Ok(doubtful)
}

/// How many parts of a path lead to a text that is followed by more.
fn text_on_the_way(root: &Arc<Node>, path: &[String]) -> Option<usize> {
    (1..path.len()).find(|count| {
        look_up(root, &path[..*count]).is_some_and(|node| {
            node.as_scalar()
                .is_some_and(|text| text.kind() == Tag::Text)
        })
    })
}

fn set(
    node: &mut Arc<Node>,
    value: &Arc<Node>,
    options: &FieldOptions,
    by: Place,
) -> Result<bool, String> {
    let text = value
        .as_scalar()
        .map_or_else(|| Arc::from(""), |scalar| Arc::clone(&scalar.text));
    let joined = match &options.delimiter {
        None => text,
        Some(delimiter) => {
            let Some(old) = node.as_scalar() else {
                return Err("a delimiter needs a text as its target".to_owned());
            };
            let mut parts: Vec<&str> = old.text.split(&*delimiter.text).collect();
            match usize::try_from(options.index) {
                Err(_) => parts.insert(0, &text),
                Ok(at) if at >= parts.len() => parts.push(&text),
                Ok(at) => parts[at] = &text,
            }
            parts.join(&delimiter.text).into()
        }
    };
    let own = Arc::make_mut(node);
    own.by = Some(by);
    match &mut own.value {
        Value::Scalar(old) => {
            old.text = joined;
            Ok(!matches!(old.tag, Tag::Text | Tag::Open))
        }
        whole => {
            *whole = value.value.clone();
            Ok(false)
        }
    }
}

/// What a missing field is created as, by the part that follows.
fn fresh(next: Option<&String>, value: &Arc<Node>) -> Arc<Node> {
    let place = value.place;
    match next {
        Some(next) if element(next).is_some() || number(next).is_some() => {
            Node::new(Value::List(Vec::new()), place)
        }
        Some(_) => Node::map(place),
        None => match &value.value {
            Value::Scalar(_) => Node::scalar(Scalar::plain(Tag::Open, ""), place),
            Value::List(_) => Node::new(Value::List(Vec::new()), place),
            Value::Map(_) => Node::map(place),
        },
    }
}

/// Finds the fields of a path, and creates what is missing if so asked.
fn collect(
    root: &mut Arc<Node>,
    path: &[String],
    steps: &mut Vec<Step>,
    create: bool,
    value: &Arc<Node>,
    found: &mut Vec<Vec<Step>>,
) -> Result<(), String> {
    let Some((first, rest)) = path.split_first() else {
        found.push(steps.clone());
        return Ok(());
    };
    let Some(node) = root.follow(steps) else {
        return Ok(());
    };
    let items = node.items().len();
    let is_list = matches!(node.value, Value::List(_));
    let mut go = |root: &mut Arc<Node>, step: Step| {
        steps.push(step);
        let went = collect(root, rest, steps, create, value, found);
        steps.pop();
        went
    };
    if let Some(at) = number(first) {
        if !is_list {
            return Err(format!("`{first}` is an index, and there is no list"));
        }
        if at == items && create {
            append(root, steps, fresh(rest.first(), value));
        } else if at >= items {
            return Err(format!("the list has {items} items, none at {at}"));
        }
        steps.push(Step::Index(at));
        let went = collect(root, rest, steps, create, value, found);
        steps.pop();
        return went;
    }
    if let Some((key, wanted)) = element(first) {
        if !is_list {
            return Err(format!(
                "`{first}` is for the items of a list, and there is none"
            ));
        }
        let regex = Regex::new(wanted).map_err(|_| format!("`{wanted}` is no expression"))?;
        let fits = |item: &Arc<Node>| {
            let field = match key {
                "" => Some(item),
                key => item.get(key),
            };
            field
                .and_then(|field| field.as_scalar())
                .is_some_and(|field| regex.is_match(&field.text))
        };
        let mut numbers: Vec<usize> = Vec::new();
        numbers.extend((0..items).filter(|at| fits(&node.items()[*at])));
        if numbers.is_empty() && create {
            let scalar = Node::scalar(Scalar::instead(wanted, None), value.place);
            let item = match key {
                "" => scalar,
                key => {
                    let mut map = Node::map(value.place);
                    Arc::make_mut(&mut map).set(key, scalar);
                    map
                }
            };
            append(root, steps, item);
            numbers.push(items);
        }
        for at in numbers {
            match key {
                "" => {
                    steps.push(Step::Index(at));
                    found.push(steps.clone());
                    steps.pop();
                }
                _ => {
                    steps.push(Step::Index(at));
                    let went = collect(root, rest, steps, create, value, found);
                    steps.pop();
                    went?;
                }
            }
        }
        return Ok(());
    }
    if first == "*" {
        if !is_list {
            return Err("`*` is for the items of a list, and there is none".to_owned());
        }
        for at in 0..items {
            go(root, Step::Index(at))?;
        }
        return Ok(());
    }
    if node.is_null() {
        return Ok(());
    }
    if !node.is_map() {
        return Err(format!("`{first}` is looked for in what is no mapping"));
    }
    if node.get(first).is_none() {
        if !create {
            return Ok(());
        }
        paths::new_key(first)?;
        let Some(own) = root.follow_mut(steps) else {
            return Ok(());
        };
        Arc::make_mut(own).set(first, fresh(rest.first(), value));
    }
    let step = Step::Key(first.as_str().into());
    steps.push(step);
    let went = collect(root, rest, steps, create, value, found);
    steps.pop();
    went
}

/// Adds an item to the list behind a path.
fn append(root: &mut Arc<Node>, steps: &[Step], item: Arc<Node>) {
    if let Some(list) = root.follow_mut(steps)
        && let Value::List(items) = &mut Arc::make_mut(list).value
    {
        items.push(item);
    }
}
