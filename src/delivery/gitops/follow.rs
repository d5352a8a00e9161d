//! Which clusters are registered with Argo CD.

use std::collections::BTreeSet;
use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::read::GitOpsCluster;
use crate::delivery::application_set::argo::hub::{Objects, Registered};
use crate::delivery::decided::{self, Decided, ways};
use crate::delivery::model::Model;
use crate::delivery::names::{Clusters, Names};
use crate::delivery::row::{Extra, Row};
use crate::ocm::model::Model as Hub;

/// The versions in which a reference may name a Placement.
const VERSIONS: [&str; 2] = [
    "cluster.open-cluster-management.io/v1beta1",
    "cluster.open-cluster-management.io/v1alpha1",
];

/// Why nothing is registered, and what was there is taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The reference is of another kind than Placement.
    Kind,
    /// The version of the reference is none of a Placement.
    Version,
    /// There is no such Placement in the namespace.
    Missing,
    /// The Placement has no decisions.
    Undecided,
}

impl Refused {
    /// Why, in words.
    #[must_use]
    pub fn message(self, consumer: &GitOpsCluster<'_>) -> String {
        let (namespace, name) = (consumer.id.namespace, consumer.placement.name.text);
        match self {
            Self::Kind => {
                let kind = consumer.placement.kind.map_or("", |kind| kind.text);
                format!("`placementRef` is of kind `{kind}`, but only Placement is supported")
            }
            Self::Version => {
                let version = consumer.placement.api_version.map_or("", |one| one.text);
                format!("`placementRef` has apiVersion `{version}`, which no Placement has")
            }
            Self::Missing => format!("no Placement `{name}` in namespace `{namespace}`"),
            Self::Undecided => format!("Placement `{name}` has no PlacementDecision"),
        }
    }
}

/// The clusters that a GitOpsCluster registers: planned, and before.
#[derive(Debug)]
pub struct Answer {
    /// The clusters that will be registered, or why none is.
    pub planned: Result<Clusters, Refused>,
    /// The clusters that the decisions in the documents register; `None` without such decisions.
    pub held: Option<Clusters>,
}

/// Answers every GitOpsCluster.
pub(in crate::delivery) fn answer<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    decided: &Decided<'a>,
    managed: &FixedBitSet,
) -> Vec<Answer> {
    let placements = hub.placements.iter();
    let placements: FxHashSet<_> = placements.map(|one| (one.namespace, one.name)).collect();
    let registers = |objects: &Objects<'a>, consumer: &GitOpsCluster<'a>| {
        let found = objects.of_placement(consumer.id.namespace, consumer.placement.name.text);
        (!found.is_empty()).then(|| {
            let mut clusters = FixedBitSet::clone(&decided::clusters(objects, found));
            clusters.intersect_with(managed);
            Arc::new(clusters)
        })
    };
    let is = |text: &str, known: &[&str]| known.iter().any(|one| one.eq_ignore_ascii_case(text));
    let one = |consumer: &GitOpsCluster<'a>| {
        let placement = &consumer.placement;
        let text = |text: Option<crate::source::Text<'a>>| text.map_or("", |text| text.text);
        let planned = match () {
            () if !is(text(placement.kind), &["Placement"]) => Err(Refused::Kind),
            () if !is(text(placement.api_version), &VERSIONS) => Err(Refused::Version),
            () if !placements.contains(&(consumer.id.namespace, placement.name.text)) => {
                Err(Refused::Missing)
            }
            () => registers(&decided.planned, consumer).ok_or(Refused::Undecided),
        };
        let held = registers(&decided.held, consumer);
        Answer { planned, held }
    };
    model.gitops.iter().map(one).collect()
}

/// The row of every GitOpsCluster.
pub(in crate::delivery) fn follow<'a>(
    model: &Model<'a>,
    answers: &[Answer],
    decided: &Decided<'a>,
) -> Vec<Row<'a>> {
    let row = |(consumer, answer): (&GitOpsCluster<'a>, &Answer)| {
        let (namespace, name) = (consumer.id.namespace, consumer.placement.name.text);
        let read = decided.planned.of_placement(namespace, name);
        Row {
            id: consumer.id,
            via: ways(&decided.planned, read.iter().copied()),
            clusters: answer.planned.clone().unwrap_or_default(),
            was: answer.held.clone(),
            error: answer
                .planned
                .as_ref()
                .err()
                .map(|why| why.message(consumer)),
            extra: Extra::None,
        }
    };
    model.gitops.iter().zip(answers).map(row).collect()
}

/// The clusters that Argo CD of each namespace knows: planned, and before.
pub(in crate::delivery) fn registered<'a>(
    model: &Model<'a>,
    answers: &[Answer],
    names: &Names<'a>,
) -> FxHashMap<&'a str, [Registered<'a>; 2]> {
    let mut found: FxHashMap<&'a str, [Registered<'a>; 2]> = FxHashMap::default();
    let imports: BTreeSet<&str> = model.gitops.iter().map(|one| one.argo.text).collect();
    for namespace in imports {
        let mut sides: [Registered<'a>; 2] = Default::default();
        let secrets = model.foreign.secrets.iter();
        let secrets: Vec<_> = secrets
            .filter(|secret| secret.namespace == namespace)
            .collect();
        for (held, side) in sides.iter_mut().enumerate() {
            side.known = true;
            for (_, answer) in model
                .gitops
                .iter()
                .zip(answers)
                .filter(|(one, _)| one.argo.text == namespace)
            {
                let planned = answer.planned.as_ref().ok();
                let clusters = match held {
                    0 => planned,
                    _ => answer.held.as_ref().or(planned),
                };
                if let Some(clusters) = clusters {
                    side.clusters.union_with(clusters);
                }
            }
            let own: FxHashSet<u32> = secrets
                .iter()
                .filter_map(|one| names.find(&one.cluster))
                .collect();
            let imported = side.clusters.ones().filter_map(|at| u32::try_from(at).ok());
            side.imported = imported.filter(|at| !own.contains(at)).collect();
            for secret in &secrets {
                match names.find(&secret.cluster) {
                    Some(number) => side.clusters.grow_and_insert(number as usize),
                    None => drop(side.others.insert(secret.cluster.to_string())),
                }
                side.secrets.push((*secret).clone());
            }
        }
        found.insert(namespace, sides);
    }
    found
}
