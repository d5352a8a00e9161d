//! The output of a PolicyGenerator, as far as its configuration determines it: policies, sets,
//! placements and bindings as documents, each with the place of its entry.

mod config;
mod made;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::delivery::policy::generate::config::{Config, Fault};
use crate::delivery::policy::inside::Wrapping;
use crate::delivery::rules::{GENERATOR_LEGACY, GENERATOR_REFUSED, GENERATOR_UNREAD};
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::document::{BuildPart, Document, DocumentKind, Documents, Generated};
use crate::kit::plural::{listed, plural};
use crate::kustomize::{Made, ReadDocuments};
use crate::ocm::lower::{get, items, text};
use crate::yaml::{Node, Tree};

/// The documents that the generators of a site make.
///
/// Builds have made what kustomizations run, unless it is to be made once more.
pub fn generate(documents: &Documents<'_>, again: bool, sink: &mut Sink) -> Vec<Generated> {
    let mut all = Vec::new();
    let mut transformed: Vec<&Document<'_>> = Vec::new();
    let mut read: Vec<&Document<'_>> = Vec::new();
    let mut legacy: BTreeMap<&str, (usize, Vec<Fault>)> = BTreeMap::new();
    let generators = documents.of(DocumentKind::PolicyGenerator);
    let filled_in = |document: &&Document<'_>| !is_form(document.node);
    for document in generators.filter(|one| !one.refused).filter(filled_in) {
        let is_built = document.run_in().is_some() && !again;
        let object = Object::new("PolicyGenerator", document.name().unwrap_or(""));
        let taken = written(documents);
        let files = |path: &str| at_path(documents, document, path).ok_or(None);
        let context = made::Context {
            taken: &taken,
            files: &files,
            copies: false,
        };
        let made = Config::read(document.node).and_then(|config| {
            if is_built {
                Ok(made::Made::default())
            } else {
                made::documents(&config, &context).map_err(|fault| vec![fault])
            }
        });
        match made {
            Err(faults) => {
                let directory = documents.sources.directory(document.source());
                let (former, faults): (Vec<Fault>, Vec<Fault>) =
                    faults.into_iter().partition(|fault| fault.legacy);
                for fault in faults {
                    sink.push(finding(fault).object(object.clone()));
                }
                let own = legacy.entry(directory).or_default();
                own.0 += usize::from(!former.is_empty());
                own.1.extend(former);
            }
            Ok(_) if !is_built && is_transformed(documents, document) => transformed.push(document),
            Ok(made) => {
                read.push(document);
                for found in made.findings {
                    sink.push(found.object(object.clone()));
                }
                let name: Arc<str> = document.name().unwrap_or("").into();
                all.extend(made.trees.into_iter().map(|tree| Generated {
                    by: document.index,
                    tree,
                    build: BuildPart {
                        generator: Some(Arc::clone(&name)),
                        ..BuildPart::default()
                    },
                }));
            }
        }
    }
    for (_, (generators, faults)) in legacy {
        sink.diagnostics.extend(former(generators, faults));
    }
    unread(&transformed, &read, sink);
    all
}

