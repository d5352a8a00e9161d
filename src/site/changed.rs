//! A checked site with some of its documents changed, in memory.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::delivery::repair::generator_of;
use crate::diagnostic::{Diagnostic, Sink};
use crate::document::{Document, DocumentKind, Documents, Generated, System};
use crate::load;
use crate::options::CheckOptions;
use crate::source::{Place, Source, SourceId, Sources, Span};
use crate::yaml::{self, Op, Tree, TreeBuilder, edited};

use super::intake;
use super::things::Thing;
use super::{Before, Checked, Part, of};

/// A value of a document to change.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// The document's index in [`Checked::documents`].
    pub document: u32,
    /// JSON Pointer of the value; `-` is behind the last item of a list.
    pub pointer: String,
    /// The change.
    pub op: Op,
}

/// The differences from the documents as they were read.
#[derive(Debug, Default)]
pub struct Changes {
    /// Things that are gone, with everything in them.
    pub without: Vec<Thing>,
    /// Values to change, one after the other. A patch of a document that is left out does
    /// nothing.
    pub patches: Vec<Patch>,
    /// Documents by index: what each is instead, or `None` where it is left out.
    pub replaced: BTreeMap<u32, Option<Arc<Tree>>>,
    /// Documents that come on top.
    pub added: Vec<Tree>,
    /// Files that only added documents come from, numbered after those of the site.
    pub files: Vec<String>,
}

impl Changes {
    /// The site without these things.
    #[must_use]
    pub fn without(things: Vec<Thing>) -> Self {
        Self {
            without: things,
            ..Self::default()
        }
    }
}

/// Why a change cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unchangeable {
    /// The site has no such thing; the one that was most likely meant.
    NoSuchThing(Thing, Option<Thing>),
    /// A patch, by its number, has nothing to change.
    Patch(usize, String),
}

impl fmt::Display for Unchangeable {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchThing(thing, None) => write!(to, "there is no {thing}"),
            Self::NoSuchThing(thing, Some(near)) => {
                write!(to, "there is no {thing}; did you mean {near}?")
            }
            Self::Patch(_, why) => to.write_str(why),
        }
    }
}

impl std::error::Error for Unchangeable {}

/// A site with changes: holds what is new in it, so that it can be checked.
#[derive(Debug)]
pub struct Changed<'c> {
    base: &'c Checked<'c>,
    replaced: BTreeMap<u32, Option<Arc<Tree>>>,
    added: Vec<Tree>,
    settings: CheckOptions,
    /// The files, where there are more than those of the site.
    sources: Option<Sources>,
    made: OnceLock<Vec<Tree>>,
    generated: OnceLock<Vec<Generated>>,
}

impl<'a> Checked<'a> {
    /// The site with these changes; nothing is read again.
    ///
    /// # Errors
    /// When the site has no such thing, or a patch has nothing to change.
    pub fn changed<'c>(&'c self, changes: Changes) -> Result<Changed<'c>, Unchangeable>
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
        let mut replaced = self.left_out(&changes.without)?;
        replaced.extend(changes.replaced);
        for (patch, at) in changes.patches.iter().zip(0..) {
            let Some(document) = self.documents.all.get(patch.document as usize) else {
                let why = format!("there is no document {}", patch.document);
                return Err(Unchangeable::Patch(at, why));
            };
            let root = match replaced.get(&patch.document) {
                None => document.node,
                Some(None) => continue,
                Some(Some(tree)) => document.node.instead(tree),
            };
            let tree = edited(root, &patch.pointer, &patch.op)
                .map_err(|why| Unchangeable::Patch(at, why))?;
            replaced.insert(patch.document, Some(Arc::new(tree)));
        }
        Ok(Changed {
            base: self,
            replaced,
            added: changes.added,
            // Variants of a site are checked side by side, each by one thread.
            settings: CheckOptions {
                jobs: 1,
                ..self.settings.clone()
            },
            sources,
            made: OnceLock::new(),
            generated: OnceLock::new(),
        })
    }

    /// The documents that these things are in, without them.
    fn left_out(&self, things: &[Thing]) -> Result<BTreeMap<u32, Option<Arc<Tree>>>, Unchangeable> {
        let mut patches: BTreeMap<u32, Option<yaml::Patch<'_>>> = BTreeMap::new();
        for thing in things {
            self.has(thing)
                .map_err(|near| Unchangeable::NoSuchThing(thing.clone(), near))?;
            for (document, part) in self.all_things().get(thing).into_iter().flatten() {
                let patch = patches
                    .entry(*document)
                    .or_insert_with(|| Some(yaml::Patch::default()));
                match (part, patch.as_mut()) {
                    (None, _) => *patch = None,
                    (Some(_), None) => {}
                    (Some(node), Some(patch)) => drop(patch.replaced.insert(*node, None)),
                }
            }
        }
        let without = |(document, patch): (u32, Option<yaml::Patch<'_>>)| {
            let tree = patch.map(|patch| {
                let root = self.documents.all[document as usize].node;
                let mut builder = TreeBuilder::like(root);
                builder.copy_patched(root, &patch, &|place| place);
                Arc::new(builder.finish())
            });
            (document, tree)
        };
        Ok(patches.into_iter().map(without).collect())
    }
}

