//! The runner-up of a placed subject, and what separates it from the chosen candidate.

use std::cmp::Reverse;

use serde_json::Value;

use crate::repair::{Edit, May, Trial};
use crate::systems;
use crate::why::{Bound, Candidate, RunnerUp, Why};
use crate::yaml::Op;

use super::{Base, CHANGES, Question};

/// Plans made for the runner-up, at most.
const PLANS: usize = 40;

/// How far beyond a value another one is tried, the farthest that can be planned.
const FAR: [i64; 3] = [1000, 100, 10];

/// The candidate that came next, and the smallest changes with which it is chosen: its own, else
/// the subject's. Nothing where candidates do not compete.
#[must_use]
pub fn runner_up(base: &Base<'_, '_>, why: &Why) -> Option<RunnerUp> {
    if !why.placed
        || !systems::of(why.system).profile().ranks
        || !why.candidates.iter().any(|one| one.chosen)
    {
        return None;
    }
    let lost = why.candidates.iter().filter(|one| !one.chosen);
    let next = lost.min_by_key(|one| distance(one))?;
    let mut question = Question {
        system: why.system,
        subject: &why.subject,
        candidate: &next.name,
        edits: 1,
        may: May::Candidate,
    };
    let needs = base.needs(&question);
    let mut left = PLANS;
    let mut set = None;
    for (edits, may) in [(1, May::Candidate), (1, May::Subject), (CHANGES, May::Both)] {
        (question.edits, question.may) = (edits, may);
        let found = base.found(&question, &needs, 1, left)?;
        left = left.saturating_sub(found.plans);
        set = found.sets.into_iter().next();
        if set.is_some() || left == 0 {
            break;
        }
    }
    let mut set = set.unwrap_or_default();
    let bound = match set.as_mut_slice() {
        [only] => base.tightest(&question, &needs, only),
        _ => None,
    };
    Some(RunnerUp {
        candidate: next.name.clone(),
        changes: set.iter().map(|edit| base.change(edit)).collect(),
        bound,
    })
}

/// How far a candidate is from being chosen: its place, what it passes, and what it lacks where
/// that is a number.
fn distance(one: &Candidate) -> (usize, Reverse<usize>, u64) {
    let place = one.ranking.as_ref().map_or(usize::MAX, |own| own.place);
    let mut verdicts = one.verdicts.iter();
    let passed = verdicts
        .by_ref()
        .take_while(|verdict| verdict.passes)
        .count();
    let failed = one.verdicts.get(passed);
    let number = |text: &Option<String>| text.as_ref()?.parse::<i64>().ok();
    let lacks = failed.and_then(|verdict| {
        let (asked, found) = (number(&verdict.asked)?, number(&verdict.found)?);
        Some(asked.abs_diff(found))
    });
    (place, Reverse(passed), lacks.unwrap_or(u64::MAX))
}

impl Base<'_, '_> {
    /// Makes the change of a whole number the smallest that is enough, and says whether the next
    /// number and one far beyond it are enough as well; each is planned.
    fn tightest(&self, question: &Question<'_>, needs: &[u32], edit: &mut Edit) -> Option<Bound> {
        let document = &self.site.documents.all[edit.document as usize];
        let was = document.node.pointer(&edit.pointer)?.text()?;
        let was: i64 = was.parse().ok()?;
        let Op::Set(value) = &edit.op else {
            return None;
        };
        let quoted = value.is_string();
        let becomes = match value {
            Value::String(text) => text.parse().ok()?,
            value => value.as_i64()?,
        };
        let with = |number: i64| Edit {
            op: Op::Set(if quoted {
                Value::from(number.to_string())
            } else {
                Value::from(number)
            }),
            ..edit.clone()
        };
        let tried = |number: i64| {
            let mut steps = super::STEPS;
            self.trial(question, self.part(needs), &[with(number)], &mut steps)
        };
        let enough = |number: i64| tried(number) == Trial::Chosen;
        let (mut short, mut long) = (was, becomes);
        while short.abs_diff(long) > 1 {
            let middle = short.midpoint(long);
            if enough(middle) {
                long = middle;
            } else {
                short = middle;
            }
        }
        let (sign, bound) = if long > was {
            (1, Bound::OrMore)
        } else {
            (-1, Bound::OrLess)
        };
        let next = long.checked_add(sign)?;
        // Below nothing many a number is none.
        let least = if long >= 0 { 0 } else { i64::MIN };
        let far = FAR
            .iter()
            .map(|far| long.saturating_add(sign * far).max(least));
        let far = far.map(tried);
        let mut far = far.filter(|trial| *trial != Trial::Impossible);
        let all = enough(next) && far.next().is_none_or(|trial| trial == Trial::Chosen);
        let bound = all.then_some(bound);
        *edit = with(long);
        bound
    }
}
