//! The stand-in without the feature `cel`: it refuses every expression.

use fixedbitset::FixedBitSet;

use super::{Compilation, Evaluation};
use crate::ocm::engine::hub::Hub;
use crate::ocm::engine::select::Cel;
use crate::ocm::model::Model;

/// Refuses: this program was built without CEL.
#[must_use]
pub fn check(_expression: &str) -> Compilation {
    Compilation::Refused {
        message: "planner was built without CEL".to_owned(),
        help: "build it with `--features cel`, or select by labels and claims".to_owned(),
    }
}

/// Refuses all of them.
#[must_use]
pub fn check_all(expressions: &[&str]) -> Vec<Compilation> {
    expressions.iter().map(|one| check(one)).collect()
}

/// Does the work.
pub fn together<R: Send>(_any: bool, work: impl Fn() -> R + Sync) -> R {
    work()
}

/// Nothing can be explained without CEL.
#[must_use]
pub fn explain(_model: &Model<'_>, _expression: &str, _cluster: usize) -> Evaluation {
    Evaluation::Error("planner was built without CEL".to_owned())
}

/// Replaces the evaluator; a placement with an expression is refused before.
#[derive(Debug, Default)]
pub struct Evaluator<'a>(std::marker::PhantomData<&'a str>);

impl<'a> Cel<'a> for Evaluator<'a> {
    fn check(&self, _expression: &'a str) -> Result<(), String> {
        Ok(())
    }

    fn apply(
        &self,
        _hub: &Hub<'_, 'a>,
        _expression: &'a str,
        kept: &mut FixedBitSet,
    ) -> Result<(), String> {
        kept.clear();
        Ok(())
    }
}
