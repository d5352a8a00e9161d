//! One placement, planned on its own, with everything that decided it.

use jiff::Timestamp;

use super::engine::cel::Evaluator;
use super::engine::decisions::{DecidedClusters, Decisions};
use super::engine::hub::Hub;
use super::engine::place::{Detail, Placed, bound_sets, eligible_sets, place};
use super::model::{Model, Placement};

/// A placement, the hub it was planned on, and what came of it.
pub struct Study<'m, 'a> {
    /// The clusters and their sets.
    pub hub: Hub<'m, 'a>,
    /// The decisions so far.
    pub decisions: Decisions<'a>,
    /// The decisions of the placement itself.
    pub own: DecidedClusters,
    /// Evaluates its CEL expressions.
    pub cel: Evaluator<'a>,
    /// The sets that are bound in its namespace.
    pub bound: Vec<&'a str>,
    /// The sets that it takes clusters from.
    pub eligible: Vec<&'a str>,
    /// The placement.
    pub placement: &'m Placement<'a>,
    /// Its outcome.
    pub placed: Placed<'a>,
}

impl<'m, 'a> Study<'m, 'a> {
    /// Plans the placement called `namespace/name`; none if there is no such placement.
    #[must_use]
    pub fn of(model: &'m Model<'a>, now: Timestamp, subject: &str, detail: Detail) -> Option<Self> {
        let (namespace, name) = subject.split_once('/')?;
        let named = |one: &Placement<'_>| one.namespace == namespace && one.name == name;
        let index = model.placements.iter().position(named)?;
        let placement = &model.placements[index];
        let hub = Hub::new(model, now);
        let decisions = Decisions::new(model);
        let mut bound = bound_sets(&hub, std::iter::once(placement.namespace));
        let bound = bound.remove(placement.namespace).unwrap_or_default();
        let cel = Evaluator::default();
        let placed = place(&hub, &decisions, &cel, &bound, index, detail);
        Some(Self {
            own: decisions.decided(placement.namespace, placement.name),
            eligible: eligible_sets(placement, &bound),
            hub,
            decisions,
            cel,
            bound,
            placement,
            placed,
        })
    }
}
