//! Faults of the consumers of a site: those that their documents show together, and those that only
//! a plan shows. Each kind finds its own; the findings that several share are here.

pub(super) mod doubt;
pub(super) mod elsewhere;
mod pages;
pub(super) mod placement;
pub(super) mod say;

use self::elsewhere::Elsewhere;
use super::consumer::Followed;
use super::kinds::{self, KINDS};
use super::model::Model;
use super::row::Row;
use super::{placement_rule, policy};
use crate::diagnostic::Sink;
use crate::ocm::model::Model as Hub;
use crate::source::Sources;

/// Reports the faults that the documents show together: a line for each kind.
pub(super) fn check(model: &Model<'_>, hub: &Hub<'_>, sources: &Sources, sink: &mut Sink) {
    let mut elsewhere = Elsewhere::default();
    policy::findings::check(model, hub, &mut elsewhere, sink);
    placement_rule::findings::check(model, hub, sources, sink);
    elsewhere::placements(model, hub, &mut elsewhere);
    elsewhere.say(sources, sink);
}

/// Reports the faults of consumers that only a plan shows.
pub(super) fn planned(followed: Followed<'_, '_>, sink: &mut Sink) {
    let Followed {
        model,
        hub,
        deliveries,
        ..
    } = followed;
    for consumer in KINDS {
        consumer.findings(followed, sink);
    }
    placement_rule::findings::planned(model, deliveries, hub, sink);
    pages::gaps(deliveries, sink);
    let loss = |row: &Row<'_>| {
        let consumer = kinds::of(row.id.kind);
        consumer.map_or_else(String::new, |consumer| consumer.loss(model, row))
    };
    placement::emptied(model, deliveries, hub, &loss, sink);
    if model.reads_decisions() {
        placement::nobody_schedules(model, deliveries, hub, sink);
    }
}
