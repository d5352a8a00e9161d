//! One output of a command: its format is written here, and the findings that it shows are noted.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use crate::cli::formats::Tool;
use crate::cli::pager;
use crate::diagnostic::{Diagnostic, Rule, Sink};
use crate::render::diagnostics::{Findings, Look};
use crate::render::json;
use crate::render::text::{Page, Screen, Tone};
use crate::source::Place;

use super::OfHub;

/// Where one format is written.
pub(in crate::cli) struct Out<'o> {
    /// As a screen for pages.
    pub(in crate::cli) screen: Screen,
    /// How findings look on it.
    pub(in crate::cli) look: Look,
    /// Whether it is standard output.
    pub(in crate::cli) is_stdout: bool,
    /// Whether a page that is longer than the screen goes through a pager.
    pub(in crate::cli) is_paged: bool,
    pub(super) to: &'o mut dyn Write,
    pub(super) told: Told,
    pub(super) hub: Option<OfHub>,
}

/// The findings that the reader of an output has seen in it.
#[derive(Debug, Default)]
pub(super) enum Told {
    #[default]
    None,
    Of(Vec<&'static Rule>, BTreeSet<FindingKey>),
    All,
}

/// The identity of a finding: its code, its place and its message.
type FindingKey = (&'static str, Option<Place>, String);

fn known(found: &Diagnostic) -> FindingKey {
    let place = found.primary.as_ref().map(|label| label.place);
    (found.rule.code, place, found.message.clone())
}

impl Told {
    pub(super) fn has(&self, found: &Diagnostic) -> bool {
        match self {
            Self::None => false,
            Self::Of(rules, some) => {
                rules.contains(&found.rule) || (!some.is_empty() && some.contains(&known(found)))
            }
            Self::All => true,
        }
    }
}

impl Out<'_> {
    /// Where a long answer is written piece by piece; it has all findings in it.
    pub(in crate::cli) fn stream(&mut self) -> &mut dyn Write {
        self.told = Told::All;
        self.to
    }

    /// An answer as JSON, all findings in it.
    pub(in crate::cli) fn json(&mut self, answer: &impl Serialize) -> io::Result<()> {
        match self.with_hub(answer)? {
            Some(answer) => json::write_json(&answer, self.stream()),
            None => json::write_json(answer, self.stream()),
        }
    }

    /// An answer as YAML, all findings in it.
    pub(in crate::cli) fn yaml(&mut self, answer: &impl Serialize) -> io::Result<()> {
        match self.with_hub(answer)? {
            Some(answer) => json::write_yaml(&answer, self.stream()),
            None => json::write_yaml(answer, self.stream()),
        }
    }

    /// Begins the answer with the line about the snapshot, before its findings.
    fn with_hub(&self, answer: &impl Serialize) -> io::Result<Option<Value>> {
        let Some(hub) = &self.hub else {
            return Ok(None);
        };
        let mut value = serde_json::to_value(answer)?;
        if let Some(fields) = value.as_object_mut() {
            fields.insert("hub".to_owned(), hub.data.clone());
        }
        Ok(Some(value))
    }

    /// The line that says which snapshot of a hub this was made with.
    fn head(&mut self) -> io::Result<()> {
        let page = self.head_page();
        self.hub = None;
        page.write_to(&self.screen, self.to)
    }

    fn head_page(&self) -> Page {
        let mut page = Page::new();
        if let Some(hub) = &self.hub {
            page.prose(&self.screen, Tone::Plain, &hub.line, 4);
            page.line("");
        }
        page
    }

    /// The line that says which snapshot of a hub this was made with, as a comment.
    pub(in crate::cli) fn commented(&mut self, mark: &str) -> io::Result<()> {
        match self.hub.take() {
            Some(hub) => writeln!(self.to, "{mark} {}", hub.line),
            None => Ok(()),
        }
    }

    /// An answer without findings, as indented JSON.
    pub(in crate::cli) fn indented(&mut self, answer: &impl Serialize) -> io::Result<()> {
        match self.with_hub(answer)? {
            Some(answer) => json::write_json(&answer, &mut *self.to),
            None => json::write_json(answer, &mut *self.to),
        }
    }

    /// Begins a screen with the line that says which snapshot of a hub it was made with.
    pub(in crate::cli) fn begin(&mut self) -> io::Result<()> {
        self.head()
    }

    /// Where a screen for people is written that is nothing but the findings.
    pub(in crate::cli) fn screen_of_findings(&mut self) -> io::Result<&mut dyn Write> {
        self.head()?;
        Ok(self.stream())
    }

    /// A text that is only the findings, or replaces them.
    pub(in crate::cli) fn findings(&mut self, text: &str) -> io::Result<()> {
        self.stream().write_all(text.as_bytes())
    }

    /// The findings as another tool reads them.
    pub(in crate::cli) fn tool(
        &mut self,
        tool: Tool,
        findings: Findings<'_, '_>,
    ) -> io::Result<()> {
        tool.write(findings, self.stream())
    }

    /// A page, which knows what it shows.
    pub(in crate::cli) fn page(&mut self, page: &Page) -> io::Result<()> {
        self.told = Told::Of(page.told().to_vec(), BTreeSet::new());
        if self.is_paged && page.is_longer(&self.screen) {
            let (head, screen) = (self.head_page(), &self.screen);
            let shown = pager::show(|to| {
                head.write_to(screen, to)?;
                page.write_to(screen, to)
            })?;
            if shown {
                self.hub = None;
                return Ok(());
            }
        }
        self.head()?;
        page.write_to(&self.screen, self.to)
    }

    /// The page that was written lists these findings as well.
    pub(in crate::cli) fn tells(&mut self, listed: &Sink) {
        if let Told::Of(_, some) = &mut self.told {
            some.extend(listed.diagnostics.iter().map(known));
        }
    }

    /// Text in which there is no finding.
    pub(in crate::cli) fn text(&mut self, text: &str) -> io::Result<()> {
        self.to.write_all(text.as_bytes())
    }

    /// Where data is written in which there is no finding.
    pub(in crate::cli) fn bare(&mut self) -> &mut dyn Write {
        self.to
    }
}
