//! Placements as rows, followed by what reads them.

use fixedbitset::FixedBitSet;
use jiff::Timestamp;

use crate::kit::keeps::Keeps;
use crate::kit::named::Name;
use crate::kit::plural::plural;
use crate::ocm::engine::Placements;
use crate::ocm::engine::place::Placed;
use crate::ocm::lost::loss;
use crate::ocm::model::Model;
use crate::plan::row::{At, Cause, Facts, Moved, Row, Rows};
use crate::plan::{Answer, Mark, Plan, Section};
use crate::systems::delivery;

pub(super) fn rows<'p>(plan: &'p Plan<'_, '_>) -> Rows<'p> {
    let model = &*plan.site.ocm;
    let outcomes = plan.placements.iter();
    let placements = outcomes.flat_map(move |outcome| {
        let all = &outcome.placements;
        all.placed.iter().map(move |placed| {
            let placement = &model.placements[placed.placement];
            let facts = Selected {
                model,
                now: plan.now,
                all,
                placed,
            };
            Row {
                section: Section::Placements,
                kind: "Placement",
                name: Name::new(placement.namespace, placement.name),
                at: At::Place(placement.place),
                mark: facts.mark(),
                moved: facts.moved(),
                fails: !placed.is_satisfied(),
                facts: Box::new(facts),
            }
        })
    });
    Box::new(placements.chain(delivery::rows(plan)))
}

#[derive(Clone, Copy)]
struct Selected<'p, 'a> {
    model: &'p Model<'a>,
    now: Timestamp,
    all: &'p Placements<'a>,
    placed: &'p Placed<'a>,
}

impl Selected<'_, '_> {
    fn mark(&self) -> Mark {
        match self.placed {
            placed if placed.skipped.is_some() => Mark::Same,
            placed if !placed.is_satisfied() => Mark::Failed,
            placed if placed.is_unchanged() => Mark::Same,
            placed if placed.was.is_empty() => Mark::New,
            _ => Mark::Changed,
        }
    }

    /// A skipped placement decides nothing: its decisions stay.
    fn moved(&self) -> Moved {
        if self.placed.skipped.is_some() {
            return Moved::default();
        }
        let set = |ids: &mut dyn Iterator<Item = u32>| -> FixedBitSet {
            ids.map(|id| id as usize).collect()
        };
        let now = set(&mut self.placed.decided());
        let was = set(&mut self.placed.was.iter().copied());
        if self.placed.keeps() {
            return Moved::of(was.count_ones(..), was.count_ones(..), was.count_ones(..));
        }
        let kept = now.intersection_count(&was);
        Moved::of(was.count_ones(..), now.count_ones(..), kept)
    }
}

impl<'p> Facts<'p> for Selected<'p, '_> {
    fn was(&self) -> Option<Answer<'p>> {
        let was = self.placed.was.iter();
        Some(Answer::decisions(
            was.map(|id| self.all.names[*id as usize]),
        ))
    }

    fn now(&self) -> Option<Answer<'p>> {
        if self.placed.skipped.is_some() {
            return None;
        }
        if self.placed.keeps() {
            return self.was();
        }
        Some(Answer::decisions(self.all.decided(self.placed)))
    }

    fn keeps(&self) -> Keeps<'p> {
        if self.placed.keeps() {
            Keeps::All
        } else {
            Keeps::Nothing
        }
    }

    fn because(&self) -> String {
        if let Some(skipped) = self.placed.skipped {
            return format!("not scheduled ({})", skipped.word());
        }
        let chosen = self.placed.decided().count();
        let candidates = self.placed.filters.last();
        let candidates = candidates.map_or(0, |last| last.clusters.count());
        let candidates = plural(candidates, "candidate");
        match self.placed.unscheduled {
            0 => format!("{chosen} of {candidates}"),
            missing => format!("{missing} more wanted; {candidates}"),
        }
    }

    fn cause(&self, place: &str) -> Option<Cause<'p>> {
        let id = self.all.names.iter().position(|name| *name == place)?;
        let cluster = self.model.clusters.get(id);
        let at = cluster.map_or(At::Nowhere, |cluster| At::Place(cluster.place));
        let id = u32::try_from(id).ok()?;
        if self.placed.decided().any(|decided| decided == id) {
            let placement = &self.model.placements[self.placed.placement];
            let words = format!("Placement {} selects it", placement.full_name());
            return Some(Cause { words, at });
        }
        let loss = loss(self.model, self.placed, id, self.now);
        Some(Cause {
            words: loss.reason,
            at: loss.place.map_or(at, At::Place),
        })
    }

    fn failure(&self) -> Option<String> {
        self.placed.failure()
    }
}
