//! One set of edits on trial: whether the changed site survives a loss, and what moves as soon as
//! the edits are made.

use std::collections::BTreeSet;

use crate::changes::{self, patched};
use crate::diff::{self, Decisions, decisions};
use crate::document::System;
use crate::options::Options;
use crate::plan::{self, Assignment, Plan};
use crate::repair::{Edit, Obstacle};
use crate::risk::{self, Class, Loss};
use crate::site::Checked;
use crate::systems;
use crate::why::Change;

/// The site as it is, to hold others against.
pub(super) struct Bench<'p, 's, 'a> {
    pub(super) plan: &'p Plan<'s, 'a>,
    pub(super) options: Options,
    decisions: Decisions,
    /// The subjects without a place today, and the volumes that are left behind.
    wrong: BTreeSet<String>,
}

/// The result of trying a set of edits.
pub(super) enum Tried {
    /// Documents would be refused, or something loses its place today.
    Impossible,
    /// The loss is not survived; this stands in the way.
    Lost(Vec<Obstacle>),
    /// It is survived.
    Survived {
        /// Decisions that are other ones as soon as the edits are made.
        moves: usize,
        /// How bad the loss is then.
        class: Class,
    },
}

impl<'p, 's, 'a> Bench<'p, 's, 'a> {
    pub(super) fn of(plan: &'p Plan<'s, 'a>, options: &Options) -> Self {
        Self {
            plan,
            options: Options {
                jobs: 1,
                trace: false,
                screen: false,
                // No program is asked again.
                allow_commands: false,
                ..options.clone()
            },
            decisions: decisions(plan),
            wrong: wrong(plan),
        }
    }

    /// An edit with all that is said of it.
    pub(super) fn change(&self, edit: &Edit) -> Change {
        let base = changes::Base {
            site: self.plan.site,
            options: &self.options,
        };
        base.change(edit)
    }

    /// Plans the site with some edits; `open` says what stands in the way where the loss is not
    /// survived.
    pub(super) fn tried(
        &self,
        loss: &Loss,
        edits: &[Edit],
        open: impl Fn(&Checked<'_>, &Loss) -> Vec<Obstacle>,
    ) -> Tried {
        let tried = self.with(edits, |site| {
            // First the parts that the loss affects, then everything.
            let after = self.planned(site, &risk::hurt(loss), |plan| {
                risk::lose(plan, &loss.lost, &self.options)
            })?;
            if !survives(loss, &after) {
                return Some(Tried::Lost(open(site, &after)));
            }
            self.planned(site, &System::ALL, |plan| {
                let moves = self.moves_today(plan)?;
                let after = risk::lose(plan, &loss.lost, &self.options);
                survives(loss, &after).then_some(Tried::Survived {
                    moves,
                    class: after.class,
                })
            })?
        });
        tried.unwrap_or(Tried::Impossible)
    }

    /// The site with edits; nothing where documents would be refused.
    pub(super) fn with<R>(
        &self,
        edits: &[Edit],
        ask: impl FnOnce(&Checked<'_>) -> Option<R>,
    ) -> Option<R> {
        let base = self.plan.site;
        let changed = base.changed(patched(edits)).ok()?;
        let site = changed.check();
        let new = site.findings.refuses_more_than(&[&base.findings]);
        if new { None } else { ask(&site) }
    }

    /// A plan of some systems; nothing where it would refuse documents.
    pub(super) fn planned<R>(
        &self,
        site: &Checked<'_>,
        systems: &[System],
        ask: impl FnOnce(&Plan<'_, '_>) -> R,
    ) -> Option<R> {
        let options = Options {
            systems: systems.to_vec(),
            ..self.options.clone()
        };
        let plan = plan::make(site, &options);
        let new = plan.findings.refuses_more_than(&[&self.plan.findings]);
        (!new && plan.shown().is_some()).then(|| ask(&plan))
    }

    /// How many decisions are other ones with nothing lost; nothing where something that has a
    /// place has none, or leaves volumes behind.
    pub(super) fn moves_today(&self, plan: &Plan<'_, '_>) -> Option<usize> {
        let now = decisions(plan);
        let has = |decision: Option<&Assignment>| decision.is_some_and(|one| !one.is_nowhere());
        let mut before = self.decisions.iter();
        let emptied = before.any(|(subject, was)| has(Some(was)) && !has(now.get(subject)));
        let worse = emptied || !wrong(plan).is_subset(&self.wrong);
        (!worse).then(|| diff::between(&self.decisions, &now).moves.len())
    }
}

/// The subjects without a place, and the volumes that are left behind. Deployment groups are not
/// checked: with nothing lost no offered edit makes one fail, because it gets more nodes, asks for
/// less or waits for less.
fn wrong(plan: &Plan<'_, '_>) -> BTreeSet<String> {
    let mut wrong = BTreeSet::new();
    for row in systems::rows(plan) {
        let own = row.section.system().name();
        if row.fails {
            wrong.insert(format!("{own}:{}", row.asked()));
        }
        let volumes = row.facts.left().into_iter();
        wrong.extend(volumes.map(|volume| format!("{own}:{}: {volume}", row.name)));
    }
    wrong
}

/// Whether a loss is now survived, or no longer leaves volumes behind.
fn survives(before: &Loss, after: &Loss) -> bool {
    after.is_survived() && after.class > before.class
}
