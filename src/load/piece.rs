//! One piece of a file: parsed, unpacked, classified, its structure checked.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

use crate::diagnostic::{Object, Severity, Sink};
use crate::document::{
    BuildPart, Classified, DocumentKind, KindInfo, System, classify, info_of, names_ours,
    object_of, record,
};
use crate::kit::progress::Progress;
use crate::parallel;
use crate::schema::{self, Policy};
use crate::source::{SourceId, Sources, Span};
use crate::yaml::{Dialect, FaultKind, Limits, Node, Parsed, Position, Quirk, Tree, cut, parse_as};

use super::template::{self, Template, document_around};
use super::{json, placeholder, rules};

/// Bytes of a piece; fixed, so that results do not depend on the number of threads, and few
/// enough that threads end at about the same time.
const PIECE: usize = 1 << 18;

/// The pieces of files, by the numbers of the files.
pub(super) type Pieces = FxHashMap<SourceId, Arc<[Piece]>>;

/// A file and a piece of it.
type Work = (SourceId, Range<usize>);

/// A document of a piece.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) kind: DocumentKind,
    /// Where its root is in the tree.
    pub(super) root: Position,
    /// The YAML document it is in, by number: a List has several.
    pub(super) document: u32,
    pub(super) refused: bool,
    /// Whether it may be one that Proceed wrote.
    pub(super) is_recorded: bool,
}

/// The documents and findings that one worker made of a piece.
#[derive(Debug, Clone, Default)]
pub(super) struct Piece {
    pub(super) tree: Arc<Tree>,
    /// Shared with the pieces that are kept for the next run.
    pub(super) documents: Arc<Vec<Entry>>,
    /// The part of its documents in builds.
    pub(super) build: Option<BuildPart>,
    pub(super) quirks: Vec<Quirk>,
    /// Where the anchored nodes stand that aliases name.
    pub(super) shared: Vec<Span>,
    pub(super) sink: Sink,
    /// Documents that are not YAML because they are templates.
    pub(super) templates: Vec<Template>,
    /// The other documents that are not YAML.
    pub(super) broken: usize,
    /// Documents that the quick reader left to the parser.
    pub(super) slow: usize,
    /// The nodes of the documents that could be read.
    nodes: usize,
    /// Whether the limit on nodes ended it.
    full: bool,
    /// Whether it was read at all.
    read: bool,
}

/// Reads files in pieces that are dealt to threads. The limit on nodes holds for each file:
/// where it is passed is found in the order of the pieces, whichever thread read them. `known`
/// gives the pieces of files that are not to be read again.
pub(super) fn read_all(
    (limits, jobs, progress): (Limits, usize, &Progress),
    sources: &Sources,
    files: &[SourceId],
    known: &Pieces,
) -> Vec<Piece> {
    let text = |source: SourceId| sources.get(source).text.as_str();
    let unknown = files.iter().copied();
    let unknown = unknown.filter(|file| !known.contains_key(file));
    let work: Vec<Work> = unknown
        .flat_map(|file| {
            let texts = json::texts(text(file));
            let ranges = texts.unwrap_or_else(|| cut(text(file), PIECE)).into_iter();
            ranges.map(move |range| (file, range))
        })
        .collect();
    progress.begin(work.iter().map(|(_, range)| range.len()).sum());
    let counts: Vec<AtomicUsize> = sources.files.iter().map(|_| AtomicUsize::new(0)).collect();
    let mut pieces = parallel::map(jobs, &work, |(source, range)| {
        let count = &counts[source.0 as usize];
        // Pieces are dealt in order: all that was counted so far is before this one.
        let piece = if count.load(Ordering::Relaxed) > limits.nodes {
            Piece::unread(*source)
        } else {
            read(*source, text(*source), range.clone(), limits, limits.nodes)
        };
        count.fetch_add(piece.nodes, Ordering::Relaxed);
        progress.add(range.len());
        piece
    });
    let mut at = 0;
    while at < work.len() {
        let source = work[at].0;
        let end = at + work[at..].partition_point(|(other, _)| *other == source);
        limit(text(source), limits, &work[at..end], &mut pieces[at..end]);
        at = end;
    }
    for piece in &mut pieces {
        let source = sources.get(piece.tree.source);
        if source
            .name
            .split('/')
            .rev()
            .skip(1)
            .any(|part| part == "templates")
        {
            piece.set_unfilled_aside(&source.text);
        }
    }
    let of_known = files.iter().filter_map(|file| known.get(file));
    pieces.extend(of_known.flat_map(|pieces| pieces.iter().cloned()));
    pieces.sort_by_key(|piece| piece.tree.source);
    pieces
}

