//! From the text of a template to its tree, as Go's parser reads it. Blocks and parentheses are on
//! stacks of their own.

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::fault::{Fault, FaultKind};
use super::lex::{self, Kind, Lexed, Token};
use super::tree::{Action, ActionKind, Command, Operand, Pipe, PipeId, Scope, Template, Term};
use super::{Delimiters, number, quote};

/// How deep Go lets parentheses be nested.
const DEEPEST: usize = 10_000;

const PARENTHESES: &str = "parentheses";

/// Parses a template; `known` says which functions there are.
///
/// # Errors
/// The first fault, at which Go's parser stops, too.
pub fn parse<'t>(
    text: &'t str,
    delimiters: Delimiters,
    known: &dyn Fn(&str) -> bool,
) -> Result<Template<'t>, Fault> {
    let mut parser = Parser {
        text,
        known,
        tree: Template::default(),
        variables: Variables::default(),
        blocks: Vec::new(),
        definitions: Vec::new(),
        defined: FxHashMap::default(),
        rebound: 0,
        ranges: 0,
    };
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(delimiters.left) {
        let start = at + found;
        parser.text_between(at..start);
        at = match lex::action(text, start, delimiters, &mut tokens) {
            Lexed::Comment(end) => end,
            Lexed::BadComment(kind, end) => {
                let span = start..end;
                return Err(Fault { kind, span });
            }
            Lexed::Action => {
                let end = tokens.last().map_or(text.len(), |last| last.span.end);
                let mut reader = Reader {
                    tokens: &tokens,
                    at: 0,
                    span: start..end,
                    parser: &mut parser,
                };
                reader.action()?;
                end
            }
        };
    }
    parser.text_between(at..text.len());
    match parser.blocks.pop() {
        None => Ok(parser.tree),
        Some(block) => Err(Fault {
            kind: FaultKind::UnclosedBlock(block.keyword),
            span: block.span,
        }),
    }
}

/// The variables that are set, and how often each is.
#[derive(Default)]
struct Variables<'t> {
    stack: Vec<&'t str>,
    number: FxHashMap<&'t str, usize>,
}

impl<'t> Variables<'t> {
    fn set(&mut self, name: &'t str) {
        self.stack.push(name);
        *self.number.entry(name).or_default() += 1;
    }

    fn has(&self, name: &str) -> bool {
        name == "$" || self.number.get(name).is_some_and(|number| *number > 0)
    }

    fn forget(&mut self, length: usize) {
        for name in self.stack.drain(length..) {
            if let Some(number) = self.number.get_mut(name) {
                *number -= 1;
            }
        }
    }
}

/// A block that is open.
struct Block<'t> {
    keyword: &'static str,
    span: Range<usize>,
    /// Whether its `else` was there.
    is_else: bool,
    /// How many variables were set before it.
    variables: usize,
    definition: Option<Definition<'t>>,
}

/// A `define` or a `block`: a template of its own.
struct Definition<'t> {
    name: Cow<'t, str>,
    /// Whether it has more than white space.
    filled: bool,
    /// Those of the template around it.
    variables: Variables<'t>,
    rebound: usize,
    ranges: usize,
}

struct Parser<'t, 'k> {
    text: &'t str,
    known: &'k dyn Fn(&str) -> bool,
    tree: Template<'t>,
    variables: Variables<'t>,
    blocks: Vec<Block<'t>>,
    /// The blocks that are templates of their own.
    definitions: Vec<usize>,
    /// Names of templates, and whether they have more than white space.
    defined: FxHashMap<Cow<'t, str>, bool>,
    /// Blocks around that give `.` another value.
    rebound: usize,
    /// Ranges around.
    ranges: usize,
}

impl Parser<'_, '_> {
    fn fill(&mut self) {
        if let Some(at) = self.definitions.last()
            && let Some(definition) = &mut self.blocks[*at].definition
        {
            definition.filled = true;
        }
    }

    fn text_between(&mut self, span: Range<usize>) {
        if !self.definitions.is_empty() && !self.text[span].trim_ascii().is_empty() {
            self.fill();
        }
    }

