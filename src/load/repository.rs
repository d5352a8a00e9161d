//! An Airship site repository: which files one site of it reads.
//!
//! Source: Airship site documents, section 2.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::document::Repository;
use crate::source::SourceId;
use crate::yaml::{Limits, parse};

use super::Refusal;
use super::store::Store;

/// The repository at a directory, if it is one: a `site/` holding sites with a definition.
///
/// # Errors
/// When it holds several sites and none, or an unknown one, is named.
pub(super) fn find(
    store: Store<'_>,
    root: &Path,
    wanted: Option<&str>,
) -> Result<Option<Repository>, Refusal> {
    let sites = sites(store, root);
    if sites.is_empty() {
        return Ok(None);
    }
    let site = match wanted {
        Some(wanted) => sites.iter().find(|site| *site == wanted),
        None if sites.len() == 1 => sites.first(),
        None => None,
    };
    let Some(site) = site.cloned() else {
        let wanted = wanted.map(str::to_owned);
        return Err(Refusal::Site {
            root: root.display().to_string(),
            wanted,
            sites,
        });
    };
    let home = root.join("site").join(&site);
    let site_type = site_type(store, &home.join("site-definition.yaml"));
    let mut files = Vec::new();
    list(store, &root.join("global"), &mut files);
    if let Some(site_type) = &site_type {
        list(store, &root.join("type").join(site_type), &mut files);
    }
    list(store, &home, &mut files);
    files.sort();
    Ok(Some(Repository {
        root: root.to_path_buf(),
        site,
        site_type,
        files,
    }))
}

/// The repository one level below a directory, if there is exactly one.
///
/// # Errors
/// As [`find`].
pub(super) fn below(
    store: Store<'_>,
    directory: &Path,
    wanted: Option<&str>,
) -> Result<Option<Repository>, Refusal> {
    let names = store.names(directory).unwrap_or_default().into_iter();
    let mut roots = names
        .filter(|(name, is_dir)| *is_dir && !name.starts_with('.'))
        .map(|(name, _)| directory.join(name))
        .filter(|root| !sites(store, root).is_empty());
    match (roots.next(), roots.next()) {
        (Some(root), None) => find(store, &root, wanted),
        _ => Ok(None),
    }
}

/// The directories of `site/` that define a site, by name.
fn sites(store: Store<'_>, root: &Path) -> Vec<String> {
    let home = root.join("site");
    let defined = |name: &str| store.is_file(&home.join(name).join("site-definition.yaml"));
    let names = store.names(&home).unwrap_or_default();
    let names = names.into_iter().map(|(name, _)| name);
    let mut names: Vec<String> = names.filter(|name| defined(name)).collect();
    names.sort();
    names
}

fn site_type(store: Store<'_>, definition: &Path) -> Option<String> {
    let text =
        String::from_utf8(store.read(definition, Limits::default().file_bytes).ok()?).ok()?;
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
    while let Some(directory) = open.pop() {
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
