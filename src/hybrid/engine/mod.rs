//! Candidates, rounds and decisions of placement rules; pure, in exact integers.
//!
//! See "Hybrid placement rules" in planner-placement(7).

mod advisors;
mod candidates;
mod earlier;
mod kept;
mod listed;
mod loss;
mod number;
mod rounds;
#[cfg(test)]
mod tests;
mod views;

pub use candidates::Eligibility;
pub use kept::{Same, Seen};
pub use loss::{Losses, Moved, Touched};
pub use views::{View, seen_otherwise};

use std::cell::RefCell;

use crate::kit::progress::Progress;

use super::model::{
    Advisor, Command, Model, ObjectId, Place, PlacementRule, Recommendation, Reference,
};

/// How a rule ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// There is at least one decision.
    Decided,
    /// There are candidates, but no decision.
    NoPlacement,
    /// There is no candidate.
    NoCandidates,
    /// There is no candidate and nothing was asked: the hub's own cluster.
    HubDefault,
    /// An advisor has not answered; the decisions stay.
    Waiting,
}

impl State {
    /// Whether nothing is decided.
    #[must_use]
    pub const fn is_unplaced(self) -> bool {
        matches!(self, Self::NoPlacement | Self::NoCandidates | Self::Waiting)
    }

    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Decided => "Decided",
            Self::NoPlacement => "NoPlacement",
            Self::NoCandidates => "NoCandidates",
            Self::HubDefault => "HubDefault",
            Self::Waiting => "Waiting",
        }
    }
}

/// A target a rule has decided on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// An object of the inventory.
    Object(ObjectId),
    /// The hub's own cluster, which needs no document.
    Hub,
    /// An earlier decision that is found nowhere: its index in the rule's decisions.
    Unknown(usize),
}

/// Which rounds are kept for showing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The last one.
    Last,
    /// All up to ten, of more the first three and the last three.
    Ends,
    /// All.
    All,
}

/// One recommendation that names a candidate.
pub type Vote = (ObjectId, Option<i64>);

/// One round as it went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Round {
    /// Its number, from 1.
    pub number: usize,
    /// The candidates at its start, in order.
    pub candidates: Vec<ObjectId>,
    /// The recommendations of each advisor that answered: index of the advisor, votes.
    pub recommendations: Vec<(usize, Vec<Vote>)>,
    /// Indices of the advisors without an answer; if there are any, the rest is empty.
    pub waiting_for: Vec<usize>,
    /// Candidates missing from the answer of a predicate.
    pub vetoed: Vec<ObjectId>,
    /// Candidates recommended and not vetoed.
    pub recommended: Vec<ObjectId>,
    /// 100 times the rating of each candidate; empty unless something is removed.
    pub ratings: Vec<(ObjectId, i64)>,
    /// The candidates that are removed.
    pub removed: Vec<ObjectId>,
}

/// A fault of an answer, found while asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// A recommendation of something that never was a candidate.
    NotACandidate {
        /// Index of the advisor.
        advisor: usize,
        /// The name it gives.
        name: String,
        /// Where it is.
        place: Place,
    },
    /// A recommendation that fits several candidates.
    Ambiguous {
        /// Index of the advisor.
        advisor: usize,
        /// The name it gives.
        name: String,
        /// The candidates it fits.
        fits: Vec<ObjectId>,
        /// Where it is.
        place: Place,
    },
}

/// The answer for one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleOutcome {
    /// How it ended.
    pub state: State,
    /// The rounds that were kept, in order.
    pub rounds: Vec<Round>,
    /// How many rounds there were.
    pub round_count: usize,
    /// The candidates of the last round, in order.
    pub candidates: Vec<ObjectId>,
    /// The candidates removed, in order.
    pub eliminators: Vec<ObjectId>,
    /// The existing decisions.
    pub previous: Vec<Decision>,
    /// The decisions.
    pub decisions: Vec<Decision>,
    /// Whether they are another set than before.
    pub changed: bool,
    /// Faults of the answers, in order of occurrence, each once.
    pub findings: Vec<Finding>,
}

/// The answer for all rules, in the order of the model's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// One for each rule.
    pub ended: Vec<RuleOutcome>,
}

