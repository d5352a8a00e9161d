//! The rounds of a rule: asking, vetoes, ratings and removal (sections 5 to 8).

use std::collections::BTreeSet;

use super::super::model::{
    CLUSTER_KIND, Command, HUB, Model, ObjectId, PlacementRule, Recommendation, Reference, Role,
};
use super::advisors::{Answerer, Bench, Reply};
use super::candidates::Finder;
use super::{Decision, Finding, Given, Keep, Request, Round, RuleOutcome, Runner, State, Vote};

/// What is known of an object while a rule is planned.
#[derive(Clone, Copy, Default)]
struct Standing {
    /// It was a candidate before the first round.
    candidate: bool,
    /// It still is.
    alive: bool,
    /// It is an existing decision.
    decided: bool,
    /// How many predicates in a row recommend it, in this round.
    passed: u32,
    /// Somebody recommends it, in this round.
    recommended: bool,
    /// 100 times its rating, in this round.
    rating: i64,
}

/// Plans rule after rule; what rules share is found once.
pub(super) struct Desk<'m, 'a> {
    model: &'m Model<'a>,
    finder: Finder<'m, 'a>,
    bench: Bench<'m, 'a>,
    standing: Vec<Standing>,
}

/// An advisor's name and who answers under it: advisors of one name share one answer.
struct Voice<'m, 'a> {
    advisor: usize,
    answerer: Answerer<'m, 'a>,
}

impl<'m, 'a> Desk<'m, 'a> {
    pub(super) fn new(model: &'m Model<'a>) -> Self {
        Self {
            model,
            finder: Finder::new(model),
            bench: Bench::new(model),
            standing: vec![Standing::default(); model.inventory.objects().len()],
        }
    }

    pub(super) fn plan(
        &mut self,
        rule: &'m PlacementRule<'a>,
        keep: Keep,
        runner: &mut dyn Runner,
    ) -> RuleOutcome {
        let candidates = self.finder.candidates(rule);
        self.standing.fill(Standing::default());
        for &id in &candidates {
            self.standing[id as usize].candidate = true;
            self.standing[id as usize].alive = true;
        }
        let previous = self.existing(rule, candidates.is_empty());
        for decision in &previous {
            if let Decision::Object(id) = *decision {
                self.standing[id as usize].decided = true;
            }
        }
        if candidates.is_empty() {
            return unasked(rule, previous);
        }
        let mut voices: Vec<Voice<'m, 'a>> = Vec::with_capacity(rule.advisors.len());
        let mut voice_of = Vec::with_capacity(rule.advisors.len());
        for (advisor, asked) in rule.advisors.iter().enumerate() {
            let same = |voice: &Voice<'_, '_>| rule.advisors[voice.advisor].name == asked.name;
            let voice = voices.iter().position(same).unwrap_or_else(|| {
                let answerer = self.bench.answerer(rule, advisor, &mut self.finder);
                voices.push(Voice { advisor, answerer });
                voices.len() - 1
            });
            voice_of.push(voice);
        }
        let voice_count = voices.len();
        let run = Run {
            model: self.model,
            rule,
            standing: &mut self.standing,
            voices,
            voice_of,
            candidates,
            eliminators: Vec::new(),
            previous,
            lists: vec![None; voice_count],
            findings: Findings::default(),
            rounds: Rounds::new(keep),
        };
        run.decide(runner)
    }

    /// The existing decisions: each the candidate it fits, else an object it fits.
    fn existing(&self, rule: &PlacementRule<'_>, nobody: bool) -> Vec<Decision> {
        let inventory = &self.model.inventory;
        let resolve = |(index, reference): (usize, &Reference<'_>)| {
            let mut fitting = inventory.fitting(reference).peekable();
            let first = fitting.peek().copied();
            let candidate = fitting.find(|&id| self.standing[id as usize].candidate);
            match candidate.or(first) {
                Some(id) => Decision::Object(id),
                None if nobody && is_hub(reference) => Decision::Hub,
                None => Decision::Unknown(index),
            }
        };
        rule.decisions.iter().enumerate().map(resolve).collect()
    }
}

/// Whether an earlier decision is the hub's own cluster (section 3.4).
fn is_hub(reference: &Reference<'_>) -> bool {
    reference.name == HUB
        && (reference.kind.is_empty() || reference.kind == CLUSTER_KIND)
        && (reference.namespace.is_empty() || reference.namespace == HUB)
}

