//! The whole site, checked: the five models over one set of documents, and what was found.

mod changed;

pub use changed::{Changed, Changes};

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::airship;
use crate::diagnostic::ignore::{self, Judge};
use crate::diagnostic::{Diagnostic, Sink};
use crate::document::rules::NOT_OURS;
use crate::document::{Document, DocumentKind, Documents};
use crate::hybrid;
use crate::load::Loaded;
use crate::ocm;
use crate::ogc;
use crate::options::Rules;
use crate::senlin;

/// A site as checked: it never changes, and can be planned as often as wanted.
#[derive(Debug)]
pub struct Checked<'a> {
    /// What was read.
    pub loaded: &'a Loaded,
    /// The documents that were checked.
    pub documents: Documents<'a>,
    /// How they were judged.
    pub rules: &'a Rules,
    /// Deployment groups.
    pub airship: Arc<airship::Model<'a>>,
    /// Region placement.
    pub senlin: Arc<senlin::Model<'a>>,
    /// Placements and rollouts.
    pub ocm: Arc<ocm::model::Model<'a>>,
    /// Placement rules.
    pub hybrid: Arc<hybrid::model::Model<'a>>,
    /// Packages and Applications.
    pub ogc: Arc<ogc::model::Model<'a>>,
    /// The findings of reading and checking, as they were found; [`Checked::report`] gives those
    /// to show.
    pub findings: Sink,
    /// How many of them, the first ones, come from reading.
    read: usize,
}

/// How many documents there are (contract, section 3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Documents found, unreadable ones included.
    pub read: usize,
    /// Those of a family that take part.
    pub planned: usize,
    /// The rest, but for refused ones.
    pub not_ours: usize,
}

/// Makes and checks the five models. Refused documents take no part.
#[must_use]
pub fn check<'a>(loaded: &'a Loaded, rules: &'a Rules) -> Checked<'a> {
    let documents = loaded.documents();
    of(loaded, documents, loaded.findings.clone(), rules)
}

/// Checks these documents; `findings` are those of reading them.
fn of<'a>(
    loaded: &'a Loaded,
    documents: Documents<'a>,
    findings: Sink,
    rules: &'a Rules,
) -> Checked<'a> {
    let mut sink = findings;
    let read = sink.diagnostics.len();
    let airship = airship::check(&documents, rules, &mut sink);
    let senlin = senlin::check(&documents, rules, &mut sink);
    let ocm = ocm::check(&documents, rules, &mut sink);
    let hybrid = hybrid::check(&documents, &mut sink);
    let ogc = ogc::check(&documents, rules, &mut sink);
    if rules.strict {
        not_ours(&documents, &mut sink);
    }
    Checked {
        loaded,
        documents,
        rules,
        airship: Arc::new(airship),
        senlin: Arc::new(senlin),
        ocm: Arc::new(ocm),
        hybrid: Arc::new(hybrid),
        ogc: Arc::new(ogc),
        findings: sink,
        read,
    }
}

/// Every document that belongs to no system is an error that does not refuse.
fn not_ours(documents: &Documents<'_>, sink: &mut Sink) {
    let foreign = documents.of(DocumentKind::Foreign);
    for document in foreign.filter(|document| !document.refused) {
        sink.push(
            Diagnostic::new(&NOT_OURS, "no system of planner knows this document")
                .at(document.head().place(), "not planned, not checked")
                .help("leave it out with `exclude` in planner.toml, or do without --strict")
                .not_refusing(),
        );
    }
}

impl Checked<'_> {
    /// The findings to show: those of reading and checking together with `more` (those of a plan,
    /// of expectations), as comments in the documents and configured levels would have them, in
    /// order.
    #[must_use]
    pub fn report(&self, more: &[&Sink]) -> Sink {
        let sources = self.documents.sources;
        let mut sink = self.findings.clone();
        for more in more {
            sink.append((*more).clone());
        }
        if let Some(ignores) = &self.rules.ignores {
            sink.sort(sources);
            let judge = Judge {
                now: self.rules.now,
                reasons: ignores.reasons,
                rules: &ignores.codes,
            };
            let inside = |source, offsets: &[u32]| self.loaded.inside_scalars(source, offsets);
            ignore::apply(&mut sink, sources, inside, judge);
        }
        self.rules.levels.apply(&mut sink);
        sink.sort(sources);
        sink
    }

    /// How the documents count, by what was found in them.
    #[must_use]
    pub fn counts(&self, found: &[&Sink]) -> Counts {
        let documents = &self.documents;
        let refused = refused(documents, found);
        // What is expected of a plan is checked with the site, but it is not planned.
        let foreign = |kind| {
            kind == DocumentKind::Foreign
                || kind == DocumentKind::PlanTest && !self.rules.validating
        };
        let foreign = documents
            .all
            .iter()
            .filter(|document| foreign(document.kind) && !refused.contains(&document.index));
        // Objects that a placement rule asks for are planned although their kind is not ours.
        let claimed = |index: &u32| self.hybrid.claimed.binary_search(index).is_ok();
        let not_ours = foreign.filter(|document| !claimed(&document.index)).count();
        Counts {
            read: documents.all.len() + self.loaded.unreadable,
            planned: documents.all.len() - refused.len() - not_ours,
            not_ours,
        }
    }
}

/// The numbers of the documents in which something was refused, be it by their structure or by
/// what they mean.
fn refused(documents: &Documents<'_>, found: &[&Sink]) -> BTreeSet<u32> {
    let all = &documents.all;
    let by_structure = all.iter().filter(|document| document.refused);
    let mut refused: BTreeSet<u32> = by_structure.map(|document| document.index).collect();
    let found = found.iter().flat_map(|sink| &sink.diagnostics);
    for found in found.filter(|found| found.refuses) {
        let Some(place) = found.primary.as_ref().map(|label| label.place) else {
            continue;
        };
        let before = |document: &Document<'_>| {
            (document.source, document.node.span().start) <= (place.source, place.span.start)
        };
        // Documents are in the order of their places.
        let holder = all[..all.partition_point(before)].last();
        let holds = |document: &&Document<'_>| {
            document.source == place.source && place.span.start < document.node.span().end
        };
        refused.extend(holder.filter(holds).map(|document| document.index));
    }
    refused
}

impl Counts {
    /// Whether the site holds nothing for us.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self.read == self.not_ours
    }
}

#[cfg(test)]
mod tests {
    use super::Checked;

    #[test]
    fn a_checked_site_can_be_planned_by_several_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Checked<'_>>();
        shared::<crate::plan::Plan<'_, '_>>();
    }
}
