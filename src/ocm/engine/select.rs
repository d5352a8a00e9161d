//! The two filters: predicates, and taints with their tolerations.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::decisions::DecidedClusters;
use super::hub::{Clusters, Hub};
use crate::ocm::model::{Effect, ManagedCluster, Placement, Predicate, Taint, Toleration};

/// Evaluates the CEL expressions of a predicate over clusters.
pub trait Cel<'a>: Sync {
    /// Whether an expression compiles.
    ///
    /// # Errors
    /// The message of the misconfiguration, without the plugin's name.
    fn check(&self, expression: &'a str) -> Result<(), String>;

    /// Strikes out of `kept` the clusters for which an expression does not give true.
    ///
    /// # Errors
    /// The message of the misconfiguration: the expression needs more than it may.
    fn apply(
        &self,
        hub: &Hub<'_, 'a>,
        expression: &'a str,
        kept: &mut FixedBitSet,
    ) -> Result<(), String>;
}

/// The clusters that pass the predicates (upstream `plugins/predicate`).
///
/// # Errors
/// The message of the misconfiguration: the first selector that cannot be parsed.
pub fn predicates<'a>(
    hub: &Hub<'_, 'a>,
    cel: &dyn Cel<'a>,
    placement: &Placement<'a>,
    available: &Clusters,
) -> Result<Clusters, String> {
    if placement.predicates.is_empty() || available.is_clear() {
        return Ok(Arc::clone(available));
    }
    let mut selected = Vec::with_capacity(placement.predicates.len());
    for predicate in &placement.predicates {
        let matching = hub
            .matching_both(&predicate.selector)
            .map_err(|error| error.message)?;
        for expression in &predicate.cel {
            cel.check(expression.text)?;
        }
        selected.push(matching);
    }
    if let ([predicate], [matching]) = (&*placement.predicates, &*selected) {
        if predicate.cel.is_empty() && matching.is_subset(available) {
            return Ok(Arc::clone(matching));
        }
        let kept = one_predicate(hub, cel, predicate, matching, available)?;
        return Ok(hub.shared(Arc::new(kept)));
    }
    let mut union = FixedBitSet::with_capacity(hub.len());
    for (predicate, matching) in placement.predicates.iter().zip(selected) {
        union.union_with(&one_predicate(hub, cel, predicate, &matching, available)?);
    }
    Ok(hub.shared(Arc::new(union)))
}

fn one_predicate<'a>(
    hub: &Hub<'_, 'a>,
    cel: &dyn Cel<'a>,
    predicate: &Predicate<'a>,
    matching: &FixedBitSet,
    available: &FixedBitSet,
) -> Result<FixedBitSet, String> {
    let mut kept = matching.clone();
    kept.intersect_with(available);
    for expression in &predicate.cel {
        cel.apply(hub, expression.text, &mut kept)?;
    }
    Ok(kept)
}

/// The index and the fault of the first faulty toleration (upstream `plugins/tainttoleration`).
#[must_use]
pub fn toleration_fault(tolerations: &[Toleration<'_>]) -> Option<(usize, &'static str)> {
    tolerations
        .iter()
        .enumerate()
        .find_map(|(index, toleration)| {
            let exists = toleration.operator == "Exists";
            if toleration.key.is_empty() && !exists {
                Some((index, "If the key is empty, operator must be Exists."))
            } else if exists && !toleration.value.is_empty() {
                Some((
                    index,
                    "If the operator is Exists, the value should be empty.",
                ))
            } else {
                None
            }
        })
}

/// The clusters whose taints are all tolerated.
///
/// # Errors
/// The message of the misconfiguration: the first faulty toleration.
pub fn tolerated(
    hub: &Hub<'_, '_>,
    placement: &Placement<'_>,
    decided: &DecidedClusters,
    clusters: &Clusters,
) -> Result<Clusters, String> {
    if clusters.is_clear() {
        return Ok(Arc::clone(clusters));
    }
    if let Some((_, fault)) = toleration_fault(&placement.tolerations) {
        return Err(fault.to_owned());
    }
    if hub.taints.is_empty() {
        return Ok(Arc::clone(clusters));
    }
    let tolerations = Tolerations::of(placement);
    let mut kept: Option<FixedBitSet> = None;
    let mut keep_out = |cluster: usize| {
        kept.get_or_insert_with(|| FixedBitSet::clone(clusters))
            .set(cluster, false);
    };
    let is_decided = |cluster: u32| decided.count(cluster) > 0;
    let few = hub.tainted.intersection_count(clusters) < hub.taints.len();
    if few || tolerations.timed {
        // When a taint was added is a matter of each cluster.
        for cluster in hub.tainted.intersection(clusters) {
            let known = u32::try_from(cluster).is_ok_and(is_decided);
            let of = &hub.model.clusters[cluster];
            if tolerations.judge(of, known, hub.now).is_err() {
                keep_out(cluster);
            }
        }
    } else {
        for (taint, tainted) in &hub.taints {
            if tolerations.held(taint, hub.now).is_some() {
                continue;
            }
            let if_new = taint.effect == Effect::NoSelectIfNew;
            let out = tainted.iter().copied();
            let out = out.filter(|cluster| clusters.contains(*cluster as usize));
            out.filter(|cluster| !(if_new && is_decided(*cluster)))
                .for_each(|cluster| keep_out(cluster as usize));
        }
    }
    Ok(kept.map_or_else(|| Arc::clone(clusters), Arc::new))
}

/// Until when a taint is tolerated, in nanoseconds since 1970; `None` is for ever.
pub type Until = Option<i128>;

/// Whether all taints of a cluster let the placement pass: the earliest end of a timed toleration
/// that was needed, or the index of the first taint that keeps the cluster out.
///
/// # Errors
/// The index of that taint.
pub fn judge(
    cluster: &ManagedCluster<'_>,
    placement: &Placement<'_>,
    decided: bool,
    now: Timestamp,
) -> Result<Until, usize> {
    Tolerations::of(placement).judge(cluster, decided, now)
}

/// The tolerations of a placement: many of them are looked up by their key.
struct Tolerations<'p, 'a> {
    all: &'p [Toleration<'a>],
    by_key: Option<FxHashMap<&'a str, Vec<u32>>>,
    /// Whether one of them ends.
    timed: bool,
}

