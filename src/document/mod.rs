//! Documents: which kind each one is and which systems it belongs to.
//!
//! Knows the kinds' names and nothing of their fields.

mod classify;
mod kinds;
mod locate;
pub mod record;
mod reported;
pub mod rules;
pub mod secret;

pub use classify::{
    Classified, bare_groups, classify, generates, kind_in_text, names_ours, not_a_mapping,
};
pub(crate) use classify::{misspelt, object_of};
pub use kinds::{DocumentKind, KINDS, KindInfo, OUTPUTS, System, info_of};
pub use locate::{Locator, identities};
pub(crate) use reported::Reported;

use std::sync::{Arc, OnceLock};

use crate::diagnostic::Object;
use crate::source::{SourceId, Sources};
use crate::yaml::{Node, Tree};

/// The part that a document has in builds; most have none.
#[derive(Debug, Clone, Default)]
pub struct BuildPart {
    /// The name of the generator from an entry of which it was made: the entry is its place.
    pub generator: Option<Arc<str>>,
    /// The directory of the kustomization that runs it, if it is a PolicyGenerator that a build
    /// runs.
    pub run_in: Option<Arc<str>>,
    /// The numbers of the kustomizations that build it.
    pub roots: Box<[u32]>,
}

/// A document that a generator makes.
#[derive(Debug)]
pub struct Generated {
    /// The number of the generator's document.
    pub by: u32,
    /// Its nodes.
    pub tree: Tree,
    /// The name of its generator.
    pub build: BuildPart,
}

/// One document of a run.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// Its kind.
    pub kind: DocumentKind,
    /// Its root.
    pub node: Node<'a>,
    /// Its number among all documents of the run, in order.
    pub index: u32,
    /// An error was found in it by the loader: its own system plans nothing of it.
    pub refused: bool,
    /// Whether it may be one that Proceed wrote.
    pub is_recorded: bool,
    /// Its part in builds.
    pub build: Option<&'a BuildPart>,
    /// Whether it is as it was in the site that this one was made from.
    pub known: bool,
}

impl<'a> Document<'a> {
    /// The record's number, when the document is one that Proceed wrote.
    #[must_use]
    pub fn record(&self) -> Option<u64> {
        self.is_recorded.then(|| record::number_of(self.node))?
    }

    /// The name of the generator from an entry of which it was made.
    #[must_use]
    pub fn generator(&self) -> Option<&'a str> {
        self.build?.generator.as_deref()
    }

    /// The directory of the kustomization that runs it, if it is a PolicyGenerator that a build
    /// runs.
    #[must_use]
    pub fn run_in(&self) -> Option<&'a str> {
        self.build?.run_in.as_deref()
    }

    /// The numbers of the kustomizations that build it.
    #[must_use]
    pub fn roots(&self) -> &'a [u32] {
        self.build.map_or(&[], |build| &build.roots)
    }

    /// Its file.
    #[must_use]
    pub fn source(&self) -> SourceId {
        self.node.file()
    }

    /// `metadata.name`, as written.
    #[must_use]
    pub fn name(&self) -> Option<&'a str> {
        self.node.at(&["metadata", "name"])?.text()
    }

    /// `metadata.namespace`, as written; `None` when absent or null.
    #[must_use]
    pub fn namespace(&self) -> Option<&'a str> {
        let namespace = self.node.at(&["metadata", "namespace"])?;
        if namespace.is_null() {
            None
        } else {
            namespace.text()
        }
    }

    /// `metadata.labels`; `None` where they cannot be read.
    #[must_use]
    pub fn labels(&self) -> Option<Vec<(&'a str, &'a str)>> {
        let Some(labels) = self.node.at(&["metadata", "labels"]) else {
            return Some(Vec::new());
        };
        let pairs = labels.entries();
        pairs
            .map(|(key, value)| Some((key.text()?, value.text()?)))
            .collect()
    }

    /// Each text in it, keys apart.
    #[must_use]
    pub fn texts(&self) -> Vec<&'a str> {
        let (mut found, mut open) = (Vec::new(), vec![self.node]);
        while let Some(node) = open.pop() {
            found.extend(node.text());
            open.extend(node.items());
            open.extend(node.entries().map(|(_, value)| value));
        }
        found
    }

    /// The object it holds, for findings about it.
    #[must_use]
    pub fn object(&self) -> Object {
        let kind = match info_of(self.kind) {
            Some(info) => info.name,
            None => self.node.get("kind").and_then(Node::text).unwrap_or(""),
        };
        object_of(self.node, kind)
    }

    /// The place to point at for the document as a whole: its `kind`, `schema` or `type`
    /// value, else its first key.
    #[must_use]
    pub fn head(&self) -> Node<'a> {
        ["kind", "schema", "type"]
            .iter()
            .find_map(|key| self.node.get(key))
            .or_else(|| self.node.entries().next().map(|(key, _)| key))
            .unwrap_or(self.node)
    }
}

/// An Airship repository among the PATHs and the site read from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// Its root, as given.
    pub root: std::path::PathBuf,
    /// The root as messages call it.
    pub shown: String,
    /// The site; none where the repository holds only what sites of others read.
    pub site: Option<String>,
    /// The site's type, where its definition names one.
    pub site_type: Option<String>,
    /// How many other repositories the site also reads.
    pub lent: usize,
    /// The files of the site, by path.
    pub files: Vec<std::path::PathBuf>,
    /// The number of the PATH that it is at or below.
    pub path: usize,
    /// Whether it lies below that PATH.
    pub below: bool,
}

/// All documents of a run.
#[derive(Debug)]
pub struct Documents<'a> {
    /// The files they come from.
    pub sources: &'a Sources,
    /// Room for trees made of several documents (Airship's merged ones), so that models can
    /// borrow from them as from a file; filled at most once.
    pub made: &'a OnceLock<Vec<Tree>>,
    /// Room for what generators make.
    pub generated: &'a OnceLock<Vec<Generated>>,
    /// The Airship repositories among the PATHs, each with the site that is read of it.
    pub repositories: Vec<&'a Repository>,
    /// Files that somebody fills in before they are documents, and the kinds of ours in them.
    pub templates: Vec<(SourceId, &'static str)>,
    /// The documents, by file and place.
    pub all: Vec<Document<'a>>,
}

impl<'a> Documents<'a> {
    /// The documents of a kind, in document order.
    pub fn of(&self, kind: DocumentKind) -> impl Iterator<Item = &Document<'a>> {
        self.all
            .iter()
            .filter(move |document| document.kind == kind)
    }

    /// Whether there is a document of the kind.
    #[must_use]
    pub fn has(&self, kind: DocumentKind) -> bool {
        self.of(kind).next().is_some()
    }
}
