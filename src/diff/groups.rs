//! Moves that have one cause, and of them those with one effect.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::{Diff, Move};
use crate::plan::{Assignment, Section};

/// Moves that have the same causes.
#[derive(Debug, Clone, PartialEq)]
pub struct Caused<'d> {
    /// The causes: indexes of `Diff::causes`, ascending.
    pub because: &'d [usize],
    /// Whether planning again without the causes undid the moves.
    pub confirmed: bool,
    /// The effects of the causes, in the order of the moves.
    pub effects: Vec<Effect<'d>>,
}

/// Moves that change the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect<'d> {
    /// The change.
    pub change: Change<'d>,
    /// The moves that it changes.
    pub moves: Vec<&'d Move>,
}

/// A difference in a decision.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Change<'d> {
    /// Other clusters are decided on.
    Clusters {
        /// How many there were.
        were: usize,
        /// The nodes that leave.
        leave: Vec<&'d str>,
        /// The nodes that join.
        join: Vec<&'d str>,
    },
    /// The whole answer is another one.
    Answer {
        /// The section that decides.
        section: Section,
        /// The answer before.
        from: Option<&'d Assignment>,
        /// The answer now.
        to: Option<&'d Assignment>,
    },
}

impl<'d> Change<'d> {
    fn of(moved: &'d Move) -> Self {
        if let (Some(Assignment::Decisions(from)), Some(Assignment::Decisions(to))) =
            (&moved.from, &moved.to)
        {
            let leave = from.iter().filter(|name| to.binary_search(name).is_err());
            let join = to.iter().filter(|name| from.binary_search(name).is_err());
            return Self::Clusters {
                were: from.len(),
                leave: leave.map(|name| &**name).collect(),
                join: join.map(|name| &**name).collect(),
            };
        }
        Self::Answer {
            section: moved.subject.section,
            from: moved.from.as_ref(),
            to: moved.to.as_ref(),
        }
    }
}

/// Puts moves with the same causes next to each other, the most moves first. Moves that share
/// their causes with no other follow in the order they had.
pub(super) fn sort(moves: &mut [Move]) {
    let mut sizes: FxHashMap<(Vec<usize>, bool), usize> = FxHashMap::default();
    for moved in moves.iter().filter(|moved| !moved.because.is_empty()) {
        *sizes
            .entry((moved.because.clone(), moved.confirmed))
            .or_default() += 1;
    }
    moves.sort_by_cached_key(|moved| {
        let causes = (moved.because.clone(), moved.confirmed);
        match sizes.get(&causes) {
            Some(size) if *size > 1 => (Reverse(*size), causes),
            _ => (Reverse(1), (Vec::new(), false)),
        }
    });
}

impl Diff {
    /// The moves that share their causes with others, by cause, and all other moves.
    #[must_use]
    pub fn by_cause(&self) -> (Vec<Caused<'_>>, Vec<&Move>) {
        let (mut caused, mut single) = (Vec::new(), Vec::new());
        let same = |one: &Move, other: &Move| {
            (&one.because, one.confirmed) == (&other.because, other.confirmed)
        };
        for moves in self.moves.chunk_by(same) {
            match moves {
                [first, _, ..] if !first.because.is_empty() => caused.push(Caused {
                    because: &first.because,
                    confirmed: first.confirmed,
                    effects: effects(moves),
                }),
                _ => single.extend(moves),
            }
        }
        (caused, single)
    }
}

fn effects(moves: &[Move]) -> Vec<Effect<'_>> {
    let mut effects: Vec<Effect<'_>> = Vec::new();
    let mut known: FxHashMap<(Change<'_>, bool), usize> = FxHashMap::default();
    for moved in moves {
        let change = Change::of(moved);
        let key = (change.clone(), moved.error.is_some());
        let at = *known.entry(key).or_insert(effects.len());
        if at == effects.len() {
            let moves = Vec::new();
            effects.push(Effect { change, moves });
        }
        effects[at].moves.push(moved);
    }
    effects
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::Subject;
    use crate::plan::Answer;

    fn moved(name: &str, to: &'static [&'static str], because: &[usize]) -> Move {
        let clusters = |names: &'static [&'static str]| Answer::decisions(names.iter().copied());
        Move {
            subject: Subject::new(Section::Placements, name),
            from: Some(clusters(&["lyon", "oslo"])),
            to: Some(clusters(to)),
            in_order: false,
            because: because.to_vec(),
            confirmed: true,
            volumes_left: Vec::new(),
            error: None,
        }
    }

    #[test]
    fn moves_of_one_cause_and_one_effect_are_together() {
        let mut diff = Diff {
            moves: vec![
                moved("a", &["oslo"], &[1]),
                moved("b", &["oslo"], &[0]),
                moved("c", &["lyon", "oslo", "riga"], &[0]),
                moved("d", &["oslo"], &[]),
                moved("e", &["oslo"], &[0]),
                moved("f", &["oslo"], &[]),
            ],
            ..Diff::default()
        };
        sort(&mut diff.moves);
        let (caused, single) = diff.by_cause();
        let names = |moves: &[&Move]| -> String {
            moves.iter().map(|one| one.subject.name.as_str()).collect()
        };
        assert_eq!(names(&single), "adf");
        assert_eq!(caused.len(), 1);
        assert_eq!(caused[0].because, [0]);
        let effects: Vec<String> = caused[0]
            .effects
            .iter()
            .map(|effect| names(&effect.moves))
            .collect();
        assert_eq!(effects, ["be", "c"]);
        let Change::Clusters { were, leave, join } = &caused[0].effects[0].change else {
            panic!("{caused:?}");
        };
        assert_eq!((*were, leave.as_slice(), join.len()), (2, &["lyon"][..], 0));
    }
}
