//! Which rules a changed cluster affects: those that read something else of it than before.

use std::collections::BTreeSet;

use super::super::engine::{View, seen_otherwise};
use super::super::model::{CLUSTER_KIND, Model, ObjectId, PlacementRule};
use super::super::rule_called;
use crate::document::{Document, DocumentKind, Documents};

/// The numbers of the documents that decide about the affected rules, without the clusters: what
/// every rule `needs`, and the rules themselves. `changed` are the numbers of the changed
/// documents: a cluster, and the subject's own. `before` and `after` are the models without and
/// with the changes; `after` may leave out all rules but the subject. `None` if every rule may be
/// affected.
#[must_use]
pub fn touched(
    documents: &Documents<'_>,
    (before, after): (&Model<'_>, &Model<'_>),
    changed: &[u32],
    subject: &str,
    needs: impl Fn(&Document<'_>) -> bool,
) -> Option<Vec<u32>> {
    let mut seen = BTreeSet::new();
    for at in changed {
        let document = &documents.all[*at as usize];
        match document.kind {
            DocumentKind::ManagedCluster => {
                let was = object(before, document)?;
                let view = |model, object| View { model, object };
                let is = same(after, (before, was))?;
                let rules = seen_otherwise(view(before, was), view(after, is));
                seen.extend(rules.into_iter().map(|rule| (rule.namespace, rule.name)));
            }
            DocumentKind::PlacementRule if needs(document) => {
                let (was, is) = (rule_called(before, subject)?, rule_called(after, subject)?);
                // Objects that rules name belong to the inventory.
                if claims(was) != claims(is) {
                    return None;
                }
            }
            _ => return None,
        }
    }
    let touched = |document: &&Document<'_>| {
        let name = || (document.namespace().unwrap_or(""), document.name());
        let sees = |(namespace, name): (&str, Option<&str>)| {
            name.is_some_and(|name| seen.contains(&(namespace, name)))
        };
        needs(document) || document.kind == DocumentKind::PlacementRule && sees(name())
    };
    let touched = documents.all.iter().filter(touched);
    Some(touched.map(|document| document.index).collect())
}

/// The cluster of a document.
fn object(model: &Model<'_>, document: &Document<'_>) -> Option<ObjectId> {
    let name = document.node.at(&["metadata", "name"])?;
    let ids = model.inventory.named(name.text()?).iter().copied();
    { ids }.find(|id| {
        let object = model.inventory.object(*id);
        object.kind == CLUSTER_KIND && object.place == name.place()
    })
}

/// The same object in another model.
fn same(model: &Model<'_>, (other, id): (&Model<'_>, ObjectId)) -> Option<ObjectId> {
    let sought = other.inventory.object(id);
    let ids = model.inventory.named(sought.name).iter().copied();
    { ids }.find(|id| {
        let object = model.inventory.object(*id);
        object.same_as(sought) && object.api_version == sought.api_version
    })
}

/// The objects that a rule names, with their kinds.
fn claims<'r>(rule: &'r PlacementRule<'_>) -> BTreeSet<(&'r str, &'r str, &'r str)> {
    let targets = rule.targets.iter().filter(|target| !target.kind.is_empty());
    targets
        .map(|target| (target.kind, target.namespace, target.name))
        .collect()
}
