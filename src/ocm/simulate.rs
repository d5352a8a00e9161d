//! Simulated rollouts: their faults, and a run of each rollout of the site.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::engine::rollout::{Beginning, Faults as Failing, SimulatedRollout, groups_of, run};
use super::engine::{Placements, RolledOut, planned_groups};
use super::model::{Model, ReplicaSet, Status};
use super::rules;
use crate::diagnostic::{Diagnostic, Sink};
use crate::kit::nearest::{did_you_mean, nearest};
use crate::yaml::Node;

/// Which clusters fail, and which never get beyond Progressing.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Faults {
    /// Clusters that fail.
    pub fail: BTreeSet<String>,
    /// Clusters that hang.
    pub timeout: BTreeSet<String>,
}

impl Faults {
    /// As a run takes them; `more` fail as well.
    #[must_use]
    pub fn failing<'f>(&'f self, more: &'f [String]) -> Failing<'f> {
        let fail = self.fail.iter().chain(more);
        Failing {
            failing: fail.map(String::as_str).collect(),
            hanging: self.timeout.iter().map(String::as_str).collect(),
        }
    }

    /// Reads `rollout: {fail: [clusters], timeout: [clusters]}` of a document of a faults file.
    pub fn read(&mut self, node: Node<'_>, model: &Model<'_>, sink: &mut Sink) {
        let Some(rollout) = node.get("rollout").filter(|rollout| !rollout.is_null()) else {
            return;
        };
        if !rollout.is_mapping() {
            let found = Diagnostic::new(&rules::ROLLOUT_FAULTS, "`rollout` must be a mapping")
                .at(rollout.place(), "not a mapping")
                .help("write `rollout: {fail: [cluster], timeout: [cluster]}`");
            sink.push(found);
            return;
        }
        for (key, list) in rollout.entries() {
            let set = match key.text() {
                Some("fail") => &mut self.fail,
                Some("timeout") => &mut self.timeout,
                other => {
                    let message = format!(
                        "`{}` is not a fault that a rollout can have",
                        other.unwrap_or("")
                    );
                    let found = Diagnostic::new(&rules::ROLLOUT_FAULTS, message)
                        .at(key.place(), "this key")
                        .help("the keys are fail and timeout");
                    sink.push(found);
                    continue;
                }
            };
            if !list.is_sequence() && !list.is_null() {
                let found =
                    Diagnostic::new(&rules::ROLLOUT_FAULTS, "faults must be a list of names")
                        .at(list.place(), "not a list")
                        .help("write [cluster, cluster]");
                sink.push(found);
            }
            for item in list.items() {
                let Some(name) = item.text() else { continue };
                if !model.known_clusters().any(|cluster| cluster == name) {
                    let help = match nearest(name, model.known_clusters()) {
                        Some(near) => did_you_mean(near),
                        None => "name a cluster of the site".to_owned(),
                    };
                    let message = format!("there is no cluster `{name}`");
                    let found = Diagnostic::new(&rules::UNKNOWN_CLUSTER, message)
                        .at(item.place(), "unknown")
                        .help(help);
                    sink.push(found);
                }
                set.insert(name.to_owned());
            }
        }
    }
}

/// One rollout and its run.
#[derive(Debug)]
pub struct RolloutRun<'a> {
    /// Which rollout.
    pub of: RolledOut<'a>,
    /// The clusters that never get what is rolled out, whatever succeeds: a group before theirs
    /// never ends.
    pub blocked: Vec<&'a str>,
    /// The status of each cluster before the first step, where a hub tells it.
    pub before: BTreeMap<&'a str, Status>,
    /// The run, or why no step can be taken.
    pub run: Result<SimulatedRollout<'a>, String>,
}

/// Runs every rollout of works over the planned groups; over the decisions of the documents where
/// the placement selects nothing of its own. `begin` says what is known of a replica set's works
/// for a placement before the first step.
#[must_use]
pub fn runs<'a>(
    model: &Model<'a>,
    placements: &Placements<'a>,
    begin: impl Fn(&ReplicaSet<'a>, &str) -> Beginning<'a>,
    now: Timestamp,
    faults: &Failing<'_>,
) -> Vec<RolloutRun<'a>> {
    let mut runs = Vec::new();
    for set in &model.replica_sets {
        for reference in &set.placements {
            let placement = reference.name.text;
            let planned = planned_groups(model, placements, set.namespace, placement)
                .filter(|groups| groups.values().any(|group| !group.is_empty()));
            let groups = match planned {
                Some(groups) => Ok(groups),
                None => groups_of(model, set.namespace, placement),
            };
            let begin = begin(set, placement);
            let before = begin.statuses();
            let run =
                groups.and_then(|groups| run(&groups, &reference.strategy, begin, now, faults));
            let of = RolledOut::Works {
                namespace: set.namespace,
                name: set.name,
                placement,
            };
            runs.push(RolloutRun {
                of,
                blocked: Vec::new(),
                before,
                run,
            });
        }
    }
    runs.sort_by_key(|run| run.of);
    runs
}
