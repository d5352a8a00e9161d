//! The subject of `why`: what a name refers to (a short name, a file, something withdrawn,
//! something that work is placed on), and the answer.

use std::cell::RefCell;
use std::fmt;

use crate::diagnostic::Sink;
use crate::document::System;
use crate::kit::nearest::{hint, ranked};
use crate::options::Options;
use crate::plan::{self, Plan};
use crate::why::Why;

use super::WhyQuestion;

/// Names that are suggested for a short one, at most.
const NEAR: usize = 3;

/// A thing that a name may refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meaning {
    /// The system that it belongs to.
    pub system: System,
    /// Its full name.
    pub name: String,
    /// The kind of thing.
    pub is: Is,
}

/// The kind of thing that a name refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Is {
    /// It is placed.
    Subject,
    /// Things are placed on it.
    Place,
    /// It ran, and is withdrawn.
    Withdrawn,
}

/// How a question is answered.
#[derive(Debug)]
pub struct Asked<'q, 's, 'a> {
    /// The plan.
    pub plan: &'q Plan<'s, 'a>,
    /// How it was made.
    pub options: &'q Options,
    /// The only candidate of interest.
    pub candidate: Option<&'q str>,
    /// The findings about failed commands of advisors.
    pub said: RefCell<Sink>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// The name is unknown; with the nearest names.
    Unknown {
        /// The name as it was written.
        written: String,
        /// A suggestion of the name that was meant.
        hint: String,
    },
    /// It is no candidate of the subject; with the nearest names.
    NotACandidate {
        /// The name as it was written.
        written: String,
        /// The subject.
        subject: String,
        /// A suggestion of the name that was meant.
        hint: String,
    },
    /// Several things have this name.
    Ambiguous {
        /// The name as it was written.
        written: String,
        /// How each of them can be written unambiguously.
        meanings: Vec<String>,
    },
}

impl NoAnswer {
    /// The name that stands for nothing.
    #[must_use]
    pub fn unknown(&self) -> Option<&str> {
        match self {
            Self::Unknown { written, .. } | Self::NotACandidate { written, .. } => Some(written),
            Self::Ambiguous { .. } => None,
        }
    }

    /// With another hint.
    #[must_use]
    pub fn hinting(mut self, other: String) -> Self {
        if let Self::Unknown { hint, .. } | Self::NotACandidate { hint, .. } = &mut self {
            *hint = other;
        }
        self
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { written, hint } => {
                write!(f, "nothing here is named \"{written}\"{hint}")
            }
            Self::NotACandidate {
                written,
                subject,
                hint,
            } => write!(f, "\"{written}\" is not a candidate of {subject}{hint}"),
            Self::Ambiguous { written, meanings } => {
                let list = meanings.join(", ");
                write!(f, "\"{written}\" is ambiguous: {list}")
            }
        }
    }
}

impl Meaning {
    /// How it can be written unambiguously.
    #[must_use]
    pub fn written(&self) -> String {
        format!("{}:{}", self.system.name(), self.name)
    }
}

