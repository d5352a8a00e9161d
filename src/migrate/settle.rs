//! The new texts planned over the real clusters. A rule whose result differs there is not written.

use std::collections::{BTreeMap, BTreeSet};

use super::{Migration, Moved, Reason, Reference, Verdict};
use crate::plan::Plan;

/// Clusters by namespace and name of what decided.
type Decided = BTreeMap<(String, String), BTreeSet<String>>;

impl Migration {
    /// Compares the plan of the documents with that of the new texts. Whether some rules stay that
    /// were to move: then the texts are others, and have to be planned once more.
    pub fn settle(&mut self, before: &Plan<'_, '_>, after: &Plan<'_, '_>) -> bool {
        let (rules, placements) = (rules(before), placements(after));
        let has_clusters = !before.site.ocm.clusters.is_empty();
        let mut stays = false;
        for rule in &mut self.rules {
            stays |= !same(rule, has_clusters, &rules, &placements);
        }
        if stays {
            self.without_host();
            return true;
        }
        self.others = self.moved(before, after);
        false
    }

    /// The other decisions that change: other Placements, and the consumers that reach clusters.
    fn moved(&self, before: &Plan<'_, '_>, after: &Plan<'_, '_>) -> Vec<String> {
        let mut found = Vec::new();
        let new: Decided = placements(after);
        for ((namespace, name), had) in placements(before) {
            let has = new.get(&(namespace.clone(), name.clone()));
            if has.is_some_and(|has| *has != had) {
                found.push(format!("Placement {namespace}/{name}"));
            }
        }
        let (old, new) = (reach(before), reach(after));
        for (key, had) in old {
            if new.get(&key).is_some_and(|has| *has != had) {
                let by_hand = |one: &Reference| {
                    one.kind == key.0
                        && one.name == key.2
                        && one.namespace.as_deref().unwrap_or_default() == key.1
                };
                // It is already listed as a reference.
                if self.by_hand().any(by_hand) {
                    continue;
                }
                found.push(if key.1.is_empty() {
                    format!("{} {}", key.0, key.2)
                } else {
                    format!("{} {}/{}", key.0, key.1, key.2)
                });
            }
        }
        found
    }
}

/// Whether the Placement of a rule that moves selects the same clusters; else it stays.
fn same(rule: &mut Moved, has_clusters: bool, rules: &Decided, placements: &Decided) -> bool {
    let Verdict::Moves(proven) = &mut rule.verdict else {
        return true;
    };
    let key = |name: &str| (rule.namespace.clone(), name.to_owned());
    let had = rules.get(&key(&rule.name));
    let has = placements.get(&key(&proven.placement));
    let reason = match (had, has) {
        _ if !has_clusters && proven.limit.is_some() => Reason::NoClusters,
        // Without clusters there is no plan.
        _ if !has_clusters => return true,
        (Some(had), Some(has)) if had == has => {
            proven.clusters = Some(had.iter().cloned().collect());
            return true;
        }
        (Some(had), Some(has)) => Reason::Here(
            has.difference(had).cloned().collect(),
            had.difference(has).cloned().collect(),
        ),
        _ => Reason::Unplanned,
    };
    rule.verdict = Verdict::Stays(reason, None);
    false
}

/// The decisions of rules.
fn rules(plan: &Plan<'_, '_>) -> Decided {
    let rules = plan.deliveries.iter().flat_map(|all| &all.ground.rules);
    let one = |rule: &crate::delivery::placement_rule::follow::Decided<'_>| {
        let clusters = rule.clusters.iter().map(|name| (*name).to_owned());
        let key = (rule.id.namespace.to_owned(), rule.id.name.to_owned());
        (key, clusters.collect())
    };
    rules.map(one).collect()
}

/// The decisions of Placements.
fn placements(plan: &Plan<'_, '_>) -> Decided {
    let mut found = Decided::new();
    if let Some(outcome) = &plan.placements {
        for placed in &outcome.placements.placed {
            let placement = &plan.site.ocm.placements[placed.placement];
            let clusters = outcome.placements.decided(placed).map(str::to_owned);
            let key = (placement.namespace.to_owned(), placement.name.to_owned());
            found.insert(key, clusters.collect());
        }
    }
    found
}

/// The clusters that each consumer reaches, by kind, namespace and name.
fn reach(plan: &Plan<'_, '_>) -> BTreeMap<(String, String, String), BTreeSet<String>> {
    let mut found = BTreeMap::new();
    if let Some(all) = &plan.deliveries {
        for row in &all.rows {
            let id = row.id;
            let names = all.ground.names.of(&row.clusters);
            let names = names.into_iter().map(str::to_owned).collect();
            let key = (
                id.kind.to_owned(),
                id.namespace.to_owned(),
                id.name.to_owned(),
            );
            found.insert(key, names);
        }
    }
    found
}
