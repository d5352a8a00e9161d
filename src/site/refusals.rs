//! The refused documents of a site, and texts that are none.

use std::collections::{BTreeMap, BTreeSet};

use super::Checked;
use super::alternatives::is_left_out;
use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::document::secret::hide_in_finding;
use crate::document::{Document, kind_in_text};
use crate::load;
use crate::source::{Place, SourceId, Span};

/// Places by file, each with the number of the document that has it.
pub(super) type Patched = FxHashMap<SourceId, Vec<(Span, u32)>>;

/// The kind, the name and the namespace of an object.
type Identity = (String, String, Option<String>);

/// The numbers of the documents that define each object.
pub(super) type Objects = FxHashMap<Identity, Vec<u32>>;

/// A refused document or text, and why.
#[derive(Debug, Clone)]
pub struct Refusal<'s, 'a> {
    /// The documents: one, several that define one object, or none where a text is not YAML.
    pub documents: Vec<&'s Document<'a>>,
    /// The text that is not YAML.
    pub text: Option<&'s str>,
    /// The kind of ours that the text names.
    pub kind: Option<&'static str>,
    /// The kustomizations that are not built.
    pub not_built: Vec<&'s str>,
    /// Where.
    pub place: Place,
    /// The other places that have to do with it.
    pub also: Vec<Place>,
    /// Why.
    pub reason: String,
}

/// Codes of faults that make a text no YAML, but concern one document alone.
const OF_TEXT: [&str; 5] = [
    "planner::yaml::bad_merge",
    "planner::yaml::collection_key",
    "planner::yaml::recursive_alias",
    "planner::yaml::syntax",
    "planner::yaml::undefined_alias",
];

impl<'a> Checked<'a> {
    /// The documents that a place is in: several where builds share it.
    #[must_use]
    pub fn holders(&self, place: Place) -> Vec<&Document<'a>> {
        let all = &self.documents.all;
        let start = |document: &Document<'_>| (document.source(), document.node.span().start);
        let before = |document: &Document<'_>| start(document) <= (place.source, place.span.start);
        // Documents are in the order of their places.
        let to = all.partition_point(before);
        let last = all[..to].last().filter(|document| {
            document.source() == place.source && place.span.start < document.node.span().end
        });
        let from = last.map_or(to, |last| {
            all.partition_point(|document| start(document) < start(last))
        });
        let mut holders: Vec<&Document<'a>> = all[from..to].iter().collect();
        let elsewhere = self.patched().get(&place.source).into_iter().flatten();
        let numbers = elsewhere.filter(|(span, _)| {
            (span.start..span.end.max(span.start + 1)).contains(&place.span.start)
        });
        let mut numbers: Vec<u32> = numbers.map(|(_, number)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let patched = numbers.into_iter().filter_map(|at| all.get(at as usize));
        let patched: Vec<&Document<'a>> = patched.collect();
        // What a patch gives to a document is in the document.
        if !patched.is_empty() {
            holders = patched;
        }
        holders
    }

    /// The places in other files than its own that a document is built from, with its number.
    fn patched(&self) -> &Patched {
        self.patched.get_or_init(|| {
            let mut all = Patched::default();
            if self.loaded.builds.roots.is_empty() {
                return all;
            }
            for document in &self.documents.all {
                let mut open = vec![document.node];
                while let Some(node) = open.pop() {
                    let Place { source, span } = node.place();
                    if source != document.source() {
                        all.entry(source).or_default().push((span, document.index));
                    }
                    open.extend(node.items());
                    open.extend(node.entries().flat_map(|(key, value)| [key, value]));
                }
            }
            all
        })
    }

    /// The documents that define each object: many builds may share one place.
    fn objects(&self) -> &Objects {
        self.objects.get_or_init(|| {
            let mut all = Objects::default();
            for document in &self.documents.all {
                let own = identity(document.object());
                all.entry(own).or_default().push(document.index);
            }
            all
        })
    }

