//! The whole site, checked: the five models over one set of documents, and what was found.

mod again;
mod alternatives;
mod cascades;
mod changed;
mod checking;
mod consequences;
mod foreign;
mod inputs;
mod intake;
mod refusals;
mod templates;
mod things;

pub use again::{holds, pays};
pub(crate) use alternatives::is_alternative;
pub use alternatives::twins;
pub use changed::{Changed, Changes, Patch, Unchangeable};
pub use checking::Models;
pub use intake::policy_generator;
pub use refusals::Refusal;
pub use things::Thing;

use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use self::checking::{Before, Part, Stages, of};
use crate::diagnostic::Sink;
use crate::diagnostic::ignore::{self, Judge};
use crate::document::secret::hide_in_finding;
use crate::document::{Document, DocumentKind, Documents, Repository};
use crate::load::Loaded;
use crate::options::CheckOptions;
use crate::yaml::{Node, Tree};
use crate::{airship, delivery, hub, senlin};

/// A site as checked: it never changes, and can be planned as often as wanted.
#[derive(Debug)]
pub struct Checked<'a> {
    /// The documents.
    pub loaded: &'a Loaded,
    /// The documents that were checked.
    pub documents: Documents<'a>,
    /// How they were judged.
    pub settings: &'a CheckOptions,
    /// The findings of reading and checking, as they were found; [`Checked::report`] gives those
    /// to show.
    pub findings: Sink,
    /// The snapshot of the hub, merged with the documents, where there is one.
    pub hub: Option<Arc<hub::Merged>>,
    /// Whether no document holds a cluster for its Placements: the clusters are on the hub. What
    /// is lost on trial is no such case.
    pub lacks_clusters: bool,
    models: Models<'a>,
    stages: Stages,
    things: OnceLock<things::Things>,
    /// The places that documents have in files of others.
    patched: OnceLock<refusals::Patched>,
    /// The documents of each object.
    objects: OnceLock<refusals::Objects>,
}

/// The models are part of the site.
impl<'a> Deref for Checked<'a> {
    type Target = Models<'a>;

    fn deref(&self) -> &Models<'a> {
        &self.models
    }
}

/// How many documents there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Documents found, unreadable ones included.
    pub read: usize,
    /// The documents that take part.
    pub planned: usize,
    /// Other documents that are not refused.
    pub not_ours: usize,
    /// The documents that a plan does not depend on (Airship's repositories hold such documents).
    pub left_out: usize,
    /// Documents that are no YAML because they are templates.
    pub templates: usize,
    /// Documents that could not be read.
    pub unreadable: usize,
}

/// Makes and checks the five models. Refused documents take no part.
#[must_use]
pub fn check<'a>(loaded: &'a Loaded, settings: &'a CheckOptions) -> Checked<'a> {
    check_by(loaded, settings, |_| None)
}

/// Checks a site of which a part has been checked with the same settings. Models that depend on no
/// changed document are reused.
#[must_use]
pub fn check_again<'a>(
    loaded: &'a Loaded,
    settings: &'a CheckOptions,
    part: &Checked<'a>,
) -> Checked<'a> {
    check_by(loaded, settings, |documents| {
        again::compare(part, loaded, documents)
    })
}

fn check_by<'b, 'a: 'b>(
    loaded: &'a Loaded,
    settings: &'a CheckOptions,
    before: impl FnOnce(&mut Documents<'a>) -> Option<Before<'b, 'a>>,
) -> Checked<'a> {
    let mut documents = loaded.documents();
    let mut findings = loaded.findings.clone();
    intake::take(loaded, &mut documents, &mut findings);
    let merged = loaded.hub.as_ref().map(|hub| {
        let made = &loaded.merged;
        hub::merge(hub, made, &mut documents, settings.now, &mut findings)
    });
    let before = before(&mut documents);
    let part = Part::Whole(before.as_ref());
    let mut checked = of(loaded, documents, findings, settings, part);
    checked.hub = merged;
    let chooses = delivery::choosing(&checked.delivery);
    let chooses = !checked.ocm.placements.is_empty() || chooses.iter().any(|(all, _)| *all > 0);
    checked.lacks_clusters = chooses && !checked.ocm.holds_clusters;
    checked.judge_sample();
    checked
}

/// Checks the part of a site that reads no documents of these kinds, for [`check_again`]. Its
/// findings are not those of the site.
#[must_use]
pub fn check_without<'a>(
    loaded: &'a Loaded,
    settings: &'a CheckOptions,
    kinds: &[DocumentKind],
) -> Checked<'a> {
    let mut documents = loaded.documents();
    let mut findings = loaded.findings.clone();
    intake::take(loaded, &mut documents, &mut findings);
    let mut checked = of(loaded, documents, findings, settings, Part::Without(kinds));
    checked.judge_sample();
    checked
}

/// The documents of a site before the objects of the hub are put into them.
#[must_use]
pub fn before_hub(loaded: &Loaded) -> Vec<Document<'_>> {
    let mut documents = loaded.documents();
    intake::take(loaded, &mut documents, &mut Sink::default());
    documents.all
}

/// Checks the snapshot of a hub alone, its documents put in the place of those that `instead` has
/// trees for.
#[must_use]
pub fn check_hub<'a>(
    loaded: &'a Loaded,
    settings: &'a CheckOptions,
    instead: &'a [(usize, Tree)],
) -> Checked<'a> {
    let mut documents = loaded.documents();
    documents.all.clear();
    if let Some(hub) = &loaded.hub {
        let text = documents.sources.get(hub.source).text.as_str();
        documents.all.extend(hub.documents(text));
    }
    for (at, tree) in instead {
        if let Some(document) = documents.all.get_mut(*at) {
            document.node = document.node.instead(tree);
        }
    }
    for (document, index) in documents.all.iter_mut().zip(0..) {
        document.index = index;
    }
    let whole = Part::Whole(None);
    of(loaded, documents, Sink::default(), settings, whole)
}

