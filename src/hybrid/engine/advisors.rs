//! How advisors answer: given lists, and the built-in advisors.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fixedbitset::FixedBitSet;

use super::super::model::{
    AnswerForm, BuiltIn, Command, Model, ObjectId, PlacementRule, Rank, Recommendation, Source,
};
use super::Vote;
use super::candidates::{CandidateFinder, Objects};
use super::number::{decimal, percent, quantity, reduce};

/// The inventory ordered by a number.
pub(super) struct Ranking {
    /// The number of each object; none if it has none that can be read.
    values: Vec<Option<i128>>,
    /// The objects that have one.
    members: FixedBitSet,
    /// Made when the best of all is first asked for.
    ascending: OnceCell<Rc<[ObjectId]>>,
    descending: OnceCell<Rc<[ObjectId]>>,
}

impl Ranking {
    fn new(mut values: Vec<Option<i128>>) -> Self {
        reduce(&mut values);
        let mut members = FixedBitSet::with_capacity(values.len());
        let with_value = (0..).zip(&values).filter(|(_, value)| value.is_some());
        members.extend(with_value.map(|(id, _)| id));
        Self {
            values,
            members,
            ascending: OnceCell::new(),
            descending: OnceCell::new(),
        }
    }

    /// The best number of the candidates.
    fn edge(&self, rank: Rank, candidates: &[ObjectId]) -> Option<i128> {
        let values = candidates.iter().filter_map(|&id| self.values[id as usize]);
        if rank.descending {
            values.max()
        } else {
            values.min()
        }
    }

    /// The objects that have a number, the best first; of equals the first object.
    fn order(&self, descending: bool) -> Rc<[ObjectId]> {
        let order = || {
            let with_value = (0..).zip(&self.values);
            let mut order: Vec<(i128, ObjectId)> =
                with_value.filter_map(|(id, v)| Some(((*v)?, id))).collect();
            if descending {
                order.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
            } else {
                order.sort_unstable();
            }
            order.into_iter().map(|(_, id)| id).collect()
        };
        let made = if descending {
            &self.descending
        } else {
            &self.ascending
        };
        Rc::clone(made.get_or_init(order))
    }
}

/// Which number a [`Ranking`] is by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum By<'a> {
    Resource(&'a str),
    Label(&'a str),
}

/// An answer in one round.
pub(super) enum Reply {
    /// Every candidate in the set, each with this score.
    Set(Rc<Objects>, Option<i64>),
    /// Every candidate with a number, with a score by it.
    Scored(Rc<Ranking>, Rank),
    /// These candidates.
    List(Vec<Vote>, Lasting),
}

/// The label that says whether an object complies with a policy that has no document.
pub(super) fn compliance(policy: &str) -> String {
    format!("policy.planner/{policy}")
}

/// How long a list names the same candidates, as far as they are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lasting {
    /// In every round.
    Always,
    /// Until one of them goes.
    Whole,
    /// In this round.
    Once,
}

impl Reply {
    /// The objects that the reply names, some of which may be no candidates.
    pub(super) fn members(&self) -> Members<'_> {
        match self {
            Self::Set(set, _) => Members::Set(set),
            Self::Scored(ranking, _) => Members::Bits(&ranking.members),
            Self::List(votes, _) => {
                let mut ids: Vec<ObjectId> = votes.iter().map(|vote| vote.0).collect();
                ids.sort_unstable();
                Members::List(ids)
            }
        }
    }

    /// The number that the scores of the candidates are measured by.
    pub(super) fn edge(&self, candidates: &[ObjectId]) -> Option<i128> {
        match self {
            Self::Scored(ranking, rank) => ranking.edge(*rank, candidates),
            Self::Set(..) | Self::List(..) => None,
        }
    }

    /// Whether it may say the same in the next round. Who is not vetoed by such replies never will
    /// be.
    pub(super) fn is_steady(&self) -> bool {
        !matches!(self, Self::List(_, Lasting::Once))
    }

    /// Whether it says the same of each candidate in every round, whichever others are left.
    pub(super) fn is_lasting(&self) -> bool {
        !matches!(self, Self::List(_, Lasting::Once | Lasting::Whole))
    }

    /// Whether it surely says the same of the other candidates once one is gone; `edge` is the
    /// number that their scores are measured by.
    pub(super) fn outlasts(&self, gone: ObjectId, edge: Option<i128>) -> bool {
        match self {
            Self::Set(..) => true,
            Self::Scored(ranking, _) => {
                let value = ranking.values[gone as usize];
                value.is_none() || value != edge
            }
            Self::List(_, Lasting::Always) => true,
            Self::List(votes, Lasting::Whole) => votes.iter().all(|(id, _)| *id != gone),
            Self::List(_, Lasting::Once) => false,
        }
    }

    /// Every vote for one of the candidates.
    pub(super) fn each(&self, candidates: &[ObjectId], mut vote: impl FnMut(Vote)) {
        match self {
            Self::Set(set, score) => {
                for &id in candidates {
                    if set.contains(id) {
                        vote((id, *score));
                    }
                }
            }
            Self::Scored(ranking, rank) => scored(ranking, *rank, candidates, vote),
            Self::List(votes, _) => votes.iter().copied().for_each(vote),
        }
    }
}

