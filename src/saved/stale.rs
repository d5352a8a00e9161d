//! Whether a saved plan still matches the current plan.

use std::collections::BTreeSet;

use crate::diff::{self, Diff};
use crate::systems;

use super::format::{Basis, SavedPlan};
use super::outcome::{decisions, decisions_after, essence};
use super::sections::Sections;

/// The result of planning now.
#[derive(Debug, Clone, Copy)]
pub struct Present<'f> {
    /// The sections of the plan.
    pub outcome: &'f Sections,
    /// The state that it is built on.
    pub basis: &'f Basis,
    /// The digest of the documents.
    pub documents: &'f str,
    /// The number of the record that carrying out this very plan wrote, if it is there.
    pub used: Option<u64>,
}

/// Why a saved plan can no longer be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It was applied: the number of its record.
    Used(u64),
    /// A record came after it: its number.
    Record(u64),
    /// The newest record it was built on is gone; the newest now.
    RecordGone(u64),
    /// A Package has another newest Deployment.
    Deployment {
        /// The Package.
        package: String,
        /// The Deployment when the plan was saved.
        was: Option<String>,
        /// The Deployment now.
        now: Option<String>,
    },
    /// The snapshot of the hub has other clusters or other current decisions.
    Hub,
    /// A plan made now has other decisions.
    Outcome,
    /// A plan by another version of the program has other decisions; the version that saved this
    /// one.
    Planner(String),
}

/// The changes since the plan was saved.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stale {
    /// Why it cannot be applied; empty if it still can.
    pub reasons: Vec<Reason>,
    /// The moves between the saved plan and planning now.
    pub diff: Diff,
    /// Other changes that are no moves of their own: `what`, name.
    pub others: Vec<(&'static str, String)>,
    /// Whether the documents are others than those it was made from.
    pub other_documents: bool,
}

impl Stale {
    /// Whether the plan can no longer be applied.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        !self.reasons.is_empty()
    }
}

/// Holds a saved plan against planning now.
#[must_use]
pub fn compare(saved: &SavedPlan, now: Present<'_>) -> Stale {
    let diff = diff::between(
        &decisions(&saved.outcome),
        &decisions_after(&saved.outcome, now.outcome),
    );
    let others = others(&saved.outcome, now.outcome, &diff);
    let mut reasons = based(&saved.basis, now);
    if !diff.moves.is_empty() || !others.is_empty() {
        reasons.push(Reason::Outcome);
        if saved.planner != env!("CARGO_PKG_VERSION") {
            reasons.push(Reason::Planner(saved.planner.clone()));
        }
    }
    Stale {
        reasons,
        diff,
        others,
        other_documents: saved.documents != now.documents,
    }
}

/// The reasons from what was recorded since: records and Deployments.
fn based(saved: &Basis, now: Present<'_>) -> Vec<Reason> {
    if let Some(number) = now.used {
        return vec![Reason::Used(number)];
    }
    let mut reasons = Vec::new();
    if now.basis.records > saved.records {
        reasons.push(Reason::Record(now.basis.records));
    } else if now.basis.records < saved.records {
        reasons.push(Reason::RecordGone(now.basis.records));
    }
    if now.basis.hub != saved.hub {
        reasons.push(Reason::Hub);
    }
    // A Package that came or went shows as a move; only its Deployments count here.
    for (package, deployment) in &now.basis.packages {
        let was = saved.packages.get(package).cloned().flatten();
        if was != *deployment {
            reasons.push(Reason::Deployment {
                package: package.clone(),
                was,
                now: deployment.clone(),
            });
        }
    }
    reasons
}

/// The changes that do not show among the moves: volumes, groups of clusters, rollouts.
fn others(saved: &Sections, now: &Sections, diff: &Diff) -> Vec<(&'static str, String)> {
    let (before, after) = (essence(saved), essence(now));
    let names: BTreeSet<&(&'static str, String)> = before.keys().chain(after.keys()).collect();
    let shown = |key: &(&'static str, String)| {
        let whose = before.get(key).or_else(|| after.get(key));
        let moves = diff.moves.iter().map(|moved| &moved.subject);
        whose.is_some_and(|(system, _)| {
            let answers = systems::of(*system);
            let mut own = moves.filter(|moved| moved.system() == *system);
            own.any(|moved| answers.shows(key.0, &key.1, &moved.name))
        })
    };
    names
        .into_iter()
        .filter(|key| before.get(*key) != after.get(*key) && !shown(key))
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::saved::Made;
    use serde_json::json;

    fn outcome(cluster: &str, volume: &str, reason: &str) -> Sections {
        let value = json!({
            "applications": [{
                "package": "shop", "application": "web", "cluster": cluster, "was": "riga",
                "change": "move",
                "decidedBy": {"filter": "Tiebreaker", "reason": reason}, "error": null,
                "outOfBounds": [{"cluster": "riga", "kind": "PersistentVolumeClaim", "name":
                volume, "removedBy": "gone"}],
            }],
            "rollouts": [{"name": "r", "clustersToRollout": [], "recheckAfter": reason, "now":
                reason}],
            "rows": [{"section": "applications", "kind": "Application", "namespace": "shop",
                "name": "web", "mark": "new", "now": cluster, "because": reason}],
        });
        Sections::of_plan(value.to_string().as_bytes()).unwrap()
    }

    fn saved() -> SavedPlan {
        let answer = serde_json::to_vec(&outcome("oslo", "v", "oldest of 2")).unwrap();
        let basis = Basis {
            records: 6,
            packages: [("shop".to_owned(), Some("shop-1".to_owned()))].into(),
            hub: None,
        };
        let made = Made {
            basis,
            documents: "sha256:0".into(),
            ..Made::default()
        };
        SavedPlan::of(&answer, made).unwrap()
    }

    fn found(outcome: &Sections, records: u64, deployment: Option<&str>) -> Stale {
        let basis = Basis {
            records,
            packages: [("shop".to_owned(), deployment.map(str::to_owned))].into(),
            hub: None,
        };
        let now = Present {
            outcome,
            basis: &basis,
            documents: "sha256:1",
            used: None,
        };
        compare(&saved(), now)
    }

    #[test]
    fn reasons_and_times_make_nothing_stale() {
        let found = found(&outcome("oslo", "v", "oldest of 3"), 6, Some("shop-1"));
        assert!(!found.is_stale(), "{found:?}");
        assert!(found.other_documents);
    }

    #[test]
    fn decisions_do() {
        let moved = found(&outcome("riga", "v", "oldest of 2"), 6, Some("shop-1"));
        assert_eq!(moved.reasons, [Reason::Outcome]);
        assert_eq!(moved.diff.moves.len(), 1);
        assert!(moved.others.is_empty());
        let left = found(&outcome("oslo", "w", "oldest of 2"), 6, Some("shop-1"));
        assert_eq!(left.reasons, [Reason::Outcome]);
        assert_eq!(left.others, [("application", "shop/web".to_owned())]);
    }

    #[test]
    fn records_do() {
        let same = outcome("oslo", "v", "");
        let between = found(&same, 7, Some("shop-2"));
        let newer = Reason::Deployment {
            package: "shop".into(),
            was: Some("shop-1".into()),
            now: Some("shop-2".into()),
        };
        assert_eq!(between.reasons, [Reason::Record(7), newer]);
        assert_eq!(
            found(&same, 5, Some("shop-1")).reasons,
            [Reason::RecordGone(5)]
        );
    }
}
