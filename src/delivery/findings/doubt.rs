//! Policies about which the documents say too little for a finding.

use crate::delivery::model::Model;
use crate::delivery::policy::follow::Bound;
use crate::delivery::policy::read::Policy;

/// Whether a policy may reach more than the documents that were taken say.
pub(in crate::delivery) fn is_doubtful<'a>(
    model: &Model<'a>,
    bound: &Bound<'_, 'a>,
    policy: &Policy<'a>,
) -> bool {
    model.open.has_more_in(policy.id.namespace) || model.doubt.holds(policy, bound.paths(policy))
}
