//! The faults of calls in a template: the number of arguments, and their types if both the wanted
//! and the given type are known.

use std::fmt;
use std::ops::Range;

use super::functions::{Function, Type};
use super::tree::{Command, Number, Operand, PipeId, Scope, Template, Term};

/// A call that fails when it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFault<'t> {
    /// The function, or the expression called like one.
    pub name: &'t str,
    /// Where it is.
    pub span: Range<usize>,
    /// Why it fails.
    pub reason: Reason,
    /// Whether it is reached whenever the template is run.
    pub certain: bool,
}

/// Why a call fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It has fewer arguments than it needs.
    TooFew {
        /// The number it needs.
        least: usize,
        /// The number it has.
        got: usize,
    },
    /// It has more arguments than it takes.
    TooMany {
        /// The most it takes.
        most: usize,
        /// The number it has.
        got: usize,
    },
    /// An argument is of another type.
    Type {
        /// Which, counted from 1.
        number: usize,
        /// The type that is wanted.
        wanted: Type,
        /// The type or the text that is given.
        got: String,
    },
    /// The callee is no function.
    NotAFunction,
}

impl fmt::Display for CallFault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name;
        let arguments = |number: usize| match number {
            1 => "1 argument".to_owned(),
            number => format!("{number} arguments"),
        };
        match &self.reason {
            Reason::TooFew { least, got } => {
                write!(f, "`{name}` needs {}, and has {got}", arguments(*least))
            }
            Reason::TooMany { most, got } => {
                write!(f, "`{name}` takes {}, and has {got}", arguments(*most))
            }
            Reason::Type {
                number,
                wanted,
                got,
            } => write!(
                f,
                "argument {number} of `{name}` must be {wanted}, not {got}"
            ),
            Reason::NotAFunction => {
                let name: String = name.chars().take(60).collect();
                write!(f, "`{name}` is no function and takes no arguments")
            }
        }
    }
}

/// An argument of a call.
enum Argument<'o, 't> {
    /// It is written there.
    Literal(&'o Operand<'t>),
    /// A value of this type.
    Value(Type),
}

/// Reports what is wrong with the calls of a template. `function` knows the functions, `field` the
/// types of fields of `.` and `$`.
pub fn calls<'t>(
    template: &Template<'t>,
    text: &'t str,
    function: &dyn Fn(&str) -> Option<&'static Function>,
    field: &dyn Fn(&Operand<'t>, Scope) -> Type,
    report: &mut dyn FnMut(CallFault<'t>),
) {
    let certain = template.certain();
    let mut types = Vec::with_capacity(template.pipes.len());
    let mut calls = Calls {
        text,
        function,
        field,
        report,
        scope: Scope {
            certain: false,
            root_dot: false,
            root_dollar: false,
        },
        certain: false,
    };
    for (pipe, certain) in template.pipes.iter().zip(certain) {
        calls.scope = template.actions[pipe.action].scope;
        let mut value = None;
        for command in &pipe.commands {
            calls.certain = certain;
            value = Some(calls.command(command, value, &types));
        }
        types.push(value.unwrap_or(Type::Any));
    }
}

struct Calls<'t, 'k> {
    text: &'t str,
    function: &'k dyn Fn(&str) -> Option<&'static Function>,
    field: &'k dyn Fn(&Operand<'t>, Scope) -> Type,
    report: &'k mut dyn FnMut(CallFault<'t>),
    scope: Scope,
    certain: bool,
}

