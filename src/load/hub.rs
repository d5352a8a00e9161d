//! The snapshot of a hub: one file of objects as `kubectl get` prints them, read beside the site.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;
use rustc_hash::FxHashSet;

use crate::diagnostic::Sink;
use crate::document::{Document, DocumentKind, System, classify, object_of};
use crate::kit::time::parse_rfc3339;
use crate::parallel;
use crate::source::{Source, SourceId};
use crate::yaml::{Limits, Node, Position, Tree, cut, parse_as};

use super::disk::{Content, reason};
use super::piece::{each_object, family, judge};
use super::store::Store;
use super::{Loaded, Request, json, rules};

/// Bytes of a piece.
const PIECE: usize = 1 << 20;
/// The comment that says when a snapshot was taken.
const TAKEN: &str = "# planner-hub:";
/// The lines in which it is looked for.
const HEAD: usize = 10;
/// Objects that a message names.
const NAMED: usize = 5;

/// Where a snapshot is, and what is to be made of it. Copies share what was read.
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
    once: Arc<OnceLock<Result<Arc<Read>, HubFault>>>,
}

/// What tells an object of a hub from all others: its kind, namespace and name.
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
    pub(super) fn bytes(&self) -> u64 {
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
                write!(to, "--hub {file}: the file contains no objects")
            }
            Self::Unreadable(file, names) => {
                let first = names.iter().take(NAMED).map(String::as_str);
                let first = first.collect::<Vec<_>>().join(", ");
                let more = match names.len().saturating_sub(NAMED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                write!(
                    to,
                    "--hub {file}: none of the objects in the file can be read: {first}{more}"
                )
            }
            Self::Nothing(file, kinds) => write!(
                to,
                "--hub {file}: the file contains nothing that planner reads from a hub, only {}",
                kinds.join(", ")
            ),
        }
    }
}

/// One object of a snapshot.
#[derive(Debug, Clone, Copy)]
struct Entry {
    kind: DocumentKind,
    root: Position,
}

#[derive(Debug, Default)]
struct Piece {
    tree: Tree,
    entries: Vec<Entry>,
    secrets: Vec<Range<usize>>,
    foreign: BTreeMap<String, usize>,
    unreadable: Vec<String>,
    newest: Option<String>,
    fault: Option<String>,
}

