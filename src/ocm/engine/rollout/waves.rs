//! The waves of a rollout in which everything goes well.

use std::collections::BTreeSet;

use super::limits::size;
use super::{Groups, mandatory, step, visible};
use crate::ocm::model::{Strategy, StrategyKind};

/// The waves of a rollout from a clean start, every cluster taken to succeed and to soak before
/// the next step: what [`step`] gives one after the other, without taking the steps.
///
/// # Errors
/// As [`step`].
pub fn waves<'a>(
    groups: &Groups<'a>,
    strategy: &Strategy<'_>,
) -> Result<Vec<Vec<&'a str>>, String> {
    step(groups, strategy, &[], 0)?;
    let visible = visible(groups);
    let mut waves = Vec::new();
    let mut started = BTreeSet::new();
    let mut start = |clusters: &mut dyn Iterator<Item = &'a str>| {
        let wave: Vec<&'a str> = clusters
            .filter(|cluster| started.insert(*cluster))
            .collect();
        if !wave.is_empty() {
            waves.push(wave);
        }
    };
    let mandatory = match strategy.kind {
        StrategyKind::All => BTreeSet::new(),
        _ => mandatory(groups, &strategy.mandatory),
    };
    for group in mandatory.iter().filter_map(|key| groups.get(key)) {
        start(&mut group.iter().copied());
    }
    let rest = || {
        visible
            .iter()
            .filter(|(key, _)| !mandatory.contains(key))
            .map(|(_, group)| group)
    };
    if strategy.kind == StrategyKind::ProgressivePerGroup {
        for group in rest() {
            start(&mut group.iter().copied());
        }
        return Ok(waves);
    }
    let members: BTreeSet<&'a str> = rest().flat_map(|group| group.iter().copied()).collect();
    let window = match strategy.kind {
        StrategyKind::All => members.len(),
        _ => size(strategy.max_concurrency, members.len(), members.len())
            .map_err(|fault| format!("failed to parse the provided maxConcurrency: {fault}"))?,
    };
    let members: Vec<&'a str> = members.into_iter().collect();
    for wave in members.chunks(window.max(1)) {
        start(&mut wave.iter().copied());
    }
    Ok(waves)
}
