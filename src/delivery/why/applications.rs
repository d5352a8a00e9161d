//! Why what reads decisions reaches a cluster or not: references, registration, parameters,
//! destinations.

use super::Study;
use crate::delivery::argo::destination::Dropped;
use crate::delivery::follow::applicationset::About;
use crate::delivery::follow::rule::{NAME_LABEL, label};
use crate::delivery::follow::{Extra, Row};
use crate::delivery::read::disaster::Control;
use crate::delivery::read::subscription::Subscription;
use crate::why::Verdict;

impl<'a> Study<'_, 'a> {
    /// A GitOpsCluster, a Subscription or a DRPlacementControl.
    pub(super) fn reader(&self, row: &Row<'a>, number: u32, chosen: bool) -> Vec<Verdict> {
        let mut verdicts: Vec<Verdict> = Vec::new();
        if let Some(error) = &row.error {
            let verdict = Verdict::new("reference", false, error);
            verdicts.push(verdict.at(self.fault(row), ""));
        }
        let mut controls = self.model.controls.iter();
        if let Some(control) = controls.find(|one| one.id == row.id) {
            verdicts.extend(self.control(control, row, number));
            return verdicts;
        }
        let mut ways = row.via.iter();
        let given = ways.any(|via| via.clusters.contains(number as usize));
        let mut subscriptions = self.model.subscriptions.iter();
        let own = subscriptions.find(|one| one.id == row.id);
        let own = own.and_then(|one| self.subscription(one, row, number, chosen));
        // What is not there says nothing of the cluster.
        if own
            .as_ref()
            .is_none_or(|verdict| verdict.stage != "decision")
        {
            verdicts.extend(self.ways(row, number, chosen || given));
        }
        verdicts.extend(own);
        if row.id.kind == "GitOpsCluster" && given && !chosen && row.error.is_none() {
            let reason = "there is no ManagedCluster of that name to register";
            verdicts.push(Verdict::new("registration", false, reason));
        }
        verdicts
    }

    /// Where the reference is that a consumer fails at.
    fn fault(&self, row: &Row<'a>) -> crate::source::Place {
        let mut subscriptions = self.model.subscriptions.iter();
        let at = subscriptions.position(|one| one.id == row.id);
        let refused = at.and_then(|at| self.deliveries.subscriptions.get(at)?.as_ref());
        let mut gitops = self.model.gitops.iter();
        let reference = gitops.find(|one| one.id == row.id);
        let reference = reference.map(|one| one.placement.place);
        let own = refused.map(|refused| refused.place);
        own.or(reference).unwrap_or(row.id.place)
    }

    /// The verdict of a Subscription without a placement of its own on a cluster.
    fn subscription(
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

    /// Where Ramen puts the workload.
    fn control(&self, control: &Control<'a>, row: &Row<'a>, number: u32) -> Option<Verdict> {
        if row.error.is_some() {
            return None;
        }
        let cluster = self.deliveries.ground.names.name(number);
        let (field, target) = match control.action.text {
            "Failover" => ("failoverCluster", control.failover),
            _ => ("preferredCluster", control.preferred),
        };
        let reason = format!("`{field}` is {}", target.text);
        let passes = target.text == cluster;
        Some(Verdict::new("target", passes, reason).at(target.place, ""))
    }

    /// The Placements of what would make a cluster known to the Argo CD of an ApplicationSet.
    pub(super) fn registering(&self, row: &Row<'a>, number: u32) -> Vec<(&'a str, &'a str)> {
        let Extra::ApplicationSet(about) = &row.extra else {
            return Vec::new();
        };
        let namespace = row.id.namespace;
        if about.failure.is_some() || self.registration(namespace, number).passes {
            return Vec::new();
        }
        let gitops = self.model.gitops.iter();
        let fills = gitops.filter(|one| one.argo.text == namespace);
        fills
            .map(|one| (one.id.namespace, one.placement.name.text))
            .collect()
    }

    pub(super) fn application_set(
        &self,
        about: &About,
        row: &Row<'a>,
        number: u32,
        made: &[String],
    ) -> Vec<Verdict> {
        if let Some(failure) = &about.failure {
            let verdict = Verdict::new(failure.why.stage(), false, &failure.message);
            return vec![verdict.at(failure.place, "")];
        }
        let given = row
            .via
            .iter()
            .any(|via| via.clusters.contains(number as usize));
        let mut verdicts = self.ways(row, number, given || !made.is_empty());
        if given {
            verdicts.push(self.registration(row.id.namespace, number));
        }
        if let [first, more @ ..] = made {
            let more = match more.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let reason = format!("Application `{first}`{more} is deployed there");
            verdicts.push(Verdict::new("application", true, reason));
        } else if let Some(left) = about.left.iter().find(|left| left.own == Some(number)) {
            let (stage, reason) = dropped(&left.why);
            verdicts.push(Verdict::new(stage, false, reason).at(left.place, ""));
        } else if verdicts.iter().all(|verdict| verdict.passes) {
            verdicts.push(Verdict::new(
                "application",
                false,
                "no Application is deployed there",
            ));
        }
        verdicts
    }

    /// Whether the Argo CD of a namespace knows a cluster.
    fn registration(&self, namespace: &str, number: u32) -> Verdict {
        let view = &self.deliveries.view;
        let known = view.registered.get(namespace).map(|both| &both[0]);
        let Some(known) = known.filter(|known| known.known) else {
            let reason = "no GitOpsCluster registers clusters with this Argo CD: every cluster \
                          counts as registered";
            return Verdict::new("registration", true, reason);
        };
        if number == view.here.0 || known.clusters.contains(number as usize) {
            return Verdict::new("registration", true, "Argo CD knows the cluster");
        }
        let verdict = Verdict::new("registration", false, "Argo CD does not know the cluster");
        let mut gitops = self.model.gitops.iter();
        match gitops.find(|one| one.argo.text == namespace) {
            Some(one) => verdict.at(one.id.place, "does not register it"),
            None => verdict,
        }
    }
}

/// Why an Application is not made, and at which link.
fn dropped(why: &Dropped) -> (&'static str, String) {
    match why {
        Dropped::Name(name) => ("name", format!("`{name}` is not a valid name")),
        Dropped::Twice(name) => {
            let reason = format!("several clusters generate Application `{name}`: none is created");
            ("name", reason)
        }
        Dropped::Both => ("destination", "it has both `name` and `server`".to_owned()),
        Dropped::Neither => (
            "destination",
            "it has neither `name` nor `server`".to_owned(),
        ),
        Dropped::Address(text) => {
            let reason = format!("`server` is `{text}`, which is not an address");
            ("destination", reason)
        }
        Dropped::Unregistered(name) => {
            ("destination", format!("Argo CD knows no cluster `{name}`"))
        }
    }
}
