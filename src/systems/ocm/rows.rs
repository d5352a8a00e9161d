//! Placements, what reads them, and the rules that they replaced, as rows.

use std::borrow::Cow;

use fixedbitset::FixedBitSet;
use jiff::Timestamp;

use crate::delivery;
use crate::delivery::follow::Deliveries;
use crate::delivery::placement_rule::follow::Decided;
use crate::kit::keeps::{Keeps, Way};
use crate::kit::named::Name;
use crate::kit::plural::plural;
use crate::ocm::engine::Placements;
use crate::ocm::engine::place::Placed;
use crate::ocm::lost::loss;
use crate::ocm::model::Model;
use crate::plan::row::{At, Cause, Facts, Moved, Row, Rows};
use crate::plan::{Answer, Mark, Plan, Section};

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
    let deliveries = plan.deliveries.iter();
    let deliveries = deliveries.flat_map(|all| {
        let reached = all.rows.iter().map(|row| delivered(all, row));
        reached.chain(all.ground.rules.iter().map(legacy))
    });
    Box::new(placements.chain(deliveries))
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

struct Reached<'p, 'a> {
    all: &'p Deliveries<'a>,
    row: &'p delivery::row::Row<'a>,
}

fn delivered<'p>(all: &'p Deliveries<'_>, row: &'p delivery::row::Row<'_>) -> Row<'p> {
    let had = row.was.as_ref().is_some_and(|was| !was.is_clear());
    let (added, removed) = row.moved();
    let (added, removed) = (added.count_ones(..), removed.count_ones(..));
    Row {
        section: Section::Deliveries,
        kind: row.id.kind,
        name: row.id.full_name(),
        at: At::Place(row.id.place),
        mark: match () {
            () if row.error.is_some() || row.is_emptied() || row.describe().is_stuck(row) => {
                Mark::Failed
            }
            () if row.is_unchanged() => Mark::Same,
            () if !had => Mark::New,
            () => Mark::Changed,
        },
        moved: Moved {
            added,
            removed,
            kept: row.clusters.count_ones(..) - added,
        },
        // The decisions of placements can be carried out whatever happens to their consumers.
        fails: false,
        facts: Box::new(Reached { all, row }),
    }
}

impl<'p> Facts<'p> for Reached<'p, '_> {
    fn was(&self) -> Option<Answer<'p>> {
        let was = self.row.was.as_ref()?;
        Some(Answer::decisions(self.all.ground.names.of(was).into_iter()))
    }

    fn now(&self) -> Option<Answer<'p>> {
        let now = self.all.ground.names.of(&self.row.clusters);
        Some(Answer::decisions(now.into_iter()))
    }

    fn because(&self) -> String {
        self.row.because()
    }

    fn keeps(&self) -> Keeps<'p> {
        delivery::keeps(self.row, self.all)
    }

    fn given(&self, way: &Way<'_>) -> Vec<Cow<'p, str>> {
        delivery::given(self.row, self.all, way)
    }
}

struct Legacy<'p, 'a>(&'p Decided<'a>);

fn legacy<'p>(rule: &'p Decided<'_>) -> Row<'p> {
    let now = Answer::decisions(rule.clusters.iter().copied());
    let was = rule
        .was
        .as_ref()
        .map(|was| Answer::decisions(was.iter().copied()));
    let had = was.as_ref().map_or(&[][..], Answer::names);
    let kept = had.iter().filter(|name| now.names().contains(name)).count();
    Row {
        section: Section::LegacyRules,
        kind: rule.id.kind,
        name: rule.id.full_name(),
        at: At::Place(rule.id.place),
        mark: match &was {
            _ if rule.error.is_some() => Mark::Failed,
            None => Mark::Same,
            Some(was) if *was == now => Mark::Same,
            Some(_) if now.is_nowhere() => Mark::Failed,
            Some(was) if was.is_nowhere() => Mark::New,
            Some(_) => Mark::Changed,
        },
        moved: match &was {
            Some(_) => Moved::of(had.len(), now.names().len(), kept),
            None => Moved::default(),
        },
        fails: false,
        facts: Box::new(Legacy(rule)),
    }
}

impl<'p> Facts<'p> for Legacy<'p, '_> {
    fn was(&self) -> Option<Answer<'p>> {
        let was = self.0.was.as_ref()?;
        Some(Answer::decisions(was.iter().copied()))
    }

    fn now(&self) -> Option<Answer<'p>> {
        Some(Answer::decisions(self.0.clusters.iter().copied()))
    }

    fn because(&self) -> String {
        self.0.error.clone().unwrap_or_default()
    }

    fn keeps(&self) -> Keeps<'p> {
        if self.0.stays() {
            Keeps::All
        } else {
            Keeps::Nothing
        }
    }
}
