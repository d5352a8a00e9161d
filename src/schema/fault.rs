//! The library's errors as findings of ours: on the exact value or key, in our words.

mod reader;
mod words;

use std::cell::Cell;
use std::sync::OnceLock;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use crate::diagnostic::{Diagnostic, Fix, Object, Rule, Severity};
use crate::source::Place;
use crate::yaml::{Dialect, Node};

use super::bundle::bundled;
use super::files::FILES;
use super::instance::{Instance, Spanned, View};
use super::{Policy, rules};
use reader::Reader;

struct Compiled {
    schema: Value,
    validator: Validator<Spanned>,
}

/// Compiled at the first document of the kind.
fn compiled(stem: &str) -> Option<&'static Compiled> {
    static CACHE: OnceLock<Vec<OnceLock<Option<Compiled>>>> = OnceLock::new();
    let at = FILES.binary_search_by_key(&stem, |(name, _)| *name).ok()?;
    let cache = CACHE.get_or_init(|| FILES.iter().map(|_| OnceLock::new()).collect());
    let slot = cache[at].get_or_init(|| {
        let schema = bundled(stem)?;
        let validator = jsonschema::options_for::<Spanned>()
            .offline()
            .with_pattern_options(PatternOptions::regex())
            .build(&schema)
            .ok()?;
        Some(Compiled { schema, validator })
    });
    slot.as_ref()
}

/// One structural fault, before it becomes a finding.
#[derive(Debug)]
pub struct Fault<'a> {
    /// The rule broken.
    pub rule: &'static Rule,
    /// The schema keyword that found it: `type`, `required`, `additionalProperties` …
    pub keyword: &'static str,
    /// JSON Pointer of the value at fault (for a missing or unknown field: of the field).
    pub pointer: String,
    /// The field as Kubernetes writes it: `spec.taints[0].effect`.
    pub field: String,
    /// The value, where there is one.
    pub node: Option<Node<'a>>,
    /// The place to point at.
    pub place: Place,
    /// What is there.
    pub label: String,
    /// The message.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// An edit that fixes it.
    pub fix: Option<Fix>,
}

impl Fault<'_> {
    /// The finding, reported as the family wants it.
    #[must_use]
    pub fn diagnostic(self, policy: Policy, object: &Object) -> Diagnostic {
        let unknown = self.rule.code == rules::UNKNOWN_FIELD.code;
        let severity = if unknown {
            policy.unknown_field
        } else {
            Severity::Error
        };
        let mut object = object.clone();
        if policy.admission && !unknown {
            object.field = Some(self.field);
            object.rule = Some(self.keyword.to_owned());
        }
        let mut found = Diagnostic::new(self.rule, self.message)
            .at(self.place, self.label)
            .pointer(self.pointer)
            .severity(severity)
            .object(object);
        found.help = self.help;
        found.fix = self.fix;
        found.upstream = policy.upstream.map(Into::into);
        found
    }
}

/// Checks a document against the schema of a stem and gives every fault as a finding.
/// An unknown stem checks nothing.
#[must_use]
pub fn check(
    stem: &str,
    node: Node<'_>,
    dialect: Dialect,
    policy: Policy,
    object: &Object,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    check_each(stem, node, dialect, &mut |fault| {
        found.push(fault.diagnostic(policy, object));
    });
    found
}

/// Checks a document and hands every fault to `report`.
pub fn check_each<'a>(
    stem: &str,
    node: Node<'a>,
    dialect: Dialect,
    report: &mut dyn FnMut(Fault<'a>),
) {
    let Some(compiled) = compiled(stem) else {
        return;
    };
    let dropped = Cell::new(false);
    let instance = Instance::Node(node, View::as_read(dialect, &dropped));
    let validator = &compiled.validator;
    let valid = validator.is_valid(instance);
    if valid && !dropped.get() {
        return;
    }
    let reader = Reader::new(&compiled.schema, node, dialect);
    if !valid {
        for error in validator.iter_errors(instance) {
            reader.report(&error, "", "", report);
        }
    }
    if dropped.get() {
        // A key that the kind does not have is worth a word without a value, too.
        let whole = Instance::Node(node, View::whole(dialect));
        for error in validator.iter_errors(whole) {
            reader.report(&error, "", "", &mut |fault| {
                let unknown = fault.rule.code == rules::UNKNOWN_FIELD.code;
                if unknown && fault.node.is_some_and(Node::is_null) {
                    report(fault);
                }
            });
        }
    }
}