/// Whether two lists of decisions are the same set.
fn same_set(a: &[Decision], b: &[Decision]) -> bool {
    let sorted = |list: &[Decision]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list.dedup();
        list
    };
    sorted(a) == sorted(b)
}

/// A rule without a candidate (section 3.4).
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

/// The rounds kept so far.
struct Rounds {
    keep: Keep,
    kept: Vec<Round>,
    count: usize,
}

impl Rounds {
    const fn new(keep: Keep) -> Self {
        Self {
            keep,
            kept: Vec::new(),
            count: 0,
        }
    }

    fn push(&mut self, round: Option<Round>) {
        let Some(round) = round else { return };
        if self.keep == Keep::Ends && self.kept.len() == 10 {
            // The eleventh: the first three and the last three stay from now on.
            self.kept.drain(3..8);
        } else if self.keep == Keep::Ends && self.count > 10 {
            self.kept.remove(3);
        }
        self.kept.push(round);
    }
}

/// A recommendation with the candidates it fitted at first.
#[derive(Clone)]
struct Listed<'r> {
    first: ObjectId,
    others: Vec<ObjectId>,
    recommendation: Recommendation<'r>,
}

/// Faults found, each once.
#[derive(Default)]
struct Findings {
    list: Vec<Finding>,
    seen: BTreeSet<(usize, bool, String)>,
}

impl Findings {
    fn push(&mut self, finding: Finding) {
        let (advisor, kind, name) = match &finding {
            Finding::NotACandidate { advisor, name, .. } => (*advisor, false, name),
            Finding::Ambiguous { advisor, name, .. } => (*advisor, true, name),
        };
        if self.seen.insert((advisor, kind, name.clone())) {
            self.list.push(finding);
        }
    }
}

/// One rule on its way to a decision.
struct Run<'d, 'm, 'a> {
    model: &'m Model<'a>,
    rule: &'m PlacementRule<'a>,
    standing: &'d mut [Standing],
    voices: Vec<Voice<'m, 'a>>,
    /// For each advisor its voice.
    voice_of: Vec<usize>,
    /// For each voice with a static list what is left of it.
    lists: Vec<Option<Vec<Listed<'a>>>>,
    candidates: Vec<ObjectId>,
    eliminators: Vec<ObjectId>,
    previous: Vec<Decision>,
    findings: Findings,
    rounds: Rounds,
}

impl<'a> Run<'_, '_, 'a> {
    fn decide(mut self, runner: &mut dyn Runner) -> RuleOutcome {
        let roles = self.rule.advisors.iter();
        let predicates = roles.filter(|a| a.role == Role::Predicate).count();
        let predicates = u32::try_from(predicates).unwrap_or(u32::MAX);
        let limit = self.rule.replicas.map(|replicas| replicas as usize);
        loop {
            self.rounds.count += 1;
            let replies = self.ask(runner);
            if replies.iter().any(Option::is_none) {
                let round = self.record(&replies);
                self.rounds.push(Some(round));
                let decisions = self.previous.clone();
                return self.end(State::Waiting, decisions);
            }
            self.tally(&replies);
            let chosen =
                |standing: &Standing| standing.recommended && standing.passed == predicates;
            let (mut recommended, mut vetoed) = (0, 0);
            for &id in &self.candidates {
                let standing = &self.standing[id as usize];
                vetoed += usize::from(standing.passed < predicates);
                recommended += usize::from(chosen(standing));
            }
            let done = limit.is_none_or(|limit| recommended <= limit);
            let last = done || self.candidates.len() == 1;
            let mut round = (last || self.rounds.keep != Keep::Last).then(|| Round {
                vetoed: self.those(|standing| standing.passed < predicates),
                recommended: self.those(chosen),
                ..self.record(&replies)
            });
            if done {
                self.rounds.push(round);
                let decisions = self.those(chosen);
                let decisions: Vec<_> = decisions.into_iter().map(Decision::Object).collect();
                let state = match recommended {
                    0 => State::NoPlacement,
                    _ => State::Decided,
                };
                return self.end(state, decisions);
            }
            if let Some(round) = &mut round {
                let rated = self.candidates.iter();
                let rating = |&id: &ObjectId| (id, self.standing[id as usize].rating);
                round.ratings = rated.map(rating).collect();
            }
            let before = self.eliminators.len();
            if vetoed > 0 {
                self.remove_vetoed(predicates);
            } else {
                self.remove_lowest();
            }
            let removed = &self.eliminators[before..];
            for &id in removed {
                self.standing[id as usize].alive = false;
            }
            if let Some(round) = &mut round {
                round.removed = removed.to_vec();
            }
            self.rounds.push(round);
            if self.candidates.is_empty() {
                return self.end(State::NoPlacement, Vec::new());
            }
        }
    }

