//! The rounds of a rule: asking, vetoes, ratings and removal.

mod bubble;
mod course;
mod each;
mod rating;
mod steady;

use fixedbitset::FixedBitSet;

use crate::kit::progress::{Progress, UNIT};

use super::super::model::{Model, ObjectId, PlacementRule, Role};
use super::advisors::{Answerer, Answerers, Lasting, Reply};
use super::candidates::{CandidateFinder, Eligibility};
use super::earlier::{existing, same_set};
use super::kept::{Rounds, Watch};
use super::listed::{Findings, List, Pool};
use super::{Decision, Given, Keep, Request, Round, RuleOutcome, Runner, State, Vote};
pub(super) use course::Course;
pub(super) use each::{Each, Fate};
use steady::LastReplies;

/// Plans rule after rule; what rules share is found once.
pub(super) struct Planner<'m, 'a> {
    model: &'m Model<'a>,
    finder: CandidateFinder<'m, 'a>,
    answerers: Answerers<'m, 'a>,
    /// 100 times the rating of each object, where one is needed.
    ratings: Vec<i64>,
    /// Objects that take no part.
    pub(super) lost: FixedBitSet,
    /// The candidates left of the rule at hand; none between rules.
    alive: FixedBitSet,
    /// Told how far rules have come.
    pub(super) progress: Progress,
}

/// An advisor's name and its answerer: advisors of one name share one answer.
struct NamedAnswerer<'m, 'a> {
    advisor: usize,
    answerer: Answerer<'m, 'a>,
    /// The rest of a list that is the same in every round.
    list: Option<List<'a>>,
}

/// The answerers, each name once, and for each advisor the index of its answerer.
type Named<'m, 'a> = (Vec<NamedAnswerer<'m, 'a>>, Vec<usize>);

impl<'m, 'a> Planner<'m, 'a> {
    pub(super) fn new(model: &'m Model<'a>) -> Self {
        Self {
            model,
            finder: CandidateFinder::new(model),
            answerers: Answerers::new(model),
            ratings: vec![0; model.inventory.objects().len()],
            lost: FixedBitSet::new(),
            alive: FixedBitSet::with_capacity(model.inventory.objects().len()),
            progress: Progress::default(),
        }
    }

    /// The candidates of a rule before the first round, in order.
    pub(super) fn candidates(&mut self, rule: &PlacementRule<'a>) -> Vec<ObjectId> {
        let mut candidates = self.finder.candidates(rule);
        if !self.lost.is_clear() {
            candidates.retain(|&id| !self.lost.contains(id as usize));
        }
        candidates
    }

    pub(super) fn eligibility(&mut self, rule: &PlacementRule<'a>) -> Vec<Eligibility> {
        self.finder.eligibility(rule)
    }

    /// Plans a rule as if one object were `spared`; `watch` sees every round, kept or not.
    pub(super) fn plan<'r>(
        &mut self,
        rule: &'r PlacementRule<'a>,
        keep: Keep,
        runner: &mut dyn Runner,
        spared: Option<ObjectId>,
        watch: Option<Watch<'_>>,
    ) -> RuleOutcome
    where
        'm: 'r,
    {
        let mut candidates = self.candidates(rule);
        if let Some(spared) = spared.filter(|spared| !candidates.contains(spared)) {
            let behind = candidates.iter().position(|&id| id > spared);
            candidates.insert(behind.unwrap_or(candidates.len()), spared);
        }
        let mut initial = candidates.clone();
        initial.sort_unstable();
        let previous = existing(self.model, rule, &initial, &self.lost);
        if candidates.is_empty() {
            self.progress.add(UNIT);
            return unasked(rule, previous);
        }
        let run = self.start(rule, candidates, initial, previous, None, keep);
        let run = RuleRun { spared, ..run };
        run.decide(runner, watch)
    }

    /// A rule before its first round; finds the answerers if they are not given.
    fn start<'r>(
        &mut self,
        rule: &'r PlacementRule<'a>,
        candidates: Vec<ObjectId>,
        initial: Vec<ObjectId>,
        previous: Vec<Decision>,
        named: Option<Named<'r, 'a>>,
        keep: Keep,
    ) -> RuleRun<'_, 'r, 'a>
    where
        'm: 'r,
    {
        let (named, answerer_of) = named.unwrap_or_else(|| self.named(rule));
        self.alive.extend(candidates.iter().map(|&id| id as usize));
        let mut decided: Vec<ObjectId> = previous
            .iter()
            .filter_map(|decision| match decision {
                Decision::Object(id) => Some(*id),
                Decision::Hub | Decision::Unknown(_) => None,
            })
            .collect();
        decided.sort_unstable();
        decided.dedup();
        RuleRun {
            model: self.model,
            rule,
            named,
            answerer_of,
            pool: Pool {
                inventory: &self.model.inventory,
                initial,
                alive: &mut self.alive,
            },
            candidates,
            spared: None,
            ratings: &mut self.ratings,
            eliminators: Vec::new(),
            previous,
            decided,
            findings: Findings::default(),
            rounds: Rounds::new(keep),
            told: 0,
            progress: self.progress.clone(),
        }
    }

    fn named<'r>(&mut self, rule: &'r PlacementRule<'a>) -> Named<'r, 'a>
    where
        'm: 'r,
    {
        let mut named: Vec<NamedAnswerer<'r, 'a>> = Vec::with_capacity(rule.advisors.len());
        let mut answerer_of = Vec::with_capacity(rule.advisors.len());
        for (advisor, asked) in rule.advisors.iter().enumerate() {
            let same = |one: &NamedAnswerer<'_, '_>| rule.advisors[one.advisor].name == asked.name;
            let one = named.iter().position(same).unwrap_or_else(|| {
                named.push(NamedAnswerer {
                    advisor,
                    answerer: self.answerers.answerer(rule, advisor, &mut self.finder),
                    list: None,
                });
                named.len() - 1
            });
            answerer_of.push(one);
        }
        (named, answerer_of)
    }
}

