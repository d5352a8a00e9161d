//! What Kustomize makes a site of: the files that a `kustomization.yaml` lists.
//!
//! Patches are not documents by themselves and are left alone. What a kustomization completes or
//! names anew is not judged for its names.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::diagnostic::Diagnostic;
use crate::document::DocumentKind;
use crate::document::rules::KUSTOMIZE;
use crate::source::{Place, SourceId, Sources, Span};
use crate::yaml::{Limits, Node, parse};

use super::disk::Content;
use super::piece::Piece;
use super::store::{Store, lexical};

/// The names that Kustomize looks for in a directory.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// What a kustomization lists a file as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Resource,
    Patch,
}

/// Finds the kustomizations beside the files, takes patches out of the pieces, and gives the
/// files that are listed and one note for each kustomization that lists documents of ours.
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
    let of_ours = paths.iter().filter(|(source, _)| ours.contains(source));
    let homes: BTreeSet<&OsStr> = of_ours
        .filter_map(|(_, path)| Some(path.parent()?.as_os_str()))
        .collect();
    let mut directories: BTreeSet<PathBuf> = BTreeSet::new();
    for home in homes {
        // A patch or base may lie below the directory of the kustomization that lists it.
        let file = lexical(&Path::new(home).join("file"));
        let above = file.ancestors().skip(1).take(3);
        directories.extend(above.map(Path::to_path_buf));
    }
    let mut kustomizations = Vec::new();
    for directory in directories {
        if let Some((file, text)) = kustomization(store, &directory) {
            kustomizations.push((directory, file, text));
        }
    }
    if kustomizations.is_empty() {
        return (BTreeSet::new(), Vec::new());
    }
    let files = paths.iter().map(|(source, path)| (lexical(path), *source));
    let files: BTreeMap<PathBuf, SourceId> = files.collect();
    let mut listed = BTreeSet::new();
    let mut patches = BTreeSet::new();
    let mut notes = Vec::new();
    for (directory, file, text) in kustomizations {
        let inputs: Vec<(Role, SourceId)> = list(&text)
            .into_iter()
            .filter_map(|(role, name)| {
                let source = *files.get(&lexical(&directory.join(name)))?;
                ours.contains(&source).then_some((role, source))
            })
            .collect();
        let Some((_, first)) = inputs.first() else {
            continue;
        };
        let place = files.get(&directory.join(file)).unwrap_or(first);
        notes.push(note(*place, sources, &directory, inputs.len()));
        for (role, source) in inputs {
            listed.insert(source);
            if role == Role::Patch {
                patches.insert(source);
            }
        }
    }
    for piece in pieces {
        if patches.contains(&piece.tree.source) {
            for entry in &mut piece.documents {
                entry.kind = DocumentKind::Foreign;
                entry.refused = false;
            }
            let of_text = |found: &Diagnostic| found.rule.code.starts_with("planner::yaml::");
            piece.sink.diagnostics.retain(of_text);
        }
    }
    (listed, notes)
}

fn note(source: SourceId, sources: &Sources, directory: &Path, count: usize) -> Diagnostic {
    let what = match count {
        1 => "1 file here is an input of Kustomize".to_owned(),
        many => format!("{many} files here are inputs of Kustomize"),
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
