//! The reasons that kinds of consumers share.

use crate::delivery::follow::Deliveries;
use crate::delivery::model::Model;
use crate::delivery::row::{Row, Via};
use crate::kit::named::Name;
use crate::ocm::model::Model as Hub;
use crate::why::{Verdict, Why};

/// A site whose deliveries are explained.
pub struct Study<'q, 'a> {
    /// The consumers.
    pub model: &'q Model<'a>,
    /// The placements and clusters.
    pub hub: &'q Hub<'a>,
    /// The clusters of the consumers.
    pub deliveries: &'q Deliveries<'a>,
    /// The reasons of a Placement for one cluster.
    pub placement: &'q dyn Fn(&str, &str) -> Option<Why>,
}

impl<'a> Study<'_, 'a> {
    /// One verdict for each placement that is read: one that gives the cluster is enough.
    pub(in crate::delivery) fn ways(
        &self,
        row: &Row<'a>,
        number: u32,
        given: bool,
    ) -> Vec<Verdict> {
        let verdict = |via: &Via<'a>| {
            let gives = via.clusters.contains(number as usize);
            let reason = match (gives, self.object(row, via, number)) {
                (true, Some(object)) => {
                    format!("selects the cluster: PlacementDecision {object} has it")
                }
                (true, None) => "selects the cluster".to_owned(),
                (false, _) => "does not select the cluster".to_owned(),
            };
            let mut verdict = Verdict::new(way(via), gives, reason);
            verdict.idle = !gives && given;
            verdict
        };
        row.via.iter().map(verdict).collect()
    }

    /// The PlacementDecision by which a reader of decisions comes to a cluster.
    fn object(&self, row: &Row<'a>, via: &Via<'a>, number: u32) -> Option<String> {
        let reads = ["ApplicationSet", "GitOpsCluster", "Subscription"];
        let (kind, namespace, name) = via.placement;
        if !reads.contains(&row.id.kind) {
            return None;
        }
        let objects = &self.deliveries.view.decided.planned;
        let own = match kind {
            "Placement" => objects.of_placement(namespace, name),
            "PlacementRule" => objects.of_rule(namespace, name),
            _ => return None,
        };
        let mut own = own.iter().map(|at| objects.get(*at));
        let holds = own.find(|object| object.clusters().any(|one| one == number))?;
        Some(holds.name.to_string())
    }
}

/// A way in words.
pub(super) fn way(via: &Via<'_>) -> String {
    let (kind, namespace, name) = via.placement;
    let placement = format!("{kind} {}", Name::new(namespace, name));
    match (&via.binding, via.set) {
        (Some(binding), Some(set)) => {
            format!("binding {}, set {set}, {placement}", binding.name)
        }
        (Some(binding), None) => format!("binding {}, {placement}", binding.name),
        _ => placement,
    }
}
