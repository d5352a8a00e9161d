//! Objects that policies carry, and faults of theirs that only the clusters of both show.

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use super::read::Policy;
use crate::delivery::findings::say::object;
use crate::delivery::follow::Deliveries;
use crate::delivery::id::Id;
use crate::delivery::model::Model;
use crate::delivery::names::Clusters;
use crate::delivery::row::Extra;
use crate::delivery::rules::{POLICY_TEMPLATE_TWICE, TEMPLATE_LABEL};
use crate::diagnostic::{Diagnostic, Sink};
use crate::kit::plural::first_names;
use crate::ocm::model::Model as Hub;
use crate::source::Text;

/// Cluster names that a message lists at most.
const LISTED: usize = 3;

pub(in crate::delivery) fn planned<'a>(
    model: &Model<'a>,
    deliveries: &Deliveries<'a>,
    hub: &Hub<'a>,
    sink: &mut Sink,
) {
    let rows = deliveries.rows.iter();
    let mut reaching: Vec<(usize, &Clusters)> = rows
        .filter_map(|row| match &row.extra {
            Extra::Policy(about) if !row.clusters.is_clear() => Some((about.policy, &row.clusters)),
            _ => None,
        })
        .collect();
    // Of two the later document is told of.
    reaching.sort_unstable_by_key(|(policy, _)| *policy);
    let reaching = reaching.into_iter();
    let reaching: Vec<(&Policy<'a>, &Clusters)> = reaching
        .map(|(policy, clusters)| (&model.policies[policy], clusters))
        .collect();
    twice(&reaching, deliveries, sink);
    labels(&reaching, deliveries, hub, sink);
}

/// A list of names from numbers of clusters.
fn names(clusters: &FixedBitSet, deliveries: &Deliveries<'_>) -> String {
    let mut all: Vec<&str> = clusters
        .ones()
        .filter_map(|number| u32::try_from(number).ok())
        .map(|number| deliveries.ground.names.name(number))
        .collect();
    all.sort_unstable();
    first_names(all.iter(), LISTED)
}

/// A bearer of a name: its Policy, where the name is, and the clusters that the Policy reaches.
struct Bearer<'p, 'a> {
    id: &'p Id<'a>,
    name: &'p Text<'a>,
    clusters: &'p Clusters,
}

/// Objects of one kind and name that two Policies bring to one cluster.
fn twice<'a>(reaching: &[(&Policy<'a>, &Clusters)], deliveries: &Deliveries<'a>, sink: &mut Sink) {
    let mut bearers: FxHashMap<(&str, &str, &str), Vec<Bearer<'_, 'a>>> = FxHashMap::default();
    for (policy, clusters) in reaching {
        for (group, kind, name) in &policy.carried.objects {
            let before = bearers.entry((*group, *kind, name.text)).or_default();
            let is_own = |last: &Bearer<'_, '_>| last.id.place == policy.id.place;
            if before.last().is_some_and(is_own) {
                continue;
            }
            let meets = |other: &&Bearer<'_, '_>| !other.clusters.is_disjoint(clusters);
            if let Some(first) = before.iter().find(meets) {
                let mut common = FixedBitSet::clone(clusters);
                common.intersect_with(first.clusters);
                let path = |id: &Id<'_>| id.full_name().to_string();
                let message = format!(
                    "Policies `{}` and `{}` both bring {kind} `{}` to {}",
                    path(first.id),
                    path(&policy.id),
                    name.text,
                    names(&common, deliveries)
                );
                sink.push(
                    Diagnostic::new(&POLICY_TEMPLATE_TWICE, message)
                        .at(name.place, "one of them is never applied")
                        .related(first.name.place, "the other one")
                        .help("rename one")
                        .object(object(&policy.id))
                        .not_refusing(),
                );
            }
            before.push(Bearer {
                id: &policy.id,
                name,
                clusters,
            });
        }
    }
}

/// Labels that templates need and clusters lack.
fn labels<'a>(
    reaching: &[(&Policy<'a>, &Clusters)],
    deliveries: &Deliveries<'a>,
    hub: &Hub<'a>,
    sink: &mut Sink,
) {
    let mut lacking: FxHashMap<&str, FixedBitSet> = FxHashMap::default();
    for (policy, clusters) in reaching {
        for (label, place) in &policy.carried.labels {
            let without = lacking.entry(*label).or_insert_with(|| {
                let has = |labels: &[(&str, &str)]| labels.iter().any(|(key, _)| key == label);
                let all = hub.clusters.iter().filter(|cluster| !has(&cluster.labels));
                let numbers = all.filter_map(|one| deliveries.ground.names.find(one.name));
                numbers.map(|number| number as usize).collect()
            });
            if without.is_disjoint(clusters) {
                continue;
            }
            let mut common = without.clone();
            common.intersect_with(clusters);
            let message = format!(
                "the template needs the label `{label}`, which is missing on {}",
                names(&common, deliveries)
            );
            let help =
                format!("label the clusters, or write `index .ManagedClusterLabels \"{label}\"`");
            sink.push(
                Diagnostic::new(&TEMPLATE_LABEL, message)
                    .at(*place, "missing on clusters that it reaches")
                    .help(help)
                    .object(object(&policy.id))
                    .not_refusing(),
            );
        }
    }
}
