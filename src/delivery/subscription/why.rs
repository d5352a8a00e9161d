//! Why a Subscription reaches a cluster or not.

use super::read::Subscription;
use crate::delivery::placement_rule::follow::{NAME_LABEL, label};
use crate::delivery::row::Row;
use crate::delivery::why::study::Study;
use crate::why::Verdict;

impl<'a> Study<'_, 'a> {
    pub(in crate::delivery) fn subscription(
        &self,
        row: &Row<'a>,
        number: u32,
        chosen: bool,
    ) -> Vec<Verdict> {
        let mut subscriptions = self.model.subscriptions.iter();
        let at = subscriptions.position(|one| one.id == row.id);
        let mut verdicts: Vec<Verdict> = Vec::new();
        if let Some(error) = &row.error {
            let refused = at.and_then(|at| self.deliveries.subscriptions.get(at)?.as_ref());
            let place = refused.map_or(row.id.place, |refused| refused.place);
            verdicts.push(Verdict::new("reference", false, error).at(place, ""));
        }
        let selection =
            at.and_then(|at| self.selection(&self.model.subscriptions[at], row, number, chosen));
        // A missing decision says nothing about the cluster.
        let is_undecided = selection
            .as_ref()
            .is_some_and(|verdict| verdict.stage == "decision");
        if !is_undecided {
            let mut ways = row.via.iter();
            let given = ways.any(|via| via.clusters.contains(number as usize));
            verdicts.extend(self.ways(row, number, chosen || given));
        }
        verdicts.extend(selection);
        verdicts
    }

    /// The verdict of a Subscription without a placement of its own on a cluster.
    fn selection(
        &self,
        subscription: &Subscription<'a>,
        row: &Row<'a>,
        number: u32,
        chosen: bool,
    ) -> Option<Verdict> {
        let placement = subscription.placement.as_ref()?;
        if row.error.is_some() {
            return None;
        }
        let cluster = self.deliveries.ground.names.name(number);
        let mut clusters = self.hub.clusters.iter();
        let cluster = clusters.find(|one| one.name == cluster);
        if placement.local {
            let reason = if chosen {
                "`local: true` selects the hub, which is this cluster"
            } else {
                "`local: true` selects only the hub"
            };
            return Some(Verdict::new("placement", chosen, reason).at(placement.place, ""));
        }
        if let Some(reference) = &placement.reference {
            let (what, name) = (reference.selects(), reference.name.text);
            let ground = &self.deliveries.ground;
            let exists = ground.chosen(what, row.id.namespace, name).is_some();
            let none = !exists && row.via.iter().all(|via| via.clusters.is_clear());
            let reason = format!("there is no PlacementDecision for {} `{name}`", what.kind());
            return none.then(|| Verdict::new("decision", false, reason).at(reference.place, ""));
        }
        if placement.clusters.as_ref().is_some_and(Vec::is_empty) && placement.selector.is_none() {
            let reason = if chosen {
                "`clusters: []` selects every cluster"
            } else {
                "`clusters: []` selects every cluster that is not being deleted"
            };
            return Some(Verdict::new("clusters", chosen, reason).at(placement.place, ""));
        }
        if let Some(wanted) = placement.clusters.as_ref().filter(|list| !list.is_empty()) {
            let found = cluster.and_then(|one| label(one, NAME_LABEL));
            let reason = match found {
                Some(found) if chosen => format!("`clusters` lists its label `name`: {found}"),
                Some(found) => format!("`clusters` does not have its label `name`: {found}"),
                None => "`clusters` is compared with the label `name`, which this cluster \
                         lacks"
                    .to_owned(),
            };
            let place = wanted.first().map_or(placement.place, |first| first.place);
            return Some(Verdict::new("clusters", chosen, reason).at(place, ""));
        }
        let Some((_, place)) = &placement.selector else {
            let reason = "names no clusters";
            return Some(Verdict::new("placement", chosen, reason).at(placement.place, ""));
        };
        let reason = if chosen {
            "`clusterSelector` matches its labels"
        } else {
            "`clusterSelector` does not match its labels"
        };
        Some(Verdict::new("selector", chosen, reason).at(*place, ""))
    }
}
