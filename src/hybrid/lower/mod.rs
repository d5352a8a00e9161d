//! From documents to the objects of hybrid placement; the fields' own faults are found here.
//!
//! See "Hybrid placement rules" in planner-placement(7).

mod answers;
mod built_in;
mod inventory;
mod json;
mod rule;

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Model, Reference};
use super::rules;
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::document::{Document, DocumentKind, Documents, Reported};
use crate::kit::selector::{Expression, FaultAt, LabelSelector, Selector, help_with_key};
use crate::source::Place;
use crate::yaml::Node;

/// Reads all documents that hybrid placement has to do with; refused ones take no part.
pub(super) fn lower<'a>(documents: &Documents<'a>, sink: &mut Sink) -> Model<'a> {
    let mut model = Model::default();
    let doubles = doubles(documents, sink);
    let counts = |document: &&Document<'a>| !document.refused && !doubles.contains(&document.index);
    let rule_documents: Vec<&Document<'a>> = documents
        .of(DocumentKind::PlacementRule)
        .filter(counts)
        .collect();
    let of_site = |document: &&&Document<'a>| document.record().is_none();
    model.incomplete = [
        DocumentKind::PlacementRule,
        DocumentKind::Deployer,
        DocumentKind::AdvisorAnswers,
    ]
    .into_iter()
    .any(|kind| documents.of(kind).any(|document| document.refused));
    let mut drafts: Vec<rule::Draft<'a>> = rule_documents
        .iter()
        .filter(of_site)
        .filter_map(|document| rule::draft(document, sink))
        .collect();
    drafts.sort_by(|a, b| (a.rule.namespace, a.rule.name).cmp(&(b.rule.namespace, b.rule.name)));
    // Only rules use the inventory.
    if !drafts.is_empty() {
        take_stock(&mut model, documents, &doubles, &mut drafts);
    }
    for document in documents.of(DocumentKind::AdvisorAnswers).filter(counts) {
        answers::entries(document, &mut model.answers, sink);
    }
    answers::check_ranks(&model.answers, sink);
    answers::connect(&mut drafts, &model.answers, sink);
    report_remaining(documents, sink);
    overlay(&mut drafts, &rule_documents);
    model.placement_rules = drafts.into_iter().map(|draft| draft.rule).collect();
    model
}

/// Reads refused documents for their other faults, so that one run says all of them.
fn report_remaining(documents: &Documents<'_>, sink: &mut Sink) {
    let refused = |document: &&Document<'_>| document.refused;
    let mut reported: Option<Reported> = None;
    for document in documents.all.iter().filter(refused) {
        let mut rest = Sink::default();
        match document.kind {
            DocumentKind::PlacementRule => drop(rule::draft(document, &mut rest)),
            DocumentKind::AdvisorAnswers => {
                answers::entries(document, &mut Vec::new(), &mut rest);
            }
            _ => continue,
        }
        let reported = reported.get_or_insert_with(|| Reported::new(sink));
        reported.others(&document.object(), &mut rest.diagnostics);
        sink.append(rest);
    }
}

/// Reads the inventory and the policies that the rules are about.
fn take_stock<'a>(
    model: &mut Model<'a>,
    documents: &Documents<'a>,
    doubles: &BTreeSet<u32>,
    drafts: &mut [rule::Draft<'a>],
) {
    let asked = inventory::Wanted::of(drafts, documents);
    let stock = inventory::objects(documents, doubles, &asked, &mut model.claimed);
    model.policies = inventory::policies(documents, &asked, &mut model.claimed);
    model.claimed.sort_unstable();
    model.candidates_from_status = stock.is_empty() && model.policies.is_empty();
    model.inventory = if model.candidates_from_status {
        rule::candidates_of_status(drafts)
    } else {
        stock.inventory()
    };
}

/// Documents of our kinds whose identity another one has already: they are refused. Clusters
/// are ocm's to judge; of equal ones the first counts.
fn doubles(documents: &Documents<'_>, sink: &mut Sink) -> BTreeSet<u32> {
    let mut doubles = BTreeSet::new();
    let mut first: BTreeMap<_, &Document<'_>> = BTreeMap::new();
    for document in &documents.all {
        let kind = match document.kind {
            DocumentKind::PlacementRule => "PlacementRule",
            DocumentKind::Deployer => "Deployer",
            DocumentKind::AdvisorAnswers => "AdvisorAnswers",
            _ => continue,
        };
        let Some(name) = document.name().filter(|_| document.record().is_none()) else {
            continue;
        };
        let namespace = document.namespace();
        let Some(other) = first.get(&(kind, namespace, name)) else {
            first.insert((kind, namespace, name), document);
            continue;
        };
        let place = |document: &Document<'_>| {
            let name = document.node.at(&["metadata", "name"]);
            name.unwrap_or(document.node).place()
        };
        let mut object = Object::new(kind, name);
        object.namespace = namespace.map(str::to_owned);
        sink.push(
            Diagnostic::new(
                &rules::DUPLICATE_IDENTITY,
                format!("{kind} `{name}` is defined twice"),
            )
            .at(place(document), "the second one")
            .related(place(other), "the first one")
            .help("remove one of them, or give it another name or namespace")
            .pointer("/metadata/name")
            .object(object),
        );
        doubles.insert(document.index);
    }
    doubles
}

