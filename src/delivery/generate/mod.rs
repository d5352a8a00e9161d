//! The output of a PolicyGenerator, as far as its configuration determines it: policies, sets,
//! placements and bindings as documents, each with the place of its entry.

mod config;
mod made;

use std::collections::BTreeSet;

use self::config::{Config, Fault};
use super::inside::Wrapping;
use super::rules::{GENERATOR_LEGACY, GENERATOR_REFUSED, GENERATOR_UNREAD};
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::document::{Document, DocumentKind, Documents};
use crate::ocm::lower::{get, items, text};
use crate::yaml::{Node, Tree};

/// The documents that the generators of a site make, each with the number of the generator's
/// document.
pub fn generate(documents: &Documents<'_>, sink: &mut Sink) -> Vec<(u32, Tree)> {
    let mut all = Vec::new();
    let mut transformed: Vec<&Document<'_>> = Vec::new();
    let mut read: Vec<&Document<'_>> = Vec::new();
    let generators = documents.of(DocumentKind::PolicyGenerator);
    let filled_in = |document: &&Document<'_>| !is_form(document.node);
    for document in generators.filter(|one| !one.refused).filter(filled_in) {
        let object = Object::new("PolicyGenerator", document.name().unwrap_or(""));
        let made = Config::read(document.node).and_then(|config| {
            made::documents(&config, documents, document).map_err(|fault| vec![fault])
        });
        match made {
            Err(faults) => {
                for fault in faults {
                    sink.push(finding(fault).object(object.clone()));
                }
            }
            Ok(_) if is_transformed(documents, document) => transformed.push(document),
            Ok(made) => {
                read.push(document);
                for found in made.findings {
                    sink.push(found.object(object.clone()));
                }
                all.extend(made.trees.into_iter().map(|tree| (document.index, tree)));
            }
        }
    }
    unread(&transformed, &read, sink);
    all
}

/// The generators that are not understood, in one note.
fn unread(transformed: &[&Document<'_>], read: &[&Document<'_>], sink: &mut Sink) {
    let (what, some) = match (transformed.is_empty(), read.is_empty()) {
        (false, _) => (
            "is transformed by a Kustomization, so its output is unknown",
            transformed,
        ),
        (true, false) => ("is read without its manifests", read),
        (true, true) => return,
    };
    let message = match some.len() {
        1 => format!("the PolicyGenerator {what}"),
        many => format!("{many} PolicyGenerators: each {what}"),
    };
    sink.push(
        Diagnostic::new(&GENERATOR_UNREAD, message)
            .at(some[0].head().place(), "the first of them")
            .help("`kustomize build … | planner plan -` plans the complete output"),
    );
}

/// The documents that generators put into policies, and which generator does: paths of files and
/// directories. What a generator patches first is left out.
pub(super) fn wrapped<'a>(documents: &Documents<'a>) -> Vec<(String, Wrapping<'a>)> {
    let mut all = Vec::new();
    let generators = documents.of(DocumentKind::PolicyGenerator);
    for document in generators.filter(|one| !one.refused && !is_form(one.node)) {
        let name = &documents.sources.get(document.source).name;
        let home = name.rsplit_once('/').map_or("", |(home, _)| home);
        let defaults = get(document.node, "policyDefaults");
        let account = |owner: Option<Node<'_>>| {
            let options = owner.and_then(|owner| get(owner, "hubTemplateOptions"));
            options.is_some_and(|options| !text(options, "serviceAccountName").is_empty())
        };
        for policy in items(get(document.node, "policies")) {
            let wrapping = Wrapping {
                namespace: defaults.map_or("", |defaults| text(defaults, "namespace")),
                account: account(Some(policy)) || account(defaults),
            };
            let plain = |manifest: &Node<'_>| get(*manifest, "patches").is_none();
            let manifests = items(get(policy, "manifests")).filter(plain);
            let paths = manifests.map(|manifest| text(manifest, "path"));
            let paths = paths.filter(|path| !path.is_empty());
            all.extend(paths.map(|path| (joined(home, path), wrapping)));
        }
    }
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

