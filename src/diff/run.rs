//! One state of a site, and its plan.

use crate::diagnostic::Sink;
use crate::options::Options;
use crate::plan::{self, Plan};
use crate::site::{Changes, Checked};
use crate::systems::rows;

use super::decisions::{Decisions, decisions, keep};

/// A state of a site, and its decisions.
#[derive(Debug)]
pub struct State<'s, 'a> {
    /// The site.
    pub site: &'s Checked<'a>,
    /// The documents that were refused in planning.
    refused: Sink,
    /// The decisions; refused documents take no part in them.
    pub decisions: Decisions,
}

impl<'s, 'a> State<'s, 'a> {
    /// The state of the site with the decisions of this plan.
    #[must_use]
    pub fn of(plan: &Plan<'s, 'a>) -> Self {
        Self {
            site: plan.site,
            refused: plan.findings.filtered(|found| found.refuses),
            decisions: decisions(plan),
        }
    }
}

impl State<'_, '_> {
    /// Takes what an original leaves as it is for decided so: a consumer that fails keeps what it
    /// had in the earlier plan.
    #[must_use]
    pub fn keeping(mut self, earlier: &Plan<'_, '_>, own: &Plan<'_, '_>) -> Self {
        keep(&mut self.decisions, || rows(earlier), rows(own));
        self
    }
}

/// The decisions of a site with changes, and whether documents were refused that neither side of
/// the difference refuses.
pub(super) fn changed(
    site: &Checked<'_>,
    changes: Changes,
    known: [&State<'_, '_>; 2],
    options: &Options,
) -> (Decisions, bool) {
    let Ok(changed) = site.changed(changes) else {
        return (Decisions::new(), true);
    };
    let site = changed.check();
    let plan = plan::make(&site, options);
    let refused = site
        .findings
        .refuses_more_than(&known.map(|state| &state.site.findings))
        || plan
            .findings
            .refuses_more_than(&known.map(|state| &state.refused));
    (decisions(&plan), refused)
}
