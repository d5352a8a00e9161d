//! Rounds in which no advisor can answer differently than in the round before.

use super::super::super::model::ObjectId;
use super::super::advisors::Reply;
use super::super::kept::{Rounds, Same, Seen, Watch};
use super::{RuleRun, bubble};

/// The replies of a round.
pub(super) struct LastReplies<'r> {
    pub(super) replies: &'r [Option<Reply>],
    /// The numbers that scores were measured by, reply by reply.
    pub(super) edges: Vec<Option<i128>>,
    /// The candidates that were recommended.
    pub(super) chosen: Vec<ObjectId>,
    /// How many stay although they are not recommended.
    pub(super) saved: usize,
}

/// How many rounds are made one by one before many are made at once.
const FEW: usize = 8;

/// Until when rounds go on like the last.
struct Until<'r> {
    last: LastReplies<'r>,
    /// How many of the recommended candidates are left.
    recommended: usize,
    /// Reply by reply, how many hold the number that scores are measured by: until the last of them
    /// goes it stays the same.
    holders: Vec<usize>,
    limit: usize,
}

impl Until<'_> {
    /// Whether the next round may be another one, or is the last or one to be kept, after `gone`
    /// went.
    fn ends(&mut self, gone: ObjectId, rounds: &Rounds, candidates: usize) -> bool {
        let last = &self.last;
        self.recommended -= usize::from(last.chosen.binary_search(&gone).is_ok());
        let over = (self.recommended + last.saved).saturating_sub(self.limit);
        let mut same = true;
        let replies = last.replies.iter().flatten().zip(&last.edges);
        for ((reply, edge), holders) in replies.zip(&mut self.holders) {
            if !reply.outlasts(gone, *edge) {
                *holders = holders.saturating_sub(1);
                same &= *holders > 0;
            }
        }
        !same || over == 0 || candidates == 1 || rounds.keeps(rounds.count + 1, Some(over))
    }
}

impl RuleRun<'_, '_, '_> {
    pub(super) fn edges(&self, replies: &[Option<Reply>]) -> Vec<Option<i128>> {
        let replies = replies.iter().flatten();
        replies.map(|reply| reply.edge(&self.candidates)).collect()
    }

    /// Goes through the rounds in which no advisor can say another thing, so that none is asked
    /// again: each removes the lowest. The last round is left, as are those to be seen whole.
    pub(super) fn go_on(
        &mut self,
        mut last: LastReplies<'_>,
        limit: usize,
        watch: &mut Option<Watch<'_>>,
    ) {
        last.chosen.sort_unstable();
        let alone = watch.is_none() && self.spared.is_none();
        let replies = last.replies.iter().flatten().zip(&last.edges);
        let holders = replies.map(|(reply, edge)| {
            if alone && edge.is_some() {
                let all = self.candidates.iter().chain(self.eliminators.last());
                all.filter(|id| !reply.outlasts(**id, *edge)).count()
            } else {
                0
            }
        });
        let mut until = Until {
            recommended: last.chosen.len(),
            holders: holders.collect(),
            last,
            limit,
        };
        let mut rounds = 0;
        while let Some(&gone) = self.eliminators.last() {
            if until.ends(gone, &self.rounds, self.candidates.len()) {
                return;
            }
            if let Some(watch) = watch {
                let Some((removed, lowest)) = self.lowest() else {
                    return;
                };
                if (watch.whole)(removed) {
                    return;
                }
                (watch.see)(Seen::Same(Same {
                    number: self.rounds.count + 1,
                    candidates: self.candidates.len(),
                    recommended: until.recommended,
                    removed,
                    lowest,
                    spared: self.standing(lowest),
                }));
            }
            self.rounds.count += 1;
            self.remove_lowest();
            rounds += 1;
            if alone && rounds == FEW {
                return self.go_on_at_once(until);
            }
        }
    }

    /// Makes rounds that nobody watches, all of them in one walk over the candidates.
    fn go_on_at_once(&mut self, mut until: Until<'_>) {
        let all = self.candidates.len();
        let rating = |id: ObjectId| self.ratings[id as usize];
        let (going, _) = bubble::passes(&self.candidates, rating, all.saturating_sub(1));
        let mut rounds = 0;
        let mut gone = self.eliminators.last().copied();
        while let Some(id) = gone {
            if until.ends(id, &self.rounds, all - rounds) {
                break;
            }
            gone = going.get(rounds).copied();
            rounds += usize::from(gone.is_some());
            self.rounds.count += usize::from(gone.is_some());
        }
        let (gone, left) = bubble::passes(&self.candidates, rating, rounds);
        for id in &gone {
            self.pool.alive.remove(*id as usize);
        }
        self.eliminators.extend(gone);
        self.candidates = left;
    }

    /// The candidate with the lowest rating, of equals the first, and that rating; without the
    /// spared one.
    fn lowest(&self) -> Option<(ObjectId, i64)> {
        let others = self.candidates.iter().copied();
        let others = others.filter(|id| self.spared != Some(*id));
        others
            .map(|id| (id, self.ratings[id as usize]))
            .min_by_key(|(_, rating)| *rating)
    }

    /// The rating of the spared candidate, and whether one of this rating is before it.
    fn standing(&self, rating: i64) -> Option<(i64, bool)> {
        let spared = self.spared?;
        let mut before = self.candidates.iter().take_while(|id| **id != spared);
        let sheltered = before.any(|id| self.ratings[*id as usize] == rating);
        Some((self.ratings[spared as usize], sheltered))
    }
}
