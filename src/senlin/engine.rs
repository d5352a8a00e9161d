//! The policy check before an action: how many nodes, over which regions.

pub mod allot;
mod classes;
pub mod data;
pub mod loss;
pub mod resize;

use super::model::{
    Action, ActionKind, Cluster, DocumentSet, Entry, Field, Policy, Profile, Value,
};
use allot::{Candidate, Direction, Distribution};
use resize::Resize;

/// The result of checking one document set.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Where the number of nodes came from.
    pub basis: Basis,
    /// The number: positive to create, negative to delete, 0 for nothing to do.
    pub number: i128,
    /// Positions of the usable regions in the policy, in its order.
    pub usable: Vec<u32>,
    /// How the number was distributed over them; absent when nothing was to be distributed.
    pub distribution: Option<Distribution>,
    /// How the check ended.
    pub answer: CheckStatus,
}

/// Where the number of nodes came from.
#[derive(Debug, Clone, PartialEq)]
pub enum Basis {
    /// The action does not consult the policy.
    NotTriggered,
    /// A decision in the action's data.
    Data {
        /// Which entry.
        side: Direction,
        /// Whether it names a count; if not, 1 counts.
        counted: bool,
    },
    /// `inputs.count`, or 1 without it.
    Inputs {
        /// Whether the inputs name a count.
        counted: bool,
    },
    /// The inputs of a resize.
    Resize(Resize),
    /// A node to be created, whose profile does or does not name a region.
    Node {
        /// Whether the profile names a region, so that nothing is left to choose.
        region: bool,
    },
}

/// How a check ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckStatus {
    /// `status: OK`
    Done,
    /// `status: ERROR` with upstream's reason.
    Error(String),
}

/// A field that decides about the number of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// `inputs.count`
    Count,
    /// `inputs.number`
    Number,
    /// `inputs.min_size`
    MinSize,
    /// `inputs.max_size`
    MaxSize,
    /// `inputs.min_step`
    MinStep,
    /// `inputs.strict`
    Strict,
    /// `data.creation.count`
    CreationCount,
    /// `data.deletion.count`
    DeletionCount,
    /// `data.creation`
    Creation,
    /// `data.deletion`
    Deletion,
}

/// The kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// It is needed and not there.
    Missing,
    /// It is null.
    Null,
    /// It is not an integer within [`super::model::LARGEST`].
    NotInteger,
    /// It is not a number.
    NotNumber,
    /// It is neither `true` nor `false`.
    NotBoolean,
    /// It is not a mapping.
    NotMap,
}

/// Where upstream's policy check breaks with an error of its own program; there is no plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// A field cannot be used.
    Input(Input, Problem),
    /// The weights of the usable regions add up to 0.
    ZeroSum,
}

/// The policy, cluster and action that a check needs; a profile is optional.
#[derive(Debug, Clone, Copy)]
pub struct Check<'m, 'a> {
    /// The policy.
    pub policy: &'m Policy<'a>,
    /// The cluster, its nodes counted for this policy.
    pub cluster: &'m Cluster<'a>,
    /// The action.
    pub action: &'m Action<'a>,
    /// The profile.
    pub profile: Option<&'m Profile>,
}

impl<'m, 'a> Check<'m, 'a> {
    /// The check of a document set, if the set is whole.
    #[must_use]
    pub fn of(set: &'m DocumentSet<'a>) -> Option<Self> {
        Some(Self {
            policy: set.policy.as_ref()?,
            cluster: set.cluster.as_ref()?,
            action: set.action.as_ref()?,
            profile: set.profile.as_ref(),
        })
    }
}

/// A function that runs the check, given to what changes documents on trial.
pub type PlanCheck = for<'m, 'a> fn(Check<'m, 'a>) -> Result<Outcome, Failure>;

/// Runs the policy check.
///
/// # Errors
/// [`Failure`] where upstream's own code breaks.
pub fn plan(check: Check<'_, '_>) -> Result<Outcome, Failure> {
    let (basis, number) = number(check)?;
    let usable = usable(check);
    let mut distribution = None;
    let answer = match &basis {
        Basis::Resize(Resize {
            change: Err(text), ..
        }) => CheckStatus::Error(text.clone()),
        _ if number == 0 => CheckStatus::Done,
        _ if usable.is_empty() => CheckStatus::Error("No region is found usable.".to_owned()),
        _ => {
            let side = Direction::of(number);
            let candidates: Vec<Candidate> = usable
                .iter()
                .map(|at| candidate(check, *at as usize))
                .collect();
            let found = allot::distribute(&candidates, number.abs(), side)
                .map_err(|allot::ZeroSum| Failure::ZeroSum)?;
            let whole = found.remain == 0;
            distribution = Some(found);
            if whole {
                writable(&basis, check.action, side)?;
                CheckStatus::Done
            } else {
                CheckStatus::Error("There is no feasible plan to handle all nodes.".to_owned())
            }
        }
    };
    Ok(Outcome {
        basis,
        number,
        usable,
        distribution,
        answer,
    })
}

impl Outcome {
    /// The change in the usable region at `at` of [`Outcome::usable`], in nodes: negative for
    /// deletions, 0 when nothing is asked or the answer is an error.
    #[must_use]
    pub fn change(&self, at: usize) -> i128 {
        match (&self.distribution, &self.answer) {
            (Some(distribution), CheckStatus::Done) => {
                distribution.allotments[at].taken * self.number.signum()
            }
            _ => 0,
        }
    }

