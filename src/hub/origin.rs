//! The writer of the value at a place of a snapshot.

use crate::load::Hub;
use crate::source::{Place, Span};
use crate::yaml::Node;

use super::owners::{Owners, Writer};

/// The last writer of the value at a place of the snapshot, whose text is given. `None` if the
/// snapshot does not say.
#[must_use]
pub fn origin<'a>(hub: &'a Hub, text: &'a str, place: Place) -> Option<Writer<'a>> {
    if place.source != hub.source {
        return None;
    }
    let holds = |node: Node<'_>| holds(node.span(), place.span);
    let object = hub.documents(text).find(|object| holds(object.node))?;
    let path = path(object.node, place.span);
    Owners::of(object.kind, object.node).writer(&path)
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The keys that lead to a place; lists are written as a whole.
fn path<'a>(root: Node<'a>, span: Span) -> Vec<&'a str> {
    let mut path = Vec::new();
    let mut node = root;
    loop {
        let mut entries = node.entries();
        let own = |(key, value): &(Node<'a>, Node<'a>)| {
            holds(key.span(), span) || holds(value.span(), span)
        };
        let Some((key, value)) = entries.find(own) else {
            return path;
        };
        path.push(key.text().unwrap_or_default());
        if holds(key.span(), span) {
            return path;
        }
        node = value;
    }
}
