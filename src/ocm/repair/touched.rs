//! The placements that a change of a cluster can affect: those that could select it before or
//! after.

use std::collections::BTreeSet;

use crate::document::{Document, DocumentKind, Documents};
use crate::ocm::engine::hub::Hub;
use crate::ocm::model::{ManagedCluster, Model, Placement};
use crate::source::Place;

/// The documents that the decisions of these placements depend on, by number, but for the
/// clusters; `before` and `after` are models with the cluster as it was and as it is. `None` if
/// the cluster came or went.
#[must_use]
pub fn touched(
    documents: &Documents<'_>,
    (before, after): (&Model<'_>, &Model<'_>),
    cluster: &str,
    needs: impl Fn(&Document<'_>) -> bool,
) -> Option<Vec<u32>> {
    let (was, is) = (alone(before, cluster)?, alone(after, cluster)?);
    let now = jiff::Timestamp::UNIX_EPOCH;
    let (was, is) = (Hub::new(&was, now), Hub::new(&is, now));
    let seen = before.placements.iter();
    let seen = seen.filter(|placement| may_select(&was, placement) || may_select(&is, placement));
    let seen: BTreeSet<Place> = seen.map(|placement| placement.place).collect();
    let touched = |document: &&Document<'_>| {
        needs(document)
            || match document.kind {
                DocumentKind::ManagedClusterSetBinding => true,
                DocumentKind::Placement => {
                    let name = document.node.at(&["metadata", "name"]);
                    name.is_some_and(|name| seen.contains(&name.place()))
                }
                _ => false,
            }
    };
    let touched = documents.all.iter().filter(touched);
    Some(touched.map(|document| document.index).collect())
}

/// A hub with one cluster of a model.
fn alone<'a>(model: &Model<'a>, name: &str) -> Option<Model<'a>> {
    let at = model
        .clusters
        .binary_search_by_key(&name, |cluster: &ManagedCluster<'_>| cluster.name)
        .ok()?;
    Some(Model {
        clusters: vec![model.clusters[at].clone()],
        ..Model::default()
    })
}

/// Whether the only cluster of a hub may pass one of the predicates: CEL and whatever is wrong
/// with a selector are left to planning.
fn may_select<'a>(hub: &Hub<'_, 'a>, placement: &Placement<'a>) -> bool {
    let mut predicates = placement.predicates.iter();
    placement.predicates.is_empty()
        || predicates.any(|predicate| {
            let matching = hub.matching_both(&predicate.selector);
            !predicate.cel.is_empty() || matching.map_or(true, |matching| matching.contains(0))
        })
}
