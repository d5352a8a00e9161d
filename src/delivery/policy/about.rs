//! The fields of a row that only a policy has.

use crate::delivery::names::Clusters;

/// The fields that only a policy has.
#[derive(Debug, Clone, Default)]
pub struct About<'a> {
    /// Whether it is disabled.
    pub disabled: bool,
    /// Its action on violations, if it reaches clusters.
    pub remediation: Option<Remediation>,
    /// The policies that it waits for, as `NAMESPACE.NAME`.
    pub after: Vec<String>,
    /// The generator that makes it, if any.
    pub generator: Option<&'a str>,
    /// Where the policy is in the model.
    pub policy: usize,
}

/// The clusters of a policy, by what is done about violations there.
#[derive(Debug, Clone, Default)]
pub struct Remediation {
    /// They are reported.
    pub inform: Clusters,
    /// They are corrected.
    pub enforce: Clusters,
    /// Each template says.
    pub unset: Option<Clusters>,
}
