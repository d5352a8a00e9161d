//! Why a kustomization is not built.

use std::borrow::Cow;

use crate::diagnostic::{Diagnostic, Label, Rule};
use crate::source::Place;

/// A fault: its class, what is wrong and where.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    pub(super) rule: &'static Rule,
    pub(super) message: String,
    pub(super) place: Place,
    pub(super) help: Option<Cow<'static, str>>,
    pub(super) related: Vec<Label>,
}

impl Fault {
    pub(super) fn new(rule: &'static Rule, message: impl Into<String>, place: Place) -> Self {
        Self {
            rule,
            message: message.into(),
            place,
            help: None,
            related: Vec::new(),
        }
    }

    /// A finding that stops a build; `otherwise` is the place of one that has none.
    pub(super) fn of(found: &Diagnostic, otherwise: Place) -> Self {
        let place = found.primary.as_ref().map(|label| label.place);
        Self {
            rule: found.rule,
            message: found.message.clone(),
            place: place.unwrap_or(otherwise),
            help: found.help.clone(),
            related: found.related.clone(),
        }
    }

    pub(super) fn help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn related(mut self, place: Place, text: impl Into<Cow<'static, str>>) -> Self {
        self.related.push(Label {
            place,
            text: text.into(),
        });
        self
    }

    /// The finding.
    pub(super) fn diagnostic(&self) -> Diagnostic {
        let mut found = Diagnostic::new(self.rule, self.message.clone()).at(self.place, "");
        found.help = self.help.clone();
        found.related.clone_from(&self.related);
        found
    }
}