/// The objects that a reply names.
pub(super) enum Members<'r> {
    Set(&'r Objects),
    Bits(&'r FixedBitSet),
    /// In ascending order.
    List(Vec<ObjectId>),
}

impl Members<'_> {
    pub(super) fn contains(&self, id: ObjectId) -> bool {
        match self {
            Self::Set(set) => set.contains(id),
            Self::Bits(bits) => bits.contains(id as usize),
            Self::List(ids) => ids.binary_search(&id).is_ok(),
        }
    }
}

/// Takes the first of an order that are still candidates, without walking over the removed
/// ones again and again.
pub(super) struct Walk {
    order: Rc<[ObjectId]>,
}

impl Walk {
    fn first(&mut self, count: usize, alive: &FixedBitSet, score: Option<i64>) -> Vec<Vote> {
        let mut votes = Vec::new();
        let mut skipped = 0;
        for &id in &*self.order {
            if votes.len() == count {
                break;
            }
            if alive.contains(id as usize) {
                votes.push((id, score));
            } else {
                skipped += 1;
            }
        }
        if skipped > 32 + 2 * votes.len() {
            let left = self.order.iter().copied();
            self.order = left.filter(|&id| alive.contains(id as usize)).collect();
        }
        votes
    }
}

/// Where the answer of an advisor comes from.
pub(super) enum Answerer<'m, 'a> {
    Silent,
    Static(&'m [Recommendation<'a>]),
    /// A list of which every entry means one candidate.
    Votes(Vec<Vote>),
    PerCandidates {
        cases: &'m [(Vec<&'a str>, Vec<Recommendation<'a>>)],
        otherwise: Option<&'m [Recommendation<'a>]>,
    },
    Command(&'m Command<'a>),
    Set(Rc<Objects>, Option<i64>),
    Best(Walk, Option<i64>),
    Scored(Rc<Ranking>, Rank),
}

impl Answerer<'_, '_> {
    /// The same, asked about these candidates alone; none for those that are not ours.
    pub(super) fn among(&self, candidates: &FixedBitSet) -> Option<Self> {
        match self {
            Self::Set(set, score) => Some(Self::Set(Rc::clone(set), *score)),
            Self::Best(walk, score) => {
                let order = walk.order.iter().copied();
                let order = order.filter(|id| candidates.contains(*id as usize));
                let order = order.collect();
                Some(Self::Best(Walk { order }, *score))
            }
            Self::Scored(ranking, rank) => Some(Self::Scored(Rc::clone(ranking), *rank)),
            Self::Votes(votes) => Some(Self::Votes(those(votes, candidates))),
            Self::Silent | Self::Static(_) | Self::PerCandidates { .. } | Self::Command(_) => None,
        }
    }

    /// The reply of a built-in advisor about the candidates; `None` for the other kinds.
    pub(super) fn reply(&mut self, best: usize, alive: &FixedBitSet) -> Option<Reply> {
        match self {
            Self::Set(set, score) => Some(Reply::Set(Rc::clone(set), *score)),
            Self::Best(walk, score) => {
                let votes = walk.first(best, alive, *score);
                Some(Reply::List(votes, Lasting::Whole))
            }
            Self::Scored(ranking, rank) => Some(Reply::Scored(Rc::clone(ranking), *rank)),
            Self::Votes(votes) => Some(Reply::List(those(votes, alive), Lasting::Always)),
            Self::Silent | Self::Static(_) | Self::PerCandidates { .. } | Self::Command(_) => None,
        }
    }
}

/// The votes for these candidates.
fn those(votes: &[Vote], candidates: &FixedBitSet) -> Vec<Vote> {
    let votes = votes.iter().copied();
    votes
        .filter(|(id, _)| candidates.contains(*id as usize))
        .collect()
}

/// All candidates with a value, each with a score.
fn scored(ranking: &Ranking, rank: Rank, candidates: &[ObjectId], mut vote: impl FnMut(Vote)) {
    let value = |id: ObjectId| ranking.values[id as usize];
    let Some(edge) = ranking.edge(rank, candidates) else {
        return;
    };
    let score = |value: i128| match rank.descending {
        true if edge <= 0 => 100,
        true => percent(value, edge),
        false if value <= 0 => 100,
        false => percent(edge, value),
    };
    for &id in candidates {
        if let Some(value) = value(id) {
            vote((id, Some(score(value))));
        }
    }
}

