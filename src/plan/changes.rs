//! Changes of a plan by what they have in common: clusters that join and leave the same, subjects
//! that go from one answer to the same other one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::row::{At, Cause, Rows};
use super::{Answer, Mark, Row, Section};
use crate::kit::sorted::only;

/// A subject that a change concerns.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Subject<'p> {
    /// The section that decides about it.
    pub section: Section,
    /// The kind of the thing.
    pub kind: &'p str,
    /// Its full name.
    pub name: String,
}

/// The effect that several things have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect<'p> {
    /// Clusters are decided on by other subjects than before.
    Places {
        /// The subjects that decide on them now.
        join: Vec<Subject<'p>>,
        /// The subjects that no longer do.
        leave: Vec<Subject<'p>>,
    },
    /// Subjects of a section get another answer.
    Answers {
        /// The section.
        section: Section,
        /// The one cluster before and the one now, where each is the only one.
        clusters: Option<(Option<String>, Option<String>)>,
    },
}

/// Things that one cause changes in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<'p> {
    /// How they change.
    pub mark: Mark,
    /// Their names, in the order of the plan.
    pub names: Vec<String>,
    /// The effect.
    pub effect: Effect<'p>,
    /// The cause, as far as the plan knows it.
    pub cause: Option<Cause<'p>>,
}

/// The changes of some rows, and how many rows change.
#[derive(Debug, Default)]
pub struct Changes<'p> {
    /// The changes, in the order of their marks, those of the most subjects first.
    pub all: Vec<Change<'p>>,
    /// How many rows change.
    pub rows: usize,
}

/// A cluster of which it is known what joins and leaves it: subjects by their positions.
#[derive(Default)]
struct Joined<'p> {
    join: Vec<usize>,
    leave: Vec<usize>,
    cause: Option<Cause<'p>>,
}

impl<'p> Changes<'p> {
    /// The changes that these rows say. A plan with nothing before has none: everything is new.
    #[must_use]
    pub fn of(rows: impl Fn() -> Rows<'p>) -> Self {
        if rows().all(|row| names(row.facts.was().as_ref()).is_empty()) {
            return Self::default();
        }
        let mut subjects: Vec<Subject<'p>> = Vec::new();
        let mut places: BTreeMap<String, Joined<'p>> = BTreeMap::new();
        let mut answers: Vec<Change<'p>> = Vec::new();
        let mut known: FxHashMap<(Mark, Effect<'p>, Option<Cause<'p>>), usize> =
            FxHashMap::default();
        let (mut had, mut changed) = (FxHashSet::default(), 0);
        for row in rows() {
            let (was, now) = (row.facts.was(), row.facts.now());
            for name in names(was.as_ref()) {
                if !had.contains(&**name) {
                    had.insert(name.to_string());
                }
            }
            if row.mark == Mark::Same {
                continue;
            }
            changed += 1;
            if let Some(Answer::Decisions(now)) = &now {
                let was = names(was.as_ref());
                let mut put = |name: Cow<'p, str>, joins: bool| {
                    let place = places.entry(name.to_string()).or_default();
                    let cause = place.cause.take();
                    place.cause = cause.or_else(|| row.facts.cause(&name));
                    let list = if joins {
                        &mut place.join
                    } else {
                        &mut place.leave
                    };
                    list.push(subjects.len());
                };
                only(now, was).into_iter().for_each(|name| put(name, true));
                only(was, now).into_iter().for_each(|name| put(name, false));
                subjects.push(Subject {
                    section: row.section,
                    kind: row.kind,
                    name: row.name.to_string(),
                });
                continue;
            }
            let change = answered(&row, was.as_ref(), now.as_ref());
            let key = (change.mark, change.effect.clone(), change.cause.clone());
            let at = *known.entry(key).or_insert(answers.len());
            match answers.get_mut(at) {
                Some(same) => same.names.extend(change.names),
                None => answers.push(change),
            }
        }
        let mut all = gathered(places, &subjects, &had);
        all.extend(answers);
        all.sort_by_key(|change| change.mark);
        Self { all, rows: changed }
    }

    /// Whether they say in fewer lines what the rows say.
    #[must_use]
    pub fn are_fewer(&self) -> bool {
        !self.all.is_empty() && self.all.len() * 2 < self.rows
    }
}

fn names<'a, 'p>(answer: Option<&'a Answer<'p>>) -> &'a [Cow<'p, str>] {
    answer.map_or(&[], Answer::names)
}

/// The clusters with the same subjects and the same cause, those with the most subjects first.
fn gathered<'p>(
    places: BTreeMap<String, Joined<'p>>,
    subjects: &[Subject<'p>],
    had: &FxHashSet<String>,
) -> Vec<Change<'p>> {
    let mut same: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for (name, joined) in places {
        let mark = match (joined.join.is_empty(), joined.leave.is_empty()) {
            (false, true) => Mark::New,
            (true, _) => Mark::Gone,
            _ => Mark::Changed,
        };
        let mut cause = joined.cause;
        if mark == Mark::New && !had.contains(&name) {
            let at = cause.map_or(At::Nowhere, |cause| cause.at);
            let words = "in no decision before".to_owned();
            cause = Some(Cause { words, at });
        }
        same.entry((mark, joined.join, joined.leave, cause))
            .or_default()
            .push(name);
    }
    let at = |all: Vec<usize>| {
        let all = all.into_iter();
        all.filter_map(|at| subjects.get(at).cloned()).collect()
    };
    let mut all: Vec<Change<'p>> = same
        .into_iter()
        .map(|((mark, join, leave, cause), names)| Change {
            mark,
            names,
            effect: Effect::Places {
                join: at(join),
                leave: at(leave),
            },
            cause,
        })
        .collect();
    all.sort_by_cached_key(|change| match &change.effect {
        Effect::Places { join, leave } => std::cmp::Reverse(join.len() + leave.len()),
        Effect::Answers { .. } => std::cmp::Reverse(0),
    });
    all
}

fn answered<'p>(row: &Row<'p>, was: Option<&Answer<'p>>, now: Option<&Answer<'p>>) -> Change<'p> {
    let cluster = |answer: Option<&Answer<'p>>| match answer {
        None => Some(None),
        Some(Answer::Cluster(name)) => Some(name.as_ref().map(ToString::to_string)),
        Some(_) => None,
    };
    let clusters = cluster(was).zip(cluster(now));
    Change {
        mark: row.mark,
        names: vec![row.name.to_string()],
        effect: Effect::Answers {
            section: row.section,
            clusters: clusters.filter(|clusters| *clusters != (None, None)),
        },
        cause: Some(row.facts.because())
            .filter(|words| !words.is_empty())
            .map(|words| Cause {
                words,
                at: At::Nowhere,
            }),
    }
}
