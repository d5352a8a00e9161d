//! Findings about GitOpsClusters.

use super::placement::{Missing, missing};
use super::say;
use crate::delivery::follow::Deliveries;
use crate::delivery::follow::gitops::Refused;
use crate::delivery::read::Model;
use crate::delivery::read::policy::Selects;
use crate::delivery::rules::{OTHER_NAMESPACE, PLACEMENT_REFERENCE};
use crate::diagnostic::{Severity, Sink};
use crate::ocm::model::Model as Hub;

/// Reports the faults that following GitOpsClusters reveals.
pub(super) fn planned<'a>(
    model: &Model<'a>,
    hub: &Hub<'a>,
    deliveries: &Deliveries<'a>,
    sink: &mut Sink,
) {
    for (consumer, answer) in model.gitops.iter().zip(&deliveries.gitops) {
        let reference = &consumer.placement;
        let (id, name) = (&consumer.id, reference.name);
        match &answer.planned {
            Err(Refused::Missing) => {
                let outcome = format!(
                    "GitOpsCluster `{}` registers no cluster, and removes the ones that it \
                     registered",
                    id.name
                );
                let missed = Missing {
                    id,
                    what: Selects::Placement,
                    name: name.text,
                    place: name.place,
                    outcome,
                    held: answer.held.is_some(),
                };
                missing(&missed, (model, hub), sink);
                continue;
            }
            Err(why @ (Refused::Kind | Refused::Version)) => {
                let message = format!("{}: no cluster is registered", why.message(consumer));
                let written = match why {
                    Refused::Kind => reference.kind,
                    _ => reference.api_version,
                };
                let place = written.map_or(reference.place, |written| written.place);
                let help = "write `kind: Placement` and \
                            `apiVersion: cluster.open-cluster-management.io/v1beta1`";
                sink.push(say(
                    &PLACEMENT_REFERENCE,
                    id,
                    (place, "not supported"),
                    message,
                    help,
                ));
            }
            Err(Refused::Undecided) | Ok(_) => {}
        }
        if let Some(written) = reference.namespace
            && written.text != id.namespace
        {
            let message = format!(
                "the hub ignores `placementRef.namespace` `{}`: it looks for the Placement in `{}`",
                written.text, id.namespace
            );
            let found = say(
                &OTHER_NAMESPACE,
                id,
                (written.place, "ignored"),
                message,
                "remove `namespace`, and keep the GitOpsCluster in the namespace of its Placement",
            );
            sink.push(found.severity(Severity::Warning));
        }
    }
}
