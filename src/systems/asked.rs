//! The questions that commands put to every system.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Debug;

use serde_json::Value;

use crate::data::Part;
use crate::diagnostic::{Rule, Sink};
use crate::document::{Document, System};
use crate::loss::Loss;
use crate::options::Options;
use crate::plan::Plan;
use crate::plan::row::Rows;
use crate::repair::{Obstacle, Trial};
use crate::site::{Checked, Thing};
use crate::why::Why;
use crate::why::placed::Placed;

use super::kind::Kind;
use super::outcome::Outcome;
use super::shown::{Shown, View};

/// A question about one subject of a plan.
#[derive(Debug, Clone, Copy)]
pub struct WhyQuestion<'q, 's, 'a> {
    /// The plan.
    pub plan: &'q Plan<'s, 'a>,
    /// How it was made.
    pub options: &'q Options,
    /// The subject.
    pub subject: &'q str,
    /// The only candidate of interest.
    pub candidate: Option<&'q str>,
    /// The findings about failed commands of advisors.
    pub said: &'q RefCell<Sink>,
}

/// A question about a candidate of a subject.
#[derive(Debug, Clone, Copy)]
pub struct Rival<'q> {
    /// The subject.
    pub subject: &'q str,
    /// The candidate.
    pub candidate: &'q str,
}

/// A question about the effect of a change.
#[derive(Debug, Clone, Copy)]
pub struct Moving<'q, 's, 'a> {
    /// A plan of the unchanged site, of whatever systems.
    pub today: &'q Plan<'s, 'a>,
    /// How it was made.
    pub options: &'q Options,
    /// The site with the change. Only what the subject needs was checked, and all of the parts that
    /// changed ([`PlacementSystem::part`]).
    pub after: &'q Checked<'q>,
    /// The documents that changed, by number.
    pub documents: &'q [u32],
    /// The subject and the candidate.
    pub rival: Rival<'q>,
}

/// A loss, by the plan of the whole site and one of the site without the lost things.
#[derive(Debug, Clone, Copy)]
pub struct Lost<'q, 's, 'a> {
    /// The plan of the whole site.
    pub before: &'q Plan<'s, 'a>,
    /// The plan of what is left.
    pub after: &'q Plan<'q, 'q>,
    /// The documents in which the lost things are.
    pub documents: &'q [&'q Document<'a>],
}

/// The record that is to be made.
#[derive(Debug, Clone, Copy)]
pub struct Numbered<'r> {
    /// Its number, as its documents have it.
    pub number: &'r str,
    /// The directory of records, named as files are named in messages.
    pub directory: &'r str,
}

/// A decision of a plan about one thing, as a saved plan has it: the kind, the name, and the value
/// that must stay the same.
pub type Essence = (&'static str, String, Value);

/// The constants of a system.
#[derive(Debug)]
pub struct Profile {
    /// Which system it is.
    pub system: System,
    /// Its chapter of planner-placement(7).
    pub chapter: &'static str,
    /// Its table of rules.
    pub rules: &'static [&'static Rule],
    /// The chapter of planner-placement(7) on where specification and code differ, if only the
    /// specification is followed.
    pub differences: Option<&'static str>,
    /// The keys of its parts of a plan as data.
    pub parts: &'static [&'static str],
    /// The keys of those that follow the parts of all systems.
    pub last: &'static [&'static str],
    /// The kinds of items that a page shows.
    pub kinds: &'static [Kind],
    /// The headings of its section, one word each: the subject, and the decision.
    pub heads: (&'static str, &'static str),
    /// The noun for a subject without a place, and what is said of one and of several.
    pub unplaced: (&'static str, [&'static str; 2]),
    /// Whether a subject selects several candidates, and may give some up for another one.
    pub selects: bool,
    /// Whether some candidate came next to those that are chosen.
    pub ranks: bool,
}

/// One of the systems that place something, as commands ask all of them alike.
pub trait PlacementSystem: Sync {
    /// Its constants.
    fn profile(&self) -> &'static Profile;

    /// Its models of a site, in one order: the meaning of its documents.
    fn models<'m>(&self, site: &'m Checked<'_>) -> Vec<&'m dyn Debug>;

