//! Why an ApplicationSet reaches a cluster or not: references, registration, parameters,
//! destinations.

use std::collections::BTreeMap;

use super::about::About;
use super::argo::destination::Dropped;
use crate::delivery::consumer::Links;
use crate::delivery::row::{Extra, Row};
use crate::delivery::why::study::Study;
use crate::why::Verdict;

/// The verdicts of every link to an ApplicationSet.
pub(super) fn links<'q, 'a>(study: &'q Study<'_, 'a>, row: &'q Row<'a>) -> Links<'q> {
    let Extra::ApplicationSet(about) = &row.extra else {
        return Box::new(|_, _| Vec::new());
    };
    let set = &study.model.application_sets[about.set];
    let (view, names) = (&study.deliveries.view, &study.deliveries.ground.names);
    let mut made: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for application in view.applications(set, study.model, names, false) {
        if let Some(cluster) = application.cluster {
            let name = application.name;
            let name = name.unwrap_or_else(|| "an unknown name".to_owned());
            made.entry(cluster).or_default().push(name);
        }
    }
    Box::new(move |number, _| {
        let made = made.get(&number).map_or(&[][..], Vec::as_slice);
        study.application_set(about, row, number, made)
    })
}

impl<'a> Study<'_, 'a> {
    /// The Placements of what would make a cluster known to the Argo CD of an ApplicationSet.
    pub(in crate::delivery) fn registering(
        &self,
        row: &Row<'a>,
        number: u32,
    ) -> Vec<(&'a str, &'a str)> {
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

    fn application_set(
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
