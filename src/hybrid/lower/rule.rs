//! `PlacementRule` documents.

use super::super::model::{
    Advisor, CLUSTER_API, CLUSTER_KIND, Inventory, Object as Target, PlacementRule, Recommendation,
    Reference, Role, Source, Stock, Types,
};
use super::super::rules;
use super::{bad_selector, given, integer, reference, selector, text};
use crate::diagnostic::{Diagnostic, Object, Sink};
use crate::document::Document;
use crate::yaml::Node;

/// A rule with the nodes that are looked at again once all answers are known.
pub(super) struct Draft<'a> {
    pub(super) rule: PlacementRule<'a>,
    pub(super) node: Node<'a>,
    /// `rules` of each advisor.
    advisor_rules: Vec<Option<Node<'a>>>,
}

impl<'a> Draft<'a> {
    pub(super) fn object(&self) -> Object {
        super::super::object_of(&self.rule)
    }

    /// `rules` of the advisor of this index.
    pub(super) fn rules(&self, advisor: usize) -> Option<Node<'a>> {
        self.advisor_rules.get(advisor).copied().flatten()
    }

    /// `status.recommendations` of this advisor.
    pub(super) fn recommendations(&self, advisor: &str) -> Option<Node<'a>> {
        let recommendations = self.node.at(&["status", "recommendations"])?;
        given(recommendations, advisor)
    }
}

/// Reads a rule that its schema has accepted; none if it is refused after all.
pub(super) fn draft<'a>(document: &Document<'a>, sink: &mut Sink) -> Option<Draft<'a>> {
    let node = document.node;
    let name = node.at(&["metadata", "name"])?;
    let mut rule = PlacementRule {
        namespace: document.namespace().unwrap_or(""),
        name: name.text()?,
        place: name.place(),
        generation: node
            .at(&["metadata", "generation"])
            .filter(|generation| !generation.is_null())
            .and_then(Node::text),
        decisions: decisions(node),
        ..PlacementRule::default()
    };
    let Some(spec) = given(node, "spec") else {
        return Some(Draft {
            rule,
            node,
            advisor_rules: Vec::new(),
        });
    };
    rule.types = types(given(spec, "deployerType"));
    rule.replicas = integer(spec.get("replicas")).and_then(|count| u32::try_from(count).ok());
    rule.decision_weight = integer(spec.get("decisionWeight")).unwrap_or(0);
    let targets = spec.get("targets").into_iter().flat_map(Node::items);
    rule.targets = targets.map(reference).collect();
    rule.targets.retain(|target| !target.is_blank());
    let advisors = || spec.get("advisors").into_iter().flat_map(Node::items);
    rule.advisors = advisors().map(advisor).collect();
    let mut draft = Draft {
        rule,
        node,
        advisor_rules: advisors().map(|item| given(item, "rules")).collect(),
    };
    let mut refused = false;
    if let Some(labels) = given(spec, "targetLabels") {
        let object = draft.object();
        draft.rule.labels = selector(labels, &mut |place, message| {
            sink.push(bad_selector(place, message, object.clone()));
            refused = true;
        });
    }
    if refused {
        return None;
    }
    check_advisors(&draft, sink);
    Some(draft)
}

fn types(node: Option<Node<'_>>) -> Types<'_> {
    match node {
        None => Types::Clusters,
        Some(list) if list.is_sequence() => {
            Types::Named(list.items().filter_map(Node::text).collect())
        }
        Some(one) => match text(Some(one)) {
            "" => Types::Clusters,
            "all" => Types::All,
            kind => Types::Named(vec![kind]),
        },
    }
}

fn advisor(item: Node<'_>) -> Advisor<'_> {
    Advisor {
        name: text(item.get("name")),
        role: match text(item.get("type")) {
            "predicate" => Role::Predicate,
            _ => Role::Priority,
        },
        weight: integer(item.get("weight")).unwrap_or(100),
        source: Source::Silent,
        rules_json: String::new(),
        place: item.get("name").unwrap_or(item).place(),
    }
}

/// Two advisors of one name share an answer.
fn check_advisors(draft: &Draft<'_>, sink: &mut Sink) {
    let advisors = &draft.rule.advisors;
    for (index, advisor) in advisors.iter().enumerate() {
        let Some(first) = advisors[..index].iter().find(|a| a.name == advisor.name) else {
            continue;
        };
        let message = format!("two advisors are named `{}`", advisor.name);
        sink.push(
            Diagnostic::new(&rules::DUPLICATE_ADVISOR, message)
                .at(advisor.place, "the second one")
                .related(first.place, "the first one, whose `rules` count")
                .help(
                    "give each advisor its own name; these two share one answer and count \
                       separately",
                )
                .pointer(format!("/spec/advisors/{index}/name"))
                .object(draft.object()),
        );
    }
}

/// The existing decisions.
pub(super) fn decisions(node: Node<'_>) -> Vec<Reference<'_>> {
    let list = node.at(&["status", "decisions"]);
    let references = list.into_iter().flat_map(Node::items).map(reference);
    references
        .filter(|reference| !reference.name.is_empty())
        .collect()
}

/// The inventory where the site has none: what the rules' status calls candidates.
pub(super) fn candidates_of_status<'a>(drafts: &mut [Draft<'a>]) -> Inventory<'a> {
    let or = |text: &'a str, default| if text.is_empty() { default } else { text };
    let lists: Vec<Vec<Target<'a>>> = drafts
        .iter()
        .map(|draft| {
            let list = draft.node.at(&["status", "candidates"]);
            let references = list.into_iter().flat_map(Node::items).map(reference);
            let named = references.filter(|reference| !reference.name.is_empty());
            named
                .map(|reference| Target {
                    api_version: or(reference.api_version, CLUSTER_API),
                    kind: or(reference.kind, CLUSTER_KIND),
                    namespace: reference.namespace,
                    name: reference.name,
                    place: reference.place,
                    ..Target::default()
                })
                .collect()
        })
        .collect();
    let mut objects: Vec<&Target<'a>> = Vec::new();
    let mut stock = Stock::default();
    for object in lists.iter().flatten() {
        if !objects.iter().any(|known| known.same_as(object)) {
            objects.push(object);
            stock.add(object.clone(), [], []);
        }
    }
    let inventory = stock.inventory();
    for (draft, list) in drafts.iter_mut().zip(&lists) {
        for object in list {
            let ids = inventory.named(object.name).iter().copied();
            let id = { ids }.find(|&id| inventory.object(id).same_as(object));
            let candidates = &mut draft.rule.candidates;
            candidates.extend(id.filter(|id| !candidates.contains(id)));
        }
    }
    inventory
}

/// A list of recommendations.
pub(super) fn recommendations(node: Node<'_>) -> Vec<Recommendation<'_>> {
    let items = node.items().map(|item| Recommendation {
        target: reference(item),
        score: integer(item.get("score")),
    });
    items.collect()
}