    /// The documents in which a finding says that something was refused: where a plan leaves out
    /// an object that is defined twice, both.
    fn refused_by<'s>(&'s self, found: &Diagnostic) -> Vec<&'s Document<'a>> {
        let both = is_left_out(found) && !self.settings.validating;
        let first = found.related.first().filter(|_| both);
        let labels = found.primary.iter().chain(first);
        let mut documents: Vec<&Document<'a>> =
            labels.flat_map(|label| self.holders(label.place)).collect();
        // Its object is looked up only where it tells documents apart.
        if documents.len() > 1 && !both {
            let own = found.object.clone().map(identity);
            let numbers = own.and_then(|own| self.objects().get(&own));
            let numbers = numbers.into_iter().flatten();
            let held = numbers.filter_map(|number| {
                let held = documents.binary_search_by_key(number, |one| one.index);
                held.ok().map(|at| documents[at])
            });
            let meant: Vec<&Document<'a>> = held.collect();
            if !meant.is_empty() {
                documents = meant;
            }
        }
        documents.sort_by_key(|document| document.index);
        documents.dedup_by_key(|document| document.index);
        documents
    }

    /// The kustomizations that make the documents that a finding is about.
    pub(super) fn roots_of(&self, found: &Diagnostic) -> Vec<String> {
        let built = &self.loaded.builds.roots;
        let documents = self.refused_by(found);
        let numbers = documents.iter().flat_map(|document| document.roots());
        let names = numbers.filter_map(|number| built.get(*number as usize));
        let mut names: Vec<String> = names.map(|root| root.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The documents that were refused by their structure.
    fn refused_by_structure(&self) -> impl Iterator<Item = &Document<'a>> {
        let all = self.documents.all.iter();
        all.filter(|document| document.refused && !self.takes_refused(document.kind))
    }

    /// The numbers of the documents in which something was refused, be it by their structure or
    /// by what they mean.
    #[must_use]
    pub(crate) fn refused(&self, found: &[&Sink]) -> BTreeSet<u32> {
        let mut refused: BTreeSet<u32> = self.refused_by_structure().map(|one| one.index).collect();
        let found = found.iter().flat_map(|sink| &sink.diagnostics);
        let by_meaning = found.filter(|found| found.refuses);
        refused.extend(
            by_meaning
                .flat_map(|found| self.refused_by(found))
                .map(|one| one.index),
        );
        refused
    }

    /// The refused documents, in the order of their places; `None` if they cannot be told, as of a
    /// file that was not read.
    #[must_use]
    pub fn refusals(&self, found: &[&Sink]) -> Option<Vec<Refusal<'_, 'a>>> {
        let mut of_documents: BTreeMap<u32, Refusal<'_, 'a>> = BTreeMap::new();
        let mut of_texts: BTreeMap<Place, Refusal<'_, 'a>> = BTreeMap::new();
        let found = found.iter().flat_map(|sink| &sink.diagnostics);
        for found in found.filter(|found| found.refuses) {
            let place = found.primary.as_ref()?.place;
            let mut shown = found.clone();
            let copied = &self.loaded.builds.secrets;
            hide_in_finding(&mut shown, self.documents.sources, copied);
            let mut refusal = Refusal {
                documents: self.refused_by(found),
                text: None,
                kind: None,
                not_built: self.loaded.builds.stopped_at(place),
                place,
                also: also(found),
                reason: shown.message.clone(),
            };
            let first = refusal.documents.first().map(|document| document.index);
            if let Some(first) = first.filter(|_| refusal.not_built.is_empty()) {
                let known = of_documents.entry(first).or_insert_with(|| refusal.clone());
                for document in refusal.documents {
                    if known
                        .documents
                        .iter()
                        .all(|one| one.index != document.index)
                    {
                        known.documents.push(document);
                    }
                }
                continue;
            }
            if !refusal.not_built.is_empty() {
                refusal.documents.clear();
                of_texts.entry(place).or_insert(refusal);
                continue;
            }
            if !OF_TEXT.contains(&found.rule.code) {
                return None;
            }
            let text = self.documents.sources.get(place.source).text.as_str();
            let own = load::document_around(text, place.span.start as usize);
            let mut start = place;
            start.span.start = u32::try_from(own.start).unwrap_or(u32::MAX);
            start.span.end = start.span.start;
            let own = &text[own];
            refusal.text = Some(own);
            refusal.kind = kind_in_text(own).map(|(kind, _)| kind);
            of_texts.entry(start).or_insert(refusal);
        }
        let known = of_documents.values().flat_map(|one| &one.documents);
        let known: BTreeSet<u32> = known.map(|one| one.index).collect();
        for document in self.refused_by_structure() {
            if known.contains(&document.index) {
                continue;
            }
            let refusal = Refusal {
                documents: vec![document],
                text: None,
                kind: None,
                not_built: Vec::new(),
                place: document.head().place(),
                also: Vec::new(),
                reason: "refused".to_owned(),
            };
            of_documents.insert(document.index, refusal);
        }
        let all = of_documents.into_values().chain(of_texts.into_values());
        let mut all: Vec<Refusal<'_, 'a>> = all.collect();
        all.sort_by_key(|refusal| refusal.place);
        Some(all)
    }
}

fn identity(object: Object) -> Identity {
    (object.kind, object.name, object.namespace)
}

/// The other places of what is refused: of an object that is defined twice the first one, not
/// those where the two differ.
fn also(found: &Diagnostic) -> Vec<Place> {
    let only = if is_left_out(found) { 1 } else { usize::MAX };
    let labels = found.related.iter().take(only);
    labels.map(|label| label.place).collect()
}
