//! Applications without a Cluster, at the line that removed the last one.

use super::UNPLACEABLE;
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::kit::safe::shell_word;
use crate::ogc::describe::failure;
use crate::ogc::engine::{Demand, Failure, Outcome};
use crate::ogc::model::{Application, Model};
use crate::source::Place;

/// Reports every Application that no Cluster is left for.
pub fn unplaceable(model: &Model<'_>, outcome: &Outcome<'_>, sink: &mut Sink) {
    // Without any Cluster the documents do not hold them.
    if model.clusters.is_empty() {
        return;
    }
    for item in &outcome.items {
        let run = item.run.map(|run| &outcome.runs[run as usize]);
        let (Some(application), Some(run)) = (item.of(model), run) else {
            continue;
        };
        let (Some((_, why)), Some(reason)) = (run.failed(), failure(model, item, run)) else {
            continue;
        };
        let mut object = Object::new("Application", item.application);
        object.package = Some(item.package.to_owned());
        let name = item.full_name().to_string();
        sink.push(
            Diagnostic::new(&UNPLACEABLE, format!("{name} cannot be placed: {reason}"))
                .at(place(model, application, why), "leaves no Cluster")
                .related(application.place, "this Application")
                .help(format!(
                    "`planner why {}` gives every reason",
                    shell_word(&name)
                ))
                .object(object),
        );
    }
}

/// The line that removed the last Cluster.
fn place(model: &Model<'_>, application: &Application<'_>, why: &Failure<'_>) -> Place {
    let asked = match why {
        Failure::Available => None,
        Failure::Compute(_) => application.cpu.place,
        Failure::Memory(_) => application.memory.place,
        Failure::Storage(demand) => {
            let mut mounts = model.provided_mounts(application);
            let of_demand = |demand: &Demand| {
                mounts
                    .find(|(request, mount)| {
                        (request.storage, request.mode, mount.access_mode)
                            == (demand.storage, demand.mode, demand.access_mode)
                    })
                    .map(|(_, mount)| mount.place)
            };
            demand.as_ref().and_then(of_demand)
        }
        Failure::Labels(removed) => removed.first().map(|(rule, _)| rule.place),
    };
    asked.unwrap_or(application.place)
}