impl<'t> Calls<'t, '_> {
    /// The type of what a command gives; `types` are those of the pipelines before it.
    fn command(&mut self, command: &Command<'t>, piped: Option<Type>, types: &[Type]) -> Type {
        let Some((first, others)) = command.operands.split_first() else {
            return Type::Any;
        };
        let Term::Function(name) = first.term else {
            let value = self.value(first, types);
            // A field may hold a function unless its type is known.
            let is_value = first.fields.is_empty() || value != Type::Any;
            if is_value && (!others.is_empty() || piped.is_some()) {
                self.say(first, Reason::NotAFunction);
            }
            return value;
        };
        if !first.fields.is_empty() {
            return self.value(first, types);
        }
        let lazy = matches!(name, "and" | "or");
        let certain = self.certain;
        let mut arguments = Vec::with_capacity(others.len() + 1);
        for (operand, at) in others.iter().zip(0..) {
            self.certain = certain && !(lazy && at > 0);
            arguments.push(match operand.term {
                Term::Bool(_) | Term::Nil | Term::Number(_) | Term::Text(_) => {
                    Argument::Literal(operand)
                }
                _ => Argument::Value(self.value(operand, types)),
            });
        }
        self.certain = certain;
        arguments.extend(piped.map(Argument::Value));
        let Some(function) = (self.function)(name) else {
            return Type::Any;
        };
        self.check(first, function, &arguments);
        function.result
    }

    fn check(&mut self, at: &Operand<'t>, function: &Function, arguments: &[Argument<'_, 't>]) {
        let (least, got) = (function.parameters.len(), arguments.len());
        if got < least {
            return self.say(at, Reason::TooFew { least, got });
        }
        let most = function.most;
        if got > most {
            return self.say(at, Reason::TooMany { most, got });
        }
        for (argument, number) in arguments.iter().zip(0..) {
            let Some(wanted) = function.parameter(number) else {
                continue;
            };
            if let Some(got) = self.mismatch(argument, wanted) {
                let number = number + 1;
                return self.say(
                    at,
                    Reason::Type {
                        number,
                        wanted,
                        got,
                    },
                );
            }
        }
    }

    /// The type or the text of an argument that does not fit the wanted type; `None` if it fits.
    fn mismatch(&self, argument: &Argument<'_, 't>, wanted: Type) -> Option<String> {
        let fits = match argument {
            Argument::Value(got) => *got == Type::Any || wanted == Type::Any || *got == wanted,
            Argument::Literal(operand) => match operand.term {
                _ if wanted == Type::Any => true,
                Term::Text(_) => wanted == Type::Text,
                Term::Bool(_) => wanted == Type::Bool,
                Term::Nil => wanted.takes_nil(),
                Term::Number(Number::Float) => wanted == Type::Float,
                Term::Number(Number::Complex) => false,
                _ => matches!(wanted, Type::Int | Type::Int64 | Type::Uint | Type::Float),
            },
        };
        (!fits).then(|| match argument {
            Argument::Value(got) => got.to_string(),
            Argument::Literal(operand) => {
                let text = &self.text[operand.span.clone()];
                text.chars().take(40).collect()
            }
        })
    }

    /// The type of a value that a command or an argument is.
    fn value(&mut self, operand: &Operand<'t>, types: &[Type]) -> Type {
        let is_bare = operand.fields.is_empty();
        match &operand.term {
            Term::Text(_) => Type::Text,
            Term::Bool(_) => Type::Bool,
            Term::Number(Number::Int | Number::Char) => Type::Int,
            Term::Number(Number::Float | Number::WholeFloat) => Type::Float,
            Term::Parens(PipeId(at)) if is_bare => types.get(*at).copied().unwrap_or(Type::Any),
            Term::Dot | Term::Variable("$") if !is_bare => (self.field)(operand, self.scope),
            Term::Function(name) => {
                let Some(function) = (self.function)(name) else {
                    return Type::Any;
                };
                let least = function.parameters.len();
                if least > 0 {
                    self.say(operand, Reason::TooFew { least, got: 0 });
                }
                if is_bare { function.result } else { Type::Any }
            }
            _ => Type::Any,
        }
    }

    fn say(&mut self, operand: &Operand<'t>, reason: Reason) {
        let name = match operand.term {
            Term::Function(name) => name,
            _ => &self.text[operand.span.clone()],
        };
        let start = operand.span.start;
        (self.report)(CallFault {
            name,
            span: start..start + name.len(),
            reason,
            certain: self.certain,
        });
    }
}
