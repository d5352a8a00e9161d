//! The obstacles to surviving a loss: for each thing that it leaves without a place, how it could
//! have one on the site without the lost things.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use crate::changes::FEW;
use crate::options::Options;
use crate::plan;
use crate::repair::{self, Edit, Obstacle, Remedy, Side, Trial, all_of};
use crate::risk::{self, Class, Harm, Loss};
use crate::site::{Changes, Checked, Thing};
use crate::systems::{self, Rival, WhyQuestion};
use crate::yaml::Op;

/// Candidates that are asked about for each thing without a place, the nearest first, in small
/// sites and in large ones.
const NEAREST: [usize; 2] = [24, 4];

/// Ways to one candidate, at most.
const WAYS: usize = 40;

/// Whether volumes that are left behind could stay where they are: not those on a lost cluster.
pub(super) fn can_be_kept(loss: &Loss) -> bool {
    let mut volumes = loss.volumes.iter();
    !volumes.any(|volume| loss.lost.contains(&Thing::Cluster(volume.cluster.clone())))
}

/// The obstacles to surviving the loss of a site; their edits are edits of that site.
pub(super) fn obstacles(
    site: &Checked<'_>,
    options: &Options,
    loss: &Loss,
    steps: &Cell<u64>,
) -> Vec<Obstacle> {
    let whole: Vec<u32> = whole(site, &loss.lost).into_iter().collect();
    let mut found = Vec::new();
    for system in systems::all()
        .into_iter()
        .filter(|_| loss.class == Class::Fatal)
    {
        found.extend(system.withstand(site, options, &whole));
    }
    let harms = risk::harms(loss);
    if !harms.is_empty()
        && let Ok(changed) = site.changed(Changes::without(loss.lost.clone()))
    {
        let without = changed.check();
        let mut ways: Vec<Obstacle> = Vec::new();
        for harm in &harms {
            ways.push(way_back(&without, options, harm, steps));
        }
        located(&mut ways, site, &loss.lost);
        found.extend(ways);
    }
    let hub = site.hub.as_ref().map(|hub| hub.source);
    let may = |edit: &Edit| {
        let document = &site.documents.all[edit.document as usize];
        // Objects that a generator makes or a hub reports are in no file that an edit could change.
        document.generator().is_none() && Some(document.source()) != hub
    };
    for obstacle in &mut found {
        let remedies = &mut obstacle.remedies;
        remedies.retain(|remedy| remedy.edits.iter().all(may));
    }
    found
}

/// The ways for a subject to have a place again, on the site without the lost things.
fn way_back(without: &Checked<'_>, options: &Options, harm: &Harm, steps: &Cell<u64>) -> Obstacle {
    let mut obstacle = Obstacle::new(harm.system.name(), format!("a place for {}", harm.subject));
    let system = systems::of(harm.system);
    for candidate in candidates(without, options, harm) {
        let rival = Rival {
            subject: &harm.subject,
            candidate: &candidate,
        };
        let mut left = steps.get();
        let trial = system.trial(without, options, rival, &mut left);
        steps.set(left);
        let Trial::Lost(obstacles) = trial else {
            continue;
        };
        let lists = obstacles.into_iter().map(|one| one.remedies);
        let lists: Vec<Vec<Remedy>> = lists.collect();
        for remedy in all_of(&lists, WAYS) {
            obstacle.way(remedy.edits, remedy.blunt);
        }
    }
    obstacle
}

/// The places to ask about, the nearest first.
fn candidates(without: &Checked<'_>, options: &Options, harm: &Harm) -> Vec<String> {
    if let Some(place) = &harm.place {
        return vec![place.clone()];
    }
    let options = Options {
        systems: vec![harm.system],
        keep_going: true,
        ..options.clone()
    };
    let plan = plan::make(without, &options);
    let asked = WhyQuestion {
        plan: &plan,
        options: &options,
        subject: &harm.subject,
        candidate: None,
        said: &RefCell::default(),
    };
    let why = systems::of(harm.system).why(&asked);
    let mut all: Vec<_> = why.map(|why| why.candidates).unwrap_or_default();
    all.retain(|candidate| !candidate.chosen);
    all.sort_by_key(|candidate| candidate.obstacles().count());
    let is_large = without.documents.all.len() > FEW;
    all.truncate(NEAREST[usize::from(is_large)]);
    all.into_iter().map(|candidate| candidate.name).collect()
}

/// The documents that are lost as a whole.
fn whole(site: &Checked<'_>, lost: &[Thing]) -> BTreeSet<u32> {
    let parts = lost.iter().flat_map(|thing| site.parts(thing));
    let whole = parts.filter(|(_, whole)| *whole);
    whole.map(|(document, _)| document.index).collect()
}

/// Turns edits of the site without the lost things into edits of the whole site.
fn located(obstacles: &mut [Obstacle], site: &Checked<'_>, lost: &[Thing]) {
    let whole = whole(site, lost);
    let all = site.documents.all.iter().map(|document| document.index);
    let kept: Vec<u32> = all.filter(|index| !whole.contains(index)).collect();
    for obstacle in obstacles.iter_mut() {
        let edits = obstacle.remedies.iter_mut();
        for edit in edits.flat_map(|remedy| &mut remedy.edits) {
            edit.document = kept
                .get(edit.document as usize)
                .copied()
                .unwrap_or(u32::MAX);
        }
        // Documents that exist only during the search are no documents of the site.
        let there = |edit: &Edit| edit.document != u32::MAX;
        obstacle
            .remedies
            .retain(|remedy| remedy.edits.iter().all(there));
    }
    let items = lost.iter().flat_map(|thing| site.items_of(thing));
    let removed = items.map(|(document, pointer)| Edit {
        document,
        pointer,
        op: Op::Remove,
        side: Side::Candidate,
    });
    let removed: Vec<Edit> = removed.collect();
    repair::rebase(obstacles, &removed);
}