/// Makes warnings of the faults in documents that name no kind of ours, but in files that are
/// meant to be read.
pub(super) fn forgive(sources: &Sources, meant: &BTreeSet<SourceId>, pieces: &mut [Piece]) {
    for piece in pieces {
        let source = piece.tree.source;
        if piece.broken == 0 || meant.contains(&source) {
            continue;
        }
        let text = sources.get(source).text.as_str();
        for found in &mut piece.sink.diagnostics {
            let place = found.primary.as_ref().map(|label| label.place);
            let foreign = place.is_some_and(|place| {
                let own = document_around(text, place.span.start as usize);
                !names_ours(&text[own])
            });
            if OF_DOCUMENTS.contains(&found.rule.code) && foreign {
                found.severity = Severity::Warning;
                found.refuses = false;
            }
        }
    }
}

/// Codes of faults that concern a document alone. Beyond a limit, what the rest of a file holds is
/// not known.
const OF_DOCUMENTS: [&str; 5] = [
    "planner::yaml::bad_merge",
    "planner::yaml::collection_key",
    "planner::yaml::recursive_alias",
    "planner::yaml::syntax",
    "planner::yaml::undefined_alias",
];

/// Holds the limit on nodes over the pieces of one file.
fn limit(text: &str, limits: Limits, work: &[Work], pieces: &mut [Piece]) {
    let (mut left, mut full) = (limits.nodes, false);
    for ((source, range), piece) in work.iter().zip(pieces) {
        if full {
            *piece = Piece::unread(*source);
        } else if !piece.read || piece.nodes > left || (piece.full && left < limits.nodes) {
            *piece = read(*source, text, range.clone(), limits, left);
        }
        left = left.saturating_sub(piece.nodes);
        full |= piece.full;
    }
}

/// The YAML dialect of a document, where its system has one.
pub(super) fn family(node: Node<'_>) -> Option<Dialect> {
    let kind = classify(node).kind;
    (kind != DocumentKind::Foreign).then(|| kind.dialect())
}

/// A piece as its readers have it.
fn parsed(source: SourceId, text: &str, range: Range<usize>, limits: Limits) -> Parsed {
    let usual = parse_as(source, text, range.clone(), limits, &family);
    if usual.faults.is_empty() {
        return usual;
    }
    let tabs = || {
        let plain = json::without_tabs_around(&text[range.clone()])?;
        let parsed = instead(source, text, &range, limits, &plain);
        parsed.faults.is_empty().then_some(parsed)
    };
    tabs()
        .or_else(|| commented(source, text, &range, limits))
        .unwrap_or(usual)
}

/// A piece with another text of the same length in its place.
fn instead(
    source: SourceId,
    text: &str,
    range: &Range<usize>,
    limits: Limits,
    plain: &str,
) -> Parsed {
    debug_assert!(range.end <= text.len() && plain.len() == range.len());
    let whole = [" ".repeat(range.start).as_str(), plain].concat();
    parse_as(source, &whole, range.clone(), limits, &family)
}

/// JSON with comments, as the settings of editors and compilers are written: the systems take
/// none in documents of theirs.
fn commented(source: SourceId, text: &str, range: &Range<usize>, limits: Limits) -> Option<Parsed> {
    let plain = json::without_comments(&text[range.clone()])?;
    let parsed = instead(source, text, range, limits, &plain);
    let foreign = |root: &Position| {
        let kind = classify(parsed.tree.node(text, *root)).kind;
        kind == DocumentKind::Foreign
    };
    let taken = parsed.faults.is_empty() && parsed.documents.iter().all(foreign);
    taken.then_some(parsed)
}

