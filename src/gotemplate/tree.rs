//! The tree of a template. Pipelines are in one list, inner ones before the outer, and refer to
//! each other by number: nothing is nested in memory.

use std::borrow::Cow;
use std::ops::Range;

/// A template that was parsed.
#[derive(Debug, Default)]
pub struct Template<'t> {
    /// Its actions, in order; comments are left out.
    pub actions: Vec<Action<'t>>,
    /// All pipelines, each after those in its parentheses.
    pub pipes: Vec<Pipe<'t>>,
}

/// The number of a pipeline in its template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PipeId(pub(super) usize);

impl PipeId {
    /// Its place in the list of pipelines.
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

impl<'t> Template<'t> {
    /// A pipeline by its number.
    #[must_use]
    pub fn pipe(&self, id: PipeId) -> &Pipe<'t> {
        &self.pipes[id.0]
    }

    /// The number of each pipeline with the pipeline, each after those in its parentheses.
    pub fn numbered(&self) -> impl Iterator<Item = (PipeId, &Pipe<'t>)> {
        let ids = (0..self.pipes.len()).map(PipeId);
        ids.zip(&self.pipes)
    }

    /// Whether each pipeline is run whenever the template is: nothing that may be skipped is
    /// around it.
    #[must_use]
    pub fn certain(&self) -> Vec<bool> {
        let mut certain = vec![true; self.pipes.len()];
        for (at, pipe) in self.pipes.iter().enumerate().rev() {
            certain[at] &= self.actions[pipe.action].scope.certain;
            for command in &pipe.commands {
                let word = command.operands.first().map(|operand| &operand.term);
                let lazy = matches!(word, Some(Term::Function("and" | "or")));
                for (number, operand) in command.operands.iter().enumerate() {
                    if let Term::Parens(inner) = operand.term {
                        certain[inner.0] &= certain[at] && !(lazy && number > 1);
                    }
                }
            }
        }
        certain
    }
}

/// One `{{ … }}`.
#[derive(Debug)]
pub struct Action<'t> {
    /// Where it is, delimiters included.
    pub span: Range<usize>,
    /// Its kind.
    pub kind: ActionKind<'t>,
    /// The blocks around it.
    pub scope: Scope,
}

/// The kind of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionKind<'t> {
    /// A pipeline, whose value is printed unless it sets a variable.
    Output(PipeId),
    /// `if`.
    If(PipeId),
    /// `range`.
    Range(PipeId),
    /// `with`.
    With(PipeId),
    /// `else`, `else if` or `else with`.
    Else(Option<PipeId>),
    /// `end`.
    End,
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `define` of a name.
    Define(Cow<'t, str>),
    /// `template` with a name and its argument.
    Template(Cow<'t, str>, Option<PipeId>),
    /// `block` with a name and its argument.
    Block(Cow<'t, str>, PipeId),
}

/// The effect of the blocks around an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// Whether it is in no block: it is always run.
    pub certain: bool,
    /// Whether `.` is the template's argument.
    pub root_dot: bool,
    /// Whether `$` is the template's argument.
    pub root_dollar: bool,
}

/// Commands, each of which gets the value of the one before.
#[derive(Debug)]
pub struct Pipe<'t> {
    /// Where it is.
    pub span: Range<usize>,
    /// The variables that it sets.
    pub variables: Vec<&'t str>,
    /// Its commands.
    pub commands: Vec<Command<'t>>,
    /// The number of the action that it is in.
    pub action: usize,
}

/// Operands: a function and its arguments, or a single value.
#[derive(Debug, Default)]
pub struct Command<'t> {
    /// Its operands; at least one.
    pub operands: Vec<Operand<'t>>,
}

/// A term, and the fields that are read of it.
#[derive(Debug)]
pub struct Operand<'t> {
    /// Where it is.
    pub span: Range<usize>,
    /// The term.
    pub term: Term<'t>,
    /// The fields: of `.a.b` a and b.
    pub fields: Vec<&'t str>,
}

/// The beginning of an operand.
#[derive(Debug, Clone, PartialEq)]
pub enum Term<'t> {
    /// `.`, alone or before fields.
    Dot,
    /// `nil`.
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// A number or a character.
    Number(Number),
    /// A text.
    Text(Cow<'t, str>),
    /// A variable with its `$`; `$` alone is the template's argument.
    Variable(&'t str),
    /// The name of a function.
    Function(&'t str),
    /// A pipeline in parentheses.
    Parens(PipeId),
}

/// The types that a number may stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Number {
    /// A whole number.
    Int,
    /// A character.
    Char,
    /// A number with a point whose value is whole: it may stand for a whole number.
    WholeFloat,
    /// Another number with a point.
    Float,
    /// A complex number.
    Complex,
}
