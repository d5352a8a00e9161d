//! Where changes are: the line to look at, and the kustomizations that it reaches.

use crate::document::Documents;
use crate::site::Checked;
use crate::yaml::{self, Node};

use super::documents::{Change, Event};

/// Documents that came or went and are compared with one that did the opposite, at most.
const FORMER: usize = 256;

/// The name or namespace of the later document, where nothing else makes it another object than an
/// earlier one. `change` is a document that is on one side alone.
fn renamed<'n>(
    change: &Change<'_, '_>,
    changes: &[Change<'_, '_>],
    earlier: &Documents<'_>,
    later: &Documents<'n>,
) -> Option<Node<'n>> {
    let is_gone = change.documents.1.is_none();
    let others = changes.iter().filter(|other| {
        matches!(other.event, Event::Document)
            && other.documents.1.is_none() != is_gone
            && other.object.kind == change.object.kind
    });
    others.take(FORMER).find_map(|other| {
        let (gone, come) = if is_gone {
            (change, other)
        } else {
            (other, change)
        };
        let old = earlier.all[gone.documents.0? as usize].node;
        let new = later.all[come.documents.1? as usize].node;
        let without_name = |node: Node<'_>| {
            let mut value = yaml::json(node, change.dialect);
            value.get_mut("metadata")?.as_object_mut()?.remove("name");
            Some(value)
        };
        let is_alike = || old.size() == new.size() && without_name(old) == without_name(new);
        let same_name = gone.object.name == come.object.name;
        let same_namespace = gone.object.namespace == come.object.namespace;
        let key = match (same_name, same_namespace) {
            (true, false) => "namespace",
            (false, true) if is_alike() => "name",
            _ => return None,
        };
        new.at(&["metadata", key])
    })
}

/// File and line of a change.
pub(super) fn place(
    change: &Change<'_, '_>,
    changes: &[Change<'_, '_>],
    earlier: &Documents<'_>,
    later: &Documents<'_>,
) -> Option<(String, usize)> {
    let root = |documents: &Documents<'_>, at: u32| documents.all[at as usize].node.place();
    let renamed = || renamed(change, changes, earlier, later);
    let (place, sources) = match (change.event, change.documents) {
        (Event::Changed(_, node) | Event::Gone { from: node, .. }, _)
        | (Event::Come { value: node, .. } | Event::Order(_, node), _) => {
            (node.place(), later.sources)
        }
        (Event::Document, (old, new)) => match (renamed(), old, new) {
            (Some(node), ..) => (node.place(), later.sources),
            (None, _, Some(new)) => (root(later, new), later.sources),
            (None, Some(old), None) => (root(earlier, old), earlier.sources),
            (None, None, None) => return None,
        },
    };
    let described = sources.describe(place);
    let mut parts = described.rsplitn(3, ':');
    let (_, line, path) = (parts.next()?, parts.next()?, parts.next()?);
    Some((path.to_owned(), line.parse().ok()?))
}

/// The kustomizations that make the document of a change.
pub(super) fn makers(change: &Change<'_, '_>, old: &Checked<'_>, new: &Checked<'_>) -> Vec<String> {
    let of = |site: &Checked<'_>, at: u32| -> Vec<String> {
        let numbers = site.documents.all[at as usize].roots().iter();
        let built = &site.loaded.builds.roots;
        let roots = numbers.filter_map(|number| built.get(*number as usize));
        roots.map(|root| root.name.clone()).collect()
    };
    match change.documents {
        (_, Some(at)) => of(new, at),
        (Some(at), None) => of(old, at),
        (None, None) => Vec::new(),
    }
}
