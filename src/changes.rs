//! For a candidate that was not chosen: the smallest changes to its own or the subject's documents
//! that would select it, each proven by planning the changed site.

mod nearest;
mod others;

pub use nearest::runner_up;
pub use others::Today;

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::diff;
use crate::document::{Document, System};
use crate::options::Options;
use crate::plan::Plan;
use crate::repair::{self, Edit, Limits, May, Repair, Side, Trial};
use crate::site::{self, Checked};
use crate::systems::{self, Rival, WhyQuestion};
use crate::why::{Change, Changes, Needed, Ways, Why};
use crate::yaml::{Op, json};

/// Plans made for one question, at most.
pub const PLANS: usize = 400;

/// The most sets that are reported.
pub const TOLD: usize = 5;

/// Sets among which those that move nothing else are looked for, at most.
const GATHERED: usize = 15;

/// Documents up to which every single edit is planned; in larger sites only whole sets are.
pub const FEW: usize = 300;

/// Steps of all plans for one question, at most, where planning takes more steps than the site is
/// large.
pub const STEPS: u64 = 20_000_000;

/// The default limit of changes in a set.
pub const CHANGES: usize = 3;

/// Candidates for which changes are looked for where nothing could be placed.
const NEAREST: usize = 3;

/// The site in question.
#[derive(Debug, Clone, Copy)]
pub struct Base<'b, 'a> {
    /// The site.
    pub site: &'b Checked<'a>,
    /// How it is planned.
    pub options: &'b Options,
}

/// The question.
#[derive(Debug, Clone, Copy)]
pub struct Question<'q> {
    /// The system of the subject.
    pub system: System,
    /// The subject.
    pub subject: &'q str,
    /// The candidate.
    pub candidate: &'q str,
    /// Edits of a set, at most.
    pub edits: usize,
    /// The side whose documents may be changed.
    pub may: May,
}

impl<'q> Question<'q> {
    fn rival(&self) -> Rival<'q> {
        Rival {
            subject: self.subject,
            candidate: self.candidate,
        }
    }
}

/// The candidates that were not chosen and have the fewest reasons against them, nearest first.
#[must_use]
pub fn nearest(why: &Why) -> Vec<usize> {
    let mut lost: Vec<usize> = (0..why.candidates.len())
        .filter(|at| !why.candidates[*at].chosen)
        .collect();
    lost.sort_by_key(|at| why.candidates[*at].obstacles().count());
    lost.truncate(NEAREST);
    lost
}

/// For each subject that a plan could not place: the fewest changes with which it is placed, as far
/// as they are found among the nearest candidates within the plans allowed for one question.
#[must_use]
pub fn ways(plan: &Plan<'_, '_>, options: &Options) -> Ways {
    let site = plan.site;
    let base = Base { site, options };
    // No program is asked again.
    let quiet = Options {
        allow_commands: false,
        ..options.clone()
    };
    let mut ways = Ways::new();
    let mut plans = 0;
    for (system, subject) in systems::failed(plan) {
        if plans >= PLANS {
            break;
        }
        let asked = WhyQuestion {
            plan,
            options: &quiet,
            subject: &subject,
            candidate: None,
            said: &RefCell::default(),
        };
        let Some(why) = systems::of(system).why(&asked) else {
            continue;
        };
        let mut best: Option<Vec<Change>> = None;
        for at in nearest(&why) {
            let question = Question {
                system,
                subject: &subject,
                candidate: &why.candidates[at].name,
                edits: best.as_ref().map_or(CHANGES, |best| best.len() - 1),
                may: May::Both,
            };
            if question.edits == 0 {
                break;
            }
            if let Some(found) = base.changes(&question) {
                plans += found.plans;
                best = found.sets.into_iter().next().or(best);
            }
        }
        ways.extend(best.map(|best| ((system.name(), subject), best)));
    }
    ways
}

/// How it ends for the candidate, if that takes no more steps than are left.
fn judged(
    site: &Checked<'_>,
    options: &Options,
    question: &Question<'_>,
    steps: &mut u64,
) -> Trial {
    systems::of(question.system).trial(site, options, question.rival(), steps)
}