impl Asked<'_, '_, '_> {
    /// The answer about the thing that a name refers to, and the kind of thing.
    ///
    /// # Errors
    /// It refers to nothing, or to several things.
    pub fn answer(&self, written: &str) -> Result<(Meaning, Why), NoAnswer> {
        let (only, subject) = split_prefix(written);
        let systems = System::ALL.into_iter();
        let systems = systems.filter(|system| only.is_none_or(|only| only == *system));
        let subjects = systems.clone().map(|system| Meaning {
            system,
            name: subject.to_owned(),
            is: Is::Subject,
        });
        let mut answers: Vec<(Meaning, Why)> = subjects
            .filter_map(|meant| Some((meant.clone(), self.about(&meant)?)))
            .collect();
        if answers.is_empty() {
            let meant: Vec<Meaning> = systems
                .clone()
                .flat_map(|system| self.meanings(system, subject))
                .collect();
            match meant.as_slice() {
                [] => return Err(self.unknown(subject, systems)),
                [only] => {
                    let unknown = || self.unknown(subject, systems);
                    let why = self.about(only).ok_or_else(unknown)?;
                    answers.push((only.clone(), why));
                }
                several => return Err(ambiguous(subject, several.iter())),
            }
        }
        match answers.pop() {
            Some((meant, mut why)) if answers.is_empty() => {
                self.narrow(&mut why)?;
                Ok((meant, why))
            }
            last => {
                let several = answers.iter().chain(&last);
                Err(ambiguous(subject, several.map(|(meant, _)| meant)))
            }
        }
    }

    /// The answer about the thing that a name refers to.
    fn about(&self, meant: &Meaning) -> Option<Why> {
        let system = super::of(meant.system);
        match meant.is {
            Is::Subject => system.why(&WhyQuestion {
                plan: self.plan,
                options: self.options,
                subject: &meant.name,
                candidate: self.candidate,
                said: &self.said,
            }),
            Is::Withdrawn => system.why_withdrawn(self.plan, &meant.name),
            Is::Place => {
                let mut options = self.options.clone();
                options.systems = vec![meant.system];
                let plan = plan::make(self.plan.site, &options);
                let placed = system.placed_on(&plan, &meant.name)?;
                Some(placed.why(meant.system, &meant.name))
            }
        }
    }

    /// The things of a system that a name may mean where it is no subject.
    fn meanings(&self, system: System, written: &str) -> Vec<Meaning> {
        let (plan, answers) = (self.plan, super::of(system));
        let short = |name: &String| name.rsplit('/').next() == Some(written);
        let whole = |name: &String| name == written;
        let mut names: Vec<(String, Is)> = Vec::new();
        let subjects = answers.subjects(plan).into_iter().filter(short);
        names.extend(subjects.map(|name| (name, Is::Subject)));
        let others = answers.also_called(plan, written).into_iter();
        names.extend(others.map(|name| (name, Is::Subject)));
        let gone = answers.withdrawn(plan).into_iter();
        let gone = gone.filter(|name| whole(name) || short(name));
        names.extend(gone.map(|name| (name, Is::Withdrawn)));
        let places = answers.places(plan).into_iter().filter(whole);
        names.extend(places.map(|name| (name, Is::Place)));
        let mut all: Vec<Meaning> = Vec::new();
        for (name, is) in names {
            let meaning = Meaning { system, name, is };
            if !all.contains(&meaning) {
                all.push(meaning);
            }
        }
        all
    }

    /// The answer for an unknown name, with the nearest names.
    fn unknown(&self, written: &str, systems: impl Iterator<Item = System>) -> NoAnswer {
        let known = |system| {
            let system = super::of(system);
            let mut names = system.subjects(self.plan);
            names.extend(system.places(self.plan));
            names
        };
        let names: Vec<String> = systems.flat_map(known).collect();
        let whole = || names.iter().map(String::as_str);
        let mut near = ranked(written, whole());
        if near.is_empty() {
            // A subject is understood by the last part of its name, too.
            let parts = ranked(written, whole().map(last_part));
            let named = |name: &&str| parts.contains(&last_part(name));
            near = whole().filter(named).take(NEAR).collect();
        }
        near.dedup();
        NoAnswer::Unknown {
            written: written.to_owned(),
            hint: hint(&near),
        }
    }

    /// Leaves only the candidate asked about.
    fn narrow(&self, why: &mut Why) -> Result<(), NoAnswer> {
        let Some(written) = self.candidate else {
            return Ok(());
        };
        let names: Vec<&str> = why.candidates.iter().map(|one| one.name.as_str()).collect();
        // `Kind/name` and `namespace/name` are understood by their last part.
        let last = |text: &str| text.rsplit('/').next().map(str::to_owned);
        let short = |name: &&&str| last(name) == last(written);
        let same: Vec<&str> = names.iter().filter(short).copied().collect();
        let wanted = match same.as_slice() {
            _ if names.contains(&written) => written.to_owned(),
            [only] => (*only).to_owned(),
            _ => {
                return Err(NoAnswer::NotACandidate {
                    written: written.to_owned(),
                    subject: why.subject.clone(),
                    hint: hint(&ranked(written, names)),
                });
            }
        };
        why.candidates.retain(|candidate| candidate.name == wanted);
        Ok(())
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn ambiguous<'m>(written: &str, meanings: impl Iterator<Item = &'m Meaning>) -> NoAnswer {
    NoAnswer::Ambiguous {
        written: written.to_owned(),
        meanings: meanings.map(Meaning::written).collect(),
    }
}

/// `ogc:shop/web` as the system and the rest.
fn split_prefix(written: &str) -> (Option<System>, &str) {
    for system in System::ALL {
        let rest = written
            .strip_prefix(system.name())
            .and_then(|rest| rest.strip_prefix(':'));
        if let Some(rest) = rest {
            return (Some(system), rest);
        }
    }
    (None, written)
}
