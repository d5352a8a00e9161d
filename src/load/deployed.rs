//! The paths of this repository that Argo CD and Subscriptions deploy: some lead to nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Object};
use crate::document::DocumentKind;
use crate::document::rules::MISSING_PATH;
use crate::kit::nearest::{did_you_mean, nearest};
use crate::source::{Place, Sources};
use crate::yaml::Node;

use super::piece::Piece;
use super::store::{Store, lexical};
use super::{Request, disk, dotgit};

/// A path of a repository that a document deploys.
struct Deployed<'t> {
    url: String,
    path: &'t str,
    place: Place,
    object: Object,
}

/// The paths into this repository that lead to nothing: it is the one whose address a remote has,
/// or from which another document deploys what is there.
pub(super) fn missing(request: &Request, sources: &Sources, pieces: &[&Piece]) -> Vec<Diagnostic> {
    let all = deployed(sources, pieces);
    if all.is_empty() {
        return Vec::new();
    }
    let store = request.store();
    let areas = request.paths.iter().filter(|path| store.is_dir(path));
    let areas: Vec<PathBuf> = areas.map(|path| store.identity(path)).collect();
    let tops = areas.iter().map(|area| {
        let top = disk::repository(area).unwrap_or(area);
        top.to_path_buf()
    });
    let tops: BTreeSet<PathBuf> = tops.collect();
    let mut found = Vec::new();
    // Several kustomizations may have one line.
    let mut told: BTreeSet<(Place, &str)> = BTreeSet::new();
    for top in &tops {
        let at = |path: &str| lexical(&top.join(path.trim_start_matches('/')));
        let exists = |path: &str| {
            let path = at(path);
            store.is_dir(&path) || store.is_file(&path)
        };
        let own = own(top, &all, exists);
        for one in all.iter().filter(|one| own.contains(&one.url)) {
            // What is not read may be there.
            let is_read = areas.iter().any(|area| at(one.path).starts_with(area));
            let mut is_new = || told.insert((one.place, one.object.name.as_str()));
            if is_read && !exists(one.path) && is_new() {
                found.push(finding(one, store, top));
            }
        }
    }
    found
}

/// The addresses of the repository at a directory.
fn own(top: &Path, all: &[Deployed<'_>], exists: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let remotes = dotgit::remotes(top);
    let mut own: BTreeSet<String> = remotes.iter().map(|url| plain(url)).collect();
    if !own.is_empty() {
        return own;
    }
    // One short path may be there by chance.
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for one in all.iter().filter(|one| exists(one.path)) {
        known.entry(&one.url).or_default().insert(one.path);
    }
    let is_sure = |paths: &BTreeSet<&str>| {
        let is_long = |path: &&str| path.trim_matches('/').contains('/');
        paths.len() > 1 || paths.iter().any(is_long)
    };
    let sure = known.into_iter().filter(|(_, paths)| is_sure(paths));
    own.extend(sure.map(|(url, _)| url.to_owned()));
    own
}

fn finding(one: &Deployed<'_>, store: Store<'_>, top: &Path) -> Diagnostic {
    let path = one.path.trim_start_matches("./").trim_matches('/');
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let beside = store.names(&top.join(above)).unwrap_or_default();
    let beside = beside.iter().filter(|(_, is_dir)| *is_dir);
    let near = nearest(name, beside.map(|(name, _)| name.as_str()));
    let help = match (near, above) {
        (Some(near), "") => did_you_mean(near),
        (Some(near), above) => did_you_mean(&format!("{above}/{near}")),
        (None, _) => "correct the path, or add the directory".to_owned(),
    };
    let message = format!(
        "there is no `{path}` in this repository: {} `{}` deploys nothing of it",
        one.object.kind, one.object.name
    );
    Diagnostic::new(&MISSING_PATH, message)
        .at(one.place, "leads to nothing")
        .help(help)
        .object(one.object.clone())
        .not_refusing()
}

/// An address without what makes no difference: `github.com/owner/name`.
fn plain(url: &str) -> String {
    let url = url.trim().trim_end_matches('/');
    let url = url.strip_suffix(".git").unwrap_or(url);
    let (is_short, url) = match url.split_once("://") {
        Some((_, rest)) => (false, rest),
        None => (true, url),
    };
    let url = match url.split_once('@') {
        Some((user, rest)) if !user.contains('/') => rest,
        _ => url,
    };
    // `git@host:owner/name`
    let url = if is_short {
        url.replacen(':', "/", 1)
    } else {
        url.to_owned()
    };
    url.to_lowercase()
}

fn text<'t>(node: Node<'t>, path: &[&str]) -> &'t str {
    node.at(path).and_then(Node::text).unwrap_or_default()
}

