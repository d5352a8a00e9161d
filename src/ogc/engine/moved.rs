//! Which Applications move when Clusters or some Packages change. Packages share only Clusters and
//! Projects, so the model of the other Packages stays valid.

use std::collections::{BTreeMap, BTreeSet};

use super::{Change, Item, Losses, Outcome, Settings, Walk, plan};
use crate::ogc::model::Model;

/// The documents that changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changed<'c> {
    /// Whether Clusters or their Nodes changed.
    pub clusters: bool,
    /// The Packages with changed documents.
    pub packages: BTreeSet<&'c str>,
}

/// The Applications that get another Cluster, by Package and name. `after` has the new Clusters and
/// the changed Packages; it may leave out all others.
#[must_use]
pub fn moved<'a>(
    (before, after): (&Model<'a>, &Model<'a>),
    changed: &Changed<'_>,
    settings: &Settings<'_>,
) -> Vec<(&'a str, &'a str)> {
    let wanted = |package: &&&str| {
        settings.packages.is_empty() || settings.packages.iter().any(|name| name == **package)
    };
    let own = changed.packages.iter().filter(wanted);
    let own: Vec<String> = own.map(|package| (*package).to_owned()).collect();
    let of_own = Settings {
        packages: &own,
        ..*settings
    };
    let mut moved = Vec::new();
    if !own.is_empty() {
        let there = places(after, &plan(after, &of_own));
        let was = places(before, &plan(before, &of_own));
        let names: BTreeSet<_> = was.keys().chain(there.keys()).collect();
        let others = names.into_iter().filter(|at| was.get(at) != there.get(at));
        moved.extend(others.copied());
    }
    if changed.clusters {
        let outcome = plan(before, settings);
        let items = outcome.items.iter();
        let others = items.filter(|item| {
            item.change != Change::Withdraw && !changed.packages.contains(item.package)
        });
        let others: Vec<&Item<'a>> = others.collect();
        let mut filters = Losses {
            walk: Walk::over(before, &after.clusters, settings),
        };
        let there = filters.without(&others, &BTreeSet::new());
        for (item, at) in others.into_iter().zip(there) {
            let was = item.cluster.map(|at| before.clusters[at as usize].name);
            let is = at.map(|at| after.clusters[at as usize].name);
            if was != is {
                moved.push((item.package, item.application));
            }
        }
    }
    moved
}

/// The Cluster of each Application that is there, by Package and name.
fn places<'a>(
    model: &Model<'a>,
    outcome: &Outcome<'a>,
) -> BTreeMap<(&'a str, &'a str), Option<&'a str>> {
    let there = outcome.items.iter();
    let there = there.filter(|item| item.change != Change::Withdraw);
    let place = |item: &Item<'a>| {
        let cluster = item.cluster.map(|at| model.clusters[at as usize].name);
        ((item.package, item.application), cluster)
    };
    there.map(place).collect()
}
