//! Go's `text/template`: a lexer and a parser with byte positions, for any pair of delimiters, and
//! what the types of functions say about their calls.
//!
//! Nothing here knows who resolves a template, and nothing is rendered. All steps take linear time
//! and no step recurses, so neither depth nor length of a template can exhaust the stack.

mod about;
mod calls;
mod fault;
mod functions;
mod lex;
mod number;
mod parse;
mod quote;
mod tree;

pub use about::about;
pub use calls::{CallFault, Reason, calls};
pub use fault::{Fault, FaultKind};
pub use functions::{BUILTIN, Function, Functions, SPRIG, Type, row};
pub use parse::parse;
pub use tree::{Action, ActionKind, Command, Number, Operand, Pipe, PipeId, Scope, Template, Term};

/// The delimiters of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delimiters {
    /// The text that begins it.
    pub left: &'static str,
    /// The text that ends it.
    pub right: &'static str,
}

impl Delimiters {
    /// Go's own.
    pub const BRACES: Self = Self {
        left: "{{",
        right: "}}",
    };
}

#[cfg(test)]
mod tests;
