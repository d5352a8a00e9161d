//! Findings that only a plan can have.

use super::{NO_SINGLE_NODE, OVERCOMMITTED, VOLUME_OUT_OF_BOUNDS};
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::kit::plural::plural;
use crate::ogc::engine::{Item, Outcome, RemovedBy};
use crate::ogc::model::Model;
use crate::ogc::sums::sums;

/// The findings of a plan besides where everything goes: volumes left behind, and
/// Clusters without a Node for both CPU and memory.
pub fn planned(model: &Model<'_>, outcome: &Outcome<'_>, sink: &mut Sink) {
    for item in &outcome.items {
        let (Some(application), Some(cluster)) = (item.of(model), item.cluster) else {
            continue;
        };
        let cluster = &model.clusters[cluster as usize];
        if item.split_node {
            let message = format!(
                "no Node of Cluster `{}` has both the CPU and the memory of Application `{}`",
                cluster.name, item.application
            );
            let asks = format!(
                "needs {} CPU and {} of memory",
                application.cpu.amount.decimal(),
                application.memory.amount.binary()
            );
            sink.push(
                Diagnostic::new(&NO_SINGLE_NODE, message)
                    .at(application.place, asks)
                    .related(cluster.place, "is still planned on this Cluster")
                    .help("plan with --same-node to require one Node with both")
                    .object(object(item)),
            );
        }
        for volume in &item.out_of_bounds {
            let message = format!(
                "{} `{}` of Application `{}` is left behind on Cluster `{}`",
                volume.kind, volume.name, item.application, volume.cluster
            );
            let why = match volume.removed_by {
                RemovedBy::Filter(filter) => format!("it was removed by {}", filter.name()),
                RemovedBy::NotAssigned => "it is not assigned to the Project".to_owned(),
                RemovedBy::Gone => "it is gone".to_owned(),
            };
            sink.push(
                Diagnostic::new(&VOLUME_OUT_OF_BOUNDS, message)
                    .at(volume.place, why)
                    .related(
                        application.place,
                        format!("is planned on Cluster `{}`", cluster.name),
                    )
                    .help("nothing is deleted or copied: move the data, or remove the volume")
                    .object(object(item)),
            );
        }
    }
    overcommitted(model, outcome, sink);
}

/// Clusters on which more is planned than they have; it decides nothing.
pub(super) fn overcommitted(model: &Model<'_>, outcome: &Outcome<'_>, sink: &mut Sink) {
    let sums = sums(model, outcome);
    for sum in sums.iter().filter(|sum| sum.is_overcommitted()) {
        let cluster = &model.clusters[sum.cluster as usize];
        let message = format!(
            "Cluster `{}` is overcommitted: {}",
            cluster.name,
            sum.excess()
        );
        let planned = format!("{} planned here", plural(sum.applications, "Application"));
        sink.push(
            Diagnostic::new(&OVERCOMMITTED, message)
                .at(cluster.place, planned)
                .help("capacity is checked per Application; other Applications are not deducted")
                .object(Object::new("Cluster", cluster.name)),
        );
    }
}

fn object(item: &Item<'_>) -> Object {
    let mut object = Object::new("Application", item.application);
    object.package = Some(item.package.to_owned());
    object
}