/// Finds the answerer of each advisor; data that many rules share is computed once.
pub(super) struct Answerers<'m, 'a> {
    model: &'m Model<'a>,
    rankings: BTreeMap<By<'a>, Rc<Ranking>>,
    policies: BTreeMap<&'a str, Rc<FixedBitSet>>,
    alphabet: Rc<[ObjectId]>,
}

impl<'m, 'a> Answerers<'m, 'a> {
    pub(super) fn new(model: &'m Model<'a>) -> Self {
        Self {
            model,
            rankings: BTreeMap::new(),
            policies: BTreeMap::new(),
            alphabet: model.inventory.alphabet().into(),
        }
    }

    /// The answerer of the advisor at this index.
    pub(super) fn answerer<'r>(
        &mut self,
        rule: &'r PlacementRule<'a>,
        advisor: usize,
        finder: &mut CandidateFinder<'m, 'a>,
    ) -> Answerer<'r, 'a>
    where
        'm: 'r,
    {
        match &rule.advisors[advisor].source {
            Source::Silent => Answerer::Silent,
            Source::Status(list) => Answerer::Static(list),
            Source::BuiltIn(built_in) => self.built_in(built_in, finder),
            Source::Entry(entry) => match &self.model.answers[*entry].answer {
                AnswerForm::Static(list) => Answerer::Static(list),
                AnswerForm::PerCandidates { cases, otherwise } => Answerer::PerCandidates {
                    cases,
                    otherwise: otherwise.as_deref(),
                },
                AnswerForm::Command(command) => Answerer::Command(command),
                // Lowering makes these the advisor's own source.
                AnswerForm::BuiltIn(_) => Answerer::Silent,
            },
        }
    }

    fn built_in<'r>(
        &mut self,
        built_in: &BuiltIn<'a>,
        finder: &mut CandidateFinder<'m, 'a>,
    ) -> Answerer<'r, 'a> {
        let inventory = &self.model.inventory;
        match built_in {
            BuiltIn::ResourceHint { resource, rank } => self.ranked(By::Resource(resource), *rank),
            BuiltIn::Cost { label, rank } => self.ranked(By::Label(label), *rank),
            BuiltIn::Policies(names) => {
                let mut set = FixedBitSet::with_capacity(inventory.objects().len());
                set.insert_range(..);
                for name in names {
                    set.intersect_with(&self.complying(name));
                }
                Answerer::Set(Rc::new(Objects::Many(set)), None)
            }
            BuiltIn::Labels(selector) => Answerer::Set(finder.select(selector), None),
            BuiltIn::Alphabet => {
                let order = Rc::clone(&self.alphabet);
                Answerer::Best(Walk { order }, Some(100))
            }
            BuiltIn::Veto(resources) => {
                let mut hit = Vec::new();
                for resource in resources.iter().filter(|resource| !resource.is_blank()) {
                    hit.extend(inventory.fitting(resource));
                }
                hit.sort_unstable();
                hit.dedup();
                Answerer::Set(Rc::new(Objects::AllBut(hit)), Some(100))
            }
        }
    }

    fn ranked<'r>(&mut self, by: By<'a>, rank: Rank) -> Answerer<'r, 'a> {
        let inventory = &self.model.inventory;
        let ranking = self.rankings.entry(by).or_insert_with(|| {
            let values: Vec<Option<i128>> = match by {
                By::Resource(name) => {
                    let amounts = inventory.by_resource(name, quantity).into_iter();
                    // An object without this resource has an amount of zero.
                    amounts.map(|amount| Some(amount.unwrap_or(0))).collect()
                }
                By::Label(key) => {
                    let labels = inventory.by_label(key, decimal).into_iter();
                    labels.map(Option::flatten).collect()
                }
            };
            Rc::new(Ranking::new(values))
        });
        if rank.scored {
            return Answerer::Scored(Rc::clone(ranking), rank);
        }
        let order = ranking.order(rank.descending);
        Answerer::Best(Walk { order }, None)
    }

    /// The objects that comply with a policy: by its document, without one by their labels.
    fn complying(&mut self, policy: &'a str) -> Rc<FixedBitSet> {
        let model = self.model;
        let found = self.policies.entry(policy).or_insert_with(|| {
            let inventory = &model.inventory;
            let mut set = FixedBitSet::with_capacity(inventory.objects().len());
            let documents = || model.policies.iter().filter(|p| p.name == policy);
            if documents().next().is_none() {
                let key = compliance(policy);
                let labelled = inventory.labels().with_label(&key, "compliant");
                set.extend(labelled.iter().map(|&id| id as usize));
            }
            let verdicts = documents().flat_map(|document| &document.clusters);
            for (cluster, _) in verdicts.filter(|(_, compliant)| *compliant) {
                set.extend(inventory.named(cluster).iter().map(|&id| id as usize));
            }
            Rc::new(set)
        });
        Rc::clone(found)
    }
}
