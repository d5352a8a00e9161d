//! The deliveries that an original leaves as they are, whatever they were: a plan that fails takes
//! nothing away.

use std::collections::{BTreeMap, BTreeSet};

use super::follow::{Deliveries, Extra, Row};
use super::read::Id;

/// The kinds of consumers that keep all clusters where they fail.
const KEEPING: [&str; 3] = ["ApplicationSet", "Subscription", "DRPlacementControl"];

/// The part of a row that stays as it is.
enum Stays {
    /// All of it.
    Whole,
    /// The clusters that these of its ways gave, by their places.
    Ways(Vec<usize>),
}

/// The consumers that keep clusters which they have before and would not have after: their names,
/// and all clusters that they have then.
#[must_use]
pub fn kept<'a>(
    before: &Deliveries<'_>,
    after: &Deliveries<'a>,
) -> Vec<(Id<'a>, BTreeSet<String>)> {
    let known: BTreeMap<_, _> = before.rows.iter().map(|row| (key(row), row)).collect();
    let mut found = Vec::new();
    for row in &after.rows {
        let Some(stays) = stays(row, after) else {
            continue;
        };
        let Some(old) = known.get(&key(row)) else {
            continue;
        };
        let names = before.ground.names.of(&old.clusters);
        let mut clusters: BTreeSet<&str> = match stays {
            Stays::Whole => names.into_iter().collect(),
            Stays::Ways(ways) => {
                let ways = ways.into_iter().map(|at| row.via[at].placement);
                let ways: Vec<_> = ways.collect();
                let same = old.via.iter().filter(|via| ways.contains(&via.placement));
                let own = same.flat_map(|via| before.ground.names.of(&via.clusters));
                own.filter(|name| names.contains(name)).collect()
            }
        };
        let now = after.ground.names.of(&row.clusters);
        if clusters.iter().all(|name| now.contains(name)) {
            continue;
        }
        clusters.extend(now);
        found.push((row.id, clusters.into_iter().map(str::to_owned).collect()));
    }
    found
}

fn key<'r>(row: &'r Row<'_>) -> (&'static str, &'r str, &'r str) {
    (row.id.kind, row.id.namespace, row.id.name)
}

/// The part of a row that stays as it is, if some does.
fn stays(row: &Row<'_>, after: &Deliveries<'_>) -> Option<Stays> {
    if row.error.is_some() && KEEPING.contains(&row.id.kind) {
        return Some(Stays::Whole);
    }
    if let Extra::Works(about) = &row.extra {
        return (!about.kept.is_empty()).then(|| Stays::Ways(about.kept.clone()));
    }
    // A rule that cannot be decided keeps what it decided.
    let mut failing = after
        .ground
        .rules
        .iter()
        .filter(|rule| rule.error.is_some());
    failing.next()?;
    let is_kept = |at: &usize| {
        let (kind, namespace, name) = row.via[*at].placement;
        let mut failing = after
            .ground
            .rules
            .iter()
            .filter(|rule| rule.error.is_some());
        kind == "PlacementRule"
            && failing.any(|rule| (rule.id.namespace, rule.id.name) == (namespace, name))
    };
    let ways: Vec<usize> = (0..row.via.len()).filter(is_kept).collect();
    (!ways.is_empty()).then_some(Stays::Ways(ways))
}
