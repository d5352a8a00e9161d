//! Several sites, each checked on its own. Findings that all of them share are reported once.

use std::collections::{BTreeMap, BTreeSet};

use super::model::Site;
use super::{Model, check, rules, strategy};
use crate::diagnostic::{Diagnostic, Sink};
use crate::document::Documents;
use crate::options::{CheckOptions, Order};
use crate::source::SourceId;

/// A site that was checked beside others.
#[derive(Debug, Clone)]
pub struct Named<'a> {
    /// Its name.
    pub name: &'a str,
    /// The files that it reads.
    files: BTreeSet<SourceId>,
    /// The site; `None` when one of its documents was refused.
    site: Option<Site<'a>>,
}

/// Checks every site on its own.
pub fn check_each<'a>(
    sites: &[Documents<'a>],
    settings: &CheckOptions,
    sink: &mut Sink,
) -> Model<'a> {
    let mut model = Model::default();
    let mut findings = Vec::new();
    for documents in sites {
        let mut found = Sink::default();
        let checked = check(documents, settings, None, &mut found);
        findings.push(found);
        model.reading = checked.reading;
        model.taking_part.extend(checked.taking_part);
        model.left_out.extend(checked.left_out);
        model.each.push(Named {
            name: documents
                .repositories
                .last()
                .and_then(|last| last.site.as_deref())
                .unwrap_or(""),
            files: documents.all.iter().map(|one| one.source()).collect(),
            site: checked.site,
        });
    }
    // A document that one site leaves out may be needed by another.
    let taking_part = &model.taking_part;
    model.left_out.retain(|place| !taking_part.contains(place));
    gather(&model.each, findings, sink);
    model
}

/// Plans every site of a model that was made of several, and gives the notes on them.
pub fn planned_each(model: &Model<'_>, order: Order, sink: &mut Sink) {
    let findings = model.each.iter().map(|named| {
        let mut found = Sink::default();
        if let Some(site) = &named.site {
            rules::planned(&strategy(site, model.reading, order), &mut found);
        }
        found
    });
    gather(&model.each, findings.collect(), sink);
}

/// Findings of all sites as one list. One that concerns only some of the sites that read its file
/// names them.
fn gather(sites: &[Named<'_>], findings: Vec<Sink>, sink: &mut Sink) {
    let mut all: BTreeMap<_, (Diagnostic, Vec<&str>)> = BTreeMap::new();
    for (site, findings) in sites.iter().zip(findings) {
        for found in findings.diagnostics {
            let place = found.primary.as_ref().map(|label| label.place);
            // One repository is said once, whichever sites read it.
            let place = place.filter(|_| found.rule.code != rules::REMOTE_REPOSITORY.code);
            let at = place.map(|place| (place.source, place.span.start));
            let key = (at, found.rule.code, found.message.clone());
            let entry = all.entry(key).or_insert_with(|| (found, Vec::new()));
            entry.1.push(site.name);
        }
    }
    for ((at, ..), (mut found, names)) in all {
        let reads = |site: &&Named<'_>| at.is_none_or(|(source, _)| site.files.contains(&source));
        if at.is_none() && names.len() > 1 {
            found.message = format!("{} (sites {})", found.message, names.join(", "));
        } else if names.len() < sites.iter().filter(reads).count() {
            let word = if names.len() == 1 { "site" } else { "sites" };
            found.message = format!("{} ({word} {})", found.message, names.join(", "));
        }
        sink.push(found);
    }
}