/// A rule without a candidate.
fn unasked(rule: &PlacementRule<'_>, previous: Vec<Decision>) -> RuleOutcome {
    let nothing_asked =
        rule.advisors.is_empty() && rule.targets.is_empty() && rule.labels.is_none();
    let (state, decisions) = if nothing_asked && rule.types.is_default() {
        (State::HubDefault, vec![Decision::Hub])
    } else {
        (State::NoCandidates, Vec::new())
    };
    RuleOutcome {
        state,
        rounds: Vec::new(),
        round_count: 0,
        candidates: Vec::new(),
        eliminators: Vec::new(),
        changed: !same_set(&previous, &decisions),
        previous,
        decisions,
        findings: Vec::new(),
    }
}

/// One rule on its way to a decision.
struct RuleRun<'d, 'm, 'a> {
    model: &'m Model<'a>,
    rule: &'m PlacementRule<'a>,
    named: Vec<NamedAnswerer<'m, 'a>>,
    /// The index of each advisor's answerer.
    answerer_of: Vec<usize>,
    pool: Pool<'d, 'm, 'a>,
    /// The candidates left, in order; the pool has them as a set.
    candidates: Vec<ObjectId>,
    /// A candidate that stays whatever is held against it.
    spared: Option<ObjectId>,
    ratings: &'d mut [i64],
    eliminators: Vec<ObjectId>,
    previous: Vec<Decision>,
    /// The objects among the existing decisions, each once.
    decided: Vec<ObjectId>,
    findings: Findings,
    rounds: Rounds,
    /// How much of the rule was told to the watcher.
    told: usize,
    progress: Progress,
}

/// The outcome of a round, candidate by candidate.
struct Tally {
    /// Whether no advisor vetoes it.
    passing: Vec<bool>,
    /// Whether an advisor recommends it as well.
    chosen: Vec<bool>,
}

fn count(flags: &[bool]) -> usize {
    flags.iter().filter(|flag| **flag).count()
}

impl<'a> RuleRun<'_, '_, 'a> {
    /// Tells how many of the candidates that will go are gone.
    fn tell(&mut self, limit: usize) {
        let first = self.pool.initial.len();
        let gone = first.saturating_sub(self.candidates.len());
        let all = first.saturating_sub(limit).max(1);
        let now = (UNIT * gone / all).min(UNIT);
        self.progress.add(now.saturating_sub(self.told));
        self.told = self.told.max(now);
    }

