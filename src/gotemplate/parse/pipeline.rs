//! Pipelines: commands, operands, and what stands in parentheses.

use std::ops::Range;

use super::super::fault::{Fault, FaultKind};
use super::super::lex::Kind;
use super::super::tree::{Command, Operand, Pipe, PipeId, Term};
use super::super::{number, quote};
use super::{Read, Reader};

/// How deep Go lets parentheses be nested.
const DEEPEST: usize = 10_000;

const PARENTHESES: &str = "parentheses";

/// A pipeline that is being read.
struct Frame<'t> {
    pipe: Pipe<'t>,
    command: Option<Command<'t>>,
}

impl<'t> Reader<'_, '_, 't, '_> {
    /// A pipeline up to the end of the action, and those in its parentheses.
    pub(super) fn pipeline(&mut self, place: &'static str) -> Read<PipeId> {
        let mut frames = vec![self.frame(place)?];
        loop {
            let top = frames.len() - 1;
            let context = if top == 0 { place } else { PARENTHESES };
            let frame = &mut frames[top];
            let Some(command) = &mut frame.command else {
                let closes = if top == 0 {
                    Kind::End
                } else {
                    Kind::RightParen
                };
                let kind = &self.peek().kind;
                if *kind == closes {
                    let end = self.token().span.end;
                    let Some(frame) = frames.pop() else {
                        return self.fail(FaultKind::MissingValue(context));
                    };
                    let id = self.finish(frame, context)?;
                    let Some(outer) = frames.last_mut() else {
                        return Ok(id);
                    };
                    self.at += 1;
                    let start = self.parser.tree.pipe(id).span.start;
                    self.parser.tree.pipes[id.0].span.end = end;
                    let operand = self.with_fields(Term::Parens(id), start..end)?;
                    let command = outer.command.get_or_insert_default();
                    command.operands.push(operand);
                    if self.ends_command()? {
                        outer.pipe.commands.extend(outer.command.take());
                    }
                    continue;
                }
                let starts = matches!(
                    kind,
                    Kind::Bool
                        | Kind::Dot
                        | Kind::Field
                        | Kind::LeftParen
                        | Kind::Name
                        | Kind::Nil
                        | Kind::Number
                        | Kind::Text
                        | Kind::Variable
                );
                if !starts {
                    return self.unexpected(context);
                }
                frame.command = Some(Command::default());
                continue;
            };
            if self.peek().kind == Kind::LeftParen {
                if frames.len() > DEEPEST {
                    return self.fail(FaultKind::TooDeep);
                }
                self.at += 1;
                let inner = self.frame(PARENTHESES)?;
                frames.push(inner);
                continue;
            }
            if let Some(term) = self.term()? {
                let span = self.token().span.clone();
                self.at += 1;
                let operand = self.with_fields(term, span)?;
                command.operands.push(operand);
            }
            if self.ends_command()? {
                frame.pipe.commands.extend(frame.command.take());
            }
        }
    }

    /// Whether the command is over after an operand.
    fn ends_command(&mut self) -> Read<bool> {
        match self.token().kind {
            Kind::Space => {
                self.at += 1;
                Ok(false)
            }
            Kind::End | Kind::RightParen => Ok(true),
            Kind::Pipe => {
                self.at += 1;
                Ok(true)
            }
            _ => self.unexpected("a command"),
        }
    }

    /// Begins a pipeline: the variables that it sets.
    fn frame(&mut self, place: &'static str) -> Read<Frame<'t>> {
        self.skip_space();
        // In parentheses it begins at the one that was just read.
        let start = match place {
            PARENTHESES => self.tokens[..self.at]
                .iter()
                .rposition(|token| token.kind == Kind::LeftParen)
                .map_or(self.span.start, |at| self.tokens[at].span.start),
            _ => self.token().span.start,
        };
        let mut variables = Vec::new();
        while self.token().kind == Kind::Variable {
            let before = self.at;
            let name = self.word();
            self.at += 1;
            self.skip_space();
            match self.token().kind {
                // Inside a block it may never be reached: Go tells of it only then.
                Kind::Assign
                    if self.parser.blocks.is_empty()
                        && place != PARENTHESES
                        && !self.parser.variables.has(name) =>
                {
                    return self.fail(FaultKind::UnknownVariable(name.to_owned()));
                }
                Kind::Assign | Kind::Declare => {
                    self.at += 1;
                    variables.push(name);
                    self.parser.variables.set(name);
                    break;
                }
                Kind::Comma => {
                    self.at += 1;
                    variables.push(name);
                    self.parser.variables.set(name);
                    let more = matches!(
                        self.peek().kind,
                        Kind::Variable | Kind::End | Kind::RightParen
                    );
                    if place != "range" || variables.len() > 1 || !more {
                        return self.fail(FaultKind::TooManyVariables(place));
                    }
                }
                _ => {
                    self.at = before;
                    break;
                }
            }
        }
        Ok(Frame {
            pipe: Pipe {
                span: start..start,
                variables,
                commands: Vec::new(),
                action: self.parser.tree.actions.len(),
            },
            command: None,
        })
    }

    fn finish(&mut self, mut frame: Frame<'t>, place: &'static str) -> Read<PipeId> {
        if frame.pipe.commands.is_empty() {
            return self.fail(FaultKind::MissingValue(place));
        }
        for command in &frame.pipe.commands[1..] {
            let first = command.operands.first();
            let Some(first) = first.filter(|first| first.fields.is_empty()) else {
                continue;
            };
            let fixed = matches!(
                first.term,
                Term::Bool(_) | Term::Dot | Term::Nil | Term::Number(_) | Term::Text(_)
            );
            if fixed {
                let text = &self.parser.text[first.span.clone()];
                let text = text.chars().take(60).collect();
                return self.fail(FaultKind::NotAFunction(text));
            }
        }
        frame.pipe.span.end = self.token().span.start;
        let pipes = &mut self.parser.tree.pipes;
        pipes.push(frame.pipe);
        Ok(PipeId(pipes.len() - 1))
    }

    /// The term at the current token, if it is one; it is not passed.
    fn term(&self) -> Read<Option<Term<'t>>> {
        let token = self.token();
        let word = self.word();
        Ok(Some(match token.kind {
            Kind::Name if (self.parser.known)(word) => Term::Function(word),
            Kind::Name => {
                return Err(Fault {
                    kind: FaultKind::UnknownFunction(word.to_owned()),
                    span: token.span.clone(),
                });
            }
            Kind::Bool => Term::Bool(word == "true"),
            Kind::Nil => Term::Nil,
            Kind::Dot | Kind::Field => Term::Dot,
            Kind::Variable if self.parser.variables.has(word) => Term::Variable(word),
            Kind::Variable => return self.fail(FaultKind::UnknownVariable(word.to_owned())),
            Kind::Number => match number::read(word) {
                Some(number) => Term::Number(number),
                None => {
                    let word = word.chars().take(60).collect();
                    return self.fail(FaultKind::BadNumber(word));
                }
            },
            Kind::Text => match quote::unquoted(word) {
                Some(text) => Term::Text(text),
                None => return self.fail(FaultKind::BadEscape),
            },
            _ => return Ok(None),
        }))
    }

    /// A term that was just passed, with the fields after it.
    fn with_fields(&mut self, term: Term<'t>, mut span: Range<usize>) -> Read<Operand<'t>> {
        let mut fields = Vec::new();
        let begins = &self.parser.text[span.clone()];
        let is_field = term == Term::Dot && begins.len() > 1;
        if is_field {
            fields.push(&begins[1..]);
        }
        let has_none = match term {
            Term::Bool(_) | Term::Nil | Term::Number(_) | Term::Text(_) => true,
            Term::Dot => !is_field,
            _ => false,
        };
        while self.token().kind == Kind::Field {
            if has_none {
                let text = begins.chars().take(60).collect();
                return self.fail(FaultKind::NoFields(text));
            }
            fields.push(&self.word()[1..]);
            span.end = self.token().span.end;
            self.at += 1;
        }
        Ok(Operand { span, term, fields })
    }
}