impl Checked<'_> {
    /// Records whether the clusters are a sample. A reused model has it already.
    fn judge_sample(&mut self) {
        let is_sample = self.ocm.looks_like_sample(self.documents.sources);
        if let Some(model) = Arc::get_mut(&mut self.models.ocm) {
            model.is_sample = is_sample && self.hub.is_none();
        }
    }

    /// The findings of reading the documents, as they were found.
    #[must_use]
    pub fn of_reading(&self) -> Sink {
        Sink {
            diagnostics: self.findings.diagnostics[..self.stages.read].to_vec(),
            ..Sink::default()
        }
    }

    /// The findings to show: those of reading and checking together with `more` (those of a plan,
    /// of expectations), as comments in the documents and configured levels would have them, in
    /// order.
    #[must_use]
    pub fn report(&self, more: &[&Sink]) -> Sink {
        let mut sink = self.findings.clone();
        for more in more {
            sink.append((*more).clone());
        }
        cascades::fold(&self.documents, &mut sink);
        consequences::fold(&self.settings.levels, &mut sink);
        self.judged(sink)
    }

    /// Findings as comments in the documents and configured levels would have them, in order.
    /// Where a plan is wanted, what refuses is reported anyway, with what covers it.
    #[must_use]
    pub fn judged(&self, mut sink: Sink) -> Sink {
        let sources = self.documents.sources;
        let planning = !self.settings.validating;
        if let Some(ignores) = &self.settings.ignores {
            sink.sort(sources);
            let judge = Judge {
                now: self.settings.now,
                reasons: ignores.reasons,
                codes: &ignores.codes,
                comments: !planning,
            };
            let inside = |source, offsets: &[u32]| self.loaded.inside_scalars(source, offsets);
            ignore::apply(&mut sink, sources, inside, judge);
        }
        if planning {
            sink.uncover_refusals();
        }
        self.settings.levels.apply(&mut sink, planning);
        let suppressed = sink.suppressed.iter_mut().map(|one| &mut one.diagnostic);
        for found in sink.diagnostics.iter_mut().chain(suppressed) {
            hide_in_finding(found, sources, &self.loaded.builds.secrets);
        }
        if !self.loaded.builds.roots.is_empty() {
            for found in &mut sink.diagnostics {
                let roots = self.roots_of(found);
                if !roots.is_empty() {
                    found.roots = roots;
                }
            }
        }
        sink.sort(sources);
        if !self.loaded.builds.roots.is_empty() {
            sink.dedup();
        }
        sink
    }

    /// Whether documents of a kind take part whatever is wrong with their structure.
    fn takes_refused(&self, kind: DocumentKind) -> bool {
        kind == DocumentKind::ManagedCluster && self.ocm.lenient
    }

    /// The documents that are not ours.
    fn not_ours(&self, refused: &BTreeSet<u32>) -> impl Iterator<Item = &Document<'_>> {
        // What is expected of a plan is checked with the site, but it is not planned.
        let foreign = |kind| {
            kind == DocumentKind::Foreign
                || kind == DocumentKind::PlanTest && !self.settings.validating
        };
        // Objects that a placement rule asks for are planned although their kind is not ours.
        let claimed = |index: &u32| self.hybrid.claimed.binary_search(index).is_ok();
        self.documents.all.iter().filter(move |document| {
            foreign(document.kind)
                && !refused.contains(&document.index)
                && !claimed(&document.index)
        })
    }

    /// How the documents count, by what was found in them.
    #[must_use]
    pub fn counts(&self, found: &[&Sink]) -> Counts {
        self.counts_of(found, |_| true)
    }

    /// How some of the documents count.
    #[must_use]
    pub fn counts_of(&self, found: &[&Sink], is_counted: impl Fn(&Document<'_>) -> bool) -> Counts {
        let documents = || self.documents.all.iter().filter(|one| is_counted(one));
        let counted = documents().count();
        let mut refused = self.refused(found);
        refused.retain(|at| {
            let document = self.documents.all.get(*at as usize);
            document.is_some_and(&is_counted)
        });
        let not_ours = self
            .not_ours(&refused)
            .filter(|one| is_counted(one))
            .count();
        let aside = &self.airship.left_out;
        let left_out = documents().filter(|document| {
            !aside.is_empty()
                && aside.contains(&document.node.place())
                && !refused.contains(&document.index)
        });
        let left_out = left_out.count();
        Counts {
            read: counted + self.loaded.unreadable + self.loaded.templates.len(),
            planned: counted - refused.len() - not_ours,
            not_ours,
            left_out,
            templates: self.loaded.templates.len(),
            unreadable: self.loaded.unreadable,
        }
    }
}

impl Counts {
    /// Whether the site holds nothing for us.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self.read == self.not_ours + self.templates + self.unreadable
    }
}

/// The regions that a document names, and where.
fn regions_in(node: Node<'_>) -> Vec<(String, Node<'_>)> {
    senlin::regions_in(node)
}

/// Gives documents the kind that the documents beside them tell.
fn recognise(all: &mut [Document<'_>], repositories: &[&Repository], sink: &mut Sink) {
    senlin::recognise_profiles(all, sink);
    delivery::recognise(all);
    if repositories.is_empty() {
        airship::recognise(all);
    }
}

impl Checked<'_> {
    /// How many regions the policies of the site name.
    #[must_use]
    pub fn regions(&self) -> usize {
        let sets = self.senlin.sets.iter();
        let policies = sets.filter_map(|set| set.policy.as_ref());
        policies.map(|policy| policy.regions.len()).sum()
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
