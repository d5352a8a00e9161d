//! The other decisions that a set of edits changes, besides the subject that it is for.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::diff::{Decisions, Subject, between, decisions};
use crate::document::{Document, System};
use crate::kit::named::Name;
use crate::options::Options;
use crate::plan::{self, Assignment, Plan, Section};
use crate::repair::Edit;
use crate::systems::{self, Moving};

use super::{Base, Question, patched};

/// The decisions with the documents unchanged, planned when first requested.
#[derive(Debug)]
pub struct Today<'p, 's, 'a> {
    /// A plan of the site, of whatever systems.
    plan: &'p Plan<'s, 'a>,
    systems: RefCell<Vec<SystemsDecisions>>,
    /// The clusters of subjects.
    subjects: RefCell<BTreeMap<String, Rc<Vec<Cow<'static, str>>>>>,
}

/// Some systems, and the decisions where they are planned.
type SystemsDecisions = (Vec<System>, Rc<Decisions>);

impl<'p, 's, 'a> Today<'p, 's, 'a> {
    /// Starts from the decisions of this plan, and from what it leaves open.
    #[must_use]
    pub fn of(plan: &'p Plan<'s, 'a>) -> Self {
        Self {
            plan,
            systems: RefCell::default(),
            subjects: RefCell::default(),
        }
    }

    fn decided(&self, base: &Base<'_, '_>, planned: &[System]) -> Rc<Decisions> {
        let mut known = self.systems.borrow_mut();
        if let Some((_, decided)) = known.iter().find(|(systems, _)| systems == planned) {
            return Rc::clone(decided);
        }
        let decided = if planned.iter().copied().all(plan::is_always_planned) {
            let mut decided = with_rules(self.plan);
            decided.retain(|subject, _| plan::is_always_planned(subject.system()));
            decided
        } else {
            with_rules(&plan::make(base.site, &quiet(base, planned)))
        };
        let decided = Rc::new(decided);
        known.push((planned.to_vec(), Rc::clone(&decided)));
        decided
    }
}

/// How these systems are planned: no program is asked again.
fn quiet(base: &Base<'_, '_>, planned: &[System]) -> Options {
    Options {
        systems: planned.to_vec(),
        allow_commands: false,
        trace: false,
        screen: false,
        unscored: true,
        quiet: true,
        sequential: false,
        keep_going: true,
        ..base.options.clone()
    }
}

impl Base<'_, '_> {
    /// How many decisions move with these edits, but for what follows the subject; of the subject
    /// itself, how many of its clusters it gives up.
    pub(super) fn also_moves(
        &self,
        question: &Question<'_>,
        needs: &[u32],
        edits: &[Edit],
        today: &Today<'_, '_, '_>,
    ) -> usize {
        let system = systems::of(question.system);
        let documents = &self.site.documents.all;
        let own = |edit: &Edit| {
            let document = &documents[edit.document as usize];
            system.is_own(self.site, document, question.rival())
        };
        // Nothing but the subject depends on its own document.
        if edits.iter().all(own) {
            return if system.profile().selects {
                self.given_up(question, needs, edits, today)
            } else {
                0
            };
        }
        if let Some(moves) = self.moves_of_few(question, needs, edits, today) {
            return moves;
        }
        let Ok(changed) = self.site.changed(patched(edits)) else {
            return 0;
        };
        let site = changed.check();
        let planned = systems::read_anew(&site, self.site);
        let plan = plan::make(&site, &quiet(self, &planned));
        let (before, after) = (today.decided(self, &planned), with_rules(&plan));
        moved(question, &before, &after, &followers(&plan, question))
    }

    /// The same, if the subject's system can tell without planning everything.
    fn moves_of_few(
        &self,
        question: &Question<'_>,
        needs: &[u32],
        edits: &[Edit],
        today: &Today<'_, '_, '_>,
    ) -> Option<usize> {
        if self.site.findings.refused() || self.bear_on_others(question, edits) {
            return None;
        }
        let (system, rival) = (systems::of(question.system), question.rival());
        let changed = self.site.changed(patched(edits)).ok()?;
        let documents: Vec<u32> = edits.iter().map(|edit| edit.document).collect();
        let asked = Moving {
            today: today.plan,
            options: &quiet(self, &[question.system]),
            after: &changed.check_part(question.system, &self.parts(question, needs, &documents)),
            documents: &documents,
            rival,
        };
        if let Some(moved) = system.moved(&asked) {
            let others = moved.iter().filter(|name| !system.is_part(name, rival));
            return Some(others.count());
        }
        let touched = system.touched(&asked)?;
        let decided = |edits| self.decided(question, Some(&touched), edits);
        let (before, after) = (decided(&[]), decided(edits));
        Some(moved(question, &before, &after, &BTreeSet::new()))
    }

    /// Whether the edits change a document that another system reads for its own plan.
    fn bear_on_others(&self, question: &Question<'_>, edits: &[Edit]) -> bool {
        let kind = |edit: &Edit| self.site.documents.all[edit.document as usize].kind;
        let mut others = System::ALL.into_iter();
        others.any(|system| {
            let reads = |edit| self.site.reads(system, kind(edit));
            system != question.system
                && plan::has_plan(self.site, system)
                && edits.iter().any(reads)
        })
    }

