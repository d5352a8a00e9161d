//! Findings: one type, plain data, and the sink that collects them.

pub mod baseline;
mod fix;
mod identity;
pub mod ignore;
mod levels;
mod rule;
pub mod rules;
mod sink;

pub use fix::{Applicability, Edit, Fix};
pub use identity::{Fingerprint, Identity};
pub use levels::{Level, Levels};
pub(crate) use rule::rule_table;
pub use rule::{Codes, FIRST, Meaning, Retired, Rule, Tells, short_code};
#[cfg(test)]
pub(crate) use rule::{changed_codes, notes};
pub use sink::{Sink, Suppressed, Suppression};

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::kit::nearest::did_you_mean;
use crate::source::{Place, SourceId};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not what was meant.
    Warning,
    /// A fault.
    Error,
}

impl Severity {
    /// The word used in every output.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A place with a short text about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub place: Place,
    /// The text of the label, in a few words; may be empty.
    pub text: Cow<'static, str>,
}

/// The object a finding is about, by kind and name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Object {
    /// Kind, as written in the document.
    pub kind: String,
    /// Name; empty where it has none.
    pub name: String,
    /// Package of an Application.
    pub package: Option<String>,
    /// Cluster of a Node.
    pub cluster: Option<String>,
    /// Namespace.
    pub namespace: Option<String>,
    /// The field, as an admission error names it: `spec.taints[0].effect`.
    pub field: Option<String>,
    /// The admission rule that was broken.
    pub rule: Option<String>,
}

impl Object {
    /// An object of this kind and name.
    #[must_use]
    pub fn new(kind: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            name: name.into(),
            ..Self::default()
        }
    }

    /// With its namespace.
    #[must_use]
    pub fn in_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }
}

/// One finding. Copies share what it says until one of them is changed: there may be as many
/// findings as lines, and they are kept at several stages.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic(Arc<Said>);

/// The content of a finding.
#[derive(Debug, Clone)]
pub struct Said {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// How bad it is.
    pub severity: Severity,
    /// Whether the document is refused because of it, and so not planned.
    pub refuses: bool,
    /// One phrase, lower case, no full stop.
    pub message: String,
    /// The remedy.
    pub help: Option<Cow<'static, str>>,
    /// Where it is.
    pub primary: Option<Label>,
    more: Option<Box<More>>,
}

/// The parts that many findings do not have.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct More {
    /// The original system's own name for the fault.
    pub upstream: Option<Cow<'static, str>>,
    /// The other parties.
    pub related: Vec<Label>,
    /// The object that it concerns.
    pub object: Option<Object>,
    /// Another object whose fault it is.
    pub because: Option<Box<Object>>,
    /// JSON Pointer of the value in its document, where known.
    pub pointer: Option<String>,
    /// An edit that would fix it.
    pub fix: Option<Fix>,
    /// The kustomizations that make the document, by name.
    pub roots: Vec<String>,
}

/// Kustomizations that make a document, in a phrase: `overlays/dev and 9 more`; none where the
/// only one lies beside the file `path`.
#[must_use]
pub fn built_by(roots: &[String], path: &str) -> Option<String> {
    match roots {
        [] => None,
        [root] if path.rsplit_once('/').map_or(".", |(home, _)| home) == root => None,
        [root] => Some(kustomization(root).to_owned()),
        [first, rest @ ..] => Some(format!("{} and {} more", kustomization(first), rest.len())),
    }
}

/// A kustomization by its directory, in a phrase.
#[must_use]
pub fn kustomization(root: &str) -> &str {
    if root == "." {
        "the kustomization of this directory"
    } else {
        root
    }
}

impl Said {
    /// The places that it names, with their texts.
    pub fn labels_mut(&mut self) -> impl Iterator<Item = &mut Label> {
        let related = self.more.iter_mut().flat_map(|more| &mut more.related);
        self.primary.iter_mut().chain(related)
    }
}

/// Parts that were looked at for a change and are empty are like none.
impl PartialEq for Said {
    fn eq(&self, other: &Self) -> bool {
        let own = |said: &Self| (said.rule, said.severity, said.refuses);
        own(self) == own(other)
            && (&self.message, &self.help, &self.primary)
                == (&other.message, &other.help, &other.primary)
            && **self == **other
    }
}

