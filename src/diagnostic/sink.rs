//! Collects findings; the only place that puts them in order.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::source::{Place, Sources};

use super::{Diagnostic, Severity};

/// Why a finding is not reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suppression {
    /// An ignore comment in the file; its reason and place.
    Ignore {
        /// The reason given.
        reason: Option<String>,
        /// The comment.
        place: Place,
    },
    /// The baseline knows it.
    Baseline,
}

/// A finding that is counted, but not reported.
#[derive(Debug, Clone, PartialEq)]
pub struct Suppressed {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// Why it is not reported.
    pub by: Suppression,
}

/// Findings in the order in which they were found, until they are sorted.
#[derive(Debug, Clone, Default)]
pub struct Sink {
    /// The findings so far.
    pub diagnostics: Vec<Diagnostic>,
    /// A finding that refuses was switched off: it is not shown, but it refused.
    pub refusal_hidden: bool,
    /// Findings that an ignore comment or the baseline covers.
    pub suppressed: Vec<Suppressed>,
}

impl Sink {
    /// Takes a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Takes all findings of another sink.
    pub fn append(&mut self, mut other: Self) {
        self.diagnostics.append(&mut other.diagnostics);
        self.suppressed.append(&mut other.suppressed);
        self.refusal_hidden |= other.refusal_hidden;
    }

    /// The findings that are wanted, as a sink of their own.
    #[must_use]
    pub fn filtered(&self, wanted: impl Fn(&Diagnostic) -> bool) -> Self {
        let kept = self
            .diagnostics
            .iter()
            .filter(|found| wanted(found))
            .cloned();
        Self {
            diagnostics: kept.collect(),
            refusal_hidden: self.refusal_hidden,
            suppressed: Vec::new(),
        }
    }

    /// Reports findings that refuse although something covers them, and says what covers them: they
    /// are why there is no plan.
    pub fn uncover_refusals(&mut self) {
        let suppressed = std::mem::take(&mut self.suppressed);
        for found in suppressed {
            if !found.diagnostic.refuses {
                self.suppressed.push(found);
                continue;
            }
            let covered = found.diagnostic;
            self.diagnostics.push(match found.by {
                Suppression::Ignore { place, .. } => {
                    covered.related(place, "ignored here, but the document is still refused")
                }
                Suppression::Baseline => {
                    covered.add_help("the baseline covers it, but the document is still refused")
                }
            });
        }
    }

    /// Whether something was refused.
    #[must_use]
    pub fn refused(&self) -> bool {
        self.refusal_hidden || self.diagnostics.iter().any(|diagnostic| diagnostic.refuses)
    }

    /// Whether something was refused that was not refused in any of the others.
    #[must_use]
    pub fn refuses_more_than(&self, others: &[&Self]) -> bool {
        let refusals = |sink: &'_ Self| {
            let refusing = sink.diagnostics.iter().filter(|found| found.refuses);
            let mut counts: BTreeMap<_, usize> = BTreeMap::new();
            for found in refusing {
                let key = (found.rule.code, found.object.clone(), found.message.clone());
                *counts.entry(key).or_default() += 1;
            }
            counts
        };
        let hidden = others.iter().any(|other| other.refusal_hidden);
        let mut known = BTreeMap::new();
        for other in others {
            for (key, count) in refusals(other) {
                let most: &mut usize = known.entry(key).or_default();
                *most = count.max(*most);
            }
        }
        let new = |(key, count)| known.get(&key).is_none_or(|known| *known < count);
        (self.refusal_hidden && !hidden) || refusals(self).into_iter().any(new)
    }

    /// Whether there is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.count(Severity::Error) > 0
    }

    /// How many findings ignore comments cover.
    #[must_use]
    pub fn ignored(&self) -> usize {
        let ignored = |found: &&Suppressed| found.by != Suppression::Baseline;
        self.suppressed.iter().filter(ignored).count()
    }

    /// How many findings the baseline covers.
    #[must_use]
    pub fn baselined(&self) -> usize {
        self.suppressed.len() - self.ignored()
    }

    /// How many findings of a severity there are.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.diagnostics
            .iter()
            .filter(|found| found.severity == severity)
            .count()
    }

    /// Leaves out what is said of the same place before, as several builds may share a line; the
    /// findings are in order.
    pub fn dedup(&mut self) {
        self.diagnostics.dedup_by(|next, first| {
            let same = next.rule.code == first.rule.code
                && next.primary == first.primary
                && next.message == first.message;
            if same && next.roots != first.roots {
                first.roots.extend(next.roots.iter().cloned());
                first.roots.sort();
                first.roots.dedup();
            }
            same
        });
    }

    /// Sorts by path, place, code, then message; equal findings are kept once.
    pub fn sort(&mut self, sources: &Sources) {
        self.diagnostics.sort_by(|a, b| compare(a, b, sources));
        self.diagnostics.dedup();
        self.suppressed
            .sort_by(|a, b| compare(&a.diagnostic, &b.diagnostic, sources));
    }
}

fn compare(a: &Diagnostic, b: &Diagnostic, sources: &Sources) -> Ordering {
    let key = |found: &Diagnostic| found.primary.as_ref().map(|label| label.place);
    let name = |place: Place| sources.get(place.source).name.as_str();
    let by_place = match (key(a), key(b)) {
        (Some(a), Some(b)) => name(a).cmp(name(b)).then(a.span.cmp(&b.span)),
        (a, b) => a.is_some().cmp(&b.is_some()),
    };
    by_place
        .then_with(|| a.rule.code.cmp(b.rule.code))
        .then_with(|| a.message.cmp(&b.message))
        .then_with(|| a.object.cmp(&b.object))
}
