//! Evaluates a checked program over one cluster.

mod access;
mod arithmetic;
mod budget;
mod call;
mod convert;
mod kubernetes;
mod lists;
mod texts;
mod times;

use std::sync::Arc;

use self::access::{has, select};
use self::call::call;
use super::compile::{At, Fold, Node, Program};
use super::value::{Failure, Outcome, Value, list, no_overload, some};

pub(super) use self::times::zone;

/// Most steps of one evaluation; beyond it the cluster does not match, as beyond upstream's cost
/// limit.
const STEPS: u32 = 1_000_000;

/// The scores of a resource name for a cluster, for `scores()`.
pub(super) type Scores<'s> = dyn Fn(&str, &str) -> Option<Vec<(String, i64)>> + 's;

/// An expression reads and builds more than it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exhausted;

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "it reads and builds values of more than {} bytes",
            budget::BYTES
        )
    }
}

/// Evaluates a program. Needs a big stack: expressions nest.
///
/// # Errors
/// An expression over its budget, which says nothing about the cluster.
pub(super) fn evaluate(
    program: &Program,
    cluster: &Value,
    scores: &Scores<'_>,
) -> Result<Outcome, Exhausted> {
    let mut slots: Vec<Outcome> = vec![Ok(Value::Null); program.slots];
    slots[0] = Ok(cluster.clone());
    let mut run = Interpreter {
        nodes: &program.nodes,
        slots,
        scores,
        steps: 0,
        left: Some(budget::BYTES),
    };
    let outcome = run.node(program.root);
    match run.left {
        Some(_) => Ok(outcome),
        None => Err(Exhausted),
    }
}

struct Interpreter<'p> {
    nodes: &'p [Node],
    slots: Vec<Outcome>,
    scores: &'p Scores<'p>,
    steps: u32,
    /// The bytes left; nothing once they are spent.
    left: Option<usize>,
}

fn bool_of(outcome: Outcome) -> Result<bool, Failure> {
    match outcome? {
        Value::Bool(value) => Ok(value),
        _ => Err(no_overload()),
    }
}

impl Interpreter<'_> {
    /// Pays for the bytes that are about to be read or built.
    fn pay(&mut self, bytes: usize) -> Result<(), Failure> {
        self.left = self.left.and_then(|left| left.checked_sub(bytes));
        match self.left {
            Some(_) => Ok(()),
            None => Err(Exhausted.to_string()),
        }
    }

    fn node(&mut self, at: At) -> Outcome {
        self.steps += 1;
        if self.left.is_none() {
            // Nothing catches this: neither `||` nor the end of a loop.
            return Err(Exhausted.to_string());
        }
        if self.steps > STEPS {
            return Err(format!("more than {STEPS} steps"));
        }
        match &self.nodes[at as usize] {
            Node::Constant(value) => Ok(value.clone()),
            Node::Variable(slot) => self.slots[*slot as usize].clone(),
            Node::Select {
                operand,
                field,
                test,
            } => {
                let operand = self.node(*operand)?;
                if *test {
                    has(&operand, field)
                } else {
                    select(&operand, field)
                }
            }
            Node::Call {
                name: "@not_strictly_false",
                args,
            } => {
                let kept = !matches!(self.node(args[0]), Ok(Value::Bool(false)));
                Ok(Value::Bool(kept))
            }
            Node::Call { name, args } => {
                let mut values = Vec::with_capacity(args.len());
                for argument in args {
                    values.push(self.node(*argument)?);
                }
                self.pay(budget::cost(name, &values, budget::BYTES))?;
                call(name, &values, self.scores)
            }
            Node::List(items) => self.list(items),
            Node::Map(entries) => self.map(entries),
            Node::Fold(fold) => self.fold(fold),
            Node::OptMap {
                target,
                slot,
                body,
                flat,
            } => match self.node(*target)? {
                Value::Optional(None) => Ok(Value::Optional(None)),
                Value::Optional(Some(value)) => {
                    self.slots[*slot as usize] = Ok((*value).clone());
                    let result = self.node(*body)?;
                    Ok(if *flat { result } else { some(result) })
                }
                _ => Err(no_overload()),
            },
            Node::And(a, b) => self.either(*a, *b, false),
            Node::Or(a, b) => self.either(*a, *b, true),
            Node::Choose(condition, yes, no) => {
                let branch = if bool_of(self.node(*condition))? {
                    yes
                } else {
                    no
                };
                self.node(*branch)
            }
        }
    }

    /// The value of an entry; none for an optional one that is empty.
    fn entry(&mut self, at: At, optional: bool) -> Result<Option<Value>, Failure> {
        match (self.node(at)?, optional) {
            (value, false) => Ok(Some(value)),
            (Value::Optional(value), true) => Ok(value.map(|value| (*value).clone())),
            (_, true) => Err(no_overload()),
        }
    }

    fn list(&mut self, items: &[(At, bool)]) -> Outcome {
        self.pay(32 * items.len())?;
        let mut values = Vec::with_capacity(items.len());
        for (item, optional) in items {
            values.extend(self.entry(*item, *optional)?);
        }
        Ok(list(values))
    }

    fn map(&mut self, entries: &[(At, At, bool)]) -> Outcome {
        let mut values: Vec<(Value, Value)> = Vec::with_capacity(entries.len());
        for (key, value, optional) in entries {
            let key = self.node(*key)?;
            let Some(value) = self.entry(*value, *optional)? else {
                continue;
            };
            if !matches!(
                key,
                Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Text(_)
            ) {
                return Err(format!("unsupported key type: {}", key.type_name()));
            }
            if values.iter().any(|(known, _)| known.equals(&key)) {
                return Err("repeated key in map".to_owned());
            }
            values.push((key, value));
        }
        Ok(Value::Map(Arc::new(values)))
    }

    /// `||` (decisive: true) and `&&` (false): one decisive side is enough, whatever the other.
    fn either(&mut self, a: At, b: At, decisive: bool) -> Outcome {
        let first = bool_of(self.node(a));
        if first == Ok(decisive) {
            return Ok(Value::Bool(decisive));
        }
        match (first, bool_of(self.node(b))) {
            (_, Ok(second)) if second == decisive => Ok(Value::Bool(decisive)),
            (Err(fault), _) | (_, Err(fault)) => Err(fault),
            _ => Ok(Value::Bool(!decisive)),
        }
    }

    fn fold(&mut self, fold: &Fold) -> Outcome {
        let range = self.node(fold.range)?;
        let items: Vec<Value> = match &range {
            Value::List(items) => items.to_vec(),
            Value::Map(entries) => entries.iter().map(|(key, _)| key.clone()).collect(),
            _ => return Err(no_overload()),
        };
        self.pay(32 * items.len())?;
        let start = self.node(fold.start);
        self.slots[fold.accumulator as usize] = start;
        for item in items {
            self.slots[fold.item as usize] = Ok(item);
            if matches!(self.node(fold.condition), Ok(Value::Bool(false))) {
                break;
            }
            let step = self.node(fold.step);
            self.slots[fold.accumulator as usize] = step;
        }
        self.node(fold.result)
    }
}