/// Revisions that are what is read: others may have the path.
const HEADS: [&str; 4] = ["", "HEAD", "main", "master"];

/// Whether it is the path itself, not a text to be filled in.
fn is_plain(path: &str) -> bool {
    !path.trim_matches(['/', '.']).is_empty() && !path.contains(['{', '$', '<', '*', '\n'])
}

/// Whether documents of a kind may name a path; Applications of Argo CD are foreign.
fn deploys(kind: DocumentKind) -> bool {
    use DocumentKind::{ApplicationSet, Channel, Foreign, Subscription};
    matches!(kind, ApplicationSet | Channel | Foreign | Subscription)
}

/// The paths that documents deploy, each from the repository that they name.
fn deployed<'t>(sources: &'t Sources, pieces: &[&'t Piece]) -> Vec<Deployed<'t>> {
    let mut all = Vec::new();
    let mut channels: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    let mut subscriptions = Vec::new();
    for piece in pieces {
        let file = sources.get(piece.tree.source).text.as_str();
        for entry in piece.documents.iter().filter(|entry| deploys(entry.kind)) {
            let node = piece.tree.node(file, entry.root);
            let group = text(node, &["apiVersion"]).split('/').next();
            let spec = match (group.unwrap_or_default(), text(node, &["kind"])) {
                ("argoproj.io", "Application") => node.get("spec"),
                ("argoproj.io", "ApplicationSet") => node.at(&["spec", "template", "spec"]),
                ("apps.open-cluster-management.io", "Channel") => {
                    let key = (
                        text(node, &["metadata", "namespace"]),
                        text(node, &["metadata", "name"]),
                    );
                    channels.insert(key, text(node, &["spec", "pathname"]));
                    None
                }
                ("apps.open-cluster-management.io", "Subscription") => {
                    subscriptions.push(node);
                    None
                }
                _ => None,
            };
            let Some(spec) = spec else { continue };
            let one = spec.get("source").into_iter();
            let several = spec.get("sources").into_iter().flat_map(Node::items);
            for source in one.chain(several) {
                take(
                    &mut all,
                    node,
                    (
                        text(source, &["repoURL"]),
                        text(source, &["targetRevision"]),
                    ),
                    source.get("path"),
                );
            }
        }
    }
    for node in subscriptions {
        let annotation = |names: [&str; 2]| {
            let annotations = node.at(&["metadata", "annotations"])?;
            let mut names = names.into_iter();
            names.find_map(|name| {
                annotations.get(&format!("apps.open-cluster-management.io/{name}"))
            })
        };
        let revision = annotation(["git-branch", "github-branch"])
            .or_else(|| annotation(["git-tag", "git-desired-commit"]));
        let revision = revision.and_then(Node::text).unwrap_or_default();
        let channel = text(node, &["spec", "channel"]).split_once('/');
        let url = channel.and_then(|channel| channels.get(&channel)).copied();
        let path = annotation(["git-path", "github-path"]);
        take(&mut all, node, (url.unwrap_or_default(), revision), path);
    }
    all
}

fn take<'t>(
    all: &mut Vec<Deployed<'t>>,
    node: Node<'t>,
    (url, revision): (&str, &str),
    path: Option<Node<'t>>,
) {
    let Some((path, written)) = path.and_then(|path| Some((path, path.text()?))) else {
        return;
    };
    if url.is_empty() || !is_plain(url) || !is_plain(written) || !HEADS.contains(&revision) {
        return;
    }
    let mut object = Object::new(text(node, &["kind"]), text(node, &["metadata", "name"]));
    let namespace = text(node, &["metadata", "namespace"]);
    object.namespace = (!namespace.is_empty()).then(|| namespace.to_owned());
    all.push(Deployed {
        url: plain(url),
        path: written,
        place: path.place(),
        object,
    });
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn addresses_of_one_repository_are_alike() {
        for url in [
            "https://github.com/Owner/name",
            "https://github.com/owner/name.git/",
            "https://user:token@github.com/owner/name.git",
            "ssh://git@github.com/owner/name",
            "git@github.com:owner/name.git",
        ] {
            assert_eq!(plain(url), "github.com/owner/name", "{url}");
        }
    }
}
