//! The deliveries that remain after a loss.

use crate::delivery::follow::Deliveries;
use crate::delivery::lost::{Changed, Losses};
use crate::delivery::why::subject;
use crate::loss::{DeliveriesLost, Delivery};
use crate::plan::Plan;

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
            subjects: deliveries
                .rows
                .iter()
                .map(|row| subject(&row.id).into())
                .collect(),
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
