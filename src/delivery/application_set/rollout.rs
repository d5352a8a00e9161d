//! RollingSync of ApplicationSets, simulated from a clean start.

use std::collections::BTreeSet;

use super::argo::rolling::{Application as Labelled, Ask, Rollout, run};
use super::argo::run::{Application, Left};
use super::argo::set::Strategy;
use crate::delivery::follow::Deliveries;
use crate::delivery::id::Id;
use crate::delivery::model::Model;
use crate::delivery::row::Extra;

/// The rollout of one ApplicationSet.
#[derive(Debug)]
pub struct ApplicationRollout<'m, 'a> {
    /// The ApplicationSet.
    pub id: Id<'a>,
    /// Its steps as written.
    pub asks: &'m [Ask<'a>],
    /// Its Applications; the rollout has their numbers.
    pub applications: Vec<Application>,
    /// The Applications that are dropped; the rollout has their numbers.
    pub dropped: Vec<Left>,
    /// The numbers of those that fail.
    pub failing: BTreeSet<usize>,
    /// Its result.
    pub rollout: Rollout,
}

impl ApplicationRollout<'_, '_> {
    /// The name of an Application.
    #[must_use]
    pub fn name(&self, at: usize) -> &str {
        self.applications[at].name.as_deref().unwrap_or("")
    }

    /// The names of dropped Applications.
    #[must_use]
    pub fn names_of_dropped(&self, all: &[usize]) -> Vec<&str> {
        names_of(all, &self.dropped)
    }

    /// Whether every Application of a step is synced.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        let mut steps = self.rollout.steps.iter();
        let whole = |waves: &[Vec<usize>]| waves.iter().map(Vec::len).sum::<usize>();
        self.failing.is_empty() && steps.all(|step| whole(&step.waves) == step.applications.len())
    }
}

/// All rollouts whose Applications have known names, by namespace and name. Those of `fail`, and
/// those on its clusters, never become healthy.
#[must_use]
pub fn rollouts<'m, 'a>(
    model: &'m Model<'a>,
    deliveries: &Deliveries<'a>,
    fail: &BTreeSet<&str>,
) -> Vec<ApplicationRollout<'m, 'a>> {
    let names = &deliveries.ground.names;
    let mut found = Vec::new();
    for row in &deliveries.rows {
        let Extra::ApplicationSet(about) = &row.extra else {
            continue;
        };
        let set = &model.application_sets[about.set];
        let Strategy::Rolling(asks, ..) = &set.set.strategy else {
            continue;
        };
        if about.failure.is_some() || about.nameless > 0 {
            continue;
        }
        let (applications, dropped) = deliveries.view.rolled(set, model, names);
        let fails = |one: &Application| {
            let cluster = one.cluster.map(|at| names.name(at));
            [one.name.as_deref(), cluster]
                .into_iter()
                .flatten()
                .any(|name| fail.contains(name))
        };
        let failing = (0..applications.len()).filter(|at| fails(&applications[*at]));
        let failing: BTreeSet<usize> = failing.collect();
        let rollout = rollout(asks, &applications, &dropped, &failing);
        found.push(ApplicationRollout {
            id: row.id,
            asks,
            applications,
            dropped,
            failing,
            rollout,
        });
    }
    found
}

/// The names of all Applications and of their clusters.
#[must_use]
pub fn names(
    rollouts: &[ApplicationRollout<'_, '_>],
    deliveries: &Deliveries<'_>,
) -> BTreeSet<String> {
    let made = rollouts.iter().flat_map(|rollout| &rollout.applications);
    let cluster = |at: u32| deliveries.ground.names.name(at).to_owned();
    let both = |one: &Application| [one.name.clone(), one.cluster.map(cluster)];
    made.flat_map(both).flatten().collect()
}

/// The names of dropped Applications, which are sorted by name, each once.
#[must_use]
pub fn names_of<'d>(all: &[usize], dropped: &'d [Left]) -> Vec<&'d str> {
    let name = |at: &usize| match dropped[*at].name.as_deref() {
        None | Some("") => "one without a name",
        Some(name) => name,
    };
    let mut names: Vec<&str> = all.iter().map(name).collect();
    names.dedup();
    names
}

/// Rolls Applications out; the names of all of them are known.
#[must_use]
pub fn rollout(
    asks: &[Ask<'_>],
    applications: &[Application],
    dropped: &[Left],
    failing: &BTreeSet<usize>,
) -> Rollout {
    let made = applications.iter().map(|one| of(&one.name, &one.labels));
    let left = dropped.iter().map(|one| of(&one.name, &one.labels));
    let (made, left): (Vec<_>, Vec<_>) = (made.collect(), left.collect());
    run(asks, &made, &left, failing)
}

fn of<'n>(name: &'n Option<String>, labels: &'n [(String, String)]) -> Labelled<'n> {
    let labels = labels.iter();
    Labelled {
        name: name.as_deref().unwrap_or(""),
        labels: labels
            .map(|(key, value)| (key.as_str(), value.as_str()))
            .collect(),
    }
}