/// Reads a piece; the file may have `left` more nodes.
fn read(source: SourceId, text: &str, range: Range<usize>, limits: Limits, left: usize) -> Piece {
    let nodes = left;
    let parsed = parsed(source, text, range, Limits { nodes, ..limits });
    let mut piece = Piece {
        read: true,
        nodes: parsed.nodes,
        slow: parsed.slow,
        ..Piece::default()
    };
    for fault in &parsed.faults {
        piece.full |= fault.kind == FaultKind::TooManyNodes;
        match template::recognise(source, text, fault, limits) {
            // What follows a first line like `{{if .On}}` is a fault of its own to the parser.
            Some(template) if piece.templates.last() == Some(&template) => {}
            Some(template) => piece.templates.push(template),
            None => {
                piece.broken += 1;
                let found = rules::unreadable(source, text, fault, limits);
                piece.sink.push(found);
            }
        }
    }
    for (root, document) in parsed.documents.iter().zip(0..) {
        let node = parsed.tree.node(text, *root);
        each_object(node, |node| piece.take(node, document));
    }
    Arc::make_mut(&mut piece.documents).shrink_to_fit();
    piece.tree = Arc::new(parsed.tree);
    piece.quirks = parsed.quirks;
    piece.shared = parsed.shared;
    piece
}