/// The question for a program.
#[derive(Clone, Copy)]
pub struct Request<'r, 'a> {
    /// Where ids are resolved.
    pub model: &'r Model<'a>,
    /// The rule.
    pub rule: &'r PlacementRule<'a>,
    /// The advisor.
    pub advisor: &'r Advisor<'a>,
    /// The program.
    pub command: &'r Command<'a>,
    /// Number of the round, from 1.
    pub round: usize,
    /// The candidates left.
    pub candidates: &'r [ObjectId],
    /// The existing decisions.
    pub decisions: &'r [Decision],
}

/// A recommendation a program made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Given {
    /// `kind` of the target, empty if not given.
    pub kind: String,
    /// `namespace` of the target, empty if not given.
    pub namespace: String,
    /// `name` of the target, empty if not given.
    pub name: String,
    /// 0 to 100.
    pub score: Option<i64>,
    /// Where the command is written.
    pub place: Place,
}

impl Given {
    fn recommendation(&self) -> Recommendation<'_> {
        Recommendation {
            target: Reference {
                api_version: "",
                kind: &self.kind,
                namespace: &self.namespace,
                name: &self.name,
                place: self.place,
            },
            score: self.score,
        }
    }
}

/// Runs programs for the engine.
pub trait Runner {
    /// Asks a program; none means no answer.
    fn ask(&mut self, request: &Request<'_, '_>) -> Option<Vec<Given>>;
}

/// No program is run: none of them answers.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCommands;

impl Runner for NoCommands {
    fn ask(&mut self, _request: &Request<'_, '_>) -> Option<Vec<Given>> {
        None
    }
}

/// Plans rules of the model, one after another.
pub fn plan<'a>(
    model: &Model<'a>,
    rules: &[PlacementRule<'a>],
    keep: Keep,
    runner: &mut dyn Runner,
    progress: &Progress,
) -> Vec<RuleOutcome> {
    let mut planner = rounds::Planner::new(model);
    planner.progress = progress.clone();
    let rules = rules.iter();
    rules
        .map(|rule| planner.plan(rule, keep, runner, None, None))
        .collect()
}

/// Plans rules of a model and rules like them one after another; shared data is computed once.
pub struct Trials<'m, 'a> {
    /// The model that the rules are planned over.
    pub model: &'m Model<'a>,
    planner: RefCell<rounds::Planner<'m, 'a>>,
}

impl<'m, 'a> Trials<'m, 'a> {
    /// Nothing is planned yet.
    #[must_use]
    pub fn new(model: &'m Model<'a>) -> Self {
        Self {
            model,
            planner: RefCell::new(rounds::Planner::new(model)),
        }
    }

    /// Plans a rule, of whose rounds the last is kept.
    pub fn plan(&self, rule: &PlacementRule<'a>) -> RuleOutcome {
        let mut planner = self.planner.borrow_mut();
        planner.plan(rule, Keep::Last, &mut NoCommands, None, None)
    }

    /// Plans a rule and shows every round to `see`: many candidates make many long rounds, too many
    /// to keep. Those that remove who is of interest as `whole` says are shown whole. If one object
    /// is `spared`, it is a candidate that no round removes, so that every round tells what it has
    /// against it.
    pub fn follow(
        &self,
        rule: &PlacementRule<'a>,
        runner: &mut dyn Runner,
        spared: Option<ObjectId>,
        whole: &dyn Fn(ObjectId) -> bool,
        see: &mut dyn FnMut(Seen<'_>),
    ) -> RuleOutcome {
        let mut planner = self.planner.borrow_mut();
        let watch = kept::Watch { whole, see };
        planner.plan(rule, Keep::Last, runner, spared, Some(watch))
    }

    /// How many candidates all rounds of a rule have together, at most.
    #[must_use]
    pub fn work(&self, rule: &PlacementRule<'a>) -> u64 {
        let candidates = self.planner.borrow_mut().candidates(rule).len() as u64;
        let rounds = rule.replicas.map_or(1, |wanted| {
            candidates.saturating_sub(u64::from(wanted)).max(1)
        });
        candidates * rounds
    }

    /// How each object of the inventory fares on its way to the candidates of a rule.
    #[must_use]
    pub fn eligibility(&self, rule: &PlacementRule<'a>) -> Vec<Eligibility> {
        self.planner.borrow_mut().eligibility(rule)
    }
}
