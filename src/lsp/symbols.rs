//! The documents of a file and what lies in them, and the names of all sites.

use gen_lsp_types::{Position, Range, SymbolKind};
use serde::Serialize;
use serde_json::{Value, json};

use crate::kit::safe::clean;
use crate::source::SourceId;
use crate::yaml::Node;

use super::names;
use super::names::{LABEL, kind_of, name_of};
use super::position::Lines;
use super::tree::Tree;
use super::view::View;

/// Symbols that a search answers with at most.
const MOST: usize = 500;

/// The lists of documents whose items have names of their own, with the kind of the items.
const INSIDE: [(&[&str], SymbolKind); 4] = [
    (&["data", "groups"], SymbolKind::Event),
    (&["properties", "regions"], SymbolKind::Namespace),
    (&["spec", "storageRequests"], SymbolKind::Field),
    (&["spec", "nodes"], SymbolKind::Field),
];

/// A symbol of a file, with those in it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Symbol {
    name: String,
    kind: SymbolKind,
    range: Range,
    selection_range: Range,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<Self>,
}

/// The symbols of a file.
pub(super) fn of_file(view: &View, source: SourceId, uri: &str) -> Value {
    let lines = view.lines(source);
    let tree = Tree::new(view.source(source));
    let symbols: Vec<Symbol> = tree
        .roots()
        .filter_map(|root| of_root(&lines, root))
        .collect();
    if view.client.nests {
        return json!(symbols);
    }
    let mut flat = Vec::new();
    for symbol in &symbols {
        let inside = symbol.children.iter();
        for one in std::iter::once(symbol).chain(inside) {
            let container = (!std::ptr::eq(one, symbol)).then_some(&symbol.name);
            flat.push(json!({
                "name": one.name,
                "kind": one.kind,
                "location": {"uri": uri, "range": one.range},
                "containerName": container,
            }));
        }
    }
    json!(flat)
}

fn of_root(lines: &Lines<'_>, root: Node<'_>) -> Option<Symbol> {
    let kind = kind_of(root);
    let name = name_of(root);
    let text = name.and_then(Node::text).unwrap_or("");
    let shown = format!("{kind} {text}");
    let shown = clean(shown.trim()).into_owned();
    if shown.is_empty() {
        return None;
    }
    let mut children = Vec::new();
    for (path, symbol) in INSIDE {
        for item in root.at(path).into_iter().flat_map(Node::items) {
            children.extend(named(lines, item, symbol));
        }
    }
    let whole = lines.range(root.span());
    let place = name.map_or(whole, |name| lines.range(name.span()));
    Some(Symbol {
        name: shown,
        kind: SymbolKind::Object,
        range: whole,
        selection_range: inside(whole, place),
        children,
    })
}

fn named(lines: &Lines<'_>, item: Node<'_>, kind: SymbolKind) -> Option<Symbol> {
    let name = item.get("name")?;
    let text = clean(name.text().filter(|text| !text.is_empty())?).into_owned();
    let whole = lines.range(item.span());
    Some(Symbol {
        name: text,
        kind,
        range: whole,
        selection_range: inside(whole, lines.range(name.span())),
        children: Vec::new(),
    })
}

/// A range that must lie in another one.
fn inside(whole: Range, part: Range) -> Range {
    let key = |position: Position| (position.line, position.character);
    if key(whole.start) <= key(part.start) && key(part.end) <= key(whole.end) {
        part
    } else {
        Range::new(whole.start, whole.start)
    }
}

/// The names of sites that hold the letters of a query in their order.
pub(super) fn of_sites<'v>(views: impl Iterator<Item = &'v View>, query: &str) -> Value {
    let mut symbols = Vec::new();
    for view in views {
        for name in names::of_site(view.snapshot.checked()) {
            if !name.gives || name.class == LABEL || !is_meant(query, name.class, name.text) {
                continue;
            }
            if let Some(location) = view.location(name.place) {
                symbols.push(json!({
                    "name": clean(name.text),
                    "kind": SymbolKind::Object,
                    "location": location,
                    "containerName": clean(&container(name.class, name.scope)),
                }));
            }
            if symbols.len() == MOST {
                return json!(symbols);
            }
        }
    }
    json!(symbols)
}

/// The class and the scope of a name.
fn container(class: &str, scope: &str) -> String {
    if scope.is_empty() {
        class.to_owned()
    } else {
        format!("{class} of {scope}")
    }
}

/// Whether the letters of a query come in their order in `Kind name`.
fn is_meant(query: &str, class: &str, name: &str) -> bool {
    let text = format!("{class} {name}").to_lowercase();
    let mut letters = text.chars();
    let query = query.to_lowercase();
    let mut wanted = query.chars().filter(|c| !c.is_whitespace());
    wanted.all(|wanted| letters.any(|letter| letter == wanted))
}
