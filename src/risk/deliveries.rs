//! The effect of losses on deliveries.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::delivery::follow::Deliveries;
use crate::delivery::lost::{Changed, Losses};
use crate::delivery::row::Row;
use crate::plan::Plan;

/// A delivered consumer as `KIND/NAMESPACE/NAME`; many losses share one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Delivery(Arc<str>);

impl Delivery {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    fn of(row: &Row<'_>) -> Self {
        Self(crate::delivery::why::subject(&row.id).into())
    }
}

impl Serialize for Delivery {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Delivery {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(|text| Self(text.into()))
    }
}

/// The effect of a loss on deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DeliveriesLost {
    /// The consumers that reach fewer clusters, or others, by name.
    pub lost: Vec<Delivery>,
    /// The consumers that reached clusters and reach none any more.
    pub unreached: Vec<Delivery>,
    /// The consumers that reach clusters they did not reach before.
    pub moved: Vec<Delivery>,
}

impl DeliveriesLost {
    /// Whether there is no difference.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    fn add(&mut self, delivery: &Delivery, was: &FixedBitSet, now: &FixedBitSet) {
        if !was.is_subset(now) {
            self.lost.push(delivery.clone());
        }
        if !was.is_clear() && now.is_clear() {
            self.unreached.push(delivery.clone());
        }
        if !now.is_subset(was) {
            self.moved.push(delivery.clone());
        }
    }

    pub(super) fn sort(&mut self) {
        self.lost.sort();
        self.unreached.sort();
        self.moved.sort();
    }
}

/// The deliveries of a plan, prepared to find those that remain after a loss.
pub(super) struct DeliveryLosses<'p, 'a> {
    deliveries: &'p Deliveries<'a>,
    subjects: Vec<Delivery>,
    losses: Losses<'p, 'a>,
}

impl<'p, 'a> DeliveryLosses<'p, 'a> {
    pub(super) fn of(plan: &'p Plan<'_, 'a>) -> Option<Self> {
        let deliveries = plan.deliveries.as_ref()?;
        Some(Self {
            deliveries,
            subjects: deliveries.rows.iter().map(Delivery::of).collect(),
            losses: Losses::new(&plan.site.delivery, &plan.site.ocm, deliveries),
        })
    }

    /// The deliveries lost with these clusters, by the changed placements; `None` if the deliveries
    /// have to be followed again.
    pub(super) fn lose(&self, lost: &[u32], changed: &Changed<'a>) -> Option<DeliveriesLost> {
        let mut found = DeliveriesLost::default();
        for (at, now) in self.losses.of(lost, changed)? {
            found.add(&self.subjects[at], &self.deliveries.rows[at].clusters, &now);
        }
        Some(found)
    }
}

/// The deliveries that differ in another plan.
pub(super) fn compare(before: &Plan<'_, '_>, after: &Plan<'_, '_>) -> DeliveriesLost {
    let mut found = DeliveriesLost::default();
    let Some(old) = &before.deliveries else {
        return found;
    };
    let nothing = Deliveries::default();
    let new = after.deliveries.as_deref().unwrap_or(&nothing);
    let key = |row: &Row<'_>| {
        (
            row.id.kind,
            row.id.namespace.to_owned(),
            row.id.name.to_owned(),
        )
    };
    let rows: FxHashMap<_, &Row<'_>> = new.rows.iter().map(|row| (key(row), row)).collect();
    // The numbers of clusters are those of the first plan.
    let numbers: Vec<Option<u32>> = (0..new.ground.names.len())
        .map(|at| {
            old.ground
                .names
                .find(new.ground.names.name(u32::try_from(at).ok()?))
        })
        .collect();
    for row in &old.rows {
        let mut now = FixedBitSet::new();
        if let Some(row) = rows.get(&key(row)) {
            for at in row.clusters.ones().filter_map(|at| numbers[at]) {
                now.grow_and_insert(at as usize);
            }
        }
        found.add(&Delivery::of(row), &row.clusters, &now);
    }
    found
}
