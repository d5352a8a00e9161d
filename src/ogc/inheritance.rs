//! The rules of an Application: its own and those it inherits from its Package.

use super::model::{Application, Model, Rule};

/// Where an effective rule comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The Application defines it.
    Application,
    /// Inherited from the Package.
    Package,
}

impl Origin {
    /// The word in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::Package => "package",
        }
    }
}

/// Why an Application does not have a rule of its Package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// The Application has its own MinOf or MaxOf, which keeps any other out (rule 1).
    Extremum,
    /// The Application has its own rule for the key (rule 3).
    Key,
}

/// Why `own` rules keep an inherited rule out, if they do.
///
/// Rule 1 disregards the key, rule 3 the operator. A rule kept out leaves nothing behind.
#[must_use]
pub fn hidden(own: &[Rule<'_>], inherited: &Rule<'_>) -> Option<Hidden> {
    if own.iter().any(|rule| rule.key == inherited.key) {
        Some(Hidden::Key)
    } else if inherited.operator.is_extremum() && own.iter().any(|rule| rule.operator.is_extremum())
    {
        Some(Hidden::Extremum)
    } else {
        None
    }
}

/// The rules in force for an Application, in the order of the documents: its own, then those
/// of its Package that nothing hides.
pub fn effective<'m, 'a>(
    model: &'m Model<'a>,
    application: &'m Application<'a>,
) -> impl Iterator<Item = (&'m Rule<'a>, Origin)> {
    let own = &application.rules;
    let package = &model.package_of(application).rules;
    own.iter().map(|rule| (rule, Origin::Application)).chain(
        package
            .iter()
            .filter(|rule| hidden(own, rule).is_none())
            .map(|rule| (rule, Origin::Package)),
    )
}

/// The rules in force, sorted by key, operator and values as the plan lists them.
#[must_use]
pub fn effective_sorted<'m, 'a>(
    model: &'m Model<'a>,
    application: &'m Application<'a>,
) -> Vec<(&'m Rule<'a>, Origin)> {
    let mut rules: Vec<_> = effective(model, application).collect();
    rules.sort_by(|(a, _), (b, _)| {
        let order = |rule: &Rule<'a>| (rule.key, rule.operator.word());
        order(a)
            .cmp(&order(b))
            .then_with(|| a.values.cmp(&b.values))
    });
    rules
}
