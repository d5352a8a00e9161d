//! Where a snapshot of a hub is, what was read of it, and why it cannot be used.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, Range};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use rustc_hash::FxHashSet;

use crate::document::{Document, DocumentKind, System};
use crate::kit::plural::first_names;
use crate::source::{Source, SourceId};
use crate::yaml::{Node, Position, Tree};

/// Objects that a message names.
const NAMED: usize = 5;

/// Where a snapshot is, and how to use it. Copies share what was read.
#[derive(Debug, Clone)]
pub struct HubFile {
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// Standard input, where that is meant.
    pub stdin: Option<Vec<u8>>,
    /// Objects of the hub that the documents do not hold any more stay.
    pub no_prune: bool,
    /// Seconds from which on it is too old.
    pub max_age: i64,
    /// Objects that another state of the site holds: kind, namespace and name.
    pub before: Vec<HubKey>,
    pub(super) once: Arc<OnceLock<Result<Arc<Read>, HubFault>>>,
}

/// The identity of an object of a hub: its kind, namespace and name.
pub type HubKey = (DocumentKind, String, String);

impl HubFile {
    /// A file that is too old after so many seconds.
    #[must_use]
    pub fn new(path: PathBuf, stdin: Option<Vec<u8>>, max_age: i64) -> Self {
        Self {
            path,
            stdin,
            no_prune: false,
            max_age,
            before: Vec::new(),
            once: Arc::default(),
        }
    }

    /// How large it is, as far as that can be told.
    pub(in crate::load) fn bytes(&self) -> u64 {
        match &self.stdin {
            Some(bytes) => bytes.len() as u64,
            None => std::fs::metadata(&self.path).map_or(0, |meta| meta.len()),
        }
    }
}

/// Why a snapshot cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HubFault {
    /// It is missing, or cannot be read.
    Missing(String),
    /// It holds no object of a kind that planner reads from a hub; the kinds that it holds.
    Nothing(String, Vec<String>),
    /// It holds such objects, and none of them can be read; their names.
    Unreadable(String, Vec<String>),
    /// It is not text, too large, or not YAML.
    Broken(String),
}

impl fmt::Display for HubFault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(why) | Self::Broken(why) => to.write_str(why),
            Self::Nothing(file, kinds) if kinds.is_empty() => {
                write!(to, "hub snapshot {file}: the file contains no objects")
            }
            Self::Unreadable(file, names) => {
                let names = first_names(names.iter(), NAMED);
                write!(
                    to,
                    "hub snapshot {file}: none of the objects in the file can be read: {names}"
                )
            }
            Self::Nothing(file, kinds) => write!(
                to,
                "hub snapshot {file}: the file contains no objects that planner reads from a hub, \
                 only {}",
                kinds.join(", ")
            ),
        }
    }
}

/// One object of a snapshot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) kind: DocumentKind,
    pub(super) root: Position,
}

#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) tree: Tree,
    pub(super) entries: Vec<Entry>,
    pub(super) secrets: Vec<Range<usize>>,
    pub(super) foreign: BTreeMap<String, usize>,
    pub(super) unreadable: Vec<String>,
    pub(super) newest: Option<String>,
    pub(super) fault: Option<String>,
}

/// The objects of a snapshot; never changed again.
#[derive(Debug, Default)]
pub struct Read {
    /// Its file.
    pub source: SourceId,
    pub(super) text: Arc<Source>,
    pub(super) pieces: Vec<Piece>,
    /// How many entries another one of the same name replaces.
    pub(super) doubled: usize,
    /// When it was taken, if it says so.
    pub taken: Option<Timestamp>,
    /// The newest time of any object.
    pub newest: Option<Timestamp>,
    /// How many Secrets it held.
    pub secrets: usize,
    /// Objects of kinds that planner does not read from a hub, by kind.
    pub foreign: BTreeMap<String, usize>,
    /// Objects that cannot be read: kind and name of each.
    pub unreadable: Vec<String>,
}

/// The snapshot of a hub, and how to use it.
#[derive(Debug)]
pub struct Hub {
    pub(super) read: Arc<Read>,
    /// Objects that the documents do not hold any more stay.
    pub no_prune: bool,
    /// Seconds from which on it is too old.
    pub max_age: i64,
    /// Objects that another state of the site holds.
    pub before: Vec<HubKey>,
}

impl Deref for Hub {
    type Target = Read;

    fn deref(&self) -> &Read {
        &self.read
    }
}

/// Whether planner reads objects of this kind from a hub.
#[must_use]
pub fn is_of_a_hub(kind: DocumentKind) -> bool {
    kind.system() == Some(System::Ocm)
        && !matches!(
            kind,
            DocumentKind::RolloutStep | DocumentKind::PolicyGenerator
        )
}

/// The key of an object.
#[must_use]
pub fn key_of<'a>(kind: DocumentKind, node: Node<'a>) -> (DocumentKind, &'a str, &'a str) {
    let text = |key| node.at(&["metadata", key]).and_then(Node::text);
    let namespace = if !kind.is_cluster_scoped() {
        text("namespace")
            .filter(|name| !name.is_empty())
            .unwrap_or("default")
    } else {
        ""
    };
    (kind, namespace, text("name").unwrap_or(""))
}

impl Read {
    /// The same as another file of a site.
    pub(super) fn at(&self, source: SourceId) -> Self {
        let piece = |piece: &Piece| Piece {
            tree: piece.tree.in_file(source),
            entries: piece.entries.clone(),
            ..Piece::default()
        };
        Self {
            source,
            text: Arc::clone(&self.text),
            pieces: self.pieces.iter().map(piece).collect(),
            doubled: self.doubled,
            taken: self.taken,
            newest: self.newest,
            secrets: self.secrets,
            foreign: self.foreign.clone(),
            unreadable: self.unreadable.clone(),
        }
    }

    /// Keeps the last one of several objects of one name.
    pub(super) fn drop_doubled(&mut self, text: &str) {
        let mut seen = FxHashSet::default();
        for piece in self.pieces.iter_mut().rev() {
            let tree = &piece.tree;
            let mut kept = Vec::with_capacity(piece.entries.len());
            for entry in piece.entries.drain(..).rev() {
                let (kind, namespace, name) = key_of(entry.kind, tree.node(text, entry.root));
                if seen.insert((kind, namespace.to_owned(), name.to_owned())) {
                    kept.push(entry);
                } else {
                    self.doubled += 1;
                }
            }
            kept.reverse();
            piece.entries = kept;
        }
    }

    /// How many objects stand in it twice; the last one of a name counts.
    #[must_use]
    pub fn doubled(&self) -> usize {
        self.doubled
    }

    /// Its objects as documents, in order; `text` is that of its file.
    pub fn documents<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Document<'a>> {
        self.pieces.iter().flat_map(move |piece| {
            piece.entries.iter().map(move |entry| Document {
                kind: entry.kind,
                node: piece.tree.node(text, entry.root),
                index: 0,
                refused: false,
                is_recorded: false,
                build: None,
                known: false,
            })
        })
    }

    /// The time of the snapshot: when it was taken, or else the newest time in it.
    #[must_use]
    pub fn as_of(&self) -> Option<Timestamp> {
        self.taken.or(self.newest)
    }
}
