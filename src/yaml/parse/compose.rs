//! Events in, nodes of a document out.

use std::borrow::Cow;
use std::ops::Range;

use crate::source::Span;
use crate::yaml::events::{Event, Properties, Style};
use crate::yaml::expand;
use crate::yaml::fault::{Fault, FaultKind};
use crate::yaml::scalar::MERGE;
use crate::yaml::tree::Raw;

use super::safe::Shape;
use super::{Driver, Open, QuirkKind, offset};

fn span(at: &Range<usize>) -> Span {
    Span {
        start: offset(at.start),
        end: offset(at.end),
    }
}

impl<'t> Driver<'t, '_> {
    pub(super) fn event(&mut self, event: Event<'t>, at: Range<usize>) {
        match event {
            Event::DocumentStart => {
                self.reset();
                self.first_quirk = self.parsed.quirks.len();
            }
            Event::DocumentEnd => self.end_document(),
            Event::Scalar(value, style, properties) => {
                self.scalar(value, style, properties, span(&at));
            }
            Event::Mapping(flow, properties) => {
                self.start(Raw::MAPPING, flow, properties, span(&at));
            }
            Event::Sequence(flow, properties) => {
                self.start(Raw::SEQUENCE, flow, properties, span(&at));
            }
            Event::End => self.end(offset(at.end)),
            Event::Alias(name) => self.alias(name, span(&at)),
        }
    }

    fn fault(&mut self, kind: FaultKind, span: Span) {
        if self.broken.is_none() {
            self.broken = Some(Fault { kind, span });
        }
    }

    /// Notes the anchor of a node that comes next.
    fn anchor(&mut self, properties: &Properties<'t>) {
        let Some((name, at)) = properties.anchor else {
            return;
        };
        let next = offset(self.draft.nodes.len());
        if self.anchors.insert(name, next).is_some() {
            let end = at + 1 + name.len();
            self.quirk(
                QuirkKind::Refused("the anchor is defined twice"),
                span(&(at..end)),
            );
        }
    }

    fn scalar(
        &mut self,
        value: Cow<'t, str>,
        style: Style,
        properties: Properties<'t>,
        span: Span,
    ) {
        self.anchor(&properties);
        let mut flags = match style {
            Style::Plain => Raw::PLAIN,
            Style::Block => Raw::BLOCK,
            Style::Quoted => 0,
        };
        let implicit = span.start == span.end && style == Style::Plain;
        let mut value = value;
        // Two tags say of quotes that they are none.
        let merge = value == MERGE
            && match &properties.tag {
                None => style == Style::Plain,
                Some((tag, _)) => tag == "!" || tag == "tag:yaml.org,2002:merge",
            };
        if merge && properties.tag.is_some() && self.is_at_key() {
            flags = Raw::PLAIN;
        } else if let Some((tag, _)) = &properties.tag {
            let (tagged, other) = self.tag(tag, span, Shape::Scalar(&value));
            flags |= tagged;
            if let Some(other) = other {
                value = other.into();
            }
        } else if style == Style::Plain && !implicit {
            self.plain(&value, span);
        }
        let (a, b, owned) = self.place_text(&value, span);
        self.push(Raw {
            start: span.start,
            end: span.end,
            a,
            b,
            flags: flags | owned,
        });
        self.child(span, false, merge);
    }

    fn alias(&mut self, name: &str, span: Span) {
        let shown = || format!("*{name}");
        let Some(target) = self.anchors.get(name).copied() else {
            return self.fault(FaultKind::UndefinedAlias(shown()), span);
        };
        if self.open.iter().any(|open| open.index == target) {
            return self.fault(FaultKind::RecursiveAlias(shown()), span);
        }
        self.named.push(target);
        self.push(Raw {
            start: span.start,
            end: span.end,
            a: target,
            b: 0,
            flags: expand::ALIAS,
        });
        let raw = self.draft.nodes[target as usize];
        let container = !raw.is_scalar();
        if !container && raw.flags & (Raw::PLAIN | Raw::OWNED) == Raw::PLAIN {
            let text = self.text;
            let value = &text[raw.a as usize..raw.b as usize];
            self.json_plain(value, span);
            if value == MERGE && raw.flags & Raw::FLOAT_TAG == 0 {
                self.plain(value, span);
            }
        }
        self.child(span, container, false);
    }

    /// The place of a scalar's text: in the file where it is a part of that.
    fn place_text(&mut self, value: &str, span: Span) -> (u32, u32, u32) {
        if span.start == span.end && value.is_empty() {
            return (span.start, span.start, 0);
        }
        let start = (value.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let end = start.wrapping_add(value.len());
        if start <= end && self.text.get(start..end) == Some(value) {
            return (offset(start), offset(end), 0);
        }
        let own = &mut self.draft.own_text;
        let start = own.len();
        own.push_str(value);
        (offset(start), offset(own.len()), Raw::OWNED)
    }

    fn push(&mut self, raw: Raw) -> u32 {
        let count = self.nodes + self.draft.nodes.len();
        // A document without anything is none.
        let nothing = self.open.is_empty() && raw.a == raw.b && raw.flags == Raw::PLAIN;
        if count >= self.limits.nodes && !nothing {
            let span = Span {
                start: raw.start,
                end: raw.end,
            };
            self.fault(FaultKind::TooManyNodes, span);
        }
        let nodes = &mut self.draft.nodes;
        nodes.push(raw);
        offset(nodes.len() - 1)
    }

    /// Counts a finished child in its parent.
    fn child(&mut self, span: Span, container: bool, merge: bool) {
        let Some(parent) = self.open.last_mut() else {
            return;
        };
        let key = parent.mapping && parent.children % 2 == 0;
        parent.children += 1;
        parent.last_end = parent.last_end.max(span.end);
        if key && merge {
            parent.merges = true;
        }
        if key && container {
            self.fault(FaultKind::CollectionKey, span);
        }
    }

    fn start(&mut self, kind: u32, flow: bool, properties: Properties<'t>, span: Span) {
        self.anchor(&properties);
        let flow = if flow { Raw::FLOW } else { 0 };
        let index = self.push(Raw {
            start: span.start,
            end: span.end,
            a: 0,
            b: 0,
            flags: kind | flow,
        });
        self.open.push(Open {
            index,
            children: 0,
            last_end: span.start,
            mapping: kind == Raw::MAPPING,
            merges: false,
        });
        if self.open.len() > self.limits.depth {
            self.fault(FaultKind::TooDeep, span);
        }
        if let Some((tag, _)) = &properties.tag {
            let shape = match kind {
                Raw::MAPPING => Shape::Mapping,
                _ => Shape::Sequence,
            };
            self.tag(tag, span, shape);
        }
    }

    fn end(&mut self, end_of_event: u32) {
        let Some(open) = self.open.pop() else { return };
        let after = offset(self.draft.nodes.len());
        let raw = &mut self.draft.nodes[open.index as usize];
        raw.a = after;
        raw.b = if open.mapping {
            open.children / 2
        } else {
            open.children
        };
        raw.end = if raw.flags & Raw::FLOW != 0 {
            end_of_event
        } else {
            open.last_end
        };
        let span = Span {
            start: raw.start,
            end: raw.end,
        };
        let count = raw.b;
        if open.mapping {
            let repeated = count > 0 && self.repeated_keys(open.index, count);
            // The readers have merged keys at different places.
            self.differs |= open.merges;
            if repeated || open.merges {
                self.irregular.push(open.index);
            }
        }
        self.child(span, true, false);
    }

    fn end_document(&mut self) {
        let nodes = &self.draft.nodes;
        let Some(root) = nodes.first() else {
            return self.reset();
        };
        let relevant = Raw::KIND | Raw::PLAIN | Raw::FLOAT_TAG | expand::ALIAS;
        if root.flags & relevant == Raw::PLAIN && root.a == root.b {
            return self.drop_document(None);
        }
        let shared = self
            .named
            .iter()
            .map(|index| &self.draft.nodes[*index as usize]);
        let shared: Vec<Span> = shared
            .map(|raw| Span {
                start: raw.start,
                end: raw.end,
            })
            .collect();
        if !self.named.is_empty() || !self.irregular.is_empty() {
            let limits = self.limits;
            let irregular = std::mem::take(&mut self.irregular);
            let dialect = self.dialect();
            let expanded = expand::expand(&self.draft, self.text, &irregular, dialect, &limits);
            match expanded {
                Ok(expanded) => {
                    for (first, again) in expanded.late {
                        self.differs = true;
                        self.quirk(QuirkKind::LateMerge(first), again);
                    }
                    self.draft.nodes = expanded.nodes;
                }
                Err(fault) => return self.drop_document(Some(fault)),
            }
        }
        self.parsed.shared.extend(shared);
        let root = self.parsed.tree.append(&self.draft);
        self.nodes += self.draft.nodes.len();
        self.parsed.documents.push(root);
        self.reset();
    }
}
