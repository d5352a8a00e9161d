//! Reads a part of a piece as the original reader of its documents does.

use crate::source::Span;
use crate::yaml::events::{Events, Grammar, Trouble};
use crate::yaml::fault::{Fault, FaultKind};
use crate::yaml::scalar::Dialect;
use crate::yaml::tree::Mark;

use super::{Driver, Quirk, QuirkKind, offset};

/// The state of the parser to come back to.
struct Checkpoint {
    tree: Mark,
    documents: usize,
    faults: usize,
    quirks: usize,
    shared: usize,
    nodes: usize,
}

impl Driver<'_, '_> {
    /// Reads the piece by go-yaml's rules, and where those of PyYAML are others by them too: the
    /// documents say whose they are.
    pub(super) fn original(&mut self) {
        let before = self.state();
        // Quirks of earlier documents stay when this one is dropped.
        self.first_quirk = before.quirks;
        self.differs = false;
        self.events(Grammar::Go);
        if !self.differs {
            return;
        }
        let sound = self.parsed.faults.len() == before.faults;
        let mut families = self.families(&before);
        self.restore(&before);
        self.events(Grammar::Python);
        families.extend(self.families(&before));
        let refused = self.parsed.faults.get(before.faults).cloned();
        let python = families.contains(&Some(Dialect::PyYaml));
        // A document of no family may be meant for either reader.
        let either = !sound && !families.is_empty() && families.iter().all(Option::is_none);
        if (python || either) && (refused.is_none() || !sound) {
            return;
        }
        self.restore(&before);
        self.events(Grammar::Go);
        if let Some(refused) = refused.filter(|_| sound) {
            self.refused(&refused, &before);
        }
    }

    /// Notes that PyYAML stops where go-yaml reads on. What it does not take before a document
    /// keeps it from reading that.
    fn refused(&mut self, fault: &Fault, before: &Checkpoint) {
        let at = fault.span.start as usize;
        let tab = self.text.as_bytes().get(at) == Some(&b'\t');
        let kind = match &fault.kind {
            _ if tab => QuirkKind::Tab,
            FaultKind::Syntax(reason) => QuirkKind::Refused(reason),
            _ => return,
        };
        self.parsed.quirks.push(Quirk {
            kind,
            span: fault.span,
            document: offset(before.documents),
        });
    }

    /// The dialect of each document read since a checkpoint.
    fn families(&self, since: &Checkpoint) -> Vec<Option<Dialect>> {
        let parsed = &self.parsed;
        let roots = parsed.documents[since.documents..].iter();
        let nodes = roots.map(|root| parsed.tree.node(self.text, *root));
        nodes.map(|node| (self.family)(node)).collect()
    }

    fn state(&self) -> Checkpoint {
        Checkpoint {
            tree: self.parsed.tree.mark(),
            documents: self.parsed.documents.len(),
            faults: self.parsed.faults.len(),
            quirks: self.parsed.quirks.len(),
            shared: self.parsed.shared.len(),
            nodes: self.nodes,
        }
    }

    fn restore(&mut self, state: &Checkpoint) {
        self.reset();
        self.parsed.tree.reset(state.tree);
        self.parsed.documents.truncate(state.documents);
        self.parsed.faults.truncate(state.faults);
        self.parsed.quirks.truncate(state.quirks);
        self.first_quirk = state.quirks;
        self.parsed.shared.truncate(state.shared);
        self.nodes = state.nodes;
    }

    fn events(&mut self, grammar: Grammar) {
        self.grammar = grammar;
        self.reset();
        let mut events = Events::new(self.text, self.piece.start, self.piece.end, grammar);
        loop {
            let next = events.next();
            match next {
                Ok(None) => break,
                Ok(Some((event, at))) => self.event(event, at),
                Err(trouble) => self.broken = Some(self.syntax(trouble)),
            }
            if let Some(fault) = self.broken.take() {
                let stop = fault.kind == FaultKind::TooManyNodes;
                self.drop_document(Some(fault));
                if stop || !events.recover(grammar) {
                    break;
                }
            }
        }
        self.differs |= events.differs();
    }

    fn syntax(&self, trouble: Trouble) -> Fault {
        let at = trouble.at.min(self.text.len());
        let letter = self.text[at..].chars().next();
        let width = letter.map_or(0, |c| if c == '\n' { 0 } else { c.len_utf8() });
        Fault {
            kind: FaultKind::Syntax(trouble.reason),
            span: Span {
                start: offset(at),
                end: offset(at + width),
            },
        }
    }
}