    /// Asks every voice about the candidates (section 5.2, step 1).
    fn ask(&mut self, runner: &mut dyn Runner) -> Vec<Option<Reply>> {
        let best = match self.rule.replicas {
            Some(replicas) => replicas as usize,
            None => self.candidates.len(),
        };
        let mut names = None;
        let mut replies = Vec::with_capacity(self.voices.len());
        for voice in 0..self.voices.len() {
            let advisor = self.voices[voice].advisor;
            let reply = match &mut self.voices[voice].answerer {
                &mut Answerer::Static(list) => self.static_list(voice, list),
                Answerer::PerCandidates { cases, otherwise } => {
                    let (cases, otherwise) = (*cases, *otherwise);
                    let names = names.get_or_insert_with(|| self.names());
                    let case = cases.iter().find(|case| case.0 == *names);
                    let list = case.map(|case| case.1.as_slice()).or(otherwise);
                    list.and_then(|list| {
                        let listed = self.listed(advisor, list);
                        self.votes(advisor, &listed)
                    })
                }
                &mut Answerer::Command(command) => self.run(advisor, command, runner),
                answerer => {
                    let standing = &*self.standing;
                    let alive = |id: ObjectId| standing[id as usize].alive;
                    answerer.reply(&self.candidates, best, alive)
                }
            };
            replies.push(reply);
        }
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

    /// A list that is the same in every round: looked up once, then only thinned out.
    fn static_list(&mut self, voice: usize, list: &[Recommendation<'a>]) -> Option<Reply> {
        let advisor = self.voices[voice].advisor;
        let mut listed = match self.lists[voice].take() {
            Some(listed) => listed,
            None => self.listed(advisor, list),
        };
        let alive = |id: &ObjectId| self.standing[*id as usize].alive;
        listed.retain(|entry| alive(&entry.first) || entry.others.iter().any(alive));
        let votes = self.votes(advisor, &listed);
        self.lists[voice] = Some(listed);
        votes
    }

    /// The recommendations that fit something that is or was a candidate.
    fn listed<'r>(&mut self, advisor: usize, list: &[Recommendation<'r>]) -> Vec<Listed<'r>> {
        let found = list.iter().filter_map(|recommendation| {
            let inventory = &self.model.inventory;
            let fitting = inventory.fitting(&recommendation.target);
            let mut ids = fitting.filter(|&id| self.standing[id as usize].candidate);
            let Some(first) = ids.next() else {
                self.findings.push(Finding::NotACandidate {
                    advisor,
                    name: recommendation.target.name.to_owned(),
                    place: recommendation.target.place,
                });
                return None;
            };
            Some(Listed {
                first,
                others: ids.collect(),
                recommendation: *recommendation,
            })
        });
        found.collect()
    }

    /// The votes of a list; none if one of them fits several candidates (section 4.1).
    fn votes(&mut self, advisor: usize, listed: &[Listed<'_>]) -> Option<Reply> {
        let mut votes = Some(Vec::with_capacity(listed.len()));
        for entry in listed {
            let Recommendation { target, score } = entry.recommendation;
            let ids = std::iter::once(&entry.first).chain(&entry.others).copied();
            let mut alive = ids.filter(|&id| self.standing[id as usize].alive);
            let Some(first) = alive.next() else { continue };
            let others: Vec<ObjectId> = alive.collect();
            if others.is_empty() {
                if let Some(votes) = &mut votes {
                    votes.push((first, score));
                }
            } else {
                votes = None;
                self.findings.push(Finding::Ambiguous {
                    advisor,
                    name: target.name.to_owned(),
                    fits: std::iter::once(first).chain(others).collect(),
                    place: target.place,
                });
            }
        }
        votes.map(Reply::List)
    }

    fn run(
        &mut self,
        advisor: usize,
        command: &Command<'a>,
        runner: &mut dyn Runner,
    ) -> Option<Reply> {
        let rule = self.rule;
        let request = Request {
            model: self.model,
            rule,
            advisor: &rule.advisors[advisor],
            command,
            round: self.rounds.count,
            candidates: &self.candidates,
            decisions: &self.previous,
        };
        let answer = runner.ask(&request)?;
        let list: Vec<_> = answer.iter().map(Given::recommendation).collect();
        let listed = self.listed(advisor, &list);
        self.votes(advisor, &listed)
    }

    /// Counts what each advisor says (section 5.2, step 2, and section 6).
    fn tally(&mut self, replies: &[Option<Reply>]) {
        let bonus = self.rule.decision_weight.saturating_mul(100);
        let unadvised = self.rule.advisors.is_empty();
        for &id in &self.candidates {
            let standing = &mut self.standing[id as usize];
            standing.passed = 0;
            standing.recommended = unadvised;
            standing.rating = if standing.decided { bonus } else { 0 };
        }
        let mut predicate = 0;
        for (advisor, &voice) in self.rule.advisors.iter().zip(&self.voice_of) {
            let vetoes = advisor.role == Role::Predicate;
            let mut vote = |id: ObjectId, score: Option<i64>| {
                let standing = &mut self.standing[id as usize];
                standing.recommended = true;
                let points = score.unwrap_or(100).saturating_mul(advisor.weight);
                standing.rating = standing.rating.saturating_add(points);
                // A candidate that is named twice passes a predicate once.
                if vetoes && standing.passed == predicate {
                    standing.passed += 1;
                }
            };
            match &replies[voice] {
                Some(Reply::Set(set, score)) => {
                    let members = self.candidates.iter();
                    for &id in members.filter(|&&id| set.contains(id as usize)) {
                        vote(id, *score);
                    }
                }
                Some(Reply::List(votes)) => votes.iter().for_each(|&(id, score)| vote(id, score)),
                None => {}
            }
            predicate += u32::from(vetoes);
        }
    }

    /// The candidates of which something holds, in order.
    fn those(&self, holds: impl Fn(&Standing) -> bool) -> Vec<ObjectId> {
        let ids = self.candidates.iter().copied();
        ids.filter(|&id| holds(&self.standing[id as usize]))
            .collect()
    }

    /// The round as far as the advisors go.
    fn record(&self, replies: &[Option<Reply>]) -> Round {
        let mut round = Round {
            number: self.rounds.count,
            candidates: self.candidates.clone(),
            ..Round::default()
        };
        for (voice, reply) in self.voices.iter().zip(replies) {
            let votes: Vec<Vote> = match reply {
                Some(Reply::List(votes)) => votes.clone(),
                Some(Reply::Set(set, score)) => {
                    let ids = self.candidates.iter().copied();
                    let members = ids.filter(|&id| set.contains(id as usize));
                    members.map(|id| (id, *score)).collect()
                }
                None => {
                    round.waiting_for.push(voice.advisor);
                    continue;
                }
            };
            round.recommendations.push((voice.advisor, votes));
        }
        round
    }

    fn remove_vetoed(&mut self, predicates: u32) {
        let vetoed = |id: &ObjectId| self.standing[*id as usize].passed < predicates;
        self.eliminators
            .extend(self.candidates.iter().copied().filter(vetoed));
        self.candidates.retain(|id| !vetoed(id));
    }

    /// Removes the candidate with the lowest rating, of equals the first, and leaves the others
    /// in the order upstream's scan gives them: who loses the slot goes to where it was lost.
    ///
    /// Source: section 7; `ham-placement`, `pkg/controller/placementrule/decisionmaker.go`.
    fn remove_lowest(&mut self) {
        let rating = |id: ObjectId| self.standing[id as usize].rating;
        let Some(&first) = self.candidates.first() else {
            return;
        };
        let mut slot = first;
        let mut order = Vec::with_capacity(self.candidates.len() - 1);
        for &id in &self.candidates[1..] {
            if rating(slot) > rating(id) {
                order.push(slot);
                slot = id;
            } else {
                order.push(id);
            }
        }
        self.candidates = order;
        self.eliminators.push(slot);
    }

    /// The end of the rule; equal sets of decisions keep the old order (section 8).
    fn end(self, state: State, decisions: Vec<Decision>) -> RuleOutcome {
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
            findings: self.findings.list,
        }
    }
}
