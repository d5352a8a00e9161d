//! Where Applications go if Clusters are lost: only what stood on them is asked again.
//!
//! A Cluster that did not win takes nothing with it: without it the least figure, the oldest
//! Cluster and the holder
//! of the volumes among those left are the same.

use fixedbitset::FixedBitSet;

use super::{Item, Question, Settings, Walk};
use crate::ogc::model::Model;

/// The filters, ready to be run with Clusters missing.
pub struct Losses<'m, 'a> {
    walk: Walk<'m, 'a>,
}

impl<'m, 'a> Losses<'m, 'a> {
    /// Indexes the model once for all losses.
    #[must_use]
    pub fn new(model: &'m Model<'a>, settings: &Settings<'m>) -> Self {
        Self {
            walk: Walk::new(model, settings),
        }
    }

    /// The Cluster of each of these items if the lost ones were not there; none for what is gone
    /// already.
    pub fn clusters(&mut self, items: &[&Item<'a>], lost: &[u32]) -> Vec<Option<u32>> {
        let walk = &mut self.walk;
        walk.lost = FixedBitSet::with_capacity(walk.model.clusters.len());
        walk.lost
            .extend(lost.iter().map(|cluster| *cluster as usize));
        let mut questions: Vec<(Question, usize)> = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            if let Some(application) = item.of(walk.model) {
                questions.push((walk.question(application, item.was.as_deref()), at));
            }
        }
        questions.sort_unstable();
        let mut found = vec![None; items.len()];
        let mut previous = None;
        for (question, at) in questions {
            let Some(application) = items[at].of(walk.model) else {
                continue;
            };
            walk.advance(previous, question, application);
            previous = Some(question);
            let last = walk.left.len() - 1;
            if walk.left[last] > 0 {
                found[at] = walk.lists[last].minimum().map(|cluster| cluster as u32);
            }
        }
        found
    }
}
