//! ConfigMaps and Secrets that are generated, and the hashes in their names.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use data_encoding::{BASE64, HEXLOWER};
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use crate::source::Place;

use super::fault::Fault;
use super::fields::{Pairs, Text};
use super::file::{Generator, Kustomization};
use super::files::is_url;
use super::heap::{Heap, Stop, remote};
use super::node::{Entry, Node, Value};
use super::paths::new_key;
use super::resource::{Behavior, Resource, Resources};
use super::rules;
use super::scalar::{Scalar, Tag};
use super::texts::Texts;

/// The kind of a generated object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    ConfigMap,
    Secret,
}

/// Generates what a kustomization lists.
pub(super) fn all(
    texts: &mut Texts<'_>,
    heap: &mut Heap,
    file: &Kustomization,
    home: &Path,
) -> Result<(), Stop> {
    for (generators, kind) in [
        (&file.config_maps, Kind::ConfigMap),
        (&file.secrets, Kind::Secret),
    ] {
        for generator in generators {
            one(texts, heap, generator, kind, home)?;
        }
    }
    Ok(())
}

/// Generates one object. One that takes data from the network is left out; where it would change
/// another, nothing is built.
pub(super) fn one(
    texts: &mut Texts<'_>,
    heap: &mut Heap,
    generator: &Generator,
    kind: Kind,
    home: &Path,
) -> Result<(), Stop> {
    let resource = match make(texts, generator, kind, home) {
        Err(Stop::NotBuilt(parts)) if behavior(generator) == Behavior::Create => {
            heap.left_out.extend(parts.iter().cloned());
            return Ok(());
        }
        resource => resource?,
    };
    absorb(
        heap,
        resource,
        generator
            .name
            .as_ref()
            .map_or(generator.place, |name| name.place),
    )
}

fn behavior(generator: &Generator) -> Behavior {
    match generator.behavior.as_ref().map(|text| &*text.text) {
        Some("merge") => Behavior::Merge,
        Some("replace") => Behavior::Replace,
        _ => Behavior::Create,
    }
}

/// The bytes of a file that a generator reads.
fn bytes(texts: &mut Texts<'_>, home: &Path, path: &Text) -> Result<Vec<u8>, Stop> {
    if is_url(&path.text) {
        return Err(remote(path));
    }
    Ok(texts.bytes(home, path)?)
}

fn fault(why: impl Into<String>, place: Place) -> Fault {
    Fault::new(&rules::GENERATOR, why, place)
}

/// The keys and values of a generator, each with its place.
fn data(
    texts: &mut Texts<'_>,
    generator: &Generator,
    home: &Path,
) -> Result<BTreeMap<String, (Vec<u8>, Place)>, Stop> {
    let mut all: BTreeMap<String, (Vec<u8>, Place)> = BTreeMap::new();
    let mut add = |key: &str, value: Vec<u8>, place: Place| {
        let old = all.insert(key.to_owned(), (value, place));
        match old {
            None => Ok(()),
            Some((_, first)) => Err(fault(format!("the key `{key}` is there twice"), place)
                .help("name another key, or remove one of the two")
                .related(first, "the first of them")),
        }
    };
    for path in &generator.envs {
        let bytes = bytes(texts, home, path)?;
        for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
            let line = std::str::from_utf8(line).map_err(|_| {
                fault(
                    format!("line {number} of `{}` is not UTF-8", path.text),
                    path.place,
                )
            })?;
            let line = line.strip_suffix('\r').unwrap_or(line);
            let line = match number {
                1 => line.strip_prefix('\u{feff}').unwrap_or(line),
                _ => line,
            };
            let line = line.trim_start();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (key, value) = line.split_once('=').unwrap_or((line, ""));
            if !key.is_empty() {
                add(key, value.into(), path.place)?;
            }
        }
    }
    for literal in &generator.literals {
        let wrong = || {
            fault(
                format!("`{}` is no `key=value`", without_value(&literal.text)),
                literal.place,
            )
            .help("write `- key=value`")
        };
        let (key, value) = literal.text.split_once('=').ok_or_else(wrong)?;
        if key.is_empty() {
            return Err(wrong().into());
        }
        let quoted = |mark: char| {
            let inner = value.strip_prefix(mark)?;
            inner.strip_suffix(mark)
        };
        let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
        add(key, value.into(), literal.place)?;
    }
    for source in &generator.files {
        let text = &source.text;
        let wrong = |why: &str| {
            fault(format!("`{text}` {why}"), source.place).help("write `- path` or `- key=path`")
        };
        let (key, path) = match text.matches('=').count() {
            0 => (
                text.rsplit('/')
                    .find(|part| !part.is_empty())
                    .unwrap_or("."),
                &**text,
            ),
            1 => text.split_once('=').unwrap_or(("", "")),
            _ => return Err(wrong("has several `=`").into()),
        };
        if key.is_empty() || path.is_empty() {
            return Err(wrong("lacks its key or its path").into());
        }
        let path = Text {
            text: path.into(),
            place: source.place,
            lines: None,
        };
        let bytes = bytes(texts, home, &path)?;
        add(key, bytes, source.place)?;
    }
    Ok(all)
}

