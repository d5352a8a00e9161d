//! A checked site with some of its documents changed, in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crate::diagnostic::{Diagnostic, Sink};
use crate::document::{Document, DocumentKind, Documents, is_profile};
use crate::load;
use crate::options::Rules;
use crate::source::{Place, Source, SourceId, Sources, Span};
use crate::yaml::Tree;

use super::{Checked, of};

/// What is different from the documents as they were read.
#[derive(Debug, Default)]
pub struct Changes {
    /// Documents by index: what each is instead, or `None` where it is left out.
    pub replaced: BTreeMap<u32, Option<Tree>>,
    /// Documents that come on top, each with the file it counts to.
    pub added: Vec<(SourceId, Tree)>,
    /// Files that only added documents come from, numbered after those of the site.
    pub files: Vec<String>,
}

/// A site with changes: holds what is new in it, so that it can be checked.
#[derive(Debug)]
pub struct Changed<'c> {
    base: &'c Checked<'c>,
    changes: Changes,
    rules: Rules,
    /// The files, where there are more than those of the site.
    sources: Option<Sources>,
    made: OnceLock<Vec<Tree>>,
}

impl<'a> Checked<'a> {
    /// The site with these changes; nothing is read again.
    #[must_use]
    pub fn changed<'c>(&'c self, changes: Changes) -> Changed<'c>
    where
        'a: 'c,
    {
        let sources = (!changes.files.is_empty()).then(|| {
            let mut sources = self.documents.sources.clone();
            for name in &changes.files {
                sources.add(Source::new(name.clone(), String::new()));
            }
            sources
        });
        Changed {
            base: self,
            changes,
            // Variants of a site are checked side by side, each by one thread.
            rules: Rules {
                jobs: 1,
                ..self.rules.clone()
            },
            sources,
            made: OnceLock::new(),
        }
    }
}

impl Changed<'_> {
    /// Checks the site as it is with the changes, by the rules of the site it was made from.
    #[must_use]
    pub fn check(&self) -> Checked<'_> {
        let base = &self.base.documents;
        let sources = self.sources.as_ref().unwrap_or(base.sources);
        let mut sink = self.read();
        let mut all = Vec::with_capacity(base.all.len() + self.changes.added.len());
        for document in &base.all {
            match self.changes.replaced.get(&document.index) {
                None => all.push(*document),
                Some(None) => {}
                Some(Some(tree)) => {
                    all.push(load::read(document.source, tree.root(""), &mut sink));
                }
            }
        }
        if !self.changes.added.is_empty() {
            for (source, tree) in &self.changes.added {
                all.push(load::read(*source, tree.root(""), &mut sink));
            }
            let name = |document: &Document<'_>| &sources.get(document.source).name;
            all.sort_by(|a, b| name(a).cmp(name(b)));
        }
        for (document, index) in all.iter_mut().zip(0..) {
            document.index = index;
        }
        recognise_profiles(&mut all);
        load::soften_admission(all.iter().map(|document| document.kind), &mut sink);
        let documents = Documents {
            sources,
            made: &self.made,
            repositories: base.repositories,
            all,
        };
        of(self.base.loaded, documents, sink, &self.rules)
    }

    /// The findings of reading that changed documents have no part in.
    fn read(&self) -> Sink {
        let base = self.base;
        let mut gone: BTreeMap<SourceId, Vec<Span>> = BTreeMap::new();
        for index in self.changes.replaced.keys() {
            if let Some(document) = base.documents.all.get(*index as usize) {
                let Place { source, span } = document.node.place();
                gone.entry(source).or_default().push(span);
            }
        }
        let stays = |found: &&Diagnostic| {
            let Some(label) = &found.primary else {
                return true;
            };
            let Place { source, span: at } = label.place;
            let inside = |whole: &Span| (whole.start..=whole.end).contains(&at.start);
            !gone
                .get(&source)
                .is_some_and(|gone| gone.iter().any(inside))
        };
        let read = base.findings.diagnostics[..base.read].iter();
        Sink {
            diagnostics: read.filter(stays).cloned().collect(),
            refusal_hidden: base.findings.refusal_hidden,
            suppressed: Vec::new(),
        }
    }
}

/// A profile is Senlin's only beside another Senlin document of its file.
fn recognise_profiles(all: &mut [Document<'_>]) {
    let senlin = all
        .iter()
        .filter(|document| document.kind == DocumentKind::Senlin);
    let files: BTreeSet<SourceId> = senlin.map(|d| d.source).collect();
    for document in all.iter_mut().filter(|d| d.kind == DocumentKind::Foreign) {
        if files.contains(&document.source) && is_profile(document.node) {
            document.kind = DocumentKind::Senlin;
        }
    }
}
