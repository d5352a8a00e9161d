//! From the documents of consumers to what they ask for: admission as the API server does it, then
//! decoding. A file for each kind of consumer.

pub mod policy;
pub mod rule;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::diagnostic::Sink;
use crate::document::{Document, DocumentKind, Documents, Reported};
use crate::ocm::lower::{Admission, Seen};
use crate::source::Place;

use policy::{Binding, Policy, PolicySet};
use rule::Rule;

/// What an object is called, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Id<'a> {
    /// Its kind, as documents write it.
    pub kind: &'static str,
    /// `metadata.namespace`, empty where the kind has none.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// Where the name is.
    pub place: Place,
}

impl<'a> Id<'a> {
    /// The identity of a namespaced object.
    fn of(admission: &Admission<'_, 'a>) -> Self {
        Self {
            kind: admission.kind(),
            namespace: admission.head.namespace(),
            name: admission.head.name,
            place: admission.head.place,
        }
    }
}

/// Everything that the consumers' documents hold. Refused objects are not here, but for those that
/// get a row which says so.
#[derive(Debug, Default)]
pub struct Model<'a> {
    /// Policies, in document order, refused ones too.
    pub policies: Vec<Policy<'a>>,
    /// Sets of policies, in document order.
    pub sets: Vec<PolicySet<'a>>,
    /// Bindings of policies, in document order.
    pub bindings: Vec<Binding<'a>>,
    /// Rules that Placement replaced, in document order.
    pub rules: Vec<Rule<'a>>,
    /// What rules ask for of clusters and Placements never do: conditions and roles.
    pub hub: rule::Hub<'a>,
    /// The namespaces in which generators make what is not known; the empty one where it may be
    /// any.
    pub open: BTreeSet<&'a str>,
    /// Objects that were refused: they are not missing.
    pub refused: FxHashMap<(DocumentKind, &'a str, &'a str), Place>,
}

impl Model<'_> {
    /// Whether there may be more in a namespace than the documents say.
    #[must_use]
    pub fn is_open(&self, namespace: &str) -> bool {
        self.open.contains("") || self.open.contains(namespace)
    }

    /// Whether no document of a consumer is there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty()
            && self.sets.is_empty()
            && self.bindings.is_empty()
            && self.rules.is_empty()
    }
}

/// What a document holds: a variant for each kind that is read.
enum Object<'a> {
    Policy(Policy<'a>),
    Set(PolicySet<'a>),
    Binding(Binding<'a>),
    Rule(Rule<'a>),
}

/// Decodes the consumers' documents and reports what admission would refuse.
pub(super) fn read<'a>(documents: &Documents<'a>, sink: &mut Sink) -> Model<'a> {
    let mut model = Model::default();
    let consumers = documents.all.iter();
    let consumers: Vec<&Document<'a>> = consumers
        .filter(|document| document.kind.is_consumer())
        .collect();
    if consumers.is_empty() {
        return model;
    }
    let refused = consumers.iter().any(|document| document.refused);
    let reported = refused.then(|| Reported::new(sink));
    let mut seen = Seen::default();
    for document in consumers {
        let mut admission = Admission::new(document, false);
        let Some(object) = one(document, &mut admission) else {
            continue;
        };
        let mut is_again = false;
        if document.refused {
            if let Some(reported) = &reported {
                reported.others(&document.object(), &mut admission.findings);
            }
        } else {
            let passed = admission.passed();
            seen.check(document.kind, &mut admission);
            is_again = passed && !admission.passed();
        }
        let passed = admission.passed() && !document.refused;
        if !passed {
            let key = (
                document.kind,
                admission.head.namespace(),
                admission.head.name,
            );
            model.refused.insert(key, admission.head.place);
        }
        match object {
            Object::Policy(mut policy) => {
                policy.refused = (!passed).then(|| reason(&admission));
                // One that is defined twice is there once.
                if !admission.head.name.is_empty() && !is_again {
                    model.policies.push(policy);
                }
            }
            _ if !passed => {}
            Object::Set(set) => model.sets.push(set),
            Object::Binding(binding) => model.bindings.push(binding),
            Object::Rule(rule) => model.rules.push(rule),
        }
        sink.diagnostics.append(&mut admission.findings);
    }
    model.hub = rule::Hub::of(documents, &model.rules);
    model
}

/// Why an object was refused, for its row.
fn reason(admission: &Admission<'_, '_>) -> String {
    let mut findings = admission.findings.iter();
    findings
        .find(|found| found.refuses)
        .map_or_else(|| "refused".to_owned(), |found| found.message.clone())
}

/// One document, and what admission says of it: a line for each kind.
fn one<'a>(document: &Document<'a>, admission: &mut Admission<'_, 'a>) -> Option<Object<'a>> {
    let node = document.node;
    if document.kind != DocumentKind::PolicyGenerator {
        admission.metadata();
    }
    Some(match document.kind {
        DocumentKind::Policy => Object::Policy(policy::policy(node, admission)),
        DocumentKind::PolicySet => Object::Set(policy::set(node, admission)),
        DocumentKind::PlacementBinding => Object::Binding(policy::binding(node, admission)),
        DocumentKind::LegacyRule => Object::Rule(rule::rule(node, admission)),
        _ => return None,
    })
}