/// A literal without what may be a secret.
fn without_value(literal: &str) -> &str {
    literal.split('=').next().unwrap_or("")
}

/// Base64, in lines of 70 letters if it has several.
fn base64(bytes: &[u8]) -> String {
    const WIDTH: usize = 70;
    let encoded = BASE64.encode(bytes);
    if encoded.len() < WIDTH {
        return encoded;
    }
    let lines = encoded.as_bytes().chunks(WIDTH);
    let lines = lines.map(|line| format!("{}\n", String::from_utf8_lossy(line)));
    lines.collect()
}

fn make(
    texts: &mut Texts<'_>,
    generator: &Generator,
    kind: Kind,
    home: &Path,
) -> Result<Resource, Stop> {
    let place = generator.place;
    let word = match kind {
        Kind::ConfigMap => "ConfigMap",
        Kind::Secret => "Secret",
    };
    let Some(name) = &generator.name else {
        return Err(fault(format!("this {word} has no name"), place)
            .help("add `name`")
            .into());
    };
    let mut root = Node::map(place);
    let mut metadata = Node::map(place);
    let scalar =
        |text: &Text| Node::scalar(Scalar::instead(Arc::clone(&text.text), None), text.place);
    {
        let metadata = Arc::make_mut(&mut metadata);
        metadata.set("name", scalar(name));
        if let Some(namespace) = &generator.namespace {
            metadata.set("namespace", scalar(namespace));
        }
        let texts = |pairs: &Pairs| -> Result<Arc<Node>, Fault> {
            let mut entries = Vec::new();
            for (key, value) in pairs {
                new_key(&key.text).map_err(|why| Fault::new(&rules::UNREADABLE, why, key.place))?;
                entries.push(Entry {
                    key: Arc::clone(&key.text),
                    place: key.place,
                    value: Node::text(Arc::clone(&value.text), value.place),
                });
            }
            Ok(Node::new(Value::Map(entries), place))
        };
        let options = &generator.options;
        if !options.labels.is_empty() {
            metadata.set("labels", texts(&options.labels)?);
        }
        if !options.annotations.is_empty() {
            metadata.set("annotations", texts(&options.annotations)?);
        }
    }
    let data = data(texts, generator, home)?;
    let own = Arc::make_mut(&mut root);
    own.set("apiVersion", Node::text("v1", place));
    own.set("kind", Node::text(word, place));
    own.set("metadata", metadata);
    if kind == Kind::Secret {
        let (text, place) = match &generator.kind {
            Some(kind) => (Arc::clone(&kind.text), kind.place),
            None => ("Opaque".into(), place),
        };
        own.set("type", Node::text(text, place));
        own.set("data", Node::map(place));
    }
    for (key, (value, place)) in data {
        new_key(&key).map_err(|why| Fault::new(&rules::UNREADABLE, why, place))?;
        let (field, text) = match (kind, String::from_utf8(value)) {
            (Kind::ConfigMap, Ok(text)) => ("data", text),
            (Kind::ConfigMap, Err(error)) => ("binaryData", base64(error.as_bytes())),
            (Kind::Secret, Ok(text)) => ("data", base64(text.as_bytes())),
            (Kind::Secret, Err(error)) => ("data", base64(error.as_bytes())),
        };
        put(own, field, &key, text, place);
    }
    if let Some(place) = generator.options.immutable {
        own.set(
            "immutable",
            Node::scalar(Scalar::plain(Tag::Bool, "true"), place),
        );
    }
    let mut resource = Resource::new(root);
    resource.hash = !generator.options.no_hash;
    resource.behavior = behavior(generator);
    Ok(resource)
}

/// Sets an entry of the data.
fn put(root: &mut Node, field: &str, key: &str, text: String, place: Place) {
    if root.get(field).is_none() {
        root.set(field, Node::map(place));
    }
    let Some(entries) = root.entries_mut() else {
        return;
    };
    let mut entries = entries.iter_mut();
    if let Some(map) = entries.find(|entry| &*entry.key == field) {
        Arc::make_mut(&mut map.value).set(key, Node::text(text, place));
    }
}

/// Adds a generated object, or lays it over the one that is there.
pub(super) fn absorb(heap: &mut Heap, mut new: Resource, place: Place) -> Result<(), Stop> {
    let id = new.id();
    let fits = |old: &Resource| old.ids().contains(&id);
    let mut found = heap
        .resources
        .list
        .iter()
        .enumerate()
        .filter(|(_, old)| fits(old));
    let first = found.next().map(|(at, _)| at);
    if found.next().is_some() {
        return Err(fault(format!("several objects fit {}", new.shown()), place).into());
    }
    let Some(at) = first else {
        if new.behavior != Behavior::Create {
            let why = format!("there is no {} to merge into or to replace", new.shown());
            let fault = fault(why, place).help("correct the name, or write `behavior: create`");
            heap.unless_part(fault)?;
            new.behavior = Behavior::Create;
        }
        heap.resources.list.push(new);
        return Ok(());
    };
    let old = &heap.resources.list[at];
    if new.behavior == Behavior::Create {
        let fault = fault(format!("{} is there already", new.shown()), place)
            .help("write `behavior: merge` or `behavior: replace`, or another name")
            .related(old.node.place, "there");
        return Err(fault.into());
    }
    let merged = over(old, new);
    heap.resources.list[at] = merged;
    Ok(())
}

