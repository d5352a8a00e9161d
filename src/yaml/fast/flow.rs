//! Collections in brackets, JSON among them.

use crate::yaml::tree::Raw;

use super::{Doubt, KEY, Kind, Reader, Sure};

impl Reader<'_> {
    /// Writes the collection that begins at `at`; gives its end.
    pub(super) fn flow(&mut self, mut at: usize, tabs: bool) -> Sure<usize> {
        let outside = self.open.len();
        loop {
            // A node is expected.
            let empty = match self.bytes.get(at) {
                Some(b'{') => {
                    self.begin(Kind::FlowMapping, 0, at, Raw::MAPPING | Raw::FLOW)?;
                    at = self.space(at + 1, tabs);
                    let empty = self.bytes.get(at) == Some(&b'}');
                    if !empty {
                        at = self.flow_key(at, tabs)?;
                    }
                    empty
                }
                Some(b'[') => {
                    self.begin(Kind::FlowSequence, 0, at, Raw::SEQUENCE | Raw::FLOW)?;
                    at = self.space(at + 1, tabs);
                    self.bytes.get(at) == Some(&b']')
                }
                Some(b'"' | b'\'') => {
                    at = self.quoted(at)?;
                    true
                }
                Some(_) => {
                    let plain = self.flow_plain(at)?;
                    if plain.colon.is_some() {
                        return Err(Doubt);
                    }
                    self.put(at, plain.end, Raw::PLAIN)?;
                    at = plain.end;
                    true
                }
                None => return Err(Doubt),
            };
            if !empty {
                continue;
            }
            // A node is complete.
            loop {
                at = self.space(at, tabs);
                let kind = self.open.last().map(|open| open.kind);
                match (self.bytes.get(at), kind) {
                    (Some(b','), Some(Kind::FlowMapping)) => {
                        at = self.space(at + 1, tabs);
                        at = self.flow_key(at, tabs)?;
                        break;
                    }
                    (Some(b','), Some(Kind::FlowSequence)) => {
                        at = self.space(at + 1, tabs);
                        break;
                    }
                    (Some(b'}'), Some(Kind::FlowMapping))
                    | (Some(b']'), Some(Kind::FlowSequence)) => {
                        at += 1;
                        self.close_at(super::number(at))?;
                        if self.open.len() == outside {
                            return Ok(at);
                        }
                    }
                    _ => return Err(Doubt),
                }
            }
        }
    }

    /// Writes a key; gives the place of its value.
    fn flow_key(&mut self, at: usize, tabs: bool) -> Sure<usize> {
        let (end, colon) = match self.bytes.get(at) {
            Some(b'"' | b'\'') => {
                let end = self.simply_quoted(at).ok_or(Doubt)?;
                let colon = self.blanks(end);
                if self.bytes.get(colon) != Some(&b':') {
                    return Err(Doubt);
                }
                (end, colon)
            }
            Some(_) => {
                let plain = self.flow_plain(at)?;
                (plain.end, plain.colon.ok_or(Doubt)?)
            }
            None => return Err(Doubt),
        };
        if colon - at > KEY {
            return Err(Doubt);
        }
        self.put_key(at, end)?;
        Ok(self.space(colon + 1, tabs))
    }

    /// The place after blanks and line breaks; `tabs` if tabs are blanks.
    #[inline]
    fn space(&mut self, mut at: usize, tabs: bool) -> usize {
        loop {
            match self.bytes.get(at) {
                Some(b' ' | b'\n' | b'\r') => at += 1,
                Some(b'\t') if tabs => {
                    self.tab.get_or_insert(at);
                    at += 1;
                }
                _ => return at,
            }
        }
    }
}
