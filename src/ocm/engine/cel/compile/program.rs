//! The flat program that a checked expression becomes.

use crate::ocm::engine::cel::value::Value;

/// An index of a node.
pub(in crate::ocm::engine::cel) type At = u32;

/// One node of a program; operands stand before what uses them.
#[derive(Debug)]
pub(in crate::ocm::engine::cel) enum Node {
    Constant(Value),
    /// A variable by its slot; 0 is the cluster.
    Variable(u32),
    Select {
        operand: At,
        field: Value,
        test: bool,
    },
    Call {
        name: &'static str,
        args: Vec<At>,
    },
    List(Vec<(At, bool)>),
    Map(Vec<(At, At, bool)>),
    Fold(Box<Fold>),
    /// `optMap` and `optFlatMap`.
    OptMap {
        target: At,
        slot: u32,
        body: At,
        flat: bool,
    },
    /// `&&`, `||` and `?:` do not evaluate everything.
    And(At, At),
    Or(At, At),
    Choose(At, At, At),
}

/// A comprehension.
#[derive(Debug)]
pub(in crate::ocm::engine::cel) struct Fold {
    pub(in crate::ocm::engine::cel) range: At,
    pub(in crate::ocm::engine::cel) item: u32,
    pub(in crate::ocm::engine::cel) accumulator: u32,
    pub(in crate::ocm::engine::cel) start: At,
    pub(in crate::ocm::engine::cel) condition: At,
    pub(in crate::ocm::engine::cel) step: At,
    pub(in crate::ocm::engine::cel) result: At,
}

/// A checked expression.
#[derive(Debug)]
pub(in crate::ocm::engine::cel) struct Program {
    pub(in crate::ocm::engine::cel) nodes: Vec<Node>,
    pub(in crate::ocm::engine::cel) root: At,
    pub(in crate::ocm::engine::cel) slots: usize,
}
