//! `kind: PlanTest`: the expectations of a site's owner about its plan.

mod lower;
pub mod model;
pub mod rules;
mod run;
mod site;

pub use lower::{edits, lower};
pub use run::{Outcome, run};
pub use site::of_site;

use crate::diagnostic::{Codes, Sink};
use crate::diff::Subject;
use crate::document::Documents;
use crate::source::Place;

use model::Claim;

/// The result of a PlanTest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestResult {
    /// Its name.
    pub name: String,
    /// Where its name is.
    pub place: Place,
    /// Its expectations in their order; none if the test itself is at fault.
    pub expectations: Option<Vec<Expected>>,
}

/// The result of an expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// The expectation, in words.
    pub text: String,
    /// Where it is.
    pub place: Place,
    /// The actual decision, in words, if the expectation does not hold.
    pub found: Option<String>,
}

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every expectation holds.
    Passed,
    /// An expectation does not hold.
    Failed,
    /// The test itself is at fault.
    Broken,
}

impl TestResult {
    /// How it ended.
    #[must_use]
    pub fn ending(&self) -> Ending {
        match &self.expectations {
            None => Ending::Broken,
            Some(all) if all.iter().any(|one| one.found.is_some()) => Ending::Failed,
            Some(_) => Ending::Passed,
        }
    }
}

/// Checks PlanTests against the documents they were found with; those that read others are
/// checked when they are run. `codes` are those there are.
pub fn check(documents: &Documents<'_>, codes: &Codes, sink: &mut Sink) {
    for mut test in lower(documents, codes, sink) {
        if test.given.is_empty() {
            let _ = edits(&mut test, documents, sink);
        }
    }
}

/// Describes an expectation, in words.
#[must_use]
pub fn describe(claim: &Claim<'_>) -> String {
    match claim {
        Claim::Application(name, Some(cluster)) => format!("{name} is on {cluster}"),
        Claim::Delivery(delivery) => {
            let name = Subject::delivery(delivery.kind, delivery.namespace, delivery.name).name;
            let list = |names: &[&str]| match names {
                [] => "no cluster".to_owned(),
                names => names.join(", "),
            };
            let mut parts = Vec::new();
            if let Some(clusters) = &delivery.clusters {
                parts.push(format!("reaches {}", list(clusters)));
            }
            if !delivery.contains.is_empty() {
                parts.push(format!("reaches {} among others", list(&delivery.contains)));
            }
            if !delivery.without.is_empty() {
                parts.push(format!("does not reach {}", list(&delivery.without)));
            }
            format!("{name} {}", parts.join(" and "))
        }
        Claim::Application(name, None) => format!("{name} is on no cluster"),
        Claim::Placement(name, decisions) if decisions.is_empty() => {
            format!("{name} decides nothing")
        }
        Claim::Placement(name, decisions) => format!("{name} decides on {}", decisions.join(", ")),
        Claim::GroupOrder(order) => format!("the group order is {}", order.join(", ")),
        Claim::Verdict(verdict) => format!("the verdict is {}", verdict.word()),
        Claim::Invalid(code) => {
            format!(
                "documents are refused for {}",
                crate::diagnostic::short_code(code)
            )
        }
    }
}
