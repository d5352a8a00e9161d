//! The objects that Argo CD sees in one namespace: decisions, ConfigMaps, and the clusters it
//! knows.

use std::borrow::Cow;
use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

use crate::delivery::application_set::argo::value::Value;
use crate::delivery::names::Names;
use crate::kit::named::Name;
use crate::kit::selector::Selector;
use crate::ocm::model::PLACEMENT_LABEL;
use crate::source::Place;

/// The name by which Argo CD knows the cluster that it runs on.
pub const IN_CLUSTER: &str = "in-cluster";
/// The label of a `PlacementDecision` of a PlacementRule.
pub const RULE_LABEL: &str = "cluster.open-cluster-management.io/placementrule";
/// The address of that cluster.
pub const IN_CLUSTER_SERVER: &str = "https://kubernetes.default.svc";

/// A ConfigMap that says how decisions are read.
#[derive(Debug, Clone)]
pub struct ConfigMap<'a> {
    /// Its name.
    pub name: &'a str,
    /// `data`.
    pub data: Vec<(&'a str, &'a str)>,
    /// Where its name is.
    pub place: Place,
}

impl<'a> ConfigMap<'a> {
    /// An entry, empty where it is not there.
    #[must_use]
    pub fn get(&self, key: &str) -> &'a str {
        let found = self.data.iter().find(|(name, _)| *name == key);
        found.map_or("", |(_, value)| value)
    }
}

/// A Secret by which somebody made a cluster known to Argo CD.
#[derive(Debug, Clone)]
pub struct Secret<'a> {
    /// Its namespace.
    pub namespace: &'a str,
    /// The name of the cluster.
    pub cluster: Cow<'a, str>,
    /// The address of the cluster.
    pub server: Cow<'a, str>,
    /// Its labels.
    pub labels: Vec<(&'a str, &'a str)>,
}

/// One decision of a `PlacementDecision` that a document holds.
#[derive(Debug, Clone)]
pub struct Decision<'a> {
    /// The number of `clusterName`, if it is there.
    pub cluster: Option<(u32, &'a str)>,
    /// `reason`, if it is there.
    pub reason: Option<&'a str>,
    /// All other entries.
    pub more: Box<[(&'a str, Value<'a>)]>,
}

impl<'a> Decision<'a> {
    /// A decision that the hub makes now.
    #[must_use]
    pub fn planned(number: u32, name: &'a str) -> Self {
        Self {
            cluster: Some((number, name)),
            reason: Some(""),
            more: Box::default(),
        }
    }

    /// An entry as text; empty where it is not there.
    #[must_use]
    pub fn text(&self, key: &str) -> Cow<'_, str> {
        let text = match key {
            "clusterName" => self.cluster.map(|(_, name)| name),
            "reason" => self.reason,
            key => {
                let found = self.more.iter().find(|(name, _)| *name == key);
                let text = found.and_then(|(_, value)| value.printed());
                return text.unwrap_or_default();
            }
        };
        Cow::Borrowed(text.unwrap_or(""))
    }
}

/// The decisions of an object.
#[derive(Debug, Clone)]
pub enum Status<'a> {
    /// It has no status, or an empty one.
    None,
    /// Planned ones: the numbers of their clusters.
    Planned(Vec<u32>),
    /// The decisions of a document.
    Held(Vec<Decision<'a>>),
}

/// A `PlacementDecision`.
#[derive(Debug, Clone)]
pub struct Object<'a> {
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: Cow<'a, str>,
    /// Its labels.
    pub labels: Vec<(&'a str, Cow<'a, str>)>,
    /// The decisions.
    pub status: Status<'a>,
}

impl Object<'_> {
    /// The value of a label.
    #[must_use]
    pub fn label(&self, key: &str) -> Option<&str> {
        let found = self.labels.iter().find(|(name, _)| *name == key);
        found.map(|(_, value)| value.as_ref())
    }

    /// The numbers of the decided clusters, in order.
    pub fn clusters(&self) -> impl Iterator<Item = u32> + '_ {
        let (planned, held): (&[u32], &[Decision<'_>]) = match &self.status {
            Status::None => (&[], &[]),
            Status::Planned(clusters) => (clusters, &[]),
            Status::Held(decisions) => (&[], decisions),
        };
        let held = held.iter().filter_map(|decision| decision.cluster);
        let held = held.map(|(number, _)| number);
        planned.iter().copied().chain(held)
    }

    /// Whether a selector chooses it.
    #[must_use]
    pub fn matches(&self, selector: &Selector<'_>) -> bool {
        selector.matches(|key| self.label(key))
    }
}