/// A generated object laid over an old one.
fn over(old: &Resource, new: Resource) -> Resource {
    let mut node = Arc::clone(&new.node);
    let own = Arc::make_mut(&mut node);
    let join = |own: &Node, path: &[&str]| -> Option<Arc<Node>> {
        let (before, after) = (old.node.at(path), own.at(path));
        let place = after.or(before)?.place;
        let mut entries: Vec<Entry> = Vec::new();
        for map in [before, after].into_iter().flatten() {
            for entry in map.entries() {
                entries.retain(|known| known.key != entry.key);
                entries.push(entry.clone());
            }
        }
        entries.sort_by(|one, two| one.key.cmp(&two.key));
        (!entries.is_empty()).then(|| Node::new(Value::Map(entries), place))
    };
    let mut metadata = Node::map(own.place);
    {
        let metadata = Arc::make_mut(&mut metadata);
        for field in ["name", "namespace"] {
            if let Some(value) = old.node.at(&["metadata", field]) {
                metadata.set(field, Arc::clone(value));
            }
        }
        for field in ["labels", "annotations"] {
            if let Some(map) = join(own, &["metadata", field]) {
                metadata.set(field, map);
            }
        }
    }
    own.set("metadata", metadata);
    if new.behavior == Behavior::Merge {
        for field in ["data", "binaryData"] {
            match join(own, &[field]) {
                Some(map) => own.set(field, map),
                None => drop(own.remove(field)),
            }
        }
    }
    Resource {
        node,
        hash: old.hash && new.hash,
        ..old.clone()
    }
}

/// Puts the hash of its content behind the name of each object that gets one.
pub(super) fn hash_names(resources: &mut Resources) -> Result<(), Stop> {
    for resource in resources.list.iter_mut().filter(|resource| resource.hash) {
        let hash = hash(&resource.node);
        resource.remember();
        let name = format!("{}-{hash}", resource.name());
        let name_node = resource.node.at(&["metadata", "name"]);
        let place = name_node.map_or(resource.node.place, |node| node.place);
        resource.set_metadata("name", &name, place, None);
    }
    Ok(())
}

/// The hash of an object's content: ten letters.
fn hash(node: &Node) -> String {
    let kind = node
        .get("kind")
        .and_then(|kind| kind.as_text())
        .map_or("", |kind| kind);
    let field = |name: &str| node.get(name).map(|node| node.json(None));
    let plain = |name: &str| field(name).unwrap_or_else(|| Json::from(""));
    let more = if kind == "Secret" {
        "stringData"
    } else {
        "binaryData"
    };
    let mut parts: BTreeMap<&str, Json> = BTreeMap::new();
    parts.insert("kind", kind.into());
    parts.insert("name", "".into());
    parts.insert("data", plain("data"));
    if kind == "Secret" {
        parts.insert("type", plain("type"));
    }
    if let Some(map) = field(more).filter(Json::is_object) {
        parts.insert(more, map);
    }
    let mut text = String::from("{");
    for (key, value) in parts {
        if text.len() > 1 {
            text.push(',');
        }
        write_text(key, &mut text);
        text.push(':');
        write(&value, &mut text);
    }
    text.push('}');
    let digest = HEXLOWER.encode(&Sha256::digest(text.as_bytes()));
    let letters = digest.chars().take(10).map(|letter| match letter {
        '0' => 'g',
        '1' => 'h',
        '3' => 'k',
        'a' => 'm',
        'e' => 't',
        other => other,
    });
    letters.collect()
}

/// Writes JSON as Go does: keys in order, signs of HTML escaped.
fn write(value: &Json, to: &mut String) {
    match value {
        Json::String(text) => write_text(text, to),
        Json::Object(map) => {
            let sorted: BTreeMap<&String, &Json> = map.iter().collect();
            to.push('{');
            for (at, (key, value)) in sorted.into_iter().enumerate() {
                if at > 0 {
                    to.push(',');
                }
                write_text(key, to);
                to.push(':');
                write(value, to);
            }
            to.push('}');
        }
        Json::Array(items) => {
            to.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    to.push(',');
                }
                write(item, to);
            }
            to.push(']');
        }
        other => to.push_str(&other.to_string()),
    }
}

fn write_text(text: &str, to: &mut String) {
    to.push('"');
    for sign in text.chars() {
        match sign {
            '"' => to.push_str("\\\""),
            '\\' => to.push_str("\\\\"),
            '\n' => to.push_str("\\n"),
            '\r' => to.push_str("\\r"),
            '\t' => to.push_str("\\t"),
            '\u{8}' => to.push_str("\\b"),
            '\u{c}' => to.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
                to.push_str(&format!("\\u{:04x}", u32::from(sign)));
            }
            other => to.push(other),
        }
    }
    to.push('"');
}