/// So few tolerations are looked at one by one.
const FEW: usize = 16;

impl<'p, 'a> Tolerations<'p, 'a> {
    fn of(placement: &'p Placement<'a>) -> Self {
        let all = &placement.tolerations[..];
        let by_key = (all.len() > FEW).then(|| {
            let mut by_key: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
            for (toleration, at) in all.iter().zip(0..) {
                by_key.entry(toleration.key).or_default().push(at);
            }
            by_key
        });
        let timed = all.iter().any(|toleration| toleration.seconds.is_some());
        Self { all, by_key, timed }
    }

    /// Until when the first toleration that is meant for a taint, and holds, holds.
    fn held(&self, taint: &Taint<'_>, now: Timestamp) -> Option<Until> {
        let held = |toleration: &Toleration<'_>| {
            tolerates(toleration, taint)
                .then(|| end(toleration, taint))
                .filter(|end| holds(*end, now))
        };
        let Some(by_key) = &self.by_key else {
            return self.all.iter().find_map(held);
        };
        let first = |key: &str| {
            let own = by_key.get(key)?.iter();
            own.copied()
                .find_map(|at| Some((at, held(&self.all[at as usize])?)))
        };
        // A toleration without a key is meant for all.
        let both = [first(taint.key), first("")];
        let first = both.into_iter().flatten().min_by_key(|(at, _)| *at);
        first.map(|(_, until)| until)
    }

    fn judge(
        &self,
        cluster: &ManagedCluster<'_>,
        decided: bool,
        now: Timestamp,
    ) -> Result<Until, usize> {
        let mut earliest: Until = None;
        for (index, taint) in cluster.taints.iter().enumerate() {
            let passes = match taint.effect {
                Effect::PreferNoSelect => true,
                Effect::NoSelectIfNew => decided,
                Effect::NoSelect => false,
            };
            if passes {
                continue;
            }
            match self.held(taint, now) {
                None => return Err(index),
                Some(None) => {}
                Some(Some(end)) => {
                    earliest = Some(earliest.map_or(end, |earlier| earlier.min(end)));
                }
            }
        }
        Ok(earliest)
    }
}

fn holds(end: Until, now: Timestamp) -> bool {
    end.is_none_or(|end| now.as_nanosecond() < end)
}

/// Whether a toleration is meant for a taint, its time left aside.
#[must_use]
pub fn tolerates(toleration: &Toleration<'_>, taint: &Taint<'_>) -> bool {
    toleration
        .effect
        .is_none_or(|effect| effect == taint.effect)
        && (toleration.key.is_empty() || toleration.key == taint.key)
        && match toleration.operator {
            "Exists" => true,
            "Equal" | "" => toleration.value == taint.value,
            _ => false,
        }
}

/// The first instant of the year 1, which an absent `timeAdded` stands for.
const YEAR_ONE: i128 = -62_135_596_800_000_000_000;

/// When a toleration of a taint ends. The seconds become nanoseconds in 64 bits that wrap around,
/// as in upstream's `time.Duration(seconds) * time.Second`.
#[must_use]
pub fn end(toleration: &Toleration<'_>, taint: &Taint<'_>) -> Until {
    let seconds = toleration.seconds?;
    let length = seconds.wrapping_mul(1_000_000_000);
    let added = taint.time_added.map_or(YEAR_ONE, Timestamp::as_nanosecond);
    Some(added + i128::from(length))
}

/// When the decision must be checked again: the earliest end of a timed toleration of a decided
/// cluster (upstream `plugins/tainttoleration`).
#[must_use]
pub fn requeue_time(
    hub: &Hub<'_, '_>,
    placement: &Placement<'_>,
    decided: &DecidedClusters,
) -> Option<Timestamp> {
    let tolerations = Tolerations::of(placement);
    if !tolerations.timed {
        return None;
    }
    let end = |cluster| tolerations.judge(cluster, true, hub.now).ok().flatten();
    decided
        .clusters()
        .filter_map(|cluster| hub.model.clusters.get(cluster as usize))
        .filter_map(end)
        .min()
        .and_then(|nanos| Timestamp::from_nanosecond(nanos).ok())
}
