//! The clusters of a delivery that an original leaves as they are, whatever they were: what fails
//! takes nothing away.

use std::borrow::Cow;

use super::follow::Deliveries;
use super::kinds;
use super::policy::read::Selects;
use super::row::Row;
use crate::kit::keeps::{Keeps, Way};

/// The part of a row that stays as it is.
#[must_use]
pub fn keeps<'p>(row: &'p Row<'_>, all: &'p Deliveries<'_>) -> Keeps<'p> {
    if row.error.is_some() && kinds::of(row.id.kind).is_some_and(|consumer| consumer.keeps()) {
        return Keeps::All;
    }
    let is_kept = |at: &usize| {
        row.describe().keeps(*at) || {
            let (kind, namespace, name) = row.via[*at].placement;
            let mut kinds = [Selects::Placement, Selects::Rule].into_iter();
            let selects = kinds.find(|selects| selects.kind() == kind);
            let chosen = selects.and_then(|selects| all.ground.chosen(selects, namespace, name));
            chosen.is_some_and(|chosen| chosen.keeps)
        }
    };
    let kept = (0..row.via.len()).filter(is_kept);
    let ways: Vec<Way<'p>> = kept.map(|at| way(row.via[at].placement)).collect();
    if ways.is_empty() {
        Keeps::Nothing
    } else {
        Keeps::Ways(ways)
    }
}

/// The clusters that one of the ways of a row gives.
#[must_use]
pub fn given<'p>(row: &'p Row<'_>, all: &'p Deliveries<'_>, by: &Way<'_>) -> Vec<Cow<'p, str>> {
    let ways = row.via.iter().filter(|via| way(via.placement) == *by);
    let clusters = ways.flat_map(|via| all.ground.names.of(&via.clusters));
    clusters.map(Cow::Borrowed).collect()
}

fn way<'p>((kind, namespace, name): (&'static str, &'p str, &'p str)) -> Way<'p> {
    [kind, namespace, name].map(Cow::Borrowed)
}
