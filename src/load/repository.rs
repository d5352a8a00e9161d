//! An Airship site repository: which files each site of it reads.
//!
//! Source: Pegleg, `doc/source/artifacts.rst`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use memchr::memmem;

use crate::document::Repository;
use crate::source::SourceId;
use crate::yaml::{Limits, parse};

use super::Refusal;
use super::disk::Content;
use super::store::Store;

/// The file that makes a directory of `site/` a site.
const DEFINITION: &str = "site-definition.yaml";

/// The name of the document that every repository of sites has in `global/`.
const LAYERS: &[u8] = b"deckhand/LayeringPolicy/v1";

/// The choice of a caller among the repositories below a PATH.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'r> {
    /// The site that was named.
    pub(super) site: Option<&'r str>,
    /// Without a name every site is read, each for itself.
    pub(super) every: bool,
    /// The number of the PATH.
    pub(super) path: usize,
}

/// The repository at a directory, once for each of its sites that is wanted: nothing where the
/// directory is not a root, one that has a `site/` holding sites with a definition.
///
/// # Errors
/// When it holds several sites and one is wanted but not named, or an unknown one is.
pub(super) fn at(
    store: Store<'_>,
    root: &Path,
    wanted: Wanted<'_>,
) -> Result<Vec<Repository>, Refusal> {
    choose(store, root, &[root.to_path_buf()], wanted)
}

/// The repositories below a directory that is none itself, by the definitions of sites that were
/// found there, and the roots of all of them.
///
/// # Errors
/// As [`at`].
pub(super) fn below<'f>(
    store: Store<'_>,
    directory: &Path,
    found: impl Iterator<Item = &'f Path>,
    wanted: Wanted<'_>,
) -> Result<(Vec<Repository>, Vec<PathBuf>), Refusal> {
    let mut roots: BTreeSet<&Path> = found.filter_map(root_of).collect();
    roots.retain(|root| root.starts_with(directory));
    // A repository within another one is a part of that.
    let all = roots.clone();
    roots.retain(|root| !root.ancestors().skip(1).any(|above| all.contains(above)));
    let roots: Vec<PathBuf> = roots.into_iter().map(Path::to_path_buf).collect();
    let chosen = choose(store, directory, &roots, wanted)?;
    Ok((chosen, roots))
}

/// The PATHs that lack the wanted sites while others have them, by number: the sites read what is
/// global there, and what is of their type.
pub(super) fn lenders(
    store: Store<'_>,
    paths: &[PathBuf],
    site: Option<&str>,
) -> BTreeMap<usize, PathBuf> {
    let lends = |root: &Path| {
        ["global", "type"]
            .iter()
            .any(|part| store.is_dir(&root.join(part)))
    };
    let wanted = |name: &String| site.is_none_or(|site| name == site);
    let (mut lending, mut found) = (BTreeMap::new(), false);
    for (number, path) in paths.iter().enumerate() {
        let sites = sites(store, path);
        if sites.iter().any(wanted) {
            found = true;
        } else if lends(path) {
            lending.insert(number, path.clone());
        }
    }
    if found { lending } else { BTreeMap::new() }
}

/// Adds to a site what it reads of another repository.
pub(super) fn lend(store: Store<'_>, root: &Path, to: &mut Repository) -> Vec<PathBuf> {
    let mut files = Vec::new();
    list(store, &root.join("global"), &mut files);
    if let Some(site_type) = &to.site_type {
        list(store, &root.join("type").join(site_type), &mut files);
    }
    to.lent += 1;
    files
}

/// A repository without sites that only lends to those of others: all that is global in it, and
/// all of its types.
pub(super) fn library(store: Store<'_>, root: &Path, path: usize) -> Option<Repository> {
    let (global, types) = (root.join("global"), root.join("type"));
    let mut files = Vec::new();
    if store.is_dir(&types) {
        list(store, &global, &mut files);
    }
    let layered = |file: &PathBuf| {
        let read = store.read(file, false, Limits::default().file_bytes);
        matches!(read, Ok(Content::Bytes(bytes)) if memmem::find(&bytes, LAYERS).is_some())
    };
    if !files.iter().any(layered) {
        return None;
    }
    list(store, &types, &mut files);
    files.sort();
    Some(Repository {
        root: root.to_path_buf(),
        shown: shown(root),
        site: None,
        site_type: None,
        lent: 0,
        files,
        path,
        below: false,
    })
}

/// The root that contains a site's definition.
fn root_of(definition: &Path) -> Option<&Path> {
    let home = definition.parent()?.parent()?;
    let named = definition.file_name()? == DEFINITION && home.file_name()? == "site";
    home.parent().filter(|_| named)
}

