//! The plan: the answers of all systems, and the overall result. Data only.

pub mod again;
mod answer;
pub mod changes;
pub mod detail;
pub mod kept;
mod mark;
pub mod partial;
mod quality;
pub mod row;
pub mod section;
pub mod stake;
pub mod ties;

pub use answer::{Answer, Assignment};
pub use mark::Mark;
pub use partial::{LeftOut, Obstacle, Partial};
pub use quality::Quality;
pub use row::Row;
pub use section::{Answers, Section, has_plan, is_always_planned};

use std::ops::Deref;

use jiff::Timestamp;

use crate::diagnostic::Sink;
use crate::document::System;
use crate::options::Options;
use crate::site::{Checked, Counts};
use crate::{delivery, ocm};

use self::section::Asked;

/// A plan: the answers of all systems, and what came of them.
#[derive(Debug)]
pub struct Plan<'s, 'a> {
    /// The site that is planned.
    pub site: &'s Checked<'a>,
    /// The instant everything was judged at.
    pub now: Timestamp,
    /// Whether full lists are wanted.
    pub trace: bool,
    /// Whether everything asked for was planned: nothing was refused, or it was planned anyway.
    pub complete: bool,
    /// The refused documents that are left out, if the rest is planned all the same.
    pub partial: Option<Partial>,
    /// Why the rest is not planned, if that was to be tried.
    pub obstacle: Option<Obstacle>,
    answers: Answers<'s, 'a>,
    /// The overall result without refusals.
    pub quality: Quality,
    /// Whether there is anything that Proceed would record.
    pub recordable: bool,
    /// The findings that only a plan brings to light.
    pub findings: Sink,
    /// How the documents count by all that was found before placements were planned.
    pub counts: Counts,
}

/// The answers are part of the plan.
impl<'s, 'a> Deref for Plan<'s, 'a> {
    type Target = Answers<'s, 'a>;

    fn deref(&self) -> &Answers<'s, 'a> {
        &self.answers
    }
}

/// Plans a checked site: the one place from which engines are called.
///
/// Documents that are only judged (deployment groups, regions, steps of rollouts) are always
/// planned; the rest only if nothing was refused, or if the remainder is to be planned anyway.
#[must_use]
pub fn make<'s, 'a>(site: &'s Checked<'a>, options: &Options) -> Plan<'s, 'a> {
    make_again(site, options, None)
}

/// Plans a site again: reuses the answers for every model that
/// [`site::check_again`](crate::site::check_again) reused. `before` was planned with the same
/// options.
#[must_use]
pub fn make_again<'s, 'a>(
    site: &'s Checked<'a>,
    options: &Options,
    before: Option<&Plan<'s, 'a>>,
) -> Plan<'s, 'a> {
    let now = site.settings.now;
    let mut findings = Sink::default();
    let (answers, rollouts) = Answers::judged(site, options, &mut findings);
    let counts = site.counts(&[&site.findings, &findings]);
    let refused = site.findings.refused() || findings.refused();
    let refusals = if refused && options.partial && !options.keep_going {
        site.refusals(&[&site.findings, &findings])
    } else {
        None
    };
    let (mut partial, obstacle) = match refusals.as_deref().map(|all| partial::of(site, all)) {
        Some(Ok(partial)) => (Some(partial), None),
        Some(Err(obstacle)) => (None, Some(obstacle)),
        None => (None, None),
    };
    let refused_before = findings.refused();
    let mut plan = Plan {
        site,
        now,
        trace: options.trace,
        complete: !refused || options.keep_going || partial.is_some(),
        partial: None,
        obstacle,
        answers,
        quality: Quality::Invalid,
        recordable: false,
        findings,
        counts,
    };
    let asked = Asked {
        site,
        options,
        complete: plan.complete,
        before: before.map(|before| (before.site, &before.answers)),
    };
    plan.answers.place(&asked, rollouts, &mut plan.findings);
    if let Some((partial, refusals)) = partial.as_mut().zip(refusals.as_deref()) {
        partial::mark(&plan, refusals, partial);
    }
    let missing = partial::missing(site);
    // With `--keep-going` refused documents make any plan invalid.
    if !missing.is_empty() && (!refused || partial.is_some()) {
        let partial = partial.get_or_insert_default();
        partial.left_out.extend(missing);
    }
    plan.partial = partial;
    // An advisor's refused answer is found last, and cannot be left out.
    if plan.partial.is_some() && !refused_before && plan.findings.refused() {
        plan.partial = None;
        plan.complete = false;
    }
    // The ties between systems show only where all systems that place something are planned; groups
    // and regions always are.
    let placing = [System::Ocm, System::Hybrid, System::Ogc];
    if plan.complete
        && placing
            .iter()
            .all(|system| options.systems.contains(system))
    {
        let mut findings = std::mem::take(&mut plan.findings);
        ties::check(&plan, &mut findings);
        plan.findings = findings;
    }
    if let Some(hub) = &site.hub {
        let told = &mut plan.findings.diagnostics;
        told.retain(|found| !found.is_in(hub.source));
    }
    plan.judge();
    plan
}

