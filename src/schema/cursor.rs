//! Look-ups in containers that go on from where the last one ended.
//!
//! The library's errors come in the order of the document; so many errors in one long list or
//! mapping stay linear.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::yaml::{Entries, Items, Node};

/// Where the last look-up in each container of one document ended.
#[derive(Default)]
pub(super) struct Cursors<'a> {
    lists: RefCell<FxHashMap<u32, (usize, Items<'a>)>>,
    mappings: RefCell<FxHashMap<u32, Entries<'a>>>,
}

impl<'a> Cursors<'a> {
    /// The item of that number.
    pub(super) fn item(&self, list: Node<'a>, wanted: usize) -> Option<Node<'a>> {
        let mut lists = self.lists.borrow_mut();
        let cursor = lists.entry(list.number()).or_insert((0, list.items()));
        if cursor.0 > wanted {
            *cursor = (0, list.items());
        }
        while cursor.0 < wanted {
            cursor.1.next()?;
            cursor.0 += 1;
        }
        cursor.1.clone().next()
    }

    /// The key and value of a key.
    pub(super) fn entry(&self, mapping: Node<'a>, wanted: &str) -> Option<(Node<'a>, Node<'a>)> {
        let mut mappings = self.mappings.borrow_mut();
        let cursor = mappings
            .entry(mapping.number())
            .or_insert_with(|| mapping.entries());
        let is = |entry: &(Node<'a>, Node<'a>)| entry.0.text() == Some(wanted);
        let mut rest = cursor.clone();
        let found = rest.find(is).or_else(|| {
            rest = mapping.entries();
            rest.find(is)
        })?;
        *cursor = rest;
        Some(found)
    }
}