    /// The regions asked for more deletions than they have nodes: position in
    /// [`Outcome::usable`] and how many too many. Upstream calls such a plan fine.
    pub fn overdrafts(&self, cluster: &Cluster<'_>) -> impl Iterator<Item = (usize, i128)> {
        self.usable.iter().enumerate().filter_map(|(at, region)| {
            let after = cluster.nodes[*region as usize] + self.change(at);
            (self.number < 0 && after < 0).then_some((at, -after))
        })
    }
}

/// The regions that the policy names and the identity service knows.
fn usable(check: Check<'_, '_>) -> Vec<u32> {
    let known = check.cluster.known.iter();
    (0_u32..)
        .zip(known)
        .filter_map(|(at, known)| known.then_some(at))
        .collect()
}

fn candidate(check: Check<'_, '_>, at: usize) -> Candidate {
    let region = &check.policy.regions[at];
    Candidate {
        weight: region.weight,
        cap: region.cap,
        nodes: check.cluster.nodes[at],
    }
}

/// The signed number of nodes and where it came from.
fn number(check: Check<'_, '_>) -> Result<(Basis, i128), Failure> {
    let action = check.action;
    match action.kind {
        ActionKind::Other => Ok((Basis::NotTriggered, 0)),
        ActionKind::NodeCreate => {
            let region = check
                .profile
                .is_some_and(|profile| profile.region.is_some());
            Ok((Basis::Node { region }, i128::from(!region)))
        }
        ActionKind::ScaleOut => scale(action, Direction::Grow),
        ActionKind::ScaleIn => {
            scale(action, Direction::Shrink).map(|(basis, number)| (basis, -number))
        }
        ActionKind::Resize => resize_number(check),
    }
}

fn scale(action: &Action<'_>, side: Direction) -> Result<(Basis, i128), Failure> {
    match entry(action, side) {
        Entry::Absent | Entry::Null => {
            let count = action.inputs.count.value;
            let number = counted(count, Input::Count)?;
            Ok((
                Basis::Inputs {
                    counted: number.is_some(),
                },
                number.unwrap_or(1),
            ))
        }
        Entry::Map { count, .. } => {
            let number = counted(count.value, count_of(side))?;
            Ok((
                Basis::Data {
                    side,
                    counted: number.is_some(),
                },
                number.unwrap_or(1),
            ))
        }
        Entry::Other(_) => Err(Failure::Input(entry_of(side), Problem::NotMap)),
    }
}

/// A resize looks at `creation` before `deletion`: the specification's order.
fn resize_number(check: Check<'_, '_>) -> Result<(Basis, i128), Failure> {
    for (side, sign) in [(Direction::Grow, 1), (Direction::Shrink, -1)] {
        match entry(check.action, side) {
            Entry::Absent | Entry::Null | Entry::Map { empty: true, .. } => {}
            Entry::Map { count, .. } => {
                let missing = Failure::Input(count_of(side), Problem::Missing);
                let number = counted(count.value, count_of(side))?.ok_or(missing)?;
                return Ok((
                    Basis::Data {
                        side,
                        counted: true,
                    },
                    sign * number,
                ));
            }
            Entry::Other(_) => return Err(Failure::Input(entry_of(side), Problem::NotMap)),
        }
    }
    let resize = resize::parse(&check.action.inputs, check.cluster)?;
    let number = *resize.change.as_ref().unwrap_or(&0);
    Ok((Basis::Resize(resize), number))
}

fn counted(value: Value<'_>, input: Input) -> Result<Option<i128>, Failure> {
    match value {
        Value::Absent => Ok(None),
        Value::Int(number) => Ok(Some(number)),
        Value::Null => Err(Failure::Input(input, Problem::Null)),
        _ => Err(Failure::Input(input, Problem::NotInteger)),
    }
}

/// Upstream breaks when it stores its plan in an entry that is not a mapping. What the parser of a
/// resize stored is one, and a null is not there.
fn writable(basis: &Basis, action: &Action<'_>, side: Direction) -> Result<(), Failure> {
    match (basis, entry(action, side)) {
        (Basis::Resize(_), _) | (_, Entry::Absent | Entry::Null | Entry::Map { .. }) => Ok(()),
        (_, Entry::Other(_)) => Err(Failure::Input(entry_of(side), Problem::NotMap)),
    }
}

fn entry<'a>(action: &Action<'a>, side: Direction) -> Entry<'a> {
    match side {
        Direction::Grow => action.creation,
        Direction::Shrink => action.deletion,
    }
}

fn entry_of(side: Direction) -> Input {
    match side {
        Direction::Grow => Input::Creation,
        Direction::Shrink => Input::Deletion,
    }
}

fn count_of(side: Direction) -> Input {
    match side {
        Direction::Grow => Input::CreationCount,
        Direction::Shrink => Input::DeletionCount,
    }
}

/// The field a failure is about; `None` for an entry that is not there.
#[must_use]
pub fn field<'a>(action: &Action<'a>, input: Input) -> Option<Field<'a>> {
    let inputs = &action.inputs;
    Some(match input {
        Input::Count => inputs.count,
        Input::Number => inputs.number,
        Input::MinSize => inputs.min_size,
        Input::MaxSize => inputs.max_size,
        Input::MinStep => inputs.min_step,
        Input::Strict => inputs.strict,
        Input::CreationCount => return count(action.creation),
        Input::DeletionCount => return count(action.deletion),
        Input::Creation => return whole(action.creation),
        Input::Deletion => return whole(action.deletion),
    })
}

fn count(entry: Entry<'_>) -> Option<Field<'_>> {
    match entry {
        Entry::Map { count, .. } => Some(count),
        _ => None,
    }
}

fn whole(entry: Entry<'_>) -> Option<Field<'_>> {
    match entry {
        Entry::Other(place) => Some(Field {
            value: Value::Absent,
            place,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
