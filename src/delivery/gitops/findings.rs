//! Findings about GitOpsClusters.

use super::follow::Refused;
use crate::delivery::consumer::Followed;
use crate::delivery::findings::placement::{Missing, missing};
use crate::delivery::findings::say::say;
use crate::delivery::policy::read::Selects;
use crate::delivery::rules::{OTHER_NAMESPACE, PLACEMENT_REFERENCE};
use crate::diagnostic::{Severity, Sink};

/// Reports the faults of GitOpsClusters that only a plan shows.
pub(super) fn planned<'a>(followed: Followed<'_, 'a>, sink: &mut Sink) {
    let Followed {
        model,
        hub,
        deliveries,
        ..
    } = followed;
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
