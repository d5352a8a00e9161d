//! The nodes of a site and the documents that declare them.

use std::collections::BTreeMap;

use crate::document::{Document, Documents};

use super::engine::inherit;
use super::{Model, raw};

/// How the schema of a node begins.
const NODE: &str = "drydock/BaremetalNode/";

/// A document that declares a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine<'a> {
    /// The document's index.
    pub document: u32,
    /// The node's name.
    pub name: &'a str,
    /// The rack in which the rendered site has it.
    pub rack: Option<&'a str>,
}

/// The documents that declare nodes, by index.
#[must_use]
pub fn machines<'a>(documents: &Documents<'a>, model: &Model<'a>) -> Vec<Machine<'a>> {
    let mut racks: BTreeMap<&str, &'a str> = BTreeMap::new();
    if let Some(site) = &model.site {
        for (node, number) in site.nodes.iter().zip(0..) {
            let rack = inherit::effective(site, number).rack;
            racks.extend(rack.map(|rack| (node.name.text, rack.text)));
        }
    }
    let declared = raw::declared(documents, NODE);
    declared
        .map(|(document, name)| Machine {
            document,
            name,
            rack: racks.get(name).copied(),
        })
        .collect()
}

/// The node that a document declares.
#[must_use]
pub fn node_declared<'a>(document: &Document<'a>) -> Option<&'a str> {
    raw::declares(document, NODE)
}