    fn decide(mut self, runner: &mut dyn Runner, mut watch: Option<Watch<'_>>) -> RuleOutcome {
        let limit = self.rule.replicas.map(|replicas| replicas as usize);
        loop {
            self.tell(limit.unwrap_or(0));
            self.rounds.count += 1;
            let replies = self.ask(runner);
            if replies.iter().any(Option::is_none) {
                let round = self.record(&replies);
                self.rounds.push(Some(round), &mut watch, true);
                let decisions = self.previous.clone();
                return self.end(State::Waiting, decisions);
            }
            let Tally { passing, chosen } = self.tally(&replies);
            let spared = self.spared_position();
            let saved = |flags: &[bool]| usize::from(spared.is_some_and(|spared| !flags[spared]));
            let vetoed = self.candidates.len() - count(&passing) - saved(&passing);
            let recommended = count(&chosen) + saved(&chosen);
            let alone = spared.is_some() && self.candidates.len() == 1;
            let done = alone || limit.is_none_or(|limit| recommended <= limit);
            let last = done || self.candidates.len() == 1;
            let limit = limit.unwrap_or(0);
            // Where nobody is vetoed by answers that stay as they are, nobody ever will be: one
            // candidate goes in each of the rounds to come.
            let steady = vetoed == 0 && replies.iter().flatten().all(Reply::is_steady);
            let to_come = steady.then(|| recommended.saturating_sub(limit));
            let seen = last || watch.is_some() || self.rounds.keeps(self.rounds.count, to_come);
            let mut round = seen.then(|| Round {
                vetoed: self.those(&passing, false),
                recommended: self.those(&chosen, true),
                ..self.record(&replies)
            });
            if done {
                self.rounds.push(round, &mut watch, true);
                let decisions = self.those(&chosen, true);
                let decisions: Vec<_> = decisions.into_iter().map(Decision::Object).collect();
                let state = match recommended {
                    0 => State::NoPlacement,
                    _ => State::Decided,
                };
                return self.end(state, decisions);
            }
            // Vetoed candidates go whatever their rating; it is found only to be shown.
            if vetoed == 0 || round.is_some() {
                self.rate(&replies);
            }
            if let Some(round) = &mut round {
                let rated = self.candidates.iter();
                let rating = |&id: &ObjectId| (id, self.ratings[id as usize]);
                round.ratings = rated.map(rating).collect();
            }
            let last_replies = (steady && !last).then(|| LastReplies {
                edges: self.edges(&replies),
                saved: saved(&chosen),
                chosen: self.those(&chosen, true),
                replies: &replies,
            });
            let before = self.eliminators.len();
            if vetoed > 0 {
                self.remove_vetoed(passing);
            } else {
                self.remove_lowest();
            }
            if let Some(round) = &mut round {
                round.removed = self.eliminators[before..].to_vec();
            }
            self.rounds.push(round, &mut watch, last);
            if self.candidates.is_empty() {
                return self.end(State::NoPlacement, Vec::new());
            }
            if let Some(replies) = last_replies {
                self.go_on(replies, limit, &mut watch);
            }
        }
    }

    /// Asks every advisor about the candidates.
    fn ask(&mut self, runner: &mut dyn Runner) -> Vec<Option<Reply>> {
        let best = match self.rule.replicas {
            Some(replicas) => replicas as usize,
            None => self.candidates.len(),
        };
        let mut named = std::mem::take(&mut self.named);
        let mut names = None;
        let replies = named.iter_mut().map(|one| {
            let NamedAnswerer {
                advisor,
                answerer,
                list,
            } = one;
            match answerer {
                Answerer::Static(written) => {
                    let list = list.get_or_insert_with(|| {
                        self.pool.list(*advisor, written, &mut self.findings)
                    });
                    self.pool
                        .votes(*advisor, list, Lasting::Always, &mut self.findings)
                }
                Answerer::PerCandidates { cases, otherwise } => {
                    let names = names.get_or_insert_with(|| self.names());
                    let case = cases.iter().find(|case| case.0 == *names);
                    let written = case.map(|case| case.1.as_slice()).or(*otherwise)?;
                    let mut list = self.pool.list(*advisor, written, &mut self.findings);
                    self.pool
                        .votes(*advisor, &mut list, Lasting::Once, &mut self.findings)
                }
                Answerer::Command(command) => {
                    let request = Request {
                        model: self.model,
                        rule: self.rule,
                        advisor: &self.rule.advisors[*advisor],
                        command,
                        round: self.rounds.count,
                        candidates: &self.candidates,
                        decisions: &self.previous,
                    };
                    let answer = runner.ask(&request)?;
                    let written: Vec<_> = answer.iter().map(Given::recommendation).collect();
                    let mut list = self.pool.list(*advisor, &written, &mut self.findings);
                    self.pool
                        .votes(*advisor, &mut list, Lasting::Once, &mut self.findings)
                }
                answerer => answerer.reply(best, self.pool.alive),
            }
        });
        let replies = replies.collect();
        self.named = named;
        replies
    }