/// The items of a `kind: List`, as `kubectl get -o yaml` prints it.
fn list_items(node: Node<'_>) -> Option<impl Iterator<Item = Node<'_>>> {
    let kind = node.get("kind")?.text()?;
    let items = node.get("items")?;
    let whole = kind == "List" && items.is_sequence();
    let typed = kind.ends_with("List")
        && items.is_sequence()
        && items.items().all(|item| item.get("kind").is_some());
    (node.get("apiVersion").is_some() && (whole || typed)).then(|| items.items())
}

/// Each object in a document: itself, or of a List the items, which may be Lists in turn.
pub(super) fn each_object<'t>(document: Node<'t>, mut take: impl FnMut(Node<'t>)) {
    let mut open = vec![document];
    while let Some(node) = open.pop() {
        match list_items(node) {
            Some(items) => {
                let from = open.len();
                open.extend(items);
                open[from..].reverse();
            }
            None => take(node),
        }
    }
}

impl Piece {
    /// Whether a document of it could be read, or is a template.
    pub(super) fn holds_documents(&self) -> bool {
        !self.documents.is_empty() || !self.templates.is_empty()
    }

    /// Whether a document of it is of ours, or a template that names a kind of ours.
    pub(super) fn holds_ours(&self) -> bool {
        let is_ours = |entry: &Entry| entry.kind != DocumentKind::Foreign;
        self.documents.iter().any(is_ours) || self.templates.iter().any(|one| one.kind.is_some())
    }

    /// A piece beyond a limit.
    fn unread(source: SourceId) -> Self {
        let mut tree = Tree::default();
        tree.source = source;
        Self {
            tree: Arc::new(tree),
            ..Self::default()
        }
    }

    /// The same in a file that has another number now.
    pub(super) fn in_file(&self, source: SourceId) -> Self {
        let mut piece = Self {
            tree: Arc::new(self.tree.in_file(source)),
            ..self.clone()
        };
        for template in &mut piece.templates {
            template.place.source = source;
            if let Some((_, place)) = &mut template.kind {
                place.source = source;
            }
        }
        for found in &mut piece.sink.diagnostics {
            found
                .labels_mut()
                .for_each(|label| label.place.source = source);
            if found.fix.is_some() {
                let edits = found.fix.iter_mut().flat_map(|fix| &mut fix.edits);
                edits.for_each(|edit| edit.place.source = source);
            }
        }
        piece
    }

    /// A piece with a document that a build made, for a PolicyGenerator of this name.
    pub(super) fn of(tree: Tree, roots: &[u32], generator: Option<&Arc<str>>) -> Self {
        let mut piece = Self {
            read: true,
            ..Self::default()
        };
        piece.take(tree.root(""), 0);
        piece.build = Some(BuildPart {
            generator: generator.cloned(),
            run_in: None,
            roots: roots.into(),
        });
        piece.tree = Arc::new(tree);
        piece
    }

    /// Where it begins among all pieces.
    pub(super) fn begins(&self) -> (SourceId, u32) {
        let first = self.documents.first();
        (self.tree.source, first.map_or(0, |entry| entry.root.start))
    }

    /// Takes the documents whose names are still to be filled in for templates.
    fn set_unfilled_aside(&mut self, text: &str) {
        let (tree, templates) = (&self.tree, &mut self.templates);
        let mut spans: Vec<Span> = Vec::new();
        Arc::make_mut(&mut self.documents).retain(|entry| {
            let node = tree.node(text, entry.root);
            let Some(value) = placeholder::unfilled(entry.kind, node) else {
                return true;
            };
            let named = node.get(entry.kind.names_itself()).unwrap_or(node);
            let name = info_of(entry.kind).map_or("Senlin document", |info| info.name);
            templates.push(Template {
                place: value.place(),
                kind: Some((name, named.place())),
            });
            spans.push(node.span());
            false
        });
        self.sink.diagnostics.retain(|found| {
            let at = found.primary.as_ref().map(|label| label.place.span.start);
            let inside = |span: &Span| at.is_some_and(|at| (span.start..=span.end).contains(&at));
            !spans.iter().any(inside)
        });
    }

    /// The kinds of its documents.
    pub(super) fn kinds(&self) -> impl Iterator<Item = DocumentKind> {
        self.documents.iter().map(|entry| entry.kind)
    }

    /// Takes out all documents and what was said of them. Where its PolicyGenerators are run in a
    /// directory, they stay; kustomizations that list some stay if they are wanted.
    pub(super) fn keep_generators(&mut self, text: &str, run_in: Option<&Arc<str>>, wanted: bool) {
        self.build.get_or_insert_default().run_in = run_in.cloned();
        let tree = &self.tree;
        let stays = |entry: &Entry| {
            let lists = || tree.node(text, entry.root).get("generators").is_some();
            let foreign = entry.kind == DocumentKind::Foreign;
            let is_run = entry.kind == DocumentKind::PolicyGenerator && run_in.is_some();
            is_run || (wanted || run_in.is_some()) && foreign && lists()
        };
        Arc::make_mut(&mut self.documents).retain(stays);
        let spans = self.documents.iter();
        let spans: Vec<Span> = spans
            .map(|entry| tree.node(text, entry.root).span())
            .collect();
        self.sink.diagnostics.retain(|found| {
            let at = found.primary.as_ref().map(|label| label.place.span.start);
            let inside = |span: &Span| at.is_some_and(|at| (span.start..=span.end).contains(&at));
            spans.iter().any(inside)
        });
        self.quirks.clear();
        self.templates.clear();
        self.broken = 0;
    }

    fn take(&mut self, node: Node<'_>, document: u32) {
        let classified = classify(node);
        if let Some(value) = placeholder::first(classified.kind, node) {
            let kind = classified.kind;
            let named = node.get(kind.names_itself()).unwrap_or(node);
            let name = info_of(kind).map_or("Senlin document", |info| info.name);
            self.templates.push(Template {
                place: value.place(),
                kind: Some((name, named.place())),
            });
            return;
        }
        let mut entry = judge_as(classified, node, &mut self.sink);
        entry.document = document;
        Arc::make_mut(&mut self.documents).push(entry);
    }
}

/// Classifies a document and checks its structure.
pub(super) fn judge(node: Node<'_>, sink: &mut Sink) -> Entry {
    judge_as(classify(node), node, sink)
}

fn judge_as(classified: Classified, node: Node<'_>, sink: &mut Sink) -> Entry {
    sink.diagnostics.extend(classified.diagnostic);
    let mut entry = Entry {
        kind: classified.kind,
        root: node.position(),
        document: 0,
        refused: classified.refused,
        is_recorded: classified.kind.system().is_some() && record::number_of(node).is_some(),
    };
    // What Policies carry is judged where it is known whether a Policy carries it.
    let judged_here = |info: &&KindInfo| !info.kind.is_policy_template();
    if let Some(info) = info_of(entry.kind).filter(judged_here) {
        let mut object: Option<Object> = None;
        let dialect = entry.kind.dialect();
        let expectation = entry.kind == DocumentKind::PlanTest;
        let policy = Policy {
            unknown_field: match dialect {
                Dialect::Ogc => Severity::Error,
                _ => Severity::Warning,
            },
            upstream: None,
            admission: entry.kind.system() == Some(System::Ocm),
            exact_fixes: false,
            deciding: schema::deciding(info.schema),
        };
        let is_other_version = classified.refused;
        schema::check_each(info.schema, node, dialect, &mut |fault| {
            // The version is told already.
            if is_other_version && fault.pointer == "/apiVersion" {
                return;
            }
            let mut diagnostic = {
                let object = object.get_or_insert_with(|| object_of(node, info.name));
                fault.diagnostic(policy, object)
            };
            entry.refused |= diagnostic.refuses;
            // A faulty expectation does not stop planning.
            diagnostic.refuses &= !expectation;
            sink.push(diagnostic);
        });
    }
    entry
}
