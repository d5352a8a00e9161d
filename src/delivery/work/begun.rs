//! The state of replica sets' works before a rollout continues.

use rustc_hash::FxHashMap;

use super::read::Work;
use crate::delivery::model::Model;
use crate::delivery::progress;
use crate::ocm::engine::rollout::{Beginning, State};
use crate::ocm::model::ReplicaSet;

/// The works of a site.
pub struct Begun<'m, 'a> {
    model: &'m Model<'a>,
    /// By their replica set as `NAMESPACE.NAME` and their placement.
    works: FxHashMap<(&'a str, &'a str), Vec<&'m Work<'a>>>,
}

impl<'m, 'a> Begun<'m, 'a> {
    /// The works of these consumers.
    #[must_use]
    pub fn new(model: &'m Model<'a>) -> Self {
        let mut works: FxHashMap<(&str, &str), Vec<&Work<'a>>> = FxHashMap::default();
        for work in &model.works {
            if let (Some(set), Some(placement)) = (work.replica_set, work.placement) {
                works.entry((set, placement)).or_default().push(work);
            }
        }
        Self { model, works }
    }

    /// The clusters that have a replica set's works for a placement: upstream looks only at works
    /// that say what the template says now.
    #[must_use]
    pub fn of(&self, set: &ReplicaSet<'a>, placement: &str) -> Beginning<'a> {
        let name = format!("{}.{}", set.namespace, set.name);
        let works = self.works.get(&(name.as_str(), placement));
        let template = self.model.templates.get(&set.place);
        let current = |work: &&&Work<'a>| template.is_some_and(|one| work.is_current(one));
        let current = works.into_iter().flatten().filter(current);
        let state = |work: &&Work<'a>| {
            let (status, since) = progress::of_work(work);
            State {
                cluster: work.id.namespace,
                status,
                since,
                recheck: None,
            }
        };
        let mut known: Vec<State<'a>> = current.map(state).collect();
        known.sort_by_key(|state| state.cluster);
        known.dedup_by_key(|state| state.cluster);
        Beginning {
            known,
            ..Beginning::default()
        }
    }
}
