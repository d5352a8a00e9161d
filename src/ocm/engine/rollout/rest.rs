//! The outcome of a rollout when every cluster succeeds.

use std::collections::BTreeSet;

use super::{Groups, mandatory, step, waves};
use crate::ocm::model::Strategy;

/// The outcome of a rollout to the clusters of one placement when every cluster succeeds.
#[derive(Debug)]
pub struct Reached<'a> {
    /// The target clusters of the rollout.
    pub clusters: BTreeSet<&'a str>,
    /// Why it ends before all groups, if it does.
    pub stopped: Option<String>,
}

/// Rolls out to groups.
///
/// # Errors
/// The strategy cannot be read: the rollout does not start.
pub fn reached<'a>(groups: &Groups<'a>, strategy: &Strategy<'_>) -> Result<Reached<'a>, String> {
    let first = step(groups, strategy, &[], 0)?;
    Ok(match waves(groups, strategy) {
        Ok(waves) => Reached {
            clusters: waves.into_iter().flatten().collect(),
            stopped: None,
        },
        // An unreadable value is needed only after the groups that come first.
        Err(why) => {
            let mandatory = self::first(groups, strategy);
            let first = first.rollout.iter().map(|state| state.cluster);
            Reached {
                clusters: first.chain(mandatory).collect(),
                stopped: Some(why),
            }
        }
    })
}

/// The clusters of the groups that come first.
#[must_use]
pub fn first<'a>(groups: &Groups<'a>, strategy: &Strategy<'_>) -> BTreeSet<&'a str> {
    let keys = mandatory(groups, &strategy.mandatory);
    let sets = keys.iter().filter_map(|key| groups.get(key));
    sets.flatten().copied().collect()
}
