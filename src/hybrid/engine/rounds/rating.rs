//! The ratings of a round.

use super::super::super::model::Role;
use super::super::advisors::Reply;
use super::RuleRun;

impl RuleRun<'_, '_, '_> {
    /// Rates all candidates.
    pub(super) fn rate(&mut self, replies: &[Option<Reply>]) {
        for &id in &self.candidates {
            self.ratings[id as usize] = 0;
        }
        for (advisor, &at) in self.rule.advisors.iter().zip(&self.answerer_of) {
            let Some(reply) = &replies[at] else {
                continue;
            };
            let ratings = &mut *self.ratings;
            reply.each(&self.candidates, |(id, score)| {
                let points = score.unwrap_or(100).saturating_mul(advisor.weight);
                let rating = &mut ratings[id as usize];
                *rating = rating.saturating_add(points);
            });
        }
        self.rate_spared(replies);
        let bonus = self.rule.decision_weight.saturating_mul(100);
        for &id in &self.decided {
            if self.pool.alive.contains(id as usize) {
                let rating = &mut self.ratings[id as usize];
                *rating = rating.saturating_add(bonus);
            }
        }
    }

    /// Gives the spared candidate the points of the predicates that veto it: without the veto it
    /// would be recommended.
    fn rate_spared(&mut self, replies: &[Option<Reply>]) {
        let Some(spared) = self.spared else {
            return;
        };
        for (advisor, &voice) in self.rule.advisors.iter().zip(&self.answerer_of) {
            let mut named = advisor.role == Role::Priority;
            if let Some(reply) = &replies[voice] {
                reply.each(&[spared], |(id, _)| named |= id == spared);
            }
            if !named {
                let rating = &mut self.ratings[spared as usize];
                *rating = rating.saturating_add(advisor.weight.saturating_mul(100));
            }
        }
    }
}