    /// Its section of a plan, whole.
    fn answer<'p>(&self, plan: &'p Plan<'_, '_>) -> &'p dyn Debug;

    /// Its section of a plan as rows, in the order of the section.
    fn rows<'p>(&self, plan: &'p Plan<'_, '_>) -> Rows<'p>;

    /// Its parts of a plan as data, in the order of [`Profile::parts`]; those without content are
    /// left out.
    fn data<'p>(&self, plan: &'p Plan<'_, '_>) -> Vec<Part<'p>>;

    /// Its sections of a plan as text.
    fn text(&self, plan: &Plan<'_, '_>, view: View<'_>) -> Shown;

    /// The values that must stay the same for a saved plan to hold: without reasons, counts,
    /// findings and places, so that a comment or an unused label changes nothing.
    fn essence(&self, outcome: &dyn Outcome) -> Vec<Essence>;

    /// Whether a decision that moved already shows the change of an item of [`Self::essence`].
    fn shows(&self, _what: &str, name: &str, moved: &str) -> bool {
        name == moved
    }

    /// How many things Proceed records, and the name of a record of one of them alone.
    fn recorded<'p>(&self, plan: &'p Plan<'_, '_>) -> (usize, Option<&'p str>);

    /// The documents that Proceed records.
    fn records(&self, plan: &Plan<'_, '_>, record: Numbered<'_>) -> Vec<Value>;

    /// Adds the things that `risk` loses in turn: those its decisions depend on.
    fn things(&self, plan: &Plan<'_, '_>, things: &mut BTreeSet<Thing>);

    /// Records how its answers differ where things are lost.
    fn lose(&self, lost: &Lost<'_, '_, '_>, loss: &mut Loss);

    /// Reports the subjects that it could not place.
    fn unplaceable(&self, plan: &Plan<'_, '_>, sink: &mut Sink);

    /// The names of the subjects that `why` accepts.
    fn subjects(&self, plan: &Plan<'_, '_>) -> Vec<String>;

    /// The subjects that also have this name.
    fn also_called(&self, _: &Plan<'_, '_>, _: &str) -> Vec<String> {
        Vec::new()
    }

    /// Every reason for and against; nothing if it does not know the subject. `planner why` asks
    /// for no system to be planned: a section of the plan may be empty.
    fn why(&self, asked: &WhyQuestion<'_, '_, '_>) -> Option<Why>;

    /// The deployed subjects that no document asks for any more.
    fn withdrawn(&self, _: &Plan<'_, '_>) -> Vec<String> {
        Vec::new()
    }

    /// Why a subject is withdrawn; `None` if it is not.
    fn why_withdrawn(&self, _: &Plan<'_, '_>, _: &str) -> Option<Why> {
        None
    }

    /// The names that things can be placed on.
    fn places(&self, plan: &Plan<'_, '_>) -> Vec<String>;

    /// The subjects placed there; `None` for an unknown name.
    fn placed_on(&self, plan: &Plan<'_, '_>, name: &str) -> Option<Placed>;

    /// Tries a candidate: the result, with the obstacles. `steps` limits the steps that grow faster
    /// than the site.
    fn trial(
        &self,
        site: &Checked<'_>,
        options: &Options,
        rival: Rival<'_>,
        steps: &mut u64,
    ) -> Trial;

    /// The obstacles to withstanding the failure of the machines that these documents declare;
    /// empty if the deployment withstands it.
    fn withstand(&self, _: &Checked<'_>, _: &Options, _: &[u32]) -> Vec<Obstacle> {
        Vec::new()
    }

    /// Whether what stands in the way of a candidate hangs on a document.
    fn needs(&self, site: &Checked<'_>, document: &Document<'_>, rival: Rival<'_>) -> bool;

    /// Whether a decision is the one that is asked about, or a part of it.
    fn is_part(&self, decided: &str, rival: Rival<'_>) -> bool {
        decided == rival.subject
    }

    /// Whether a document bears on no decision but the subject's.
    fn is_own(&self, _: &Checked<'_>, _: &Document<'_>, _: Rival<'_>) -> bool {
        false
    }

    /// The only part of a site that depends on a document, apart from the inventory. `None` if more
    /// may depend on it.
    fn part<'a>(&self, _: &Document<'a>) -> Option<&'a str> {
        None
    }

    /// The names of the subjects that a change moves. `None` if only planning can tell.
    fn moved(&self, _: &Moving<'_, '_, '_>) -> Option<Vec<String>> {
        None
    }

    /// The numbers of the documents of all subjects that a change may move, without the inventory.
    /// `None` if only a plan of everything can tell.
    fn touched(&self, _: &Moving<'_, '_, '_>) -> Option<Vec<u32>> {
        None
    }

    /// Whether a document may bear on others in ways that are seen only when all are read: a
    /// search that reads only what is needed is then checked against one that reads everything.
    fn renders(&self, _: &Checked<'_>) -> bool {
        false
    }
}
