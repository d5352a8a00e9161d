//! From the text of a template to its tree, as Go's parser reads it. Blocks and parentheses are on
//! stacks of their own.

mod action;
mod pipeline;

use std::borrow::Cow;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::Delimiters;
use super::fault::{Fault, FaultKind};
use super::lex::{self, Kind, Lexed, Token};
use super::tree::{Action, ActionKind, Scope, Template};

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
    let mut tokens = Vec::with_capacity(16);
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
    /// The variables of the template around it.
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
}
