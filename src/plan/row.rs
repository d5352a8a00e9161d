//! A plan as rows: the decision about each subject, computed once for all outputs and comparisons.

use std::borrow::Cow;
use std::fmt;

use super::{Answer, Mark, Section};
use crate::document::System;
use crate::kit::keeps::{Keeps, Way};
use crate::kit::named::Name;
use crate::kit::sorted::only;
use crate::source::{Place, Sources};

/// Where a row is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum At<'p> {
    /// In no document.
    Nowhere,
    /// In the documents at hand.
    Place(Place),
    /// At the line of a file, as a saved plan has it.
    Line(&'p str, usize),
}

impl<'p> At<'p> {
    /// File and line.
    #[must_use]
    pub fn line<'s: 'p>(self, sources: Option<&'s Sources>) -> Option<(&'p str, usize)> {
        match self {
            Self::Nowhere => None,
            Self::Place(place) => {
                let source = sources?.get(place.source);
                Some((&source.name, source.position(place.span.start).line))
            }
            Self::Line(path, line) => Some((path, line)),
        }
    }
}

/// A volume that an Application leaves on another Cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Volume<'p> {
    /// Its kind.
    pub kind: &'p str,
    /// Its name.
    pub name: &'p str,
    /// The Cluster that it stays on.
    pub cluster: &'p str,
    /// Whether this plan leaves it behind, not an earlier one.
    pub held: bool,
}

impl fmt::Display for Volume<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} on {}", self.kind, self.name, self.cluster)
    }
}

/// The cause of a change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cause<'p> {
    /// The cause in a phrase.
    pub words: String,
    /// Where it is declared.
    pub at: At<'p>,
}

/// The facts of a row that are not counted, computed only when the row is shown or compared.
pub trait Facts<'p> {
    /// The answer before; `None` where there was none, or where none is known.
    fn was(&self) -> Option<Answer<'p>>;

    /// The answer now; `None` where there is no decision.
    fn now(&self) -> Option<Answer<'p>>;

    /// The reason for the decision, in a phrase.
    fn because(&self) -> String;

    /// The part of an earlier answer that stays as it was, whatever this plan decides.
    fn keeps(&self) -> Keeps<'p> {
        Keeps::Nothing
    }

    /// The places that one of the ways to this answer gives.
    fn given(&self, _way: &Way<'_>) -> Vec<Cow<'p, str>> {
        Vec::new()
    }

    /// Why a place comes or goes, where that is known of a place by itself.
    fn cause(&self, _place: &str) -> Option<Cause<'p>> {
        None
    }

    /// Why there is no answer, or not all of one, where that is known.
    fn failure(&self) -> Option<String> {
        None
    }

    /// The volumes that are left on other clusters.
    fn left(&self) -> Vec<Volume<'p>> {
        Vec::new()
    }
}

/// How many places come, go and stay in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moved {
    /// How many places come.
    pub added: usize,
    /// How many places go.
    pub removed: usize,
    /// How many places stay.
    pub kept: usize,
}

impl Moved {
    /// From how many there are before, now, and at both times.
    #[must_use]
    pub const fn of(was: usize, now: usize, kept: usize) -> Self {
        Self {
            added: now - kept,
            removed: was - kept,
            kept,
        }
    }
}

/// The plan of one subject.
pub struct Row<'p> {
    /// The section that it belongs to.
    pub section: Section,
    /// The kind of the thing.
    pub kind: &'p str,
    /// Its name. The namespace of an Application is its Package, that of a region its file.
    pub name: Name<'p>,
    /// Where it is declared.
    pub at: At<'p>,
    /// How it changes.
    pub mark: Mark,
    /// How its answer changes.
    pub moved: Moved,
    /// Whether a plan with it cannot be carried out.
    pub fails: bool,
    /// The rest.
    pub facts: Box<dyn Facts<'p> + 'p>,
}

/// The rows of a plan, each made when it is asked for.
pub type Rows<'p> = Box<dyn Iterator<Item = Row<'p>> + 'p>;

impl<'p> Row<'p> {
    /// The names of the places that it goes to.
    #[must_use]
    pub fn places(&self) -> Vec<String> {
        let now = self.facts.now();
        let names = now.as_ref().map_or(&[][..], Answer::names);
        names.iter().map(ToString::to_string).collect()
    }

    /// The name by which a plan is compared: that of a consumer of placements has its kind.
    #[must_use]
    pub fn subject(&self) -> String {
        match self.section {
            Section::Deliveries => format!("{}/{}", self.kind, self.name),
            _ => self.name.to_string(),
        }
    }

    /// The name that `planner why` is asked about: the regions of a file are decided together.
    #[must_use]
    pub fn asked(&self) -> String {
        if self.section.info().decides_together {
            self.name.namespace.to_owned()
        } else {
            self.subject()
        }
    }

    /// `Policy gov/audit`
    #[must_use]
    pub fn called(&self) -> String {
        format!("{} {}", self.kind, self.name)
    }

    /// Whether the answer is the one before; where none is known, whether there is none.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        let Moved {
            added,
            removed,
            kept,
        } = self.moved;
        match self.facts.was() {
            Some(_) => added + removed == 0,
            None => added + kept == 0,
        }
    }

    /// The places that go, in order.
    #[must_use]
    pub fn removed(&self) -> Vec<Cow<'p, str>> {
        match (self.moved.removed, self.facts.was()) {
            (0, _) | (_, None) => Vec::new(),
            (_, Some(was)) => {
                let now = self.facts.now();
                only(was.names(), now.as_ref().map_or(&[], Answer::names))
            }
        }
    }
}

/// The subjects that cannot be placed, each once.
pub fn failed<'p>(rows: impl Iterator<Item = Row<'p>>) -> impl Iterator<Item = (System, String)> {
    let failing = rows.filter(|row| row.fails);
    let mut last = None;
    failing.filter_map(move |row| {
        let subject = (row.section.system(), row.asked());
        let new = last.as_ref() != Some(&subject);
        new.then(|| last.insert(subject).clone())
    })
}
