//! The documents of a site with some of them altered, in memory.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::diagnostic::Sink;
use crate::document::{Document, DocumentKind, Documents, is_profile};
use crate::source::SourceId;
use crate::yaml::{Node, Tree};

use super::piece::judge;
use super::{Loaded, soften_admission};

/// What is otherwise than in the files.
#[derive(Debug, Default)]
pub struct Edits {
    /// Documents by index: what each is instead, or `None` where it is left out.
    pub replaced: BTreeMap<u32, Option<Tree>>,
    /// Documents that come on top, each with the file it counts to.
    pub added: Vec<(SourceId, Tree)>,
    made: OnceLock<Vec<Tree>>,
}

impl Loaded {
    /// The documents with these edits, and the findings of reading them. `read` holds those of
    /// reading the files.
    #[must_use]
    pub fn edited<'a>(&'a self, edits: &'a Edits, read: &Sink) -> (Documents<'a>, Sink) {
        let mut sink = Sink {
            refusal_hidden: read.refusal_hidden,
            ..Sink::default()
        };
        let original = self.documents();
        let gone = |index: &u32| {
            original
                .all
                .get(*index as usize)
                .map(|document| document.node)
        };
        let gone: Vec<Node<'_>> = edits.replaced.keys().filter_map(gone).collect();
        let kept = read.diagnostics.iter().filter(|found| {
            let place = found.primary.as_ref().map(|label| label.place);
            !place.is_some_and(|place| {
                let inside = |node: &Node<'_>| {
                    let (whole, at) = (node.place(), place.span.start);
                    whole.source == place.source
                        && (whole.span.start..=whole.span.end).contains(&at)
                };
                gone.iter().any(inside)
            })
        });
        sink.diagnostics.extend(kept.cloned());
        let mut all = Vec::with_capacity(original.all.len() + edits.added.len());
        for document in original.all {
            match edits.replaced.get(&document.index) {
                None => all.push(document),
                Some(None) => {}
                Some(Some(tree)) => all.push(read_in(document.source, tree.root(""), &mut sink)),
            }
        }
        if !edits.added.is_empty() {
            let added = edits.added.iter();
            all.extend(added.map(|(source, tree)| read_in(*source, tree.root(""), &mut sink)));
            let name = |document: &Document<'_>| &self.sources.get(document.source).name;
            all.sort_by(|a, b| name(a).cmp(name(b)));
        }
        for (document, index) in all.iter_mut().zip(0..) {
            document.index = index;
        }
        recognise_profiles(&mut all);
        soften_admission(all.iter().map(|document| document.kind), &mut sink);
        let documents = Documents {
            sources: original.sources,
            made: &edits.made,
            repositories: original.repositories,
            all,
        };
        (documents, sink)
    }
}

fn read_in<'a>(source: SourceId, node: Node<'a>, sink: &mut Sink) -> Document<'a> {
    let entry = judge(node, sink);
    Document {
        kind: entry.kind,
        node,
        source,
        index: 0,
        refused: entry.refused,
        record: entry.record,
    }
}

/// A profile is Senlin's only beside another Senlin document of its file.
fn recognise_profiles(all: &mut [Document<'_>]) {
    let senlin = all
        .iter()
        .filter(|document| document.kind == DocumentKind::Senlin);
    let files: std::collections::BTreeSet<SourceId> = senlin.map(|d| d.source).collect();
    for document in all.iter_mut().filter(|d| d.kind == DocumentKind::Foreign) {
        if files.contains(&document.source) && is_profile(document.node) {
            document.kind = DocumentKind::Senlin;
        }
    }
}