/// The sites that are wanted of those of all roots.
fn choose<'r>(
    store: Store<'_>,
    directory: &Path,
    roots: &'r [PathBuf],
    wanted: Wanted<'_>,
) -> Result<Vec<Repository>, Refusal> {
    let of_root = |root: &'r PathBuf| {
        let sites = sites(store, root).into_iter();
        sites.map(move |site| (root, site))
    };
    let all: Vec<(&PathBuf, String)> = roots.iter().flat_map(of_root).collect();
    let named = |(_, site): &&(&PathBuf, String)| wanted.site.is_none_or(|name| site == name);
    let chosen: Vec<_> = all.iter().filter(named).collect();
    let enough = match wanted.site {
        None => wanted.every || chosen.len() < 2,
        Some(_) => chosen.len() == 1 || all.is_empty(),
    };
    if !enough {
        let root = match roots {
            [root] => root,
            _ => directory,
        };
        let root = shown(root);
        if let [_, _, ..] = *chosen
            && let Some(site) = wanted.site
        {
            let roots = chosen.iter().map(|(root, _)| shown(root));
            return Err(Refusal::Root {
                site: site.to_owned(),
                roots: roots.collect(),
            });
        }
        let repositories = roots.iter().map(|root| (shown(root), sites(store, root)));
        let repositories: Vec<_> = repositories
            .filter(|(_, sites)| !sites.is_empty())
            .collect();
        if wanted.site.is_none() && repositories.len() > 1 {
            return Err(Refusal::Repositories { root, repositories });
        }
        let sites = all.into_iter().map(|(_, site)| site).collect();
        return Err(Refusal::Site {
            root,
            wanted: wanted.site.map(str::to_owned),
            sites,
        });
    }
    let repository = |(root, site): &(&PathBuf, String)| {
        let mut repository = read(store, root, site);
        repository.path = wanted.path;
        repository.below = *root != directory;
        repository
    };
    Ok(chosen.into_iter().map(repository).collect())
}

/// A root as messages call it.
fn shown(root: &Path) -> String {
    let below = root.strip_prefix(".").ok();
    let below = below.filter(|rest| !rest.as_os_str().is_empty());
    below.unwrap_or(root).display().to_string()
}

/// One site of a repository and the files it reads.
fn read(store: Store<'_>, root: &Path, site: &str) -> Repository {
    let home = root.join("site").join(site);
    let site_type = site_type(store, &home.join(DEFINITION));
    let mut files = Vec::new();
    list(store, &root.join("global"), &mut files);
    if let Some(site_type) = &site_type {
        list(store, &root.join("type").join(site_type), &mut files);
    }
    list(store, &home, &mut files);
    files.sort();
    Repository {
        root: root.to_path_buf(),
        shown: shown(root),
        site: Some(site.to_owned()),
        site_type,
        lent: 0,
        files,
        path: 0,
        below: false,
    }
}

/// The directories of `site/` that define a site, by name.
fn sites(store: Store<'_>, root: &Path) -> Vec<String> {
    let home = root.join("site");
    let defined = |name: &str| store.is_file(&home.join(name).join(DEFINITION));
    let names = store.names(&home).unwrap_or_default();
    let names = names.into_iter().map(|(name, _)| name);
    let mut names: Vec<String> = names.filter(|name| defined(name)).collect();
    names.sort();
    names
}

fn site_type(store: Store<'_>, definition: &Path) -> Option<String> {
    let limit = Limits::default().file_bytes;
    let Ok(Content::Bytes(bytes)) = store.read(definition, false, limit) else {
        return None;
    };
    let text = String::from_utf8(bytes).ok()?;
    let parsed = parse(SourceId(0), &text, 0..text.len(), Limits::default());
    parsed.documents.iter().find_map(|root| {
        let node = parsed.tree.node(&text, *root);
        Some(node.at(&["data", "site_type"])?.text()?.to_owned())
    })
}

/// Every `*.yaml` below a directory but those whose name, or whose directory's name, starts
/// with a dot, and anything below `tools`.
fn list(store: Store<'_>, directory: &Path, files: &mut Vec<PathBuf>) {
    let mut open = vec![directory.to_path_buf()];
    let mut listed = BTreeSet::new();
    while let Some(directory) = open.pop() {
        // A link may lead back.
        if !listed.insert(store.identity(&directory)) {
            continue;
        }
        let names = match store.names(&directory) {
            Ok(names) => names,
            // A site need not have every layer.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            // Reading it as a file says why it cannot be listed.
            Err(_) => {
                files.push(directory);
                continue;
            }
        };
        for (name, is_dir) in names {
            if name.starts_with('.') || name == "tools" {
                continue;
            }
            let path = directory.join(&name);
            if is_dir {
                open.push(path);
            } else if name.ends_with(".yaml") {
                files.push(path);
            }
        }
    }
}
