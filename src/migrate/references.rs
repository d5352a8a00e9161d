//! The references to a rule: those that are rewritten with it, and those that are only listed.

use super::rewrite::PLACEMENT_API;
use super::text::{Doc, Unwritable};
use crate::document::{Document, DocumentKind};
use crate::ocm::lower::Head;
use crate::ocm::model::PLACEMENT_LABEL;
use crate::repair::text::Replacement;
use crate::source::Place;
use crate::yaml::Node;

/// The label by which consumers find the decisions of a rule.
const RULE_LABEL: &str = "cluster.open-cluster-management.io/placementrule";
/// The kind of a rule.
const RULE: &str = "PlacementRule";
/// The group of Placements.
const GROUP: &str = "cluster.open-cluster-management.io";

/// A reference to a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The kind of the object that has it.
    pub kind: String,
    /// The object's namespace, if it says so.
    pub namespace: Option<String>,
    /// The object's name.
    pub name: String,
    /// Where the rule is named.
    pub place: Place,
    /// The number of the rule.
    pub rule: usize,
    /// Why it is not rewritten.
    pub by_hand: Option<&'static str>,
    pub(super) edits: Vec<Replacement>,
}

/// A rule and the name of its Placement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named<'n> {
    pub(super) namespace: &'n str,
    pub(super) name: &'n str,
    pub(super) new: &'n str,
}

/// The references in a document; `rules` by their numbers.
pub(super) fn of(
    document: &Document<'_>,
    text: &str,
    shared: &[Place],
    rules: &[(usize, Named<'_>)],
) -> Vec<Reference> {
    let head = Head::of(document.node);
    let finder = ReferenceFinder {
        doc: Doc::new(text, document.node, shared),
        namespace: head.namespace(),
        rules,
        document,
    };
    let node = document.node;
    let mut found = Vec::new();
    let kind = node.get("kind").and_then(Node::text).unwrap_or_default();
    match (document.kind, kind) {
        (DocumentKind::LegacyRule, _) => {}
        (DocumentKind::PlacementBinding, _) => {
            if let Some(reference) = node.get("placementRef") {
                finder.binding(reference, &mut found);
            }
        }
        (DocumentKind::Subscription, _) => {
            if let Some(reference) = node.at(&["spec", "placement", "placementRef"]) {
                finder.subscription(reference, &mut found);
            }
        }
        (_, "ApplicationSet") => finder.generators(node, &mut found),
        _ => finder.mentions(node, &mut found),
    }
    found
}

struct ReferenceFinder<'f, 'a> {
    doc: Result<Doc<'f>, Unwritable>,
    namespace: &'a str,
    rules: &'f [(usize, Named<'f>)],
    document: &'f Document<'a>,
}

impl ReferenceFinder<'_, '_> {
    fn rule(&self, namespace: &str, name: Option<&str>) -> Option<(usize, Named<'_>)> {
        let mut rules = self.rules.iter();
        let name = name?;
        rules
            .find(|(_, rule)| rule.namespace == namespace && rule.name == name)
            .copied()
    }