/// All `PlacementDecision`s at one time, by namespace and name.
#[derive(Debug, Default)]
pub struct Objects<'a> {
    all: Vec<Object<'a>>,
    /// The numbers of those of each Placement.
    of_placements: FxHashMap<String, Vec<usize>>,
    /// The numbers of those of each PlacementRule.
    of_rules: FxHashMap<String, Vec<usize>>,
}

impl<'a> Objects<'a> {
    /// These objects.
    #[must_use]
    pub fn new(mut all: Vec<Object<'a>>) -> Self {
        all.sort_by(|a, b| (a.namespace, &a.name).cmp(&(b.namespace, &b.name)));
        let mut objects = Self::default();
        for (at, object) in all.iter().enumerate() {
            for (label, index) in [
                (PLACEMENT_LABEL, &mut objects.of_placements),
                (RULE_LABEL, &mut objects.of_rules),
            ] {
                if let Some(value) = object.label(label) {
                    let key = format!("{}/{value}", object.namespace);
                    index.entry(key).or_default().push(at);
                }
            }
        }
        objects.all = all;
        objects
    }

    /// The numbers of the objects of a namespace.
    #[must_use]
    pub fn of(&self, namespace: &str) -> std::ops::Range<usize> {
        let from = self.all.partition_point(|one| one.namespace < namespace);
        let to = self.all.partition_point(|one| one.namespace <= namespace);
        from..to
    }

    /// The numbers of the objects of a placement.
    #[must_use]
    pub fn of_placement(&self, namespace: &str, placement: &str) -> &[usize] {
        let found = self
            .of_placements
            .get(&Name::new(namespace, placement).to_string());
        found.map_or(&[], Vec::as_slice)
    }

    /// The numbers of the objects of a PlacementRule.
    #[must_use]
    pub fn of_rule(&self, namespace: &str, rule: &str) -> &[usize] {
        let found = self.of_rules.get(&Name::new(namespace, rule).to_string());
        found.map_or(&[], Vec::as_slice)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, at: usize) -> &Object<'a> {
        &self.all[at]
    }
}

/// The clusters that Argo CD of a namespace knows.
#[derive(Debug, Default)]
pub struct Registered<'a> {
    /// Whether it is known which; else every cluster counts as known.
    pub known: bool,
    /// Their numbers.
    pub clusters: FixedBitSet,
    /// The names of those that have no number.
    pub others: BTreeSet<String>,
    /// The clusters that a `GitOpsCluster` registers and that have no Secret of their own.
    pub imported: Vec<u32>,
    /// The Secrets of the namespace.
    pub secrets: Vec<Secret<'a>>,
}

/// The objects that are the same in every namespace.
#[derive(Debug)]
pub struct Clusters<'s, 'a> {
    /// Their names and numbers.
    pub names: &'s Names<'a>,
    /// The ManagedClusters.
    pub managed: &'s FixedBitSet,
    /// The labels of the ManagedClusters, by number; only where a generator asks for them.
    pub labels: &'s FxHashMap<u32, Vec<(&'a str, &'a str)>>,
    /// The ManagedClusters by the addresses that their documents give.
    pub addresses: &'s FxHashMap<&'a str, &'a str>,
    /// The number of [`IN_CLUSTER`].
    pub in_cluster: u32,
    /// The cluster that Argo CD runs on.
    pub hub: u32,
}

impl Clusters<'_, '_> {
    /// The cluster that Argo CD means by one that it knows.
    #[must_use]
    pub fn meant(&self, known: u32) -> u32 {
        if known == self.in_cluster {
            self.hub
        } else {
            known
        }
    }
}

/// The objects that Argo CD of one namespace sees at one time.
#[derive(Debug)]
pub struct Sight<'s, 'a> {
    /// The namespace.
    pub namespace: &'a str,
    /// The clusters of the site.
    pub clusters: &'s Clusters<'s, 'a>,
    /// The decisions of the site.
    pub objects: &'s Objects<'a>,
    /// The clusters that Argo CD knows.
    pub registered: &'s Registered<'a>,
    /// The ConfigMaps of the site, by namespace and name.
    pub config_maps: &'s FxHashMap<(&'a str, &'a str), ConfigMap<'a>>,
}

impl Sight<'_, '_> {
    /// Whether Argo CD knows a cluster.
    #[must_use]
    pub fn knows(&self, cluster: u32) -> bool {
        !self.registered.known
            || cluster == self.clusters.in_cluster
            || self.registered.clusters.contains(cluster as usize)
    }
}
