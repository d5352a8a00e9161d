//! What the row of an ApplicationSet says.

use std::collections::BTreeMap;

use super::about::About;
use super::argo::run::Application;
use super::follow::Time;
use crate::delivery::describe::{Cells, Describe, Made, NOTHING};
use crate::delivery::follow::Deliveries;
use crate::delivery::model::Model;
use crate::delivery::row::Row;
use crate::kit::plural::plural;

impl<'a> Describe<'a> for About {
    fn is_stuck(&self, row: &Row<'a>) -> bool {
        row.clusters.is_clear() && self.applications == 0
    }

    /// How many Applications it makes, drops, and leaves without a cluster that Argo CD knows.
    fn more(&self) -> Option<String> {
        let mut parts = vec![plural(self.applications, "Application")];
        if self.nameless > 0 {
            parts.push(format!("{} of unknown name", self.nameless));
        }
        if !self.left.is_empty() {
            parts.push(format!("{} dropped", self.left.len()));
        }
        let unregistered = self.notes.unregistered.len();
        if unregistered > 0 {
            let clusters = plural(unregistered, "cluster");
            parts.push(format!("{clusters} not in Argo CD"));
        }
        Some(parts.join(", "))
    }

    /// The Applications of each cluster.
    fn cells(
        &self,
        row: &Row<'a>,
        deliveries: &Deliveries<'a>,
        model: &Model<'a>,
    ) -> Option<Cells> {
        let mut here: BTreeMap<u32, [String; 2]> = BTreeMap::new();
        for one in self.made(deliveries, model)? {
            let Some(cluster) = one.cluster else { continue };
            let name = one.name.unwrap_or_else(|| "of unknown name".to_owned());
            here.entry(cluster)
                .and_modify(|[all, _]| *all = format!("{all}, {name}"))
                .or_insert_with(|| [name.clone(), "selected".to_owned()]);
        }
        for cluster in &self.notes.unregistered {
            let why = "selected, but not in Argo CD".to_owned();
            here.entry(*cluster)
                .or_insert_with(|| [NOTHING.to_owned(), why]);
        }
        let (names, view) = (&deliveries.ground.names, &deliveries.view);
        let set = &model.application_sets[self.set];
        let (before, _) = view.run(set, model, names, Time::Held, false);
        let before = before.map(|made| made.applications).unwrap_or_default();
        let policy = set
            .set
            .applications_sync
            .map_or("sync", |policy| policy.text);
        let deletes = !matches!(policy, "create-only" | "create-update");
        let gone = match (deletes, set.set.preserves) {
            (false, _) => "no longer selected; the Application stays",
            (true, true) => "no longer selected; what was deployed stays",
            (true, false) => "no longer selected; deleted with what it deployed",
        };
        for one in before {
            let Some(cluster) = one.cluster else { continue };
            let name = one.name.unwrap_or_else(|| "of unknown name".to_owned());
            if !row.clusters.contains(cluster as usize) {
                here.entry(cluster)
                    .or_insert_with(|| [name, gone.to_owned()]);
            }
        }
        Some(Cells {
            heads: ["Application", "Because"],
            here,
            gone: gone.to_owned(),
        })
    }

    fn applications(
        &self,
        deliveries: &Deliveries<'a>,
        model: &Model<'a>,
    ) -> Option<Vec<Made<'a>>> {
        let names = &deliveries.ground.names;
        let form = |one: Application| (one.name, one.cluster.map(|at| names.name(at)));
        let made = self.made(deliveries, model)?;
        Some(made.into_iter().map(form).collect())
    }
}

impl About {
    /// Its Applications, made once more: they are not kept. None where it fails.
    fn made<'a>(&self, deliveries: &Deliveries<'a>, model: &Model<'a>) -> Option<Vec<Application>> {
        let set = &model.application_sets[self.set];
        let (names, view) = (&deliveries.ground.names, &deliveries.view);
        let succeeds = self.failure.is_none();
        succeeds.then(|| view.applications(set, model, names, false))
    }
}