    fn reference(
        &self,
        at: Node<'_>,
        rule: usize,
        edits: Result<Vec<Replacement>, &'static str>,
    ) -> Reference {
        let document = self.document;
        let kind = document.node.get("kind").and_then(Node::text);
        let (edits, by_hand) = match edits {
            Ok(edits) => (edits, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        Reference {
            kind: kind.unwrap_or_default().to_owned(),
            namespace: document.namespace().map(str::to_owned),
            name: document.name().unwrap_or_default().to_owned(),
            place: at.place(),
            rule,
            by_hand,
            edits,
        }
    }

    fn edited(
        &self,
        edit: impl FnOnce(&Doc<'_>) -> Result<Vec<Replacement>, Unwritable>,
    ) -> Result<Vec<Replacement>, &'static str> {
        let doc = self.doc.as_ref().map_err(|why| why.why())?;
        edit(doc).map_err(Unwritable::why)
    }

    fn binding(&self, reference: Node<'_>, found: &mut Vec<Reference>) {
        let text = |key: &str| reference.get(key).and_then(Node::text);
        if text("kind") != Some(RULE) {
            return;
        }
        let (Some((number, rule)), Some(name)) = (
            self.rule(self.namespace, text("name")),
            reference.get("name"),
        ) else {
            return;
        };
        let edits = self.edited(|doc| {
            let mut edits = Vec::new();
            for (key, new) in [
                ("apiGroup", GROUP),
                ("kind", "Placement"),
                ("name", rule.new),
            ] {
                if let Some(node) = reference.get(key) {
                    edits.push(doc.scalar(node, new)?);
                }
            }
            Ok(edits)
        });
        found.push(self.reference(name, number, edits));
    }

    fn subscription(&self, reference: Node<'_>, found: &mut Vec<Reference>) {
        let text = |key: &str| reference.get(key).and_then(Node::text);
        // Without a kind it is a rule.
        if !matches!(text("kind"), None | Some(RULE | "")) {
            return;
        }
        let (Some((number, rule)), Some((key, name))) = (
            self.rule(self.namespace, text("name")),
            reference.entry("name"),
        ) else {
            return;
        };
        let edits = self.edited(|doc| {
            let mut edits = vec![doc.scalar(name, rule.new)?];
            match reference.get("kind") {
                Some(kind) => edits.push(doc.scalar(kind, "Placement")?),
                None => {
                    let at = key.span().start as usize;
                    let kind = format!(
                        "{}: {}",
                        doc.value(&"kind".into()),
                        doc.value(&"Placement".into())
                    );
                    let column = doc.column(at);
                    edits.push((
                        at..at,
                        if reference.is_flow() {
                            format!("{kind}, ")
                        } else {
                            format!("{kind}{}{:column$}", doc.newline, "")
                        },
                    ));
                }
            }
            if let Some(version) = reference.get("apiVersion") {
                edits.push(doc.scalar(version, PLACEMENT_API)?);
            }
            Ok(edits)
        });
        found.push(self.reference(name, number, edits));
    }

    /// The generators of an ApplicationSet, however deep they are.
    fn generators(&self, node: Node<'_>, found: &mut Vec<Reference>) {
        if let Some(generator) = node.get("clusterDecisionResource") {
            self.generator(generator, found);
        }
        for (_, value) in node.entries() {
            self.generators(value, found);
        }
        for item in node.items() {
            self.generators(item, found);
        }
    }

    fn generator(&self, generator: Node<'_>, found: &mut Vec<Reference>) {
        let selector = generator.get("labelSelector");
        let labels = selector.and_then(|one| one.get("matchLabels"));
        if let Some((key, value)) = labels.and_then(|labels| labels.entry(RULE_LABEL))
            && let Some((number, rule)) = self.rule(self.namespace, value.text())
        {
            let edits = self.edited(|doc| {
                Ok(vec![
                    doc.scalar(key, PLACEMENT_LABEL)?,
                    doc.scalar(value, rule.new)?,
                ])
            });
            found.push(self.reference(value, number, edits));
        }
        let expressions = selector.and_then(|one| one.get("matchExpressions"));
        for one in expressions.into_iter().flat_map(Node::items) {
            self.expression(one, found);
        }
        // A list of rules themselves, which a ConfigMap describes.
        if let Some(name) = generator.get("name")
            && let Some((number, _)) = self.rule(self.namespace, name.text())
        {
            let why = "its ConfigMap makes it read an object of this name";
            found.push(self.reference(name, number, Err(why)));
        }
    }

    fn expression(&self, one: Node<'_>, found: &mut Vec<Reference>) {
        let key = one.get("key").filter(|key| key.text() == Some(RULE_LABEL));
        let (Some(key), Some(values)) = (key, one.get("values")) else {
            return;
        };
        let alone = values.len() == 1;
        for value in values.items() {
            let Some((number, rule)) = self.rule(self.namespace, value.text()) else {
                continue;
            };
            let edits = if alone {
                self.edited(|doc| {
                    Ok(vec![
                        doc.scalar(key, PLACEMENT_LABEL)?,
                        doc.scalar(value, rule.new)?,
                    ])
                })
            } else {
                Err("it names several rules at once")
            };
            found.push(self.reference(value, number, edits));
        }
    }

    /// Anything else that names a rule by kind and name.
    fn mentions(&self, node: Node<'_>, found: &mut Vec<Reference>) {
        let text = |key: &str| node.get(key).and_then(Node::text);
        if text("kind") == Some(RULE)
            && let Some(name) = node.get("name")
        {
            let own = match self.document.kind {
                DocumentKind::Foreign => text("namespace"),
                _ => Some(self.namespace),
            };
            let same = |rule: &Named<'_>| {
                name.text() == Some(rule.name) && own.is_none_or(|own| own == rule.namespace)
            };
            let rules = self.rules.iter().filter(|(_, rule)| same(rule));
            for (number, _) in rules {
                let why = "planner does not rewrite this kind";
                found.push(self.reference(name, *number, Err(why)));
            }
        }
        for (_, value) in node.entries() {
            self.mentions(value, found);
        }
        for item in node.items() {
            self.mentions(item, found);
        }
    }
}
