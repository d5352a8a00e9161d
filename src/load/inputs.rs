//! The inputs of Kustomize: the files that a `kustomization.yaml` lists.
//!
//! Patches are not documents by themselves and are left alone. What a kustomization completes or
//! names anew is not judged for its names.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::document::DocumentKind;
use crate::document::rules::KUSTOMIZE;
use crate::source::{Place, SourceId, Sources, Span};
use crate::yaml::{Limits, Node, parse};

use super::disk::Content;
use super::piece::{Entry, Piece};
use super::store::{Store, lexical};

/// The names that Kustomize looks for in a directory.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// The role that a kustomization lists a file in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Resource,
    Patch,
}

/// A kustomization and what it lists.
struct Kustomization {
    directory: PathBuf,
    file: PathBuf,
    /// The files of ours.
    inputs: Vec<(Role, SourceId)>,
    /// The directories.
    bases: Vec<PathBuf>,
}

/// Finds the kustomizations among and beside the files, takes patches out of the pieces, and
/// gives the files that are listed and one note for each kustomization that lists documents of
/// ours and is listed by no other one.
pub(super) fn inputs(
    pieces: &mut [Piece],
    sources: &Sources,
    store: Store<'_>,
    paths: &BTreeMap<SourceId, PathBuf>,
) -> (BTreeSet<SourceId>, Vec<Diagnostic>) {
    let ours: BTreeSet<SourceId> = pieces
        .iter()
        .filter(|piece| {
            let mut documents = piece.documents.iter();
            documents.any(|entry| entry.kind != DocumentKind::Foreign)
        })
        .map(|piece| piece.tree.source)
        .collect();
    if ours.is_empty() {
        return (BTreeSet::new(), Vec::new());
    }
    let files = paths.iter().map(|(source, path)| (lexical(path), *source));
    let files: BTreeMap<PathBuf, SourceId> = files.collect();
    let read = |directory: &PathBuf| {
        let (name, text) = kustomization(store, directory)?;
        let mut one = Kustomization {
            file: directory.join(name),
            directory: directory.clone(),
            inputs: Vec::new(),
            bases: Vec::new(),
        };
        for (role, name) in list(&text) {
            let path = lexical(&directory.join(name));
            match files.get(&path) {
                Some(source) if ours.contains(source) => one.inputs.push((role, *source)),
                Some(_) => {}
                None => one.bases.push(path),
            }
        }
        Some(one)
    };
    let homes = homes(&files, &ours);
    let all: Vec<Kustomization> = homes.iter().filter_map(read).collect();
    let at: BTreeMap<&Path, usize> = all
        .iter()
        .map(|one| one.directory.as_path())
        .zip(0..)
        .collect();
    let below = |one: &Kustomization| {
        let bases = one.bases.iter();
        let bases = bases.filter_map(|base| at.get(base.as_path()).copied());
        bases.collect::<Vec<usize>>()
    };
    let bases: BTreeSet<usize> = all.iter().flat_map(below).collect();
    let reach = |number: usize| {
        let (mut inputs, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![number]);
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                inputs.extend(all[next].inputs.iter().map(|(_, source)| *source));
                open.extend(below(&all[next]));
            }
        }
        (number, inputs)
    };
    let tops = (0..all.len()).filter(|number| !bases.contains(number));
    let mut tops: Vec<(usize, BTreeSet<SourceId>)> = tops.map(reach).collect();
    tops.sort_by_key(|(_, inputs)| Reverse(inputs.len()));
    // Overlays of one base take the same files.
    let mut told: BTreeSet<SourceId> = BTreeSet::new();
    let mut notes = Vec::new();
    for (number, inputs) in tops {
        if let Some(first) = inputs.first().filter(|_| !inputs.is_subset(&told)) {
            let one = &all[number];
            let place = files.get(&one.file).unwrap_or(first);
            notes.push(note(*place, sources, &one.directory, inputs.len()));
            told.extend(inputs);
        }
    }
    contents(pieces, sources, &files);
    let roles = || all.iter().flat_map(|one| &one.inputs);
    let patches = roles().filter(|(role, _)| *role == Role::Patch);
    set_aside(pieces, &patches.map(|(_, source)| *source).collect());
    (roles().map(|(_, source)| *source).collect(), notes)
}

