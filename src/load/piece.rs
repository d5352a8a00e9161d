//! One piece of a file: parsed, unpacked, classified, its structure checked.

use std::ops::Range;

use crate::diagnostic::{Object, Severity, Sink};
use crate::document::{DocumentKind, System, classify, info_of, object_of};
use crate::schema::{self, Policy};
use crate::source::SourceId;
use crate::yaml::{Limits, Node, Position, Quirk, Tree, parse};

use super::rules;
use super::template::{self, Template};

/// A document of a piece.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) kind: DocumentKind,
    /// Where its root is in the tree.
    pub(super) root: Position,
    /// The YAML document it lies in, by number: a List has several.
    pub(super) document: u32,
    pub(super) refused: bool,
    pub(super) record: Option<u64>,
}

/// What one worker made of a piece.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) tree: Tree,
    pub(super) documents: Vec<Entry>,
    pub(super) quirks: Vec<Quirk>,
    pub(super) sink: Sink,
    /// Documents that are not YAML because they are templates.
    pub(super) templates: Vec<Template>,
    /// The other documents that are not YAML.
    pub(super) broken: usize,
    /// Documents that the quick reader left to the parser.
    pub(super) slow: usize,
}

pub(super) fn read(source: SourceId, text: &str, range: Range<usize>, limits: Limits) -> Piece {
    let parsed = parse(source, text, range, limits);
    let mut piece = Piece {
        slow: parsed.slow,
        ..Piece::default()
    };
    for fault in &parsed.faults {
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
        piece.unpack(node, document);
    }
    piece.documents.shrink_to_fit();
    piece.tree = parsed.tree;
    piece.quirks = parsed.quirks;
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

impl Piece {
    /// Takes a document; of a List the items, which may be Lists in turn.
    fn unpack(&mut self, node: Node<'_>, document: u32) {
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match list_items(node) {
                Some(items) => {
                    let from = open.len();
                    open.extend(items);
                    open[from..].reverse();
                }
                None => self.take(node, document),
            }
        }
    }

    fn take(&mut self, node: Node<'_>, document: u32) {
        let mut entry = judge(node, &mut self.sink);
        entry.document = document;
        self.documents.push(entry);
    }
}

/// Classifies a document and checks its structure.
pub(super) fn judge(node: Node<'_>, sink: &mut Sink) -> Entry {
    let classified = classify(node);
    sink.diagnostics.extend(classified.diagnostic);
    let mut entry = Entry {
        kind: classified.kind,
        root: node.position(),
        document: 0,
        refused: classified.refused,
        record: None,
    };
    if entry.kind.system().is_some() {
        entry.record = record_number(node);
    }
    if let Some(info) = info_of(entry.kind) {
        let mut object: Option<Object> = None;
        let expectation = entry.kind == DocumentKind::PlanTest;
        let policy = Policy {
            unknown_field: match info.system {
                System::Ogc => Severity::Error,
                _ => Severity::Warning,
            },
            upstream: None,
            admission: info.system == System::Ocm,
        };
        let dialect = entry.kind.dialect();
        schema::check_each(info.schema, node, dialect, &mut |fault| {
            let mut diagnostic = {
                let object = object.get_or_insert_with(|| object_of(node, info.name));
                fault.diagnostic(policy, object)
            };
            entry.refused |= diagnostic.refuses;
            // An expectation at fault keeps nobody from planning.
            diagnostic.refuses &= !expectation;
            sink.push(diagnostic);
        });
    }
    entry
}

/// The number of a record, from its annotation (contract, section 4).
fn record_number(node: Node<'_>) -> Option<u64> {
    node.at(&["metadata", "annotations", "planner/record"])?
        .text()?
        .parse()
        .ok()
}