/// Whether it is a form: the names that are required are there and empty.
fn is_form(node: Node<'_>) -> bool {
    let empty = |node: Option<Node<'_>>| node.and_then(Node::text) == Some("");
    let mut policies = items(get(node, "policies"));
    let namespace = get(node, "policyDefaults").and_then(|defaults| get(defaults, "namespace"));
    empty(namespace) && policies.next().is_some_and(|one| empty(get(one, "name")))
}

fn finding(fault: Fault) -> Diagnostic {
    let Fault {
        message,
        place,
        help,
        legacy,
    } = fault;
    let found = if !legacy {
        Diagnostic::new(
            &GENERATOR_REFUSED,
            format!("the generator stops: {message}"),
        )
    } else {
        Diagnostic::new(&GENERATOR_LEGACY, message)
    };
    found.at(place, "here").help(help)
}

/// The fields of a Kustomization that change all that its generators make: the result is not known
/// here.
const TRANSFORMS: [&str; 9] = [
    "namePrefix",
    "nameSuffix",
    "namespace",
    "patches",
    "patchesJson6902",
    "patchesStrategicMerge",
    "replacements",
    "transformers",
    "vars",
];

/// Whether a Kustomization among the documents that lists the generator transforms what it makes.
pub(super) fn is_transformed(documents: &Documents<'_>, generator: &Document<'_>) -> bool {
    let name = |document: &Document<'_>| documents.sources.get(document.source).name.clone();
    let file = name(generator);
    let foreign = documents.of(DocumentKind::Foreign);
    let lists = |document: &&Document<'_>| {
        let own = name(document);
        let home = own.rsplit_once('/').map_or("", |(home, _)| home);
        let mut listed = items(get(document.node, "generators")).filter_map(Node::text);
        listed.any(|entry| joined(home, entry) == file)
    };
    let transforms = |document: &Document<'_>| {
        TRANSFORMS
            .iter()
            .any(|key| get(document.node, key).is_some())
    };
    foreign
        .filter(|document| get(document.node, "generators").is_some())
        .filter(lists)
        .any(transforms)
}

/// The namespaces in which generators make what is not known here; the empty one where it may be
/// any.
pub(super) fn open<'a>(documents: &Documents<'a>) -> BTreeSet<&'a str> {
    let generators = documents.of(DocumentKind::PolicyGenerator);
    let unknown = |document: &&Document<'a>| {
        is_transformed(documents, document)
            || document.refused
            || Config::read(document.node).is_err()
    };
    let namespace = |document: &Document<'a>| {
        let defaults = get(document.node, "policyDefaults");
        if is_transformed(documents, document) {
            ""
        } else {
            defaults.map_or("", |defaults| text(defaults, "namespace"))
        }
    };
    generators.filter(unknown).map(namespace).collect()
}

/// A path seen from a directory, as files are named.
pub(super) fn joined(home: &str, path: &str) -> String {
    let mut parts: Vec<&str> = home.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let absolute = if home.starts_with('/') { "/" } else { "" };
    format!("{absolute}{}", parts.join("/"))
}

/// The identities of documents that are written: what a generator makes of that name is there
/// already.
fn written<'d>(documents: &'d Documents<'_>) -> BTreeSet<(&'d str, &'d str, &'d str)> {
    let kinds = [
        DocumentKind::Policy,
        DocumentKind::PolicySet,
        DocumentKind::PlacementBinding,
        DocumentKind::Placement,
    ];
    let all = documents.all.iter();
    let ours = all.filter(|document| kinds.contains(&document.kind));
    let identity = |document: &'d Document<'_>| {
        let kind = text(document.node, "kind");
        let namespace = document.namespace().unwrap_or("");
        (kind, namespace, document.name().unwrap_or(""))
    };
    ours.map(identity).collect()
}
