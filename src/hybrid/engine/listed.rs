//! Lists of recommendations: which candidates they mean, and their faults.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use super::super::model::{Inventory, ObjectId, Recommendation};
use super::advisors::{Lasting, Reply};
use super::{Finding, Vote};

/// A recommendation with the candidates it fitted at first.
pub(super) struct Listed<'r> {
    first: ObjectId,
    others: Vec<ObjectId>,
    recommendation: Recommendation<'r>,
}

/// The recommendations that match a candidate.
pub(super) type List<'r> = Vec<Listed<'r>>;

/// Faults found, each once.
#[derive(Default)]
pub(super) struct Findings {
    list: Vec<Finding>,
    seen: BTreeSet<(usize, bool, String)>,
}

impl Findings {
    fn push(&mut self, finding: Finding) {
        let (advisor, kind, name) = match &finding {
            Finding::NotACandidate { advisor, name, .. } => (*advisor, false, name),
            Finding::Ambiguous { advisor, name, .. } => (*advisor, true, name),
        };
        if self.seen.insert((advisor, kind, name.clone())) {
            self.list.push(finding);
        }
    }

    pub(super) fn into_list(self) -> Vec<Finding> {
        self.list
    }
}

/// The candidates of a rule as sets.
pub(super) struct Pool<'d, 'm, 'a> {
    pub(super) inventory: &'m Inventory<'a>,
    /// The candidates before the first round, in ascending order.
    pub(super) initial: Vec<ObjectId>,
    /// The candidates that remain.
    pub(super) alive: &'d mut FixedBitSet,
}

impl Pool<'_, '_, '_> {
    /// The recommendations that fit something that is or was a candidate.
    pub(super) fn list<'r>(
        &self,
        advisor: usize,
        written: &[Recommendation<'r>],
        findings: &mut Findings,
    ) -> List<'r> {
        let found = written.iter().filter_map(|recommendation| {
            let fitting = self.inventory.fitting(&recommendation.target);
            let mut ids = fitting.filter(|id| self.initial.binary_search(id).is_ok());
            let Some(first) = ids.next() else {
                findings.push(Finding::NotACandidate {
                    advisor,
                    name: recommendation.target.name.to_owned(),
                    place: recommendation.target.place,
                });
                return None;
            };
            Some(Listed {
                first,
                others: ids.collect(),
                recommendation: *recommendation,
            })
        });
        found.collect()
    }

    /// The votes of a list of which every entry means one candidate, whichever others are left.
    pub(super) fn lasting(
        &self,
        advisor: usize,
        written: &[Recommendation<'_>],
    ) -> Option<Vec<Vote>> {
        let list = self.list(advisor, written, &mut Findings::default());
        let vote = |entry: &Listed<'_>| {
            let vote = (entry.first, entry.recommendation.score);
            entry.others.is_empty().then_some(vote)
        };
        list.iter().map(vote).collect()
    }

    /// The votes of a list, which loses what means nobody any more; none if a recommendation
    /// fits several candidates.
    pub(super) fn votes(
        &self,
        advisor: usize,
        list: &mut List<'_>,
        lasting: Lasting,
        findings: &mut Findings,
    ) -> Option<Reply> {
        let alive = |id: &ObjectId| self.alive.contains(*id as usize);
        list.retain(|entry| alive(&entry.first) || entry.others.iter().any(alive));
        let mut votes = Some(Vec::with_capacity(list.len()));
        for entry in list {
            let Recommendation { target, score } = entry.recommendation;
            let ids = std::iter::once(&entry.first).chain(&entry.others).copied();
            let mut fits = ids.filter(alive);
            let Some(first) = fits.next() else { continue };
            let others: Vec<ObjectId> = fits.collect();
            if others.is_empty() {
                if let Some(votes) = &mut votes {
                    votes.push((first, score));
                }
            } else {
                votes = None;
                findings.push(Finding::Ambiguous {
                    advisor,
                    name: target.name.to_owned(),
                    fits: std::iter::once(first).chain(others).collect(),
                    place: target.place,
                });
            }
        }
        votes.map(|votes| Reply::List(votes, lasting))
    }
}