impl Plan<'_, '_> {
    /// Sets the overall result of the plan: that of its worst section.
    fn judge(&mut self) {
        let qualities = System::ALL.map(|system| (system, self.amounts_to(system)));
        let ready = |(system, quality)| {
            quality == Some(Quality::Ready) && section::is_recorded(self.site, system)
        };
        self.recordable = qualities.into_iter().any(ready);
        // Nothing of it is recorded: it follows from the records of placements.
        let followed = self.followed();
        let followed = followed.map(|all| Quality::of(false, !all.is_unchanged()));
        let qualities = qualities.into_iter().filter_map(|(_, quality)| quality);
        self.quality = qualities
            .chain(followed)
            .max()
            .unwrap_or(Quality::Unchanged);
    }

    /// How many clusters of each kind the documents hold.
    #[must_use]
    pub fn clusters(&self) -> [(usize, &'static str); 2] {
        [
            (self.site.ocm.clusters.len(), "ManagedCluster"),
            (self.site.ogc.clusters.len(), "Cluster"),
        ]
    }

    /// Whether nothing was planned, though nothing was refused.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let placed = |outcome: &ocm::Outcome<'_>| {
            !outcome.placements.placed.is_empty() || !outcome.rollouts.is_empty()
        };
        let followed = |deliveries: &delivery::follow::Deliveries<'_>| !deliveries.rows.is_empty();
        let planned = |system| match system {
            System::Ocm => {
                self.placements.as_ref().is_some_and(placed)
                    || self.followed().is_some_and(followed)
            }
            other => self.amounts_to(other).is_some(),
        };
        !self.refused() && !System::ALL.into_iter().any(planned)
    }

    /// Whether a document was refused.
    #[must_use]
    pub fn refused(&self) -> bool {
        self.site.findings.refused() || self.findings.refused()
    }

    /// The overall result of the plan, with all that is left out of it.
    #[must_use]
    pub fn result(&self) -> Quality {
        match self.partial {
            Some(_) => Quality::Partial,
            None => self.verdict(),
        }
    }

    /// The quality that the exit status and the question to proceed follow: parts of
    /// kustomizations that planner does not build are nobody's fault, unless `--strict` is given.
    #[must_use]
    pub fn verdict(&self) -> Quality {
        match (self.refused(), &self.partial) {
            (true, None) => Quality::Invalid,
            (true, Some(_)) => Quality::Partial,
            (false, Some(_)) if self.site.settings.strict => Quality::Partial,
            (false, _) => self.quality,
        }
    }

    /// The plan, if it is one: `None` where documents were refused and the rest was not planned.
    #[must_use]
    pub fn shown(&self) -> Option<&Self> {
        self.complete.then_some(self)
    }
}