    /// The names of the candidates, sorted.
    fn names(&self) -> Vec<&'a str> {
        let objects = self.candidates.iter();
        let mut names: Vec<_> = objects
            .map(|&id| self.model.inventory.object(id).name)
            .collect();
        names.sort_unstable();
        names
    }

    /// Which candidates are vetoed and which are recommended.
    fn tally(&self, replies: &[Option<Reply>]) -> Tally {
        let mut passing = vec![true; self.candidates.len()];
        let mut chosen = vec![self.rule.advisors.is_empty(); self.candidates.len()];
        for (advisor, &at) in self.rule.advisors.iter().zip(&self.answerer_of) {
            let Some(reply) = &replies[at] else {
                continue;
            };
            let members = reply.members();
            let flags = passing.iter_mut().zip(&mut chosen);
            for (&id, (passing, chosen)) in self.candidates.iter().zip(flags) {
                let named = members.contains(id);
                *chosen |= named;
                *passing &= named || advisor.role != Role::Predicate;
            }
        }
        for (chosen, passing) in chosen.iter_mut().zip(&passing) {
            *chosen &= passing;
        }
        Tally { passing, chosen }
    }

    /// The candidates of which something does or does not hold, in order.
    fn those(&self, flags: &[bool], holds: bool) -> Vec<ObjectId> {
        let ids = self.candidates.iter().zip(flags);
        ids.filter(|(_, flag)| **flag == holds)
            .map(|(&id, _)| id)
            .collect()
    }

    /// Where the spared candidate is among the others.
    fn spared_position(&self) -> Option<usize> {
        let spared = self.spared?;
        self.candidates.iter().position(|&id| id == spared)
    }

    /// The round as far as the advisors go.
    fn record(&self, replies: &[Option<Reply>]) -> Round {
        let mut round = Round {
            number: self.rounds.count,
            candidates: self.candidates.clone(),
            ..Round::default()
        };
        for (one, reply) in self.named.iter().zip(replies) {
            match reply {
                Some(reply) => {
                    let mut votes: Vec<Vote> = Vec::new();
                    reply.each(&self.candidates, |vote| votes.push(vote));
                    round.recommendations.push((one.advisor, votes));
                }
                None => round.waiting_for.push(one.advisor),
            }
        }
        round
    }

    fn remove_vetoed(&mut self, mut passing: Vec<bool>) {
        if let Some(spared) = self.spared_position() {
            passing[spared] = true;
        }
        let removed = self.those(&passing, false);
        self.candidates = self.those(&passing, true);
        for &id in &removed {
            self.pool.alive.remove(id as usize);
        }
        self.eliminators.extend(removed);
    }

    /// Removes the candidate with the lowest rating, of equals the first, and leaves the others
    /// in the order upstream's scan gives them: who loses the slot goes to where it was lost.
    ///
    /// Source: hybridapp-io/ham-placement, `pkg/controller/placementrule/decisionmaker.go`.
    fn remove_lowest(&mut self) {
        let rating = |id: ObjectId| {
            if self.spared == Some(id) {
                i64::MAX
            } else {
                self.ratings[id as usize]
            }
        };
        let Some(&first) = self.candidates.first() else {
            return;
        };
        let mut slot = first;
        let mut order = Vec::with_capacity(self.candidates.len() - 1);
        for &id in &self.candidates[1..] {
            if rating(slot) > rating(id) || self.spared == Some(slot) {
                order.push(slot);
                slot = id;
            } else {
                order.push(id);
            }
        }
        self.candidates = order;
        self.pool.alive.remove(slot as usize);
        self.eliminators.push(slot);
    }

    /// The end of the rule; equal sets of decisions keep the old order.
    fn end(self, state: State, decisions: Vec<Decision>) -> RuleOutcome {
        self.progress.add(UNIT - self.told);
        for &id in &self.candidates {
            self.pool.alive.remove(id as usize);
        }
        let changed = !same_set(&self.previous, &decisions);
        RuleOutcome {
            state,
            rounds: self.rounds.kept,
            round_count: self.rounds.count,
            candidates: self.candidates,
            eliminators: self.eliminators,
            decisions: if changed {
                decisions
            } else {
                self.previous.clone()
            },
            previous: self.previous,
            changed,
            findings: self.findings.into_list(),
        }
    }
}
