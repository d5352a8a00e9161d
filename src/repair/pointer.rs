//! Places as pointers, pointers as lines.

use crate::source::Place;
use crate::yaml::Node;

/// The pointer to the value at a place, or to the value of the key at that place.
pub(super) fn pointer_to(root: Node<'_>, place: Place) -> Option<String> {
    let inside = |node: Node<'_>| {
        let own = node.place();
        own.source == place.source
            && own.span.start <= place.span.start
            && place.span.end <= own.span.end
    };
    let mut pointer = String::new();
    let mut node = root;
    loop {
        if node.place() == place && node.is_scalar() {
            return Some(pointer);
        }
        let whole = node.place() == place;
        let entries = node.entries().map(|(key, value)| {
            let name = key.text().unwrap_or_default();
            (super::step(name), Some(key), value)
        });
        let items = node
            .items()
            .zip(0..)
            .map(|(item, at)| (format!("{at}"), None, item));
        let below = entries
            .chain(items)
            .find(|(_, key, value)| inside(*value) || key.is_some_and(|key| key.place() == place));
        match below {
            Some((step, key, value)) => {
                pointer.push('/');
                pointer.push_str(&step);
                if key.is_some_and(|key| key.place() == place) {
                    return Some(pointer);
                }
                node = value;
            }
            None => return whole.then_some(pointer),
        }
    }
}

/// The place that an edit changes: that of the value, or of the nearest container that is there.
#[must_use]
pub fn place_of(root: Node<'_>, pointer: &str) -> Place {
    let mut known = pointer;
    let node = loop {
        if let Some(node) = root.pointer(known) {
            break node;
        }
        match known.rfind('/') {
            Some(cut) => known = &known[..cut],
            None => break root,
        }
    };
    node.place()
}

/// The first container on a pointer's way that is not there.
#[must_use]
pub fn missing<'p>(root: Node<'_>, pointer: &'p str) -> Option<&'p str> {
    let ends = pointer.match_indices('/').skip(1).map(|(at, _)| at);
    ends.map(|end| &pointer[..end])
        .find(|part| root.pointer(part).is_none())
}