/// The fields of a directory's generators that only a release out of use reads, in one finding.
fn former(generators: usize, faults: Vec<Fault>) -> Option<Diagnostic> {
    let (many, names) = (faults.len(), faults.iter().map(|fault| fault.field.clone()));
    let names: BTreeSet<String> = names.collect();
    let first = faults.into_iter().next()?;
    if many == 1 {
        return Some(finding(first));
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let message = format!(
        "{} of {} here were removed from the generator in v1.17.1: {}",
        plural(many, "field"),
        plural(generators, "PolicyGenerator"),
        listed(&names)
    );
    Some(
        Diagnostic::new(&GENERATOR_LEGACY, message)
            .at(first.place, "the first of them")
            .help(first.help.replace("this generator", "these generators")),
    )
}

/// The Policies that a generator makes when a kustomization runs it.
pub fn built(generator: &Tree, read: &mut ReadDocuments<'_>) -> Made {
    let node = generator.root("");
    let mut whole = Made::default();
    if is_form(node) {
        return whole;
    }
    let name = node.at(&["metadata", "name"]).and_then(Node::text);
    let object = Object::new("PolicyGenerator", name.unwrap_or(""));
    let mut files: BTreeMap<&str, Result<Vec<Tree>, Option<Diagnostic>>> = BTreeMap::new();
    // A fault of the path itself stands where the path is written.
    let in_file = |found: Diagnostic| {
        let is_in_file = |found: &Diagnostic| {
            let place = found.primary.as_ref().map(|label| label.place);
            place.is_some_and(|place| place != node.place())
        };
        Some(found).filter(is_in_file)
    };
    let made = Config::read(node).and_then(|config| {
        for path in config.placement_paths() {
            let read = || read(path).map_err(in_file);
            files.entry(path).or_insert_with(read);
        }
        let files = |path: &str| {
            let trees = files.get(path).ok_or(None)?.as_ref();
            let trees = trees.map_err(Clone::clone)?;
            Ok(trees.iter().map(|tree| tree.root("")).collect())
        };
        let context = made::Context {
            taken: &BTreeSet::new(),
            files: &files,
            copies: true,
        };
        made::documents(&config, &context).map_err(|fault| vec![fault])
    });
    let found = match made {
        Ok(made) => {
            whole.documents = made.trees;
            made.findings
        }
        Err(faults) => {
            // Those that only an older release reads are told together, by directory.
            let stops = faults.into_iter().filter(|fault| !fault.legacy);
            stops.map(finding).collect()
        }
    };
    whole.findings = found
        .into_iter()
        .map(|found| found.object(object.clone()))
        .collect();
    whole
}

/// The documents of a file beside a generator; none where the file is not among the documents.
fn at_path<'a>(
    documents: &Documents<'a>,
    generator: &Document<'_>,
    path: &str,
) -> Option<Vec<Node<'a>>> {
    let sources = documents.sources;
    let file = joined(home(documents, generator), path);
    let there = documents.all.iter();
    let there = there.filter(|document| sources.get(document.source()).name == file);
    let nodes: Vec<Node<'a>> = there.map(|document| document.node).collect();
    (!nodes.is_empty()).then_some(nodes)
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
pub(in crate::delivery) fn wrapped<'a>(documents: &Documents<'a>) -> Vec<(String, Wrapping<'a>)> {
    let mut all = Vec::new();
    let generators = documents.of(DocumentKind::PolicyGenerator);
    for document in generators.filter(|one| !one.refused && !is_form(one.node)) {
        let home = home(documents, document);
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
        named,
        legacy,
        ..
    } = fault;
    let found = if !legacy {
        Diagnostic::new(
            &GENERATOR_REFUSED,
            format!("the generator stops: {message}"),
        )
    } else {
        Diagnostic::new(&GENERATOR_LEGACY, message)
    };
    let found = found.at(place, "here").help(help);
    match named {
        Some(named) => found.related(named, "named here"),
        None => found,
    }
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

/// The Kustomizations among the documents that list a generator.
fn runners<'d, 'a>(
    documents: &'d Documents<'a>,
    generator: &'d Document<'a>,
) -> impl Iterator<Item = &'d Document<'a>> {
    let file = &documents.sources.get(generator.source()).name;
    let foreign = documents.of(DocumentKind::Foreign);
    foreign.filter(move |document| {
        let mut listed = items(get(document.node, "generators")).filter_map(Node::text);
        let home = documents.sources.directory(document.source());
        listed.any(|entry| joined(home, entry) == *file)
    })
}

/// The directory that the paths of a generator are relative to: that of the Kustomization that
/// runs it, or its own where none does.
pub(in crate::delivery) fn home<'d>(
    documents: &'d Documents<'_>,
    generator: &'d Document<'_>,
) -> &'d str {
    match generator.run_in() {
        Some(".") => return "",
        Some(home) => return home,
        None => {}
    }
    let runner = runners(documents, generator).next();
    let source = runner.map_or(generator.source(), |runner| runner.source());
    documents.sources.directory(source)
}

/// Whether a Kustomization among the documents that lists the generator transforms what it makes.
pub(in crate::delivery) fn is_transformed(
    documents: &Documents<'_>,
    generator: &Document<'_>,
) -> bool {
    let transforms = |document: &Document<'_>| {
        TRANSFORMS
            .iter()
            .any(|key| get(document.node, key).is_some())
    };
    runners(documents, generator).any(transforms)
}

/// The namespaces in which generators make what is not known here; the empty one where it may be
/// any.
pub(in crate::delivery) fn open<'a>(documents: &Documents<'a>) -> BTreeSet<&'a str> {
    let generators = documents.of(DocumentKind::PolicyGenerator);
    let unknown = |document: &&Document<'a>| {
        (document.run_in().is_none() && is_transformed(documents, document))
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
pub(in crate::delivery) fn joined(home: &str, path: &str) -> String {
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
