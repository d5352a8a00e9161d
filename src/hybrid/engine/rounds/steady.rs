//! Rounds in which no advisor can say another thing than in the one before.

use super::super::super::model::ObjectId;
use super::super::advisors::Reply;
use super::super::kept::{Same, Seen, Watch};
use super::RuleRun;

/// What was said in a round.
pub(super) struct LastReplies<'r> {
    pub(super) replies: &'r [Option<Reply>],
    /// The numbers that scores were measured by, reply by reply.
    pub(super) edges: Vec<Option<i128>>,
    /// Who was recommended.
    pub(super) chosen: Vec<ObjectId>,
    /// How many stay although they are not recommended.
    pub(super) saved: usize,
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
        let mut recommended = last.chosen.len();
        last.chosen.sort_unstable();
        while let Some(&gone) = self.eliminators.last() {
            recommended -= usize::from(last.chosen.binary_search(&gone).is_ok());
            let over = (recommended + last.saved).saturating_sub(limit);
            let mut replies = last.replies.iter().flatten().zip(&last.edges);
            let same = replies.all(|(reply, edge)| reply.outlasts(gone, *edge));
            let number = self.rounds.count + 1;
            if !same
                || over == 0
                || self.candidates.len() == 1
                || self.rounds.keeps(number, Some(over))
            {
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
                    number,
                    candidates: self.candidates.len(),
                    recommended,
                    removed,
                    lowest,
                    spared: self.standing(lowest),
                }));
            }
            self.rounds.count = number;
            self.remove_lowest();
        }
    }

    /// Who has the lowest rating, of equals the first, and that rating; the spared one apart.
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