    /// How many clusters the subject loses with these edits.
    fn given_up(
        &self,
        question: &Question<'_>,
        needs: &[u32],
        edits: &[Edit],
        today: &Today<'_, '_, '_>,
    ) -> usize {
        let mut known = today.subjects.borrow_mut();
        let had = known.entry(question.subject.to_owned());
        let had = Rc::clone(had.or_insert_with(|| Rc::new(self.clusters(question, needs, &[]))));
        drop(known);
        if had.is_empty() {
            return 0;
        }
        fewer(&had, &self.clusters(question, needs, edits))
    }

    /// The documents that the subject needs, and the documents of every part of the site that has
    /// one of `documents`.
    fn parts<'n>(
        &self,
        question: &Question<'_>,
        needs: &'n [u32],
        documents: &[u32],
    ) -> Cow<'n, [u32]> {
        let system = systems::of(question.system);
        let all = &self.site.documents.all;
        let parts = documents.iter();
        let parts = parts.filter_map(|at| system.part(&all[*at as usize]));
        let parts: BTreeSet<&str> = parts.collect();
        if parts.is_empty() {
            return Cow::Borrowed(needs);
        }
        let within = |document: &&Document<'_>| {
            let own = system.part(document);
            own.is_some_and(|own| parts.contains(own))
                || needs.binary_search(&document.index).is_ok()
        };
        let within = all.iter().filter(within);
        within.map(|document| document.index).collect()
    }

    /// The decisions with these edits, for the documents that are needed.
    fn decided(
        &self,
        question: &Question<'_>,
        needed: Option<&[u32]>,
        edits: &[Edit],
    ) -> Decisions {
        let Ok(changed) = self.site.changed(patched(edits)) else {
            return Decisions::new();
        };
        let site = match needed {
            Some(needed) => changed.check_part(question.system, needed),
            None => changed.check(),
        };
        with_rules(&plan::make(&site, &quiet(self, &[question.system])))
    }

    /// The clusters of the subject with these edits; empty unless it is a placement or rule.
    fn clusters(
        &self,
        question: &Question<'_>,
        needs: &[u32],
        edits: &[Edit],
    ) -> Vec<Cow<'static, str>> {
        let whole = systems::of(question.system).renders(self.site);
        let needed = self.part(needs).filter(|_| !whole);
        let decided = self.decided(question, needed, edits);
        had(&decided, question).to_vec()
    }
}

/// How many decisions are others, but for what follows the subject; of the subject itself, how many
/// of its clusters it gives up.
fn moved(
    question: &Question<'_>,
    before: &Decisions,
    after: &Decisions,
    follow: &BTreeSet<Subject>,
) -> usize {
    let system = systems::of(question.system);
    let given_up = fewer(had(before, question), had(after, question));
    let moves = between(before, after).moves;
    let others = moves.iter().map(|moved| &moved.subject);
    let others = others.filter(|subject| {
        let same = subject.system() == question.system;
        let part = same && system.is_part(&subject.name, question.rival());
        !part && !follow.contains(*subject)
    });
    given_up + others.count()
}

/// All decisions of a plan, and those of the PlacementRules that Placement replaced.
fn with_rules(plan: &Plan<'_, '_>) -> Decisions {
    let mut all = decisions(plan);
    let rules = plan.deliveries.iter().flat_map(|all| &all.ground.rules);
    all.extend(rules.map(|rule| {
        let subject = Subject::delivery(rule.id.kind, rule.id.namespace, rule.id.name);
        let clusters = rule
            .clusters
            .iter()
            .map(|name| Cow::Owned((*name).to_owned()));
        (subject, Assignment::Decisions(clusters.collect()))
    }));
    all
}

/// The clusters of a placement or rule; none of anything else.
fn had<'d>(decided: &'d Decisions, question: &Question<'_>) -> &'d [Cow<'static, str>] {
    let sections = Section::ALL.into_iter();
    let mut sections = sections.filter(|section| section.system() == question.system);
    let answer = sections.find_map(|section| {
        let subject = Subject::new(section, question.subject);
        decided.get(&subject)
    });
    match answer {
        Some(Assignment::Decisions(clusters)) => clusters,
        _ => &[],
    }
}

/// How many of these are no more.
fn fewer(had: &[Cow<'_, str>], kept: &[Cow<'_, str>]) -> usize {
    let kept: BTreeSet<&str> = kept.iter().map(|one| &**one).collect();
    had.iter().filter(|one| !kept.contains(&***one)).count()
}

/// The subjects that move with this one: the consumers of a placement, and the placements that a
/// consumer follows.
fn followers(plan: &Plan<'_, '_>, question: &Question<'_>) -> BTreeSet<Subject> {
    let mut follow = BTreeSet::new();
    for row in plan.deliveries.iter().flat_map(|all| &all.rows) {
        let consumer = Subject::delivery(row.id.kind, row.id.namespace, row.id.name);
        let mut placements = row.via.iter().map(|via| match via.placement {
            (kind @ "PlacementRule", namespace, name) => Subject::delivery(kind, namespace, name),
            (_, namespace, name) => {
                Subject::new(Section::Placements, Name::new(namespace, name).to_string())
            }
        });
        if consumer.name == question.subject {
            follow.extend(placements);
        } else if placements.any(|one| one.name == question.subject) {
            follow.insert(consumer);
        }
    }
    follow
}
