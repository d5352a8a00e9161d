//! A consumer and the clusters that it reaches.

use fixedbitset::FixedBitSet;

use super::id::Id;
use super::names::Clusters;
use super::{addon, application_set, policy, work};

/// One way by which a consumer reaches clusters.
#[derive(Debug, Clone)]
pub struct Via<'a> {
    /// The binding of policies that leads there.
    pub binding: Option<Id<'a>>,
    /// The set of policies that leads there.
    pub set: Option<&'a str>,
    /// The placement or rule: kind, namespace and name.
    pub placement: (&'static str, &'a str, &'a str),
    /// The clusters that it gives; of a restricted one those that are reached anyhow.
    pub clusters: Clusters,
    /// Whether it places nothing (`subFilter: restricted`).
    pub restricted: bool,
}

/// The fields that only one kind of consumer has.
#[derive(Debug, Clone, Default)]
pub enum Extra<'a> {
    /// Nothing more.
    #[default]
    None,
    /// A policy.
    Policy(policy::about::About<'a>),
    /// An ApplicationSet.
    ApplicationSet(Box<application_set::about::About>),
    /// An add-on.
    AddOn(Box<addon::about::About<'a>>),
    /// A replica set of works.
    Works(Box<work::about::About<'a>>),
}

/// One consumer and the clusters that it reaches.
#[derive(Debug, Clone)]
pub struct Row<'a> {
    /// The consumer.
    pub id: Id<'a>,
    /// The ways, in the order in which they are shown.
    pub via: Vec<Via<'a>>,
    /// The clusters that it will reach.
    pub clusters: Clusters,
    /// The clusters that it reaches by what the documents hold; `None` where they hold nothing.
    pub was: Option<Clusters>,
    /// Why it fails, if it does.
    pub error: Option<String>,
    /// More of it, by its kind.
    pub extra: Extra<'a>,
}

impl Row<'_> {
    /// The clusters that come, and those that go; where nothing is held all come.
    #[must_use]
    pub fn moved(&self) -> (FixedBitSet, FixedBitSet) {
        let Some(was) = &self.was else {
            return (FixedBitSet::clone(&self.clusters), FixedBitSet::new());
        };
        let less = |of: &FixedBitSet, other: &FixedBitSet| {
            let mut rest = of.clone();
            rest.difference_with(other);
            rest
        };
        (less(&self.clusters, was), less(was, &self.clusters))
    }

    /// Whether it reaches what it reached.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        let Some(had) = self.was.as_deref() else {
            return self.clusters.is_clear();
        };
        let both = had.intersection_count(&self.clusters);
        had.count_ones(..) == both && self.clusters.count_ones(..) == both
    }

    /// Whether it reached clusters before and reaches none now.
    #[must_use]
    pub fn is_emptied(&self) -> bool {
        let had = self.was.as_ref().is_some_and(|was| !was.is_clear());
        had && self.clusters.is_clear()
    }
}
