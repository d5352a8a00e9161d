//! The objects that lead to each delivery, as DOT, Mermaid and JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{escaped, quoted};
use crate::delivery::graph::{Graph, Link, Node, Role};
use crate::kit::plural::{listed, plural};
use crate::page::layout::hanging;
use crate::render::clean;
use crate::render::text::{Page, Screen, Tone};

fn label((node, clusters): &(Node<'_>, Option<usize>)) -> String {
    let name = match node.namespace {
        "" => clean(node.name).into_owned(),
        namespace => format!("{}/{}", clean(namespace), clean(node.name)),
    };
    match (node.role, clusters) {
        (Role::Binding | Role::Set, _) => format!("{} {name}", node.kind),
        (_, Some(clusters)) => format!("{} {name} ({})", node.kind, plural(*clusters, "cluster")),
        (_, None) => format!("{} {name} (not there)", node.kind),
    }
}

/// Nodes and edges for Graphviz.
pub(super) fn dot(graph: &Graph<'_>, out: &mut String) {
    for (node, at) in graph.nodes.iter().zip(0..) {
        let shape = match node.0.role {
            Role::Placement => "ellipse",
            Role::Binding => "cds",
            Role::Set => "folder",
            Role::Delivered => "box",
        };
        let missing = matches!(
            node,
            (
                Node {
                    role: Role::Placement,
                    ..
                },
                None
            )
        );
        let style = if missing { ", style=dashed" } else { "" };
        let text = quoted(&label(node));
        let _ = writeln!(out, "  d{at} [label=\"{text}\", shape={shape}{style}];");
    }
    for (from, to, link) in &graph.edges {
        let style = match link {
            Link::Leads => "",
            Link::Restricted => " [label=\"restricted\", style=dotted]",
            Link::Waits => " [label=\"before\", style=bold]",
            Link::WaitsInVain => " [label=\"before\", style=dashed]",
        };
        let _ = writeln!(out, "  d{from} -> d{to}{style};");
    }
}

/// Each placement with what it leads to, indented.
pub(super) fn text(graph: &Graph<'_>, page: &mut Page, screen: &Screen) {
    page.toned(Tone::Strong, "Placements, and what they deliver");
    let led = |at: usize| {
        graph
            .edges
            .iter()
            .any(|(_, to, link)| *to == at && is_lead(*link))
    };
    for at in (0..graph.nodes.len()).filter(|at| !led(*at)) {
        branch(graph, at, &mut Vec::new(), page, screen);
    }
}

const fn is_lead(link: Link) -> bool {
    matches!(link, Link::Leads | Link::Restricted)
}

fn branch(graph: &Graph<'_>, at: usize, above: &mut Vec<usize>, page: &mut Page, screen: &Screen) {
    let mut line = label(&graph.nodes[at]);
    let before = graph
        .edges
        .iter()
        .filter(|(_, to, link)| *to == at && !is_lead(*link));
    let before: Vec<String> = before
        .map(|(from, ..)| clean(graph.nodes[*from].0.name).into_owned())
        .collect();
    if !before.is_empty() {
        line.push_str(&format!(", after {}", listed(&before)));
    }
    hanging(page, screen, Tone::Plain, &"  ".repeat(above.len()), &line);
    if above.contains(&at) {
        return;
    }
    above.push(at);
    let below = graph
        .edges
        .iter()
        .filter(|(from, _, link)| *from == at && is_lead(*link));
    for (_, to, _) in below {
        branch(graph, *to, above, page, screen);
    }
    above.pop();
}

/// Nodes and edges for Mermaid.
pub(super) fn mermaid(graph: &Graph<'_>, out: &mut String) {
    for (node, at) in graph.nodes.iter().zip(0..) {
        let (open, close) = match node.0.role {
            Role::Placement => ("([", "])"),
            Role::Binding => ("{{", "}}"),
            Role::Set => ("[[", "]]"),
            Role::Delivered => ("[", "]"),
        };
        let text = escaped(&label(node));
        let _ = writeln!(out, "  d{at}{open}\"{text}\"{close}");
    }
    for (from, to, link) in &graph.edges {
        let arrow = match link {
            Link::Leads => "-->",
            Link::Restricted => "-. restricted .->",
            Link::Waits => "== before ==>",
            Link::WaitsInVain => "-. before .->",
        };
        let _ = writeln!(out, "  d{from} {arrow} d{to}");
    }
}

/// Nodes and edges as data.
pub(super) fn json(graph: &Graph<'_>) -> Value {
    let id = |node: &Node<'_>| match node.namespace {
        "" => format!("{}/{}", node.kind, node.name),
        namespace => format!("{}/{namespace}/{}", node.kind, node.name),
    };
    let node = |(node, clusters): &(Node<'_>, Option<usize>)| {
        let mut form = json!({"id": id(node), "kind": node.kind, "name": node.name});
        if !node.namespace.is_empty() {
            form["namespace"] = node.namespace.into();
        }
        if let Some(clusters) = clusters {
            form["clusters"] = (*clusters).into();
        }
        form
    };
    let edge = |(from, to, link): &(usize, usize, Link)| {
        let mut form = json!({"from": id(&graph.nodes[*from].0), "to": id(&graph.nodes[*to].0)});
        match link {
            Link::Leads => {}
            Link::Restricted => form["restricted"] = true.into(),
            Link::Waits => form["waits"] = true.into(),
            Link::WaitsInVain => {
                form["waits"] = true.into();
                form["hollow"] = true.into();
            }
        }
        form
    };
    json!({
        "nodes": graph.nodes.iter().map(node).collect::<Vec<Value>>(),
        "edges": graph.edges.iter().map(edge).collect::<Vec<Value>>(),
    })
}
