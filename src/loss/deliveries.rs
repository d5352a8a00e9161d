//! The effect of losses on deliveries.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A delivered consumer as `KIND/NAMESPACE/NAME`; many losses share one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Delivery(Arc<str>);

impl Delivery {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl From<String> for Delivery {
    fn from(subject: String) -> Self {
        Self(subject.into())
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

    /// Counts a consumer that reached some clusters and reaches others now.
    pub fn add(&mut self, delivery: &Delivery, was: &FixedBitSet, now: &FixedBitSet) {
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