impl Deref for Said {
    type Target = More;

    fn deref(&self) -> &More {
        static NONE: More = More {
            upstream: None,
            related: Vec::new(),
            object: None,
            because: None,
            pointer: None,
            fix: None,
            roots: Vec::new(),
        };
        self.more.as_deref().unwrap_or(&NONE)
    }
}

impl DerefMut for Said {
    fn deref_mut(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }
}

impl Deref for Diagnostic {
    type Target = Said;

    fn deref(&self) -> &Said {
        &self.0
    }
}

impl DerefMut for Diagnostic {
    fn deref_mut(&mut self) -> &mut Said {
        Arc::make_mut(&mut self.0)
    }
}

impl Diagnostic {
    /// Whether it is about a place in this file.
    #[must_use]
    pub fn is_in(&self, source: SourceId) -> bool {
        let primary = self.primary.as_ref();
        primary.is_some_and(|label| label.place.source == source)
    }

    /// A finding of this rule, at the rule's own severity; errors refuse.
    #[must_use]
    pub fn new(rule: &'static Rule, message: impl Into<String>) -> Self {
        Self(Arc::new(Said {
            rule,
            severity: rule.severity,
            refuses: rule.severity == Severity::Error,
            message: message.into(),
            help: None,
            primary: None,
            more: None,
        }))
    }

    /// The kustomizations that make the document of a finding in the file `path`.
    #[must_use]
    pub fn built_by(&self, path: &str) -> Option<String> {
        built_by(&self.roots, path)
    }

    /// The place it is about.
    #[must_use]
    pub fn at(mut self, place: Place, text: impl Into<Cow<'static, str>>) -> Self {
        self.primary = Some(Label {
            place,
            text: text.into(),
        });
        self
    }

    /// Adds another place that is involved.
    #[must_use]
    pub fn related(mut self, place: Place, text: impl Into<Cow<'static, str>>) -> Self {
        self.related.push(Label {
            place,
            text: text.into(),
        });
        self
    }

    /// Sets the remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<Cow<'static, str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Appends to the help text.
    #[must_use]
    pub fn add_help(mut self, more: &str) -> Self {
        self.help = Some(match self.help.take() {
            Some(help) => format!("{help}; {more}").into(),
            None => more.to_owned().into(),
        });
        self
    }

    /// Offers the name that was probably meant; without one, says what else to do.
    #[must_use]
    pub fn suggest(self, near: Option<&str>, otherwise: impl Into<Cow<'static, str>>) -> Self {
        self.help(near.map_or_else(|| otherwise.into(), |near| did_you_mean(near).into()))
    }

    /// The same, with an edit that writes the name; whether it was meant is a guess.
    #[must_use]
    pub fn suggest_edit(
        self,
        near: Option<&str>,
        place: Place,
        otherwise: impl Into<Cow<'static, str>>,
    ) -> Self {
        let found = self.suggest(near, otherwise);
        match near {
            Some(near) => found.fix(Fix::replace(format!("write `{near}`"), place, near).risky()),
            None => found,
        }
    }

    /// The original system's name for it.
    #[must_use]
    pub fn upstream(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.upstream = Some(name.into());
        self
    }

    /// The object it is about.
    #[must_use]
    pub fn object(mut self, object: Object) -> Self {
        self.object = Some(object);
        self
    }

    /// The object that causes it, if that is another one: each cause is reported once.
    #[must_use]
    pub fn because(mut self, object: Object) -> Self {
        self.because = Some(Box::new(object));
        self
    }

    /// JSON Pointer of the value it is about.
    #[must_use]
    pub fn pointer(mut self, pointer: impl Into<String>) -> Self {
        self.pointer = Some(pointer.into());
        self
    }

    /// Sets a severity other than the rule's; only errors continue to refuse.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self.refuses &= severity == Severity::Error;
        self
    }

    /// An error that the original system accepts and handles: nothing is refused.
    #[must_use]
    pub fn not_refusing(mut self) -> Self {
        self.refuses = false;
        self
    }

    /// An edit that fixes it.
    #[must_use]
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fix = Some(fix);
        self
    }

    /// Whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
