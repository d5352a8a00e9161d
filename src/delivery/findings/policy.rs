//! Findings about policies.

use super::object;
use crate::delivery::follow::Deliveries;
use crate::delivery::read::Model;
use crate::delivery::rules::POLICY_IN_CLUSTER_NAMESPACE;
use crate::diagnostic::{Diagnostic, Sink};

/// What following policies brought to light.
pub(super) fn planned(model: &Model<'_>, deliveries: &Deliveries<'_>, sink: &mut Sink) {
    let ground = &deliveries.ground;
    for policy in model.policies.iter().filter(|policy| !policy.replica) {
        let namespace = policy.id.namespace;
        if policy.refused.is_none() && ground.has_cluster(namespace) {
            let message = format!(
                "`{namespace}` is the namespace of ManagedCluster `{namespace}`: the hub deletes \
                 policies there"
            );
            sink.push(
                Diagnostic::new(&POLICY_IN_CLUSTER_NAMESPACE, message)
                    .at(policy.id.place, "this policy")
                    .help("move it to another namespace")
                    .object(object(&policy.id))
                    .not_refusing(),
            );
        }
    }
}