    fn scope(&self) -> Scope {
        let defined = !self.definitions.is_empty();
        Scope {
            certain: self.blocks.is_empty(),
            root_dot: !defined && self.rebound == 0,
            root_dollar: !defined,
        }
    }
}

/// The tokens of one action.
struct Reader<'k, 'p, 't, 'f> {
    tokens: &'k [Token],
    at: usize,
    span: Range<usize>,
    parser: &'p mut Parser<'t, 'f>,
}

/// A pipeline that is being read.
struct Frame<'t> {
    pipe: Pipe<'t>,
    command: Option<Command<'t>>,
}

type Read<T> = Result<T, Fault>;

impl<'t> Reader<'_, '_, 't, '_> {
    fn fail<T>(&self, kind: FaultKind) -> Read<T> {
        let span = self.span.clone();
        Err(Fault { kind, span })
    }

    fn token(&self) -> &Token {
        // The last token ends the action or is a fault: no token follows it.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn skip_space(&mut self) {
        while self.token().kind == Kind::Space {
            self.at += 1;
        }
    }

    /// The next token that is no white space.
    fn peek(&mut self) -> &Token {
        self.skip_space();
        self.token()
    }

    fn word(&self) -> &'t str {
        let span = self.token().span.clone();
        &self.parser.text[span]
    }

    fn unexpected<T>(&self, place: &'static str) -> Read<T> {
        match &self.token().kind {
            Kind::Fault(kind) => self.fail(kind.clone()),
            _ => {
                let token = self.word().chars().take(60).collect();
                self.fail(FaultKind::Unexpected(token, place))
            }
        }
    }

    fn expect_end(&mut self, place: &'static str) -> Read<()> {
        match self.peek().kind {
            Kind::End => Ok(()),
            _ => self.unexpected(place),
        }
    }

    fn push(&mut self, kind: ActionKind<'t>, scope: Scope) {
        let span = self.span.clone();
        self.parser.tree.actions.push(Action { span, kind, scope });
    }

    fn action(&mut self) -> Read<()> {
        let scope = self.parser.scope();
        let is_keyword = self.peek().kind == Kind::Keyword;
        let word = if is_keyword { self.word() } else { "" };
        if !matches!(word, "end" | "define" | "else") {
            self.parser.fill();
        }
        self.at += usize::from(is_keyword);
        match word {
            "if" => self.control("if", scope),
            "range" => self.control("range", scope),
            "with" => self.control("with", scope),
            "else" => self.otherwise(scope),
            "end" => self.end(scope),
            "break" => self.leave("break", ActionKind::Break, scope),
            "continue" => self.leave("continue", ActionKind::Continue, scope),
            "define" => self.define(scope),
            "template" => self.template(scope),
            "block" => self.block(scope),
            _ => {
                let pipe = self.pipeline("an action")?;
                self.push(ActionKind::Output(pipe), scope);
                Ok(())
            }
        }
    }

    fn open(&mut self, keyword: &'static str, variables: usize) {
        let span = self.span.clone();
        self.parser.blocks.push(Block {
            keyword,
            span,
            is_else: false,
            variables,
            definition: None,
        });
    }

    fn control(&mut self, keyword: &'static str, scope: Scope) -> Read<()> {
        let variables = self.parser.variables.stack.len();
        let pipe = self.pipeline(keyword)?;
        self.open(keyword, variables);
        let kind = match keyword {
            "if" => ActionKind::If(pipe),
            "range" => ActionKind::Range(pipe),
            _ => ActionKind::With(pipe),
        };
        self.parser.rebound += usize::from(keyword != "if");
        self.parser.ranges += usize::from(keyword == "range");
        self.push(kind, scope);
        Ok(())
    }

    fn otherwise(&mut self, _: Scope) -> Read<()> {
        let again = self.peek().kind == Kind::Keyword;
        let word = if again { self.word() } else { "" };
        let Some(block) = self.parser.blocks.last_mut() else {
            return self.fail(FaultKind::ExtraElse);
        };
        let keyword = block.keyword;
        if block.is_else || block.definition.is_some() {
            return self.fail(FaultKind::ExtraElse);
        }
        // Between `if` and `else` the conditions do not hold, so `.` is what it was before.
        block.is_else = true;
        self.parser.rebound -= usize::from(keyword != "if");
        self.parser.ranges -= usize::from(keyword == "range");
        let scope = self.parser.scope();
        let mut pipe = None;
        if again {
            if !matches!(word, "if" | "with") || word != keyword {
                return self.unexpected("`else`");
            }
            self.at += 1;
            pipe = Some(self.pipeline(keyword)?);
            self.parser.rebound += usize::from(keyword == "with");
            if let Some(block) = self.parser.blocks.last_mut() {
                block.is_else = false;
            }
        } else {
            self.expect_end("`else`")?;
        }
        self.push(ActionKind::Else(pipe), scope);
        Ok(())
    }

    fn end(&mut self, _: Scope) -> Read<()> {
        self.expect_end("`end`")?;
        let parser = &mut *self.parser;
        let Some(block) = parser.blocks.pop() else {
            return self.fail(FaultKind::ExtraEnd);
        };
        match block.definition {
            None => {
                parser.variables.forget(block.variables);
                if !block.is_else {
                    parser.rebound -= usize::from(block.keyword != "if");
                    parser.ranges -= usize::from(block.keyword == "range");
                }
            }
            Some(definition) => {
                parser.definitions.pop();
                parser.variables = definition.variables;
                parser.rebound = definition.rebound;
                parser.ranges = definition.ranges;
                let filled = parser.defined.entry(definition.name.clone()).or_default();
                if *filled && definition.filled {
                    let name = definition.name.chars().take(60).collect();
                    return Err(Fault {
                        kind: FaultKind::DefinedTwice(name),
                        span: block.span,
                    });
                }
                *filled |= definition.filled;
            }
        }
        let scope = self.parser.scope();
        self.push(ActionKind::End, scope);
        Ok(())
    }

    fn leave(&mut self, word: &'static str, kind: ActionKind<'t>, scope: Scope) -> Read<()> {
        self.expect_end(word)?;
        if self.parser.ranges == 0 {
            return self.fail(FaultKind::OutsideRange(word));
        }
        self.push(kind, scope);
        Ok(())
    }

    fn name(&mut self, place: &'static str) -> Read<Cow<'t, str>> {
        if self.peek().kind != Kind::Text {
            return self.unexpected(place);
        }
        let Some(name) = quote::unquoted(self.word()) else {
            return self.fail(FaultKind::BadEscape);
        };
        self.at += 1;
        Ok(name)
    }

    fn enter(&mut self, keyword: &'static str, name: Cow<'t, str>) {
        let parser = &mut *self.parser;
        let definition = Definition {
            name,
            filled: false,
            variables: std::mem::take(&mut parser.variables),
            rebound: std::mem::take(&mut parser.rebound),
            ranges: std::mem::take(&mut parser.ranges),
        };
        parser.definitions.push(parser.blocks.len());
        self.open(keyword, 0);
        if let Some(block) = self.parser.blocks.last_mut() {
            block.definition = Some(definition);
        }
    }

    fn define(&mut self, scope: Scope) -> Read<()> {
        if !self.parser.blocks.is_empty() {
            self.at -= 1;
            return self.unexpected("a block");
        }
        let name = self.name("`define`")?;
        self.expect_end("`define`")?;
        self.push(ActionKind::Define(name.clone()), scope);
        self.enter("define", name);
        Ok(())
    }

    fn template(&mut self, scope: Scope) -> Read<()> {
        let name = self.name("`template`")?;
        let pipe = match self.peek().kind {
            Kind::End => None,
            _ => Some(self.pipeline("template")?),
        };
        self.push(ActionKind::Template(name, pipe), scope);
        Ok(())
    }

    fn block(&mut self, scope: Scope) -> Read<()> {
        let name = self.name("`block`")?;
        let pipe = self.pipeline("block")?;
        self.push(ActionKind::Block(name.clone(), pipe), scope);
        self.enter("block", name);
        Ok(())
    }

    /// A pipeline up to the end of the action, and those in its parentheses.
    fn pipeline(&mut self, place: &'static str) -> Read<PipeId> {
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
            match self.peek().kind {
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
