//! The Applications of a plan as rows.

use std::borrow::Cow;

use crate::kit::named::Name;
use crate::ogc::describe;
use crate::ogc::engine::{Change, Item, Outcome};
use crate::ogc::model::Model;
use crate::plan::row::{At, Facts, Moved, Row, Rows, Volume};
use crate::plan::{Answer, Mark, Plan, Section};

#[derive(Clone, Copy)]
struct Placed<'p, 'a> {
    model: &'p Model<'a>,
    outcome: &'p Outcome<'a>,
    item: &'p Item<'a>,
}

pub(super) fn rows<'p>(plan: &'p Plan<'_, '_>) -> Rows<'p> {
    let model = &*plan.site.ogc;
    let outcomes = plan.applications.iter();
    Box::new(outcomes.flat_map(move |outcome| {
        let items = outcome.items.iter();
        items.map(move |item| row(model, outcome, item))
    }))
}

fn row<'p>(model: &'p Model<'_>, outcome: &'p Outcome<'_>, item: &'p Item<'_>) -> Row<'p> {
    let now = item.cluster.map(|at| model.clusters[at as usize].name);
    let was = item.was.as_ref().map(|was| was.cluster);
    let kept = usize::from(now.is_some() && now == was);
    Row {
        section: Section::Applications,
        kind: "Application",
        name: Name::new(item.package, item.application),
        at: match (item.of(model), &item.was) {
            (Some(application), _) => At::Place(application.place),
            (None, Some(was)) => At::Place(was.place),
            (None, None) => At::Nowhere,
        },
        mark: match item.change {
            Change::Unchanged => Mark::Same,
            Change::Place => Mark::New,
            Change::Move => Mark::Changed,
            Change::Withdraw => Mark::Gone,
            Change::Unplaceable => Mark::Failed,
        },
        moved: Moved::of(was.iter().count(), now.iter().count(), kept),
        fails: item.change == Change::Unplaceable,
        facts: Box::new(Placed {
            model,
            outcome,
            item,
        }),
    }
}

impl<'p> Facts<'p> for Placed<'p, '_> {
    fn was(&self) -> Option<Answer<'p>> {
        let was = self.item.was.as_ref()?;
        Some(Answer::Cluster(Some(Cow::Borrowed(was.cluster))))
    }

    fn now(&self) -> Option<Answer<'p>> {
        let cluster = |at: u32| Cow::Borrowed(self.model.clusters[at as usize].name);
        let planned = self.item.change != Change::Withdraw;
        planned.then(|| Answer::Cluster(self.item.cluster.map(cluster)))
    }

    fn because(&self) -> String {
        let run = self.outcome.run_of(self.item);
        let (failed, decided) = match run {
            Some(run) => (run.failed(), describe::decision(self.model, self.item, run)),
            None => return "no longer planned".to_owned(),
        };
        match failed {
            Some((filter, _)) => format!("{} left no Cluster", filter.name()),
            None => decided.unwrap_or_default(),
        }
    }

    fn failure(&self) -> Option<String> {
        let run = self.outcome.run_of(self.item)?;
        describe::failure(self.model, self.item, run)
    }

    fn left(&self) -> Vec<Volume<'p>> {
        let left = self.item.out_of_bounds.iter();
        let volume = left.map(|volume| Volume {
            kind: volume.kind,
            name: volume.name,
            cluster: volume.cluster,
            held: volume.held,
        });
        volume.collect()
    }
}
