//! The consumers of placements, and the rules that placements replaced, as rows.

use std::borrow::Cow;

use crate::delivery;
use crate::delivery::follow::Deliveries;
use crate::delivery::placement_rule::follow::Decided;
use crate::kit::keeps::{Keeps, Way};
use crate::plan::row::{At, Facts, Moved, Row, Rows};
use crate::plan::{Answer, Mark, Plan, Section};

pub(in crate::systems) fn rows<'p>(plan: &'p Plan<'_, '_>) -> Rows<'p> {
    let deliveries = plan.deliveries.iter();
    Box::new(deliveries.flat_map(|all| {
        let reached = all.rows.iter().map(|row| delivered(all, row));
        reached.chain(all.ground.rules.iter().map(legacy))
    }))
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
        // A plan can be carried out even if a consumer of its Placements fails.
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
