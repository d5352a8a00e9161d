//! The whole site: the five models over one set of documents.

use std::collections::BTreeSet;

use crate::airship;
use crate::diagnostic::Sink;
use crate::document::{Document, DocumentKind, Documents};
use crate::hybrid;
use crate::ocm;
use crate::ogc;
use crate::options::Options;
use crate::senlin;

/// The checked models of a site.
#[derive(Debug)]
pub struct Site<'a> {
    /// Deployment groups.
    pub airship: airship::Model<'a>,
    /// Region placement.
    pub senlin: senlin::Model<'a>,
    /// Placements and rollouts.
    pub ocm: ocm::model::Model<'a>,
    /// Placement rules.
    pub hybrid: hybrid::model::Model<'a>,
    /// Packages and Applications.
    pub ogc: ogc::model::Model<'a>,
    /// How the documents were counted.
    pub counts: Counts,
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
pub fn check<'a>(
    documents: &Documents<'a>,
    unreadable: usize,
    options: &Options,
    sink: &mut Sink,
) -> Site<'a> {
    let airship = airship::lower(documents, options, sink);
    let senlin = senlin::lower(documents, options, sink);
    let ocm = ocm::lower(documents, options, sink);
    let hybrid = hybrid::lower(documents, options, sink);
    let ogc = ogc::lower(documents, options, sink);
    if options.validating {
        crate::expect::check(documents, sink);
    }
    let refused = refused(documents, sink);
    // What is expected of a plan is checked with the site, but it is not planned.
    let foreign = |kind| {
        kind == DocumentKind::Foreign || kind == DocumentKind::PlanTest && !options.validating
    };
    let foreign = documents
        .all
        .iter()
        .filter(|document| foreign(document.kind) && !refused.contains(&document.index));
    // Objects that a placement rule asks for are planned although their kind is not ours.
    let claimed = |index: &u32| hybrid.claimed.binary_search(index).is_ok();
    let not_ours = foreign.filter(|document| !claimed(&document.index)).count();
    let read = documents.all.len() + unreadable;
    let planned = documents.all.len() - refused.len() - not_ours;
    Site {
        airship,
        senlin,
        ocm,
        hybrid,
        ogc,
        counts: Counts {
            read,
            planned,
            not_ours,
        },
    }
}

/// The numbers of the documents in which something was refused, be it by their structure or by
/// what they mean.
fn refused(documents: &Documents<'_>, sink: &Sink) -> BTreeSet<u32> {
    let all = &documents.all;
    let by_structure = all.iter().filter(|document| document.refused);
    let mut refused: BTreeSet<u32> = by_structure.map(|document| document.index).collect();
    for found in sink.diagnostics.iter().filter(|found| found.refuses) {
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
