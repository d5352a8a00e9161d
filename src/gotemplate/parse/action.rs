//! One action: its keyword, and the block that it opens, continues or closes.

use std::borrow::Cow;

use super::super::fault::{Fault, FaultKind};
use super::super::lex::Kind;
use super::super::quote;
use super::super::tree::{ActionKind, Scope};
use super::{Block, Definition, Read, Reader};

impl<'t> Reader<'_, '_, 't, '_> {
    pub(super) fn action(&mut self) -> Read<()> {
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
            "else" => self.otherwise(),
            "end" => self.end(),
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

    fn otherwise(&mut self) -> Read<()> {
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

    fn end(&mut self) -> Read<()> {
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
}
