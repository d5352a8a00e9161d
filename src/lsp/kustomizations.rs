//! Kustomizations: the files that they name, and which of them build a base.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::diagnostic::kustomization;
use crate::kit::plural::plural;
use crate::source::SourceId;
use crate::yaml::Node;

use super::tree::{self, Tree};
use super::view::View;

/// Lists of a kustomization whose items are files or directories.
const FILES: [&str; 8] = [
    "resources",
    "components",
    "bases",
    "patchesStrategicMerge",
    "crds",
    "configurations",
    "generators",
    "transformers",
];
/// The fields that list other kustomizations.
const DIRECTORIES: [&str; 3] = ["resources", "components", "bases"];
/// Names of kustomizations in a directory.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
/// Kustomizations that are looked at, at most.
const MOST: usize = 10_000;

/// The directory of a kustomization, if a file is one.
fn directory(path: &Path) -> Option<&Path> {
    let is_one = NAMES.contains(&path.file_name()?.to_str()?);
    path.parent().filter(|_| is_one)
}

/// The file that a kustomization names at a byte; of a directory its kustomization.
pub(super) fn named_at(view: &View, source: SourceId, at: u32) -> Option<PathBuf> {
    let home = directory(view.path(source)?)?;
    let tree = Tree::new(view.source(source));
    let way = tree::way(tree.root_at(at)?, at);
    let keys: Vec<&str> = way.iter().filter_map(|step| step.key?.text()).collect();
    let is_file = match keys.as_slice() {
        [list] => FILES.contains(list),
        ["patches" | "replacements" | "patchesJson6902", "path"] => true,
        _ => false,
    };
    let written = way.last()?.value.text().filter(|_| is_file)?;
    let target = home.join(written);
    if target.is_file() {
        return Some(target);
    }
    file_in(&target)
}

/// The kustomization in a directory.
fn file_in(directory: &Path) -> Option<PathBuf> {
    let files = NAMES.iter().map(|name| directory.join(name));
    files.into_iter().find(|file| file.is_file())
}

/// The use of a kustomization, in a line: how many documents it makes, or which others build it.
pub(super) fn role(view: &View, source: SourceId) -> Option<String> {
    let home = directory(view.path(source)?)?.canonicalize().ok()?;
    let request = &view.snapshot.request;
    let roots = &view.snapshot.loaded().builds.roots;
    let mut building = Vec::new();
    for root in roots {
        let path = request.directory.join(&root.name).canonicalize().ok()?;
        if path == home {
            return Some(format!("→ {}", plural(root.documents, "document")));
        }
        if reaches(view, path, &home) {
            building.push(root.name.as_str());
        }
    }
    match building.as_slice() {
        [] => None,
        [only] => Some(format!("built by {}", kustomization(only))),
        several => Some(format!(
            "built by {}: {}",
            several.len(),
            several.join(", ")
        )),
    }
}

/// Whether one kustomization is built from another one.
fn reaches(view: &View, from: PathBuf, home: &Path) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if at == home {
            return true;
        }
        if seen.len() == MOST || !seen.insert(at.clone()) {
            continue;
        }
        open.extend(directories(view, &at));
    }
    false
}

/// The directories that a kustomization names.
fn directories(view: &View, home: &Path) -> Vec<PathBuf> {
    let source = file_in(home).and_then(|file| view.snapshot.source_of(&file));
    let Some(source) = source else {
        return Vec::new();
    };
    let tree = Tree::new(view.source(source));
    let mut named = Vec::new();
    for root in tree.roots() {
        for list in DIRECTORIES {
            let items = root.get(list).into_iter().flat_map(Node::items);
            let paths = items.filter_map(|item| home.join(item.text()?).canonicalize().ok());
            named.extend(paths.filter(|path| path.is_dir()));
        }
    }
    named
}
