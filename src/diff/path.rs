//! Paths to fields, as people read them: `spec.advisors[cost].weight`.

use super::items::Match;
use crate::yaml::{Kind, Node};

/// The path that a JSON Pointer takes below a node. Items of lists are shown by name where names
/// are unique. Fields that do not exist yet keep the words of the pointer.
#[must_use]
pub fn path(root: Node<'_>, pointer: &str) -> String {
    let mut path = String::new();
    let mut at = Some(root);
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        let item = at.filter(|node| node.kind() == Kind::Sequence).map(|list| {
            let items: Vec<Node<'_>> = list.items().collect();
            let item = part
                .parse()
                .ok()
                .and_then(|at: usize| items.get(at).copied());
            let by = Match::of(&items, 0..items.len(), &items);
            let shown = item.map_or_else(|| format!("[{part}]"), |item| by.shown(&part, item));
            (shown, item)
        });
        let (shown, next) = item.unwrap_or_else(|| {
            let below = at.filter(|node| node.kind() == Kind::Mapping);
            (
                key(&part, path.is_empty()),
                below.and_then(|node| node.get(&part)),
            )
        });
        path.push_str(&shown);
        at = next;
    }
    path
}

/// A step down a mapping.
pub(super) fn key(key: &str, is_first: bool) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_".contains(&b);
    match (key.bytes().all(plain), is_first) {
        (true, true) => key.to_owned(),
        (true, false) => format!(".{key}"),
        (false, _) => format!("[{key}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;
    use crate::yaml::{Limits, parse};

    #[test]
    fn items_go_by_their_names() {
        let text = "groups: [{name: a}, {name: b, n: [1, {x: 2}]}]\nlabels: {a.b/c: d}\n";
        let parsed = parse(SourceId(0), text, 0..text.len(), Limits::default());
        let told = |pointer| path(parsed.tree.root(text), pointer);
        assert_eq!(told("/groups/1/n/1/x"), "groups[b].n[1].x");
        assert_eq!(told("/groups/1/depends_on"), "groups[b].depends_on");
        assert_eq!(told("/labels/a.b~1c"), "labels[a.b/c]");
        assert_eq!(told("/new/0/field"), "new.0.field");
    }
}
