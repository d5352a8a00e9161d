//! A plan from the other side: the subjects placed on a cluster, an object or a region.

use crate::document::System;
use crate::kit::plural::plural;

use super::{Candidate, DecidedBy, Verdict, Why};

/// The subjects placed on a cluster, an object or a region, out of all that could be.
#[derive(Debug, Default)]
pub struct Placed {
    /// The noun for one of them.
    pub what: &'static str,
    /// All of them.
    pub found: Vec<Entry>,
    /// The consumers that follow these subjects there.
    pub delivered: Vec<Entry>,
}

/// A subject, whether it is placed there, and the reason.
#[derive(Debug)]
pub struct Entry {
    /// The subject.
    pub subject: String,
    /// Whether it is placed there.
    pub here: bool,
    /// The reason given by the plan.
    pub reason: String,
}

impl Placed {
    /// The answer about a name that things are placed on.
    #[must_use]
    pub fn why(self, system: System, name: &str) -> Why {
        let (found, delivered) = (self.found, self.delivered);
        let (all, here) = (found.len(), found.iter().filter(|one| one.here).count());
        let mut candidates: Vec<Candidate> = found.into_iter().map(Entry::candidate).collect();
        candidates.sort_by(|a, b| (!a.chosen, &a.name).cmp(&(!b.chosen, &b.name)));
        candidates.extend(delivered.into_iter().map(Entry::candidate));
        Why {
            candidates,
            decided_by: Some(DecidedBy {
                stage: PLAN.to_owned(),
                reason: format!("chosen for {here} of {}", plural(all, self.what)),
            }),
            placed: true,
            ..Why::new(system, name)
        }
    }
}

/// The stage for reasons that concern a whole plan.
const PLAN: &str = "Plan";

impl Entry {
    fn candidate(self) -> Candidate {
        let verdict = Verdict::new(PLAN, self.here, self.reason);
        Candidate::new(self.subject, self.here, vec![verdict])
    }
}