impl Base<'_, '_> {
    /// The smallest sets of changes with which the candidate is chosen; `None` where it is.
    #[must_use]
    pub fn changes(&self, question: &Question<'_>) -> Option<Changes> {
        let found = self.found(question, &self.needs(question), TOLD, PLANS)?;
        Some(self.described(&found))
    }

    /// The same, and for each set how many other decisions it moves: sets that move nothing else
    /// come first.
    #[must_use]
    pub fn calm_changes(
        &self,
        question: &Question<'_>,
        today: &Today<'_, '_, '_>,
    ) -> Option<Changes> {
        let few = self.site.documents.all.len() <= FEW;
        let gathered = if few { GATHERED } else { TOLD };
        let needs = self.needs(question);
        let mut found = self.found(question, &needs, gathered, PLANS)?;
        let sets = std::mem::take(&mut found.sets).into_iter();
        let counted = sets.map(|set| (self.also_moves(question, &needs, &set, today), set));
        let mut counted: Vec<(usize, Vec<Edit>)> = counted.collect();
        counted.sort_by_key(|(moves, _)| *moves > 0);
        counted.truncate(TOLD);
        let (moves, sets) = counted.into_iter().unzip();
        found.sets = sets;
        Some(Changes {
            also_moves: moves,
            ..self.described(&found)
        })
    }

    /// Searches for at most `told` sets with at most `plans` plans. The answer depends on the
    /// documents in `needs`.
    fn found(
        &self,
        question: &Question<'_>,
        needs: &[u32],
        told: usize,
        plans: usize,
    ) -> Option<Repair> {
        let mut any = u64::MAX;
        let now = judged(self.site, self.options, question, &mut any);
        let Trial::Lost(in_the_way) = &now else {
            return None;
        };
        let needed = self.part(needs).filter(|needed| {
            !systems::of(question.system).renders(self.site)
                || self.trial(question, Some(needed), &[], &mut any) == now
        });
        let limits = Limits {
            edits: question.edits,
            plans,
            may: question.may,
            exact: self.site.documents.all.len() <= FEW,
            told,
        };
        let mut steps = STEPS;
        Some(repair::search(in_the_way, limits, |edits| {
            self.trial(question, needed, edits, &mut steps)
        }))
    }

    /// The numbers of the documents that the answer depends on, without those of the inventory.
    fn needs(&self, question: &Question<'_>) -> Vec<u32> {
        let (system, rival) = (systems::of(question.system), question.rival());
        let all = self.site.documents.all.iter();
        let needed = all.filter(|document| system.needs(self.site, document, rival));
        needed.map(|document| document.index).collect()
    }

    /// These documents, if they can be planned without the rest of the site.
    fn part<'n>(&self, needs: &'n [u32]) -> Option<&'n [u32]> {
        let part = needs.len() < self.site.documents.all.len() && !self.site.findings.refused();
        part.then_some(needs)
    }

    /// Plans the subject with some edits, if that takes no more steps than are left.
    fn trial(
        &self,
        question: &Question<'_>,
        needed: Option<&[u32]>,
        edits: &[Edit],
        steps: &mut u64,
    ) -> Trial {
        let Ok(changed) = self.site.changed(patched(edits)) else {
            return Trial::Impossible;
        };
        let site = match needed {
            Some(needed) => changed.check_part(question.system, needed),
            None => changed.check(),
        };
        if site.findings.refuses_more_than(&[&self.site.findings]) {
            return Trial::Impossible;
        }
        judged(&site, self.options, question, steps)
    }

    fn described(&self, found: &Repair) -> Changes {
        let set = |edits: &Vec<Edit>| edits.iter().map(|edit| self.change(edit)).collect();
        Changes {
            sets: found.sets.iter().map(set).collect(),
            also_moves: Vec::new(),
            none_up_to: found.none_up_to,
            obstacles: found
                .obstacles
                .iter()
                .map(|(stage, needs)| Needed {
                    stage: stage.clone(),
                    needs: needs.clone(),
                })
                .collect(),
            offered: found.offered,
            plans: found.plans,
            stopped: found.stopped,
        }
    }

    /// An edit with its effects.
    #[must_use]
    pub fn change(&self, edit: &Edit) -> Change {
        let document = &self.site.documents.all[edit.document as usize];
        let before = match edit.op {
            Op::Set(_) | Op::Remove => document.node.pointer(&edit.pointer),
            Op::Insert(_) => None,
        };
        let before = before.map(|node| json(node, document.kind.dialect()));
        let sources = self.site.documents.sources;
        let place = repair::place_of(document.node, &edit.pointer);
        let path = sources.get(place.source).name.clone();
        let field = match (&edit.op, edit.pointer.rsplit_once('/')) {
            (Op::Insert(_), Some((list, _))) => list,
            _ => &edit.pointer,
        };
        Change {
            kind: kind_of(document),
            // An unnamed document that is alone in its file goes by the file's name.
            name: name_of(document).unwrap_or_else(|| path.clone()),
            namespace: document.namespace().map(str::to_owned),
            document: edit.document,
            path,
            line: sources.get(place.source).position(place.span.start).line,
            pointer: edit.pointer.clone(),
            field: diff::path(document.node, field),
            op: edit.op.clone(),
            before,
            of_candidate: edit.side == Side::Candidate,
            observed: edit.is_observed(),
            package: document.object().package,
        }
    }
}