/// What was read of a snapshot; never changed again.
#[derive(Debug, Default)]
pub struct Read {
    /// Its file.
    pub source: SourceId,
    text: Arc<Source>,
    pieces: Vec<Piece>,
    /// How many entries another one of the same name replaces.
    doubled: usize,
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

/// The snapshot of a hub, and what is to be made of it.
#[derive(Debug)]
pub struct Hub {
    read: Arc<Read>,
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

/// Whether objects of a kind have a namespace.
fn is_namespaced(kind: DocumentKind) -> bool {
    !matches!(
        kind,
        DocumentKind::ManagedCluster
            | DocumentKind::ManagedClusterSet
            | DocumentKind::ClusterManagementAddOn
            | DocumentKind::AddOnTemplate
            | DocumentKind::DrPolicy
    )
}

/// The key of an object.
#[must_use]
pub fn key_of<'a>(kind: DocumentKind, node: Node<'a>) -> (DocumentKind, &'a str, &'a str) {
    let text = |key| node.at(&["metadata", key]).and_then(Node::text);
    let namespace = match is_namespaced(kind) {
        true => text("namespace")
            .filter(|name| !name.is_empty())
            .unwrap_or("default"),
        false => "",
    };
    (kind, namespace, text("name").unwrap_or(""))
}

/// Reads the snapshot of a request, or takes what an earlier reading of the same file came to.
pub(super) fn read(
    file: &HubFile,
    request: &Request,
    loaded: &mut Loaded,
) -> Result<Hub, HubFault> {
    let source = SourceId(u32::try_from(loaded.sources.files.len()).unwrap_or(u32::MAX));
    let once = || whole(file, request, source).map(Arc::new);
    let mut read = file.once.get_or_init(once).clone()?;
    if read.source != source {
        read = Arc::new(read.at(source));
    }
    loaded.sources.files.push(Arc::clone(&read.text));
    Ok(Hub {
        read,
        no_prune: file.no_prune,
        max_age: file.max_age,
        before: file.before.clone(),
    })
}

/// Reads a snapshot as the file of this number.
fn whole(file: &HubFile, request: &Request, source: SourceId) -> Result<Read, HubFault> {
    let limits = request.limits;
    let name = super::display_name(
        &file.path.to_string_lossy(),
        &request.directory.to_string_lossy(),
    );
    let mut text = text(file, &name, limits)?;
    let mut pieces = pieces(source, &text, limits, request.jobs);
    let secrets: Vec<Range<usize>> = pieces
        .iter_mut()
        .flat_map(|piece| std::mem::take(&mut piece.secrets))
        .collect();
    if !secrets.is_empty() {
        // From here on nothing holds what they hold.
        text = blanked(text, &secrets);
        pieces = self::pieces(source, &text, limits, request.jobs);
    }
    if let Some(fault) = pieces.iter().find_map(|piece| piece.fault.as_ref()) {
        // Nothing of a broken file is planned: the rest may have been cut off.
        return Err(HubFault::Broken(format!("--hub {name}:{fault}")));
    }
    let mut hub = Read {
        source,
        taken: taken(&text),
        secrets: secrets.len(),
        ..Read::default()
    };
    for piece in &mut pieces {
        for (kind, count) in std::mem::take(&mut piece.foreign) {
            *hub.foreign.entry(kind).or_default() += count;
        }
        hub.unreadable.append(&mut piece.unreadable);
        let newest = piece.newest.take().as_deref().and_then(parse_rfc3339);
        hub.newest = hub.newest.max(newest);
    }
    // A blanked Secret is a scalar that is no object.
    if secrets.len() <= hub.foreign.get("").copied().unwrap_or(0) {
        hub.foreign.remove("");
    }
    hub.pieces = pieces;
    hub.drop_doubled(&text);
    hub.text = Arc::new(Source::new(name.clone(), text));
    if hub.pieces.iter().all(|piece| piece.entries.is_empty()) {
        if !hub.unreadable.is_empty() {
            return Err(HubFault::Unreadable(name, hub.unreadable));
        }
        let mut kinds: Vec<String> = hub
            .foreign
            .keys()
            .filter(|kind| !kind.is_empty())
            .cloned()
            .collect();
        if hub.secrets > 0 {
            kinds.push("Secret".to_owned());
        }
        kinds.sort();
        return Err(HubFault::Nothing(name, kinds));
    }
    Ok(hub)
}

fn text(file: &HubFile, name: &str, limits: Limits) -> Result<String, HubFault> {
    let bytes = match &file.stdin {
        Some(bytes) => bytes.clone(),
        None => match Store::Disk.read(Path::new(&file.path), false, limits.file_bytes) {
            Ok(Content::Bytes(bytes)) => bytes,
            Ok(Content::TooLarge(bytes)) => {
                let limit = limits.file_bytes;
                return Err(HubFault::Broken(format!(
                    "--hub {name}: the file has {bytes} bytes, more than the limit of {limit}; \
                     raise `file-bytes` under `[limits]` in planner.toml"
                )));
            }
            Err(error) => {
                return Err(HubFault::Missing(format!(
                    "--hub {name}: cannot be read: {}",
                    reason(&error)
                )));
            }
        },
    };
    String::from_utf8(bytes)
        .map_err(|_| HubFault::Broken(format!("--hub {name}: the file is not UTF-8 text")))
}

/// When the snapshot was taken, by its comment.
fn taken(text: &str) -> Option<Timestamp> {
    let mut lines = text.lines().take(HEAD);
    let line = lines.find_map(|line| line.trim_start().strip_prefix(TAKEN))?;
    parse_rfc3339(line.trim())
}

fn pieces(source: SourceId, text: &str, limits: Limits, jobs: usize) -> Vec<Piece> {
    let ranges = json::texts(text).unwrap_or_else(|| cut(text, PIECE));
    parallel::map(jobs, &ranges, |range| {
        piece(source, text, range.clone(), limits)
    })
}

fn piece(source: SourceId, text: &str, range: Range<usize>, limits: Limits) -> Piece {
    let parsed = parse_as(source, text, range, limits, &family);
    let line = |at: u32| text[..at as usize].matches('\n').count() + 1;
    let mut piece = Piece::default();
    if let Some(fault) = parsed.faults.first() {
        // The text is not shown: it may hold a Secret that nobody has found yet.
        let found = rules::unreadable(source, text, fault, limits);
        let line = line(fault.span.start);
        piece.fault = Some(format!("{line}: {}", without_quotes(&found.message)));
    }
    for root in &parsed.documents {
        each_object(parsed.tree.node(text, *root), |node| {
            if !is_cut(node) {
                return piece.take(node);
            }
            let line = line(node.span().start);
            let why = "the list has `items` and no `kind`, which kubectl writes behind them; the \
                       file may be cut off";
            piece.fault.get_or_insert_with(|| format!("{line}: {why}"));
        });
    }
    piece.tree = parsed.tree;
    piece
}

/// A message without the parts of the text that it quotes.
fn without_quotes(message: &str) -> String {
    let own = message.split('`').step_by(2);
    let words = own.flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ")
}

/// Whether it is the beginning of a list as kubectl writes one: its keys are in alphabetical order.
fn is_cut(node: Node<'_>) -> bool {
    let items = node.get("items").is_some_and(Node::is_sequence);
    items && node.get("apiVersion").is_some() && node.get("kind").is_none()
}

impl Piece {
    fn take(&mut self, node: Node<'_>) {
        let named = node.get("kind").and_then(Node::text).unwrap_or("");
        if named == "Secret" {
            let span = node.span();
            self.secrets.push(span.start as usize..span.end as usize);
            return;
        }
        let kind = classify(node).kind;
        if !is_of_a_hub(kind) {
            *self.foreign.entry(named.to_owned()).or_default() += 1;
            return;
        }
        self.newest = self.newest.take().max(newest(node));
        let entry = judge(node, &mut Sink::default());
        if entry.refused {
            let object = object_of(node, named);
            self.unreadable.push(format!("{named} {}", object.name));
            return;
        }
        self.entries.push(Entry {
            kind,
            root: node.position(),
        });
    }
}

/// The newest time that an object tells.
fn newest(node: Node<'_>) -> Option<String> {
    let text = |node: Option<Node<'_>>| node.and_then(Node::text).map(str::to_owned);
    let each = |path: &[&str], key: &'static str| {
        let items = node.at(path).into_iter().flat_map(Node::items);
        items
            .filter_map(|item| item.get(key)?.text())
            .max()
            .map(str::to_owned)
    };
    [
        text(node.at(&["metadata", "creationTimestamp"])),
        each(&["metadata", "managedFields"], "time"),
        each(&["status", "conditions"], "lastTransitionTime"),
        each(&["spec", "taints"], "timeAdded"),
    ]
    .into_iter()
    .flatten()
    .max()
}

/// The text with a 0 and blanks in the place of each Secret, which is as good in JSON and YAML.
fn blanked(text: String, secrets: &[Range<usize>]) -> String {
    let mut bytes = text.into_bytes();
    for range in secrets {
        for byte in &mut bytes[range.clone()] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        if let Some(first) = bytes.get_mut(range.start) {
            *first = b'0';
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

impl Read {
    /// The same as another file of a site.
    fn at(&self, source: SourceId) -> Self {
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
    fn drop_doubled(&mut self, text: &str) {
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
        let source = self.source;
        self.pieces.iter().flat_map(move |piece| {
            piece.entries.iter().map(move |entry| Document {
                kind: entry.kind,
                node: piece.tree.node(text, entry.root),
                source,
                index: 0,
                refused: false,
                record: None,
                generator: None,
                known: false,
            })
        })
    }

    /// The instant that the snapshot stands for: when it was taken, else the newest time in it.
    #[must_use]
    pub fn as_of(&self) -> Option<Timestamp> {
        self.taken.or(self.newest)
    }
}