/// Puts the decisions of the newest record of each rule in the place of its own. The rest of a
/// recorded status tells how they came about and is not an input.
fn overlay<'a>(drafts: &mut [rule::Draft<'a>], documents: &[&Document<'a>]) {
    let mut newest = BTreeMap::new();
    for &document in documents {
        if let Some(number) = document.record() {
            let key = (document.namespace().unwrap_or(""), document.name());
            let slot = newest.entry(key).or_insert((number, document));
            if number >= slot.0 {
                *slot = (number, document);
            }
        }
    }
    for draft in drafts {
        let key = (draft.rule.namespace, Some(draft.rule.name));
        if let Some((_, document)) = newest.get(&key) {
            draft.rule.decisions = rule::decisions(document.node);
        }
    }
}

/// A scalar's text; empty where there is none.
fn text<'a>(node: Option<Node<'a>>) -> &'a str {
    let node = node.filter(|node| !node.is_null());
    node.and_then(Node::text).unwrap_or("")
}

/// A value that is neither absent nor empty.
fn given<'a>(node: Node<'a>, key: &str) -> Option<Node<'a>> {
    node.get(key).filter(|value| !value.is_null())
}

/// A whole number that the schema has checked.
fn integer(node: Option<Node<'_>>) -> Option<i64> {
    use crate::yaml::{Dialect, Scalar};
    match node?.scalar(Dialect::Kubernetes)? {
        Scalar::Int(number) => i64::try_from(number).ok(),
        Scalar::Float(number) if number.fract() == 0.0 => Some(number as i64),
        _ => None,
    }
}

/// Pairs of a mapping of texts.
fn pairs<'a>(node: Option<Node<'a>>) -> Vec<(&'a str, &'a str)> {
    let Some(node) = node else { return Vec::new() };
    let mut pairs = Vec::with_capacity(node.size() / 2);
    for (key, value) in node.entries().filter(|(_, value)| !value.is_null()) {
        pairs.extend(key.text().zip(value.text()));
    }
    pairs
}

fn reference(node: Node<'_>) -> Reference<'_> {
    Reference {
        api_version: text(node.get("apiVersion")),
        kind: text(node.get("kind")),
        namespace: text(node.get("namespace")),
        name: text(node.get("name")),
        place: node.get("name").unwrap_or(node).place(),
    }
}

/// A selector as Kubernetes reads it; `None` if it has no requirements.
fn selector<'a>(node: Node<'a>, fault: &mut dyn FnMut(Place, String)) -> Option<Selector<'a>> {
    let labels = given(node, "matchLabels");
    let expressions = given(node, "matchExpressions");
    let written = LabelSelector {
        match_labels: pairs(labels),
        match_expressions: expressions
            .into_iter()
            .flat_map(Node::items)
            .map(|item| Expression {
                key: text(item.get("key")),
                operator: text(item.get("operator")),
                values: given(item, "values")
                    .into_iter()
                    .flat_map(Node::items)
                    .filter_map(Node::text)
                    .collect(),
            })
            .collect(),
    };
    match written.compile() {
        Ok(_) if written.is_empty() => None,
        Ok(selector) => Some(selector),
        Err(error) => {
            let at = match error.at {
                FaultAt::Label(index) => labels
                    .and_then(|labels| labels.entries().nth(index))
                    .map(|(_, value)| value),
                FaultAt::Expression(index) => {
                    expressions.and_then(|expressions| expressions.items().nth(index))
                }
            };
            fault(at.unwrap_or(node).place(), error.message);
            None
        }
    }
}

/// The finding for a selector that cannot be used.
fn bad_selector(place: Place, message: String, object: Object) -> Diagnostic {
    let help = help_with_key(&message)
        .unwrap_or("give `In` and `NotIn` values, `Exists` and `DoesNotExist` none");
    Diagnostic::new(
        &rules::SELECTOR,
        format!("the selector cannot be used: {message}"),
    )
    .at(place, "this requirement")
    .help(help)
    .upstream(message)
    .object(object)
}
