//! Files beside the site, such as faults of a simulated run: read and parsed like the site's,
//! but no documents of it.

use std::path::Path;

use crate::source::{Source, SourceId};
use crate::yaml::{Node, Position, Tree, parse};

use super::disk::real;
use super::store::Store;
use super::walk::{File, display_name};
use super::{Loaded, Request, rules, text};

/// A file beside the site.
#[derive(Debug, Default)]
pub struct SideFile {
    /// The file.
    pub source: SourceId,
    tree: Tree,
    /// Roots of its documents.
    roots: Vec<Position>,
}

impl SideFile {
    /// The roots of its documents; `text` is the file's.
    pub fn documents<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Node<'a>> {
        self.roots.iter().map(|root| self.tree.node(text, *root))
    }
}

impl Loaded {
    /// The documents of all files beside the site.
    pub fn beside_documents(&self) -> impl Iterator<Item = Node<'_>> {
        let text = |file: &SideFile| self.sources.get(file.source).text.as_str();
        let files = self.beside.iter();
        files.flat_map(move |file| file.documents(text(file)))
    }

    /// Reads a file beside the site; its faults are findings.
    pub(super) fn side_file(&mut self, path: &Path, request: &Request) -> SideFile {
        let limits = request.limits;
        let directory = real(&request.directory);
        let name = display_name(&path.to_string_lossy(), &directory.to_string_lossy());
        let file = File {
            name: name.clone(),
            path: Some(path.to_path_buf()),
            named: true,
            regular: false,
            fault: None,
        };
        let read = text::read(&file, Store::Disk(&request.view), None, limits.file_bytes);
        let source = self.sources.add(Source::new(name, read.text));
        if let Some(fault) = read.fault {
            self.findings.push(fault.diagnostic(source));
            return SideFile {
                source,
                ..SideFile::default()
            };
        }
        let text = &self.sources.get(source).text;
        let parsed = parse(source, text, 0..text.len(), limits);
        for fault in &parsed.faults {
            self.findings
                .push(rules::unreadable(source, text, fault, limits));
        }
        SideFile {
            source,
            tree: parsed.tree,
            roots: parsed.documents,
        }
    }
}