/// Takes patches out: each is a part of a document that stands elsewhere.
fn set_aside(pieces: &mut [Piece], patches: &BTreeSet<SourceId>) {
    let is_patch = |piece: &&mut Piece| patches.contains(&piece.tree.source);
    for piece in pieces.iter_mut().filter(is_patch) {
        for entry in Arc::make_mut(&mut piece.documents) {
            entry.kind = DocumentKind::Foreign;
            entry.refused = false;
        }
        let of_text = |found: &Diagnostic| found.rule.code.starts_with("planner::yaml::");
        piece.sink.diagnostics.retain(of_text);
    }
}

/// Sets aside what generators put into policies and is not whole: no hub is given it as it stands.
/// A whole document counts, since a policy for the hub itself may make it there.
fn contents(pieces: &mut [Piece], sources: &Sources, files: &BTreeMap<PathBuf, SourceId>) {
    let is_generator = |one: &&Entry| one.kind == DocumentKind::PolicyGenerator;
    let mut documents = pieces.iter().flat_map(|piece| &*piece.documents);
    if !documents.any(|one| is_generator(&one)) {
        return;
    }
    let paths: BTreeMap<SourceId, &PathBuf> = files.iter().map(|(path, at)| (*at, path)).collect();
    let runners = runners(pieces, sources, &paths);
    let mut listed: BTreeSet<PathBuf> = BTreeSet::new();
    for piece in &*pieces {
        let (source, text) = (piece.tree.source, &sources.get(piece.tree.source).text);
        let Some(path) = paths.get(&source) else {
            continue;
        };
        let own = || path.parent().unwrap_or(path);
        let home = runners.get(*path).map_or_else(own, PathBuf::as_path);
        for generator in piece.documents.iter().filter(is_generator) {
            let node = piece.tree.node(text, generator.root);
            let manifests = manifests(node).into_iter();
            listed.extend(manifests.map(|path| lexical(&home.join(path))));
        }
    }
    if listed.is_empty() {
        return;
    }
    for piece in pieces {
        let Some(path) = paths.get(&piece.tree.source) else {
            continue;
        };
        let mut above = path.ancestors();
        if !above.any(|path| listed.contains(path)) {
            continue;
        }
        let text = &sources.get(piece.tree.source).text;
        for entry in Arc::make_mut(&mut piece.documents) {
            if !entry.refused || entry.kind == DocumentKind::PolicyGenerator {
                continue;
            }
            let whole = piece.tree.node(text, entry.root).place().span;
            let inside = |found: &Diagnostic| {
                let place = found.primary.as_ref().map(|label| label.place.span.start);
                place.is_some_and(|at| (whole.start..=whole.end).contains(&at))
                    && !found.rule.code.starts_with("planner::yaml::")
            };
            piece.sink.diagnostics.retain(|found| !inside(found));
            entry.kind = DocumentKind::Foreign;
            entry.refused = false;
        }
    }
}

/// The directories of the kustomizations that run generators, by the files of these: their paths
/// are relative to it.
pub(super) fn runners(
    pieces: &[Piece],
    sources: &Sources,
    paths: &BTreeMap<SourceId, &PathBuf>,
) -> BTreeMap<PathBuf, PathBuf> {
    let mut found = BTreeMap::new();
    for piece in pieces {
        let text = &sources.get(piece.tree.source).text;
        let Some(home) = paths.get(&piece.tree.source).and_then(|path| path.parent()) else {
            continue;
        };
        for entry in &*piece.documents {
            let generators = piece.tree.node(text, entry.root).get("generators");
            let listed = generators.into_iter().flat_map(Node::items);
            for path in listed.filter_map(Node::text) {
                found.insert(lexical(&home.join(path)), home.to_path_buf());
            }
        }
    }
    found
}

