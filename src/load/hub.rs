//! The snapshot of a hub: one file of objects as `kubectl get` prints them, read beside the site.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;

pub(super) mod file;

use file::{Entry, Piece, Read};
pub use file::{Hub, HubFault, HubFile, HubKey, is_of_a_hub, key_of};

use crate::diagnostic::Sink;
use crate::document::{classify, object_of};
use crate::kit::time::parse_rfc3339;
use crate::parallel;
use crate::source::{Source, SourceId};
use crate::yaml::{Limits, Node, cut, parse_as};

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
    let mut text = text(file, &name, request)?;
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
        return Err(HubFault::Broken(format!("hub snapshot {name}:{fault}")));
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

fn text(file: &HubFile, name: &str, request: &Request) -> Result<String, HubFault> {
    let limits = request.limits;
    let store = Store::Disk(&request.view);
    let bytes = match &file.stdin {
        Some(bytes) => bytes.clone(),
        None => match store.read(Path::new(&file.path), false, limits.file_bytes) {
            Ok(Content::Bytes(bytes)) => bytes,
            Ok(Content::TooLarge(bytes)) => {
                let limit = limits.file_bytes;
                return Err(HubFault::Broken(format!(
                    "hub snapshot {name}: the file has {bytes} bytes, more than the limit of \
                     {limit}; raise `file-bytes` under `[limits]` in planner.toml"
                )));
            }
            Err(error) => {
                return Err(HubFault::Missing(format!(
                    "hub snapshot {name}: cannot be read: {}",
                    reason(&error)
                )));
            }
        },
    };
    String::from_utf8(bytes)
        .map_err(|_| HubFault::Broken(format!("hub snapshot {name}: the file is not UTF-8 text")))
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
            let why = "the list has `items` but no `kind`, which kubectl writes after them; the \
                       file may be truncated";
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