/// A change without its effects.
#[must_use]
pub fn edit(change: &Change) -> Edit {
    Edit {
        document: change.document,
        pointer: change.pointer.clone(),
        op: change.op.clone(),
        side: if change.of_candidate {
            Side::Candidate
        } else {
            Side::Subject
        },
    }
}

/// The site with these edits.
#[must_use]
pub fn patched(edits: &[Edit]) -> site::Changes {
    let patch = |edit: &Edit| site::Patch {
        document: edit.document,
        pointer: edit.pointer.clone(),
        op: edit.op.clone(),
    };
    site::Changes {
        patches: edits.iter().map(patch).collect(),
        ..site::Changes::default()
    }
}

/// The files that a set of changes is about: name, text as it is, text with the changes.
/// Nothing where a change cannot be written into the text.
#[must_use]
pub fn texts(site: &Checked<'_>, set: &[Change]) -> Option<Vec<(String, String, String)>> {
    let sources = site.documents.sources;
    let mut by_file: BTreeMap<&str, (&str, Vec<repair::text::Replacement>)> = BTreeMap::new();
    let mut missing: Vec<(u32, Option<&str>)> = Vec::new();
    for change in set {
        let document = &site.documents.all[change.document as usize];
        let source = sources.get(document.source());
        // A built document is written in several files.
        if !site.loaded.builds.roots.is_empty() && document.node.source_text().is_empty() {
            return None;
        }
        let edit = edit(change);
        // Two changes that would each make the same container cannot be told as two.
        let made = (
            change.document,
            repair::missing(document.node, &change.pointer),
        );
        if made.1.is_some() && missing.contains(&made) {
            return None;
        }
        missing.push(made);
        let replacement = repair::text::replacement(&source.text, document.node, &edit)?;
        let file = by_file.entry(&source.name);
        file.or_insert((&source.text, Vec::new()))
            .1
            .push(replacement);
    }
    let file = |(name, (text, all)): (&str, (&str, Vec<repair::text::Replacement>))| {
        let after = repair::text::replaced(text, all)?;
        Some((name.to_owned(), text.to_owned(), after))
    };
    by_file.into_iter().map(file).collect()
}

/// The document's `kind`, the middle part of its `schema`, or its `type`.
fn kind_of(document: &Document<'_>) -> String {
    let text = |key: &str| document.node.get(key).and_then(crate::yaml::Node::text);
    let schema = || {
        let schema = text("schema")?;
        Some(schema.split('/').nth(1).unwrap_or(schema))
    };
    let kind = text("kind").or_else(schema).or_else(|| text("type"));
    kind.unwrap_or_default().to_owned()
}

fn name_of(document: &Document<'_>) -> Option<String> {
    let properties = || document.node.at(&["properties", "name"])?.text();
    let name = document.name().or_else(properties);
    name.map(str::to_owned)
}