/// The files and directories that a PolicyGenerator reads.
pub(super) fn manifests(generator: Node<'_>) -> Vec<&str> {
    let policies = generator.get("policies").into_iter().flat_map(Node::items);
    let manifests = policies.filter_map(|policy| policy.get("manifests"));
    let manifests = manifests.flat_map(Node::items);
    manifests
        .filter_map(|manifest| manifest.get("path")?.text())
        .collect()
}

/// The directories in which a kustomization is looked for: those of the kustomizations that were
/// read, and those of documents of ours.
fn homes(files: &BTreeMap<PathBuf, SourceId>, ours: &BTreeSet<SourceId>) -> BTreeSet<PathBuf> {
    let mut homes = BTreeSet::new();
    let mut last = None;
    for (path, source) in files {
        let Some(parent) = path.parent() else {
            continue;
        };
        let name = path.file_name().and_then(OsStr::to_str);
        if name.is_some_and(|name| NAMES.contains(&name)) {
            homes.insert(parent.to_path_buf());
        }
        if last != Some(parent) && ours.contains(source) {
            // A patch or base may lie below the directory of the kustomization that lists it.
            let above = path.ancestors().skip(1).take(3);
            homes.extend(above.map(Path::to_path_buf));
            last = Some(parent);
        }
    }
    homes
}

fn note(source: SourceId, sources: &Sources, directory: &Path, count: usize) -> Diagnostic {
    let what = match count {
        1 => "1 file is an input of Kustomize".to_owned(),
        many => format!("{many} files are inputs of Kustomize"),
    };
    let end = sources.get(source).text.find('\n').unwrap_or(0);
    let span = Span {
        start: 0,
        end: u32::try_from(end).unwrap_or(0),
    };
    let shown = match directory.to_string_lossy().replace('\\', "/") {
        name if name.is_empty() => ".".to_owned(),
        name => name,
    };
    Diagnostic::new(
        &KUSTOMIZE,
        format!("{what}: patches and names are not checked"),
    )
    .at(Place { source, span }, "lists them")
    .help(format!(
        "`kustomize build {shown} | planner validate -` checks the result"
    ))
}

/// The kustomization of a directory: its file's name and its text.
fn kustomization(store: Store<'_>, directory: &Path) -> Option<(&'static str, String)> {
    let name = NAMES
        .into_iter()
        .find(|name| store.is_file(&directory.join(name)))?;
    let limit = Limits::default().file_bytes;
    let Ok(Content::Bytes(bytes)) = store.read(&directory.join(name), false, limit) else {
        return None;
    };
    Some((name, String::from_utf8(bytes).ok()?))
}

/// The files and directories that a kustomization lists.
fn list(text: &str) -> Vec<(Role, String)> {
    const RESOURCES: [&str; 3] = ["resources", "bases", "components"];
    const PATCHES: [&str; 3] = ["patches", "patchesStrategicMerge", "patchesJson6902"];
    let parsed = parse(SourceId(0), text, 0..text.len(), Limits::default());
    let mut listed = Vec::new();
    for root in &parsed.documents {
        let node = parsed.tree.node(text, *root);
        let mut take = |keys: [&str; 3], role: Role| {
            for item in keys
                .iter()
                .filter_map(|key| node.get(key))
                .flat_map(Node::items)
            {
                let path = item.get("path").unwrap_or(item).text();
                // An inline patch is not a path.
                let path = path.filter(|path| !path.contains('\n'));
                listed.extend(path.map(|path| (role, path.to_owned())));
            }
        };
        take(RESOURCES, Role::Resource);
        take(PATCHES, Role::Patch);
    }
    listed
}
