//! What a system shows of a plan on a screen.

use crate::document::System;
use crate::page::{Page, Screen, Tone};
use crate::why::Ways;

/// The screen, and the sections to show on it.
#[derive(Debug, Clone, Copy)]
pub struct View<'v> {
    /// The screen.
    pub screen: &'v Screen,
    /// The changes that would place what could not be placed.
    pub ways: &'v Ways,
    /// The key of the only section to show; `None` shows all of them.
    pub section: Option<&'v str>,
}

impl View<'_> {
    /// Whether a section is wanted.
    #[must_use]
    pub fn has(&self, section: &str) -> bool {
        self.section.is_none_or(|wanted| wanted == section)
    }
}

/// The pages of a system, each by where it stands.
#[derive(Debug, Default)]
pub struct Shown {
    /// Its sections.
    pub sections: Vec<Page>,
    /// The pages that follow the sections of all systems.
    pub below: Vec<Page>,
    /// The page below the totals.
    pub end: Page,
}

impl Shown {
    /// A section alone, if there is one.
    pub(super) fn section(section: Option<Page>) -> Self {
        Self {
            sections: section.into_iter().collect(),
            ..Self::default()
        }
    }
}

/// The change that would make an unplaceable subject placeable: one line, if it is known.
pub(super) fn placeable(
    page: &mut Page,
    ways: &Ways,
    system: System,
    subject: &str,
    screen: &Screen,
) {
    if let Some(set) = ways.get(&(system.name(), subject.to_owned())) {
        let all: Vec<String> = set.iter().map(ToString::to_string).collect();
        let text = format!("    placeable with: {}", all.join("; "));
        page.prose(screen, Tone::Plain, &text, 8);
    }
}