impl Changed<'_> {
    /// Checks the site with the changes, by the rules of the original site.
    #[must_use]
    pub fn check(&self) -> Checked<'_> {
        let base = &self.base.documents;
        let sources = self.sources.as_ref().unwrap_or(base.sources);
        let mut sink = self.read();
        let mut touched = Vec::new();
        let mut all = Vec::with_capacity(base.all.len() + self.added.len());
        for document in &base.all {
            let Some(changed) = self.replaced.get(&document.index) else {
                all.push(Document {
                    known: true,
                    ..*document
                });
                continue;
            };
            touched.push(document.kind);
            if let Some(tree) = changed {
                let node = document.node.instead(tree);
                let document = load::read(node, &mut sink);
                touched.push(document.kind);
                all.push(document);
            }
        }
        if !self.added.is_empty() {
            for tree in &self.added {
                let document = load::read(tree.root(""), &mut sink);
                touched.push(document.kind);
                all.push(document);
            }
            let name = |document: &Document<'_>| &sources.get(document.source()).name;
            all.sort_by(|a, b| name(a).cmp(name(b)));
        }
        for (document, index) in all.iter_mut().zip(0..) {
            document.index = index;
        }
        super::recognise(&mut all, &base.repositories, &mut sink);
        let again = touched.contains(&DocumentKind::PolicyGenerator);
        if again {
            // What is made of a text in a kustomization has no generator among the documents.
            all.retain(|document| {
                document.generator().is_none() || generator_of(base, document).is_none()
            });
            for (document, index) in all.iter_mut().zip(0..) {
                document.index = index;
            }
        }
        let mut documents = Documents {
            sources,
            made: &self.made,
            generated: &self.generated,
            repositories: base.repositories.clone(),
            templates: base.templates.clone(),
            all,
        };
        if again {
            intake::generated(&mut documents, true, &mut sink);
        }
        let mut checked = self.by_base(documents, sink, Some(touched));
        checked.hub.clone_from(&self.base.hub);
        checked
    }

    /// Checks of the site what a subject of one system needs: the documents of these numbers, and
    /// those that changed. The rest of the system's inventory is taken over as it was checked.
    #[must_use]
    pub fn check_part(&self, system: System, needed: &[u32]) -> Checked<'_> {
        let base = &self.base.documents;
        let mut sink = self.read();
        let mut numbers: Vec<u32> = needed.iter().chain(self.replaced.keys()).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut all = Vec::with_capacity(numbers.len());
        for index in numbers {
            let document = base.all[index as usize];
            match self.replaced.get(&index) {
                None => all.push(Document {
                    known: true,
                    ..document
                }),
                Some(None) => {}
                Some(Some(tree)) => all.push(Document {
                    index,
                    ..load::read(document.node.instead(tree), &mut sink)
                }),
            }
        }
        super::recognise(&mut all, &base.repositories, &mut sink);
        let documents = Documents {
            sources: base.sources,
            made: &self.made,
            generated: &self.generated,
            repositories: base.repositories.clone(),
            templates: base.templates.clone(),
            all,
        };
        let mut checked = self.by_base(documents, sink, None);
        checked.models.take_over(&self.base.models, system);
        checked
    }

    /// Checks documents by the original site; `touched` are the kinds of all that changed, if no
    /// other documents are left out. A review, which looks at faults anywhere, is made anew.
    fn by_base<'c>(
        &'c self,
        documents: Documents<'c>,
        findings: Sink,
        touched: Option<Vec<DocumentKind>>,
    ) -> Checked<'c> {
        let settings = &self.settings;
        let before = Before {
            site: self.base,
            touched,
        };
        let before = Some(&before).filter(|_| !settings.validating);
        let part = Part::Whole(before);
        of(self.base.loaded, documents, findings, settings, part)
    }

    /// The findings of reading that changed documents have no part in.
    fn read(&self) -> Sink {
        let base = self.base;
        let mut gone: BTreeMap<SourceId, Vec<Span>> = BTreeMap::new();
        for index in self.replaced.keys() {
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
        let read = base.findings.diagnostics[..base.stages.read].iter();
        Sink {
            diagnostics: read.filter(stays).cloned().collect(),
            refusal_hidden: base.findings.refusal_hidden,
            suppressed: Vec::new(),
        }
    }
}
